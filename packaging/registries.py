#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""registries - the files that package registries want of a release, each naming its tarball by address and checksum.

    registries.py TARBALL BASE_URL OUT_FOLDER

BASE_URL/VERSION/NAME.tar.xz is where the tarball will be. OUT_FOLDER gets a folder for each registry: bazel, conan, docker,
github, gitlab, homebrew, meson, nix, spack, vcpkg.
"""

import base64
import hashlib
import pathlib
import re
import shutil
import sys

TEMPLATES = pathlib.Path(__file__).resolve().parent / "registries"
# What the registries call the machine.
MACHINES = {"x86_64": {"CONAN_ARCH": "x86_64", "BREW_ARCH": "x86_64", "VCPKG_ARCH": "x64"},
            "aarch64": {"CONAN_ARCH": "armv8", "BREW_ARCH": "arm64", "VCPKG_ARCH": "arm64"}}


def integrity(content):
    """As web browsers, Bazel and Nix write a checksum."""
    return "sha256-" + base64.b64encode(hashlib.sha256(content).digest()).decode()


def values(tarball, base):
    name = re.fullmatch(r"(inmem-([0-9.]+)-linux-(\w+))\.tar\.xz", tarball.name)
    if not name or name[3] not in MACHINES:
        sys.exit(f"registries: {tarball} is not a tarball of a release")
    content = tarball.read_bytes()
    return {"VERSION": name[2], "MACHINE": name[3], "FOLDER": name[1], "ARCHIVE": tarball.name, "HOMEPAGE": base,
            "URL": f"{base}/{name[2]}/{tarball.name}", "SHA256": hashlib.sha256(content).hexdigest(),
            "SHA512": hashlib.sha512(content).hexdigest(), "INTEGRITY": integrity(content),
            "BUILD_INTEGRITY": integrity((TEMPLATES / "bazel/BUILD.bazel").read_bytes()), **MACHINES[name[3]]}


def fill(text, known, path):
    def value(found):
        if found[1] not in known:
            sys.exit(f"registries: {path}: no value for {found[0]}")
        return known[found[1]]
    return re.sub(r"@([A-Z][A-Z0-9_]+)@", value, text)


def main():
    if len(sys.argv) != 4:
        print(__doc__, file=sys.stderr)
        return 2
    tarball, base, out = pathlib.Path(sys.argv[1]), sys.argv[2].rstrip("/"), pathlib.Path(sys.argv[3])
    known = values(tarball, base)
    for template in sorted(path for path in TEMPLATES.rglob("*") if path.is_file()):
        target = out / template.relative_to(TEMPLATES)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(fill(template.read_text(), known, template))
    # The files that a runner, or docker, has at hand.
    for folder in ("docker", "github"):
        shutil.copy(out / "install.sh", out / folder / "install.sh")
    (out / "install.sh").unlink()
    print(out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
