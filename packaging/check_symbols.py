#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_symbols - whether programs and libraries run on the systems that inmem promises.

    check_symbols.py FOLDER [BUILDER]

Looks at each ELF file below FOLDER: the runtime and the placement library may need glibc 2.17 and no C++ library, all
others what manylinux_2_28 has, inmem-fix also the libraries of its clang; or all of them musl alone. Prints one line a file; exit code 1 if one needs more,
or has a path below BUILDER, the folder that packages are made in: another folder must make the same bytes.
"""

import os
import re
import subprocess
import sys

LIMITS = {"GLIBC": (2, 28), "GLIBCXX": (3, 4, 24), "CXXABI": (1, 3, 11), "GCC": (7,)}
RUNTIME = {"GLIBC": (2, 17), "GCC": (4, 3)}
LIBRARIES = {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1", "libgcc_s.so.1", "libstdc++.so.6",
             "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1", "libc.so"}  # the last is musl's


def faults_of(path):
    """What the file needs, and what of it is too much."""
    limits = RUNTIME if re.match(r"libinmem_(rt|place)\.so", os.path.basename(path)) else LIMITS
    read = ["readelf", "-W", "--version-info", "--dynamic", path]
    text = subprocess.run(read, check=True, capture_output=True, text=True).stdout
    highest, faults = {}, []
    needs = text.partition("Version needs section")[2]
    for name, version in re.findall(r"Name: ([A-Z]+)_([0-9.]+)", needs):
        number = tuple(int(part) for part in version.split("."))
        highest[name] = max(highest.get(name, (0,)), number)
    if os.path.basename(path) == "inmem-fix":  # of the very clang whose libraries it loads
        highest.pop("LLVM", None)
    for name, number in highest.items():
        if name not in limits or number > limits[name]:
            faults.append(f"{name}_{'.'.join(map(str, number))}")
    own = r"libinmem_.*|lib(clang-cpp|LLVM)[-.].*" if os.path.basename(path) == "inmem-fix" else r"libinmem_.*"
    faults += [name for name in re.findall(r"\(NEEDED\).*\[(.*)\]", text) if name not in LIBRARIES and not re.fullmatch(own, name)]
    return [f"{name} {'.'.join(map(str, number))}" for name, number in sorted(highest.items())], faults


def path_in(path, builder):
    """The first path below the folder that the file has; or None."""
    with open(path, "rb") as file:
        found = re.search(re.escape(builder.encode()) + rb"/[!-~]*", file.read())
    return found and found.group().decode()


def main():
    if len(sys.argv) not in (2, 3):
        print(__doc__, file=sys.stderr)
        return 2
    status, seen = 0, 0
    for folder, _, names in sorted(os.walk(sys.argv[1])):
        for name in sorted(names):
            path = os.path.join(folder, name)
            if os.path.islink(path):
                continue
            with open(path, "rb") as file:
                header = file.read(18)
            if header[:4] != b"\x7fELF" or header[16] not in (2, 3):
                continue
            seen += 1
            needs, faults = faults_of(path)
            print(f"{os.path.relpath(path, sys.argv[1]):40} {', '.join(needs)}")
            if faults:
                status = 1
                print(f"{path}: needs {', '.join(faults)}", file=sys.stderr)
            leaked = len(sys.argv) == 3 and path_in(path, sys.argv[2])
            if leaked:
                status = 1
                print(f"{path}: has a path of the machine that made it: {leaked}", file=sys.stderr)
    if not seen:
        print(f"{sys.argv[1]}: no program or library there", file=sys.stderr)
        return 2
    return status


if __name__ == "__main__":
    sys.exit(main())
