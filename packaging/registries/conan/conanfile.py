# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""inmem as its release has it. `conan create . --version @VERSION@`."""

import os

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.files import copy, get


class Inmem(ConanFile):
    name = "inmem"
    version = "@VERSION@"
    license = "Apache-2.0 WITH LLVM-exception"
    description = "Which types of object a C or C++ program allocates, where, how big, how long"
    topics = ("memory", "profiler", "heap", "clang")
    package_type = "shared-library"
    settings = "os", "arch"

    def validate(self):
        if self.settings.os != "Linux" or self.settings.arch != "@CONAN_ARCH@":
            raise ConanInvalidConfiguration("this release is for Linux on @CONAN_ARCH@")

    def build(self):
        get(self, "@URL@", sha256="@SHA256@", strip_root=True)

    def package(self):
        copy(self, "*", src=self.build_folder, dst=self.package_folder)
        copy(self, "LICENSE", src=os.path.join(self.build_folder, "share/doc/inmem"), dst=os.path.join(self.package_folder, "licenses"))

    def package_info(self):
        self.cpp_info.set_property("cmake_find_mode", "none")  # the package has its own
        self.cpp_info.builddirs = ["lib/cmake/inmem"]
        self.cpp_info.set_property("pkg_config_name", "inmem")
        self.cpp_info.libs = ["inmem_rt"]
        self.buildenv_info.append_path("PATH", os.path.join(self.package_folder, "bin"))
