#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""musl_programs - instrumented programs report with musl, dynamic and static, what they report with glibc.

    musl_programs.py --build FOLDER --prefix FOLDER --work FOLDER [--cxx FOLDER] [PROGRAM...] -- FLAGS...

PROGRAMS are sources of lit-tests. FLAGS make clang compile and link for musl; PREFIX has inmem-clang with the runtime for
it, --cxx names libc++ for musl, as scripts/setup.sh builds it: without it, those in C++ are left out. With glibc they have
libc++, too, and linked statically. Exit codes and output are equal, and so are blocks, bytes and what is left of each type; of those marked
`lines`, for each line of the user's, too. Exit code 0: all are; 1: not.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

from recorded import ROOT, Failed, finish, record, require_same, rows, step

# Program: what is compared ("lines" or "types"), INMEM_OPTIONS, options of the compiler, and further sources.
PROGRAMS = {
    "runtime/malloc-family.c": ("types", "stacks=16"),
    "runtime/realloc.c": ("types", "mode=trace"),
    "types/doubts.c": ("types", ""),
    "types/flexible.c": ("lines", ""),
    "types/flow.c": ("lines", "stacks=16:frees=on"),
    "types/malloc.c": ("lines", "stacks=32"),
    "types/narrow-sizes.c": ("lines", "clock=exact"),
    "types/one-place.c": ("lines", ""),
    "types/out-parameters.c": ("types", "stacks=16"),
    "types/own-allocators.c": ("types", "", "-fplugin-arg-inmem-allocators=pool_get,zone_*"),
    "types/sizes.c": ("lines", ""),
    "types/unusual.c": ("types", ""),
    "runtime/exceptions.cpp": ("types", "stacks=16"),
    "runtime/throwing-new.cpp": ("lines", ""),
    "types/smart.cpp": ("lines", "frees=on"),
    "scopes/handlers.cpp": ("types", "", "scopes/Inputs/rethrows.cpp"),
    "scopes/threads.cpp": ("types", "stacks=8"),
}
# Whose budgets throw, which those of a static executable never do.
NOT_STATIC = ("scopes/handlers.cpp", "scopes/threads.cpp")
KINDS = ("glibc", "musl", "static")


class Build:
    """Of one program: with glibc, with musl, and with musl and static."""

    def __init__(self, given, name, folder, options):
        self.given, self.folder = given, folder
        self.cxx = name.endswith(".cpp")
        self.kinds = [kind for kind in KINDS if kind != "static" or name not in NOT_STATIC]
        source = ROOT / "lit-tests" / name
        # As lit-tests/Inputs/table.py reads it.
        found = dict(re.findall(r"^// (UNIT|FLAGS): (.*)$", source.read_text(), re.MULTILINE))
        self.sources = [source, *(ROOT / "lit-tests/Inputs" / unit for unit in found.get("UNIT", "").split()),
                        *(ROOT / "lit-tests" / each for each in options if each.endswith((".c", ".cpp")))]
        self.options = ["-O1", "-g1", f"-I{ROOT}/include", f"-I{ROOT}/lit-tests/Inputs",
                        *found.get("FLAGS", "").split(), *(each for each in options if each.startswith("-"))]

    def compiler(self, kind, cxx):
        where = self.given.build if kind == "glibc" else self.given.prefix
        return where / "bin" / ("inmem-clang++" if cxx else "inmem-clang")

    def target(self, kind):
        """\\returns the options for that C library, and those to link with its C++ library."""
        if kind == "glibc":
            return (["-stdlib=libc++"], ["-static-libstdc++"]) if self.cxx else ([], [])
        flags = [*self.given.flags, "-Wno-unused-command-line-argument"]
        if not self.cxx:
            return flags, []
        headers = subprocess.run([self.given.build / "bin" / "inmem-clang++", "-print-resource-dir"], capture_output=True, text=True, check=True).stdout.strip()
        return (["-nostdinc++", f"-isystem{self.given.cxx}/include", f"-isystem{headers}/../../../include/c++/v1", *flags],
                ["-nostdlib++", f"-L{self.given.cxx}", "-lc++"])

    def objects(self, kind):
        made = []
        for index, source in enumerate(self.sources):
            made.append(self.folder / f"{kind}{index}.o")
            cxx = source.suffix == ".cpp"
            step([self.compiler(kind, cxx), *self.target(kind)[0], "-std=c++20" if cxx else "-std=gnu17", *self.options, "-Wno-unused-command-line-argument",
                  "-c", source, "-o", made[-1]], f"does not compile for {kind}")
        return made

    def programs(self):
        objects = {kind: self.objects(kind) for kind in ("glibc", "musl")}
        for kind in self.kinds:
            flags, libraries = self.target(kind)
            step([self.compiler(kind, self.cxx), *flags, *["-static"] * (kind == "static"), "-pthread", *objects["glibc" if kind == "glibc" else "musl"],
                  *libraries, "-lm", "-o", self.folder / kind], f"does not link for {kind}")
        return [self.folder / kind for kind in self.kinds]


def check(given, name):
    compared, options, *further = PROGRAMS[name]
    folder = given.work / name.replace("/", "-")
    folder.mkdir(parents=True, exist_ok=True)
    expected = None
    for program in Build(given, name, folder, further).programs():
        trace, status, output = record(program, options, folder)
        # Threads have other numbers.
        found = status, re.sub(r"\bthread \d+", "thread N", output), rows(given.build / "bin" / "inmem", trace, compared == "lines")
        expected = expected or found
        try:
            require_same(found, expected, "with glibc")
        except Failed as fault:
            raise Failed(f"{program.name}: {fault}") from None
    return len(expected[2])


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    for option in ("--build", "--prefix", "--work"):
        parser.add_argument(option, type=pathlib.Path, required=True)
    parser.add_argument("--cxx", type=pathlib.Path)
    parser.add_argument("programs", nargs="*", default=[])
    end = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    given = parser.parse_args(sys.argv[1:end])
    given.flags = sys.argv[end + 1:]
    for option in ("build", "prefix", "work", "cxx"):
        if getattr(given, option):
            setattr(given, option, getattr(given, option).resolve())
    names = given.programs or [name for name in PROGRAMS if given.cxx or name.endswith(".c")]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return finish([(f"{name}: {{}} rows", pool.submit(check, given, name)) for name in names])


if __name__ == "__main__":
    sys.exit(main())
