#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""musl_cxx - builds libc++ for musl, which no Debian has, for tests of programs in C++.

    musl_cxx.py WHEEL LLVM OUT

The sources come with Zig's WHEEL. Headers and compiler are those of LLVM (/usr/lib/llvm-N), whose libc++ has the same version.
OUT/include goes before its headers; OUT/libc++.a has the library, its ABI library and the unwinder.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import zipfile

MUSL = "/usr/lib/x86_64-linux-musl"
KERNEL = ("/usr/include/linux", "/usr/include/asm-generic", "/usr/include/x86_64-linux-gnu/asm")
FOLDERS = ("libcxx/src", "libcxx/src/filesystem", "libcxx/src/ryu", "libcxxabi/src", "libunwind/src")
# Of other platforms, and what stands in where exceptions are off.
LEFT_OUT = re.compile("noexception|EHABI|-seh|-wasm|-sjlj")
DEFINES = ("_GNU_SOURCE", "_LIBCPP_BUILDING_LIBRARY", "LIBCXX_BUILDING_LIBCXXABI", "_LIBCXXABI_BUILDING_LIBRARY", "_LIBUNWIND_IS_NATIVE_ONLY")
INCLUDES = ("libcxx/src", "libcxx/libc", "libcxxabi/include", "libcxxabi/src", "libunwind/include")


def prepare(llvm, out):
    (out / "include").mkdir(parents=True)
    config = (llvm / "include/c++/v1/__config_site").read_text()
    (out / "include/__config_site").write_text(config.replace("_LIBCPP_HAS_MUSL_LIBC 0", "_LIBCPP_HAS_MUSL_LIBC 1"))
    for folder in map(pathlib.Path, KERNEL):
        (out / "include" / folder.name).symlink_to(folder)


def ninja_file(llvm, out, work, lib):
    flags = ["--target=x86_64-linux-musl", f"--sysroot={MUSL}", "-nostdinc++", f"-isystem {out}/include", f"-isystem {llvm}/include/c++/v1",
             "-isystem /usr/include/x86_64-linux-musl", "-fPIC -O1 -w -funwind-tables",
             *(f"-D{each}" for each in DEFINES), *(f"-I{lib}/{each}" for each in INCLUDES)]
    cache = shutil.which("ccache") or ""
    yield f"rule compile\n  command = {cache} {llvm}/bin/clang {' '.join(flags)} $standard -c $in -o $out\n"
    yield f"rule archive\n  command = {llvm}/bin/llvm-ar rcs $out $in\n"
    objects = []
    for folder in FOLDERS:
        for source in sorted((work / lib / folder).iterdir()):
            if source.suffix in {".cpp", ".c", ".S"} and not LEFT_OUT.search(source.name):
                objects.append(f"{len(objects)}.o")
                yield f"build {objects[-1]}: compile {source.relative_to(work)}\n" + "  standard = -std=c++23\n" * (source.suffix == ".cpp")
    yield f"build {out}/libc++.a: archive {' '.join(objects)}\n"


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    wheel, llvm, out = (pathlib.Path(each).resolve() for each in sys.argv[1:])
    prepare(llvm, out)
    # Always of one name, and the sources relative to it: ccache knows the compilations again.
    work = out / "work"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(work, [name for name in archive.namelist() if re.match("ziglang/lib/(libcxx|libcxxabi|libunwind)/", name)])
    (work / "build.ninja").write_text("".join(ninja_file(llvm, out, work, pathlib.Path("ziglang/lib"))))
    done = subprocess.run(["ninja", "-C", work], capture_output=True, text=True)
    shutil.rmtree(work)
    if done.returncode != 0:
        sys.exit(done.stdout[-2000:])


if __name__ == "__main__":
    main()
