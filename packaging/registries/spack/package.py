# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""inmem as its release has it."""

from spack.package import *


class Inmem(Package):
    """Which types of object a C or C++ program allocates, where, how big, how long."""

    homepage = "@HOMEPAGE@"
    url = "@URL@"

    license("Apache-2.0 WITH LLVM-exception")

    version("@VERSION@", sha256="@SHA256@")

    requires("platform=linux target=@MACHINE@:", msg="this release is for Linux on @MACHINE@")
    depends_on("llvm@19,22 +clang", type=("build", "run"))

    def install(self, spec, prefix):
        install_tree(".", prefix)

    def setup_run_environment(self, env):
        env.set("INMEM_CLANG", join_path(self.spec["llvm"].prefix.bin, "clang++"))
