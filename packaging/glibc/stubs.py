#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""stubs - shared libraries to link with in place of glibc's, so that what is linked runs with an older glibc.

    stubs.py --limit 2.17 --out FOLDER --cc 'clang-22 --target=x86_64-linux-gnu' [--compat OBJECT.a] LIBRARY_FOLDER

A glibc keeps every version that its symbols ever had. A stub shows the newest of them that is not newer than the
limit, so the linker binds to that one, and a symbol that came later is an undefined one. FOLDER gets libc.so (a script:
the stub, that of the loader, which on AArch64 has the canary of stacks, the part of libc that is linked statically, and
--compat, which defines what is newer), libm.so, and empty libpthread.so, libdl.so and librt.so. What these once held is in
the stub of libc: the loader looks a versioned symbol up in all libraries, but an older system's loader must load those
too, so that they are named with --no-as-needed.
"""

import argparse
import glob
import os
import re
import shlex
import subprocess
import sys

SYMBOL = re.compile(r"\s*\d+: [0-9a-f]+\s+(?P<size>\w+) (?P<type>\w+)\s+(?P<bind>\w+)\s+\w+\s+(?P<section>\w+) "
                    r"(?P<name>[^@\s]+)@@?GLIBC_(?P<version>[0-9.]+)$")
# Of glibc 2.34 and later these are empty, and their symbols are libc's.
MERGED = ["libpthread.so.0", "libdl.so.2", "librt.so.1"]


def numbers(version):
    return tuple(int(each) for each in version.split("."))


def symbols(library, limit):
    """The newest version of each defined symbol up to the limit: name to (version, type, size)."""
    text = subprocess.run(["readelf", "--dyn-syms", "-W", library], check=True, capture_output=True, text=True).stdout
    found = {}
    for line in text.splitlines():
        symbol = SYMBOL.match(line)
        if not symbol or symbol["section"] in ("UND", "ABS") or numbers(symbol["version"]) > limit:
            continue
        old = found.get(symbol["name"])
        if not old or numbers(old[0]) < numbers(symbol["version"]):
            found[symbol["name"]] = (symbol["version"], symbol["type"], int(symbol["size"], 0))
    return found


def write_stub(name, found, out, cc):
    """A shared library of that soname: functions that trap, data of the right size."""
    assembly, versions = [], {}
    for symbol, (version, kind, size) in sorted(found.items()):
        versions.setdefault(version, []).append(symbol)
        section, elf_type = {"OBJECT": (".bss", "object"), "TLS": (".tbss,\"awT\",%nobits", "tls_object")}.get(
            kind, (".text", "function"))
        # The linker aligns its copy of data as the original is.
        assembly += [f".section {section}", ".balign 32", f".globl {symbol}", f".type {symbol},%{elf_type}", f"{symbol}:",
                     f".space {max(size, 1) if section != '.text' else 4}", f".size {symbol}, . - {symbol}"]
    assembly.append('.section .note.GNU-stack,"",%progbits')
    base = os.path.join(out, name)
    with open(base + ".s", "w") as file:
        file.write("\n".join(assembly) + "\n")
    with open(base + ".map", "w") as file:
        for version in sorted(versions, key=numbers):
            file.write(f"GLIBC_{version} {{ global: {' '.join(f'{each};' for each in versions[version])} }};\n")
        if not versions:
            file.write("{ local: *; };\n")
    subprocess.run([*cc, "-shared", "-nostdlib", "-fuse-ld=lld", base + ".s", "-o", base, f"-Wl,-soname,{name}",
                    f"-Wl,--version-script,{base}.map"], check=True)


def main():
    parser = argparse.ArgumentParser(usage=__doc__, add_help=True)
    parser.add_argument("--limit", required=True, type=numbers)
    parser.add_argument("--out", required=True)
    parser.add_argument("--cc", required=True, type=shlex.split)
    parser.add_argument("--compat", default="")
    parser.add_argument("--nonshared", default="")
    parser.add_argument("folder")
    given = parser.parse_args()
    os.makedirs(given.out, exist_ok=True)
    for name in ("libc.so.6", "libm.so.6"):
        write_stub(name, symbols(os.path.join(given.folder, name), given.limit), given.out, given.cc)
    loaders = [os.path.basename(path) for path in glob.glob(os.path.join(given.folder, "ld-linux-*.so.*"))]
    for name in loaders:
        write_stub(name, symbols(os.path.join(given.folder, name), given.limit), given.out, given.cc)
    for name in MERGED:
        write_stub(name, {}, given.out, given.cc)
        link = os.path.join(given.out, name.rsplit(".", 1)[0])
        if not os.path.lexists(link):
            os.symlink(name, link)
    link = os.path.join(given.out, "libm.so")
    if not os.path.lexists(link):
        os.symlink("libm.so.6", link)
    parts = [os.path.join(given.out, "libc.so.6"), *filter(None, [given.compat, given.nonshared])]
    with open(os.path.join(given.out, "libc.so"), "w") as file:
        quoted = " ".join(f'"{part}"' for part in parts)  # a folder may have a blank in its name
        needed = " ".join(f'"{os.path.join(given.out, name)}"' for name in loaders)
        file.write(f"GROUP ( {quoted} {f'AS_NEEDED ( {needed} )' if loaders else ''} )\n")
    return 0


sys.exit(main())
