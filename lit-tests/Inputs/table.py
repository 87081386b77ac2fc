#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs one test of a row of docs/types.md in every language mode and at every level.

  table.py SOURCE [FLAG]...

SOURCE is compiled with the wrapper in each standard that it names and at -O0 and -O2,
run, and its report held against its own comments. With INMEM_TABLE_LEVELS=1 a file of
several standards has one level in each, in turn, so that a clang which is not the
default still meets each standard and each level. With 0 it has the first and the last
standard only.

  // MODES: c++17 c++20 c++23     standards (default: c++17 c++20 c++23; c17 for .c)
  // FLAGS: -pthread              more flags of the compiler
  // LIBRARY: file.c [FLAG]...    another file of Inputs/, built without inmem into a library
  // UNIT: file.c                 another file of Inputs/, built with inmem
  // EXPECT: types["T"].allocations == 3          what expect.py understands
  // EXPECT(c++20,O2): ...        only in that standard, only at that level
  // REPORT: --assume 'lib.so:f=T'                more options of inmem report
  // ALONE: ...                   the same for -fpass-plugin without the AST half,
  //                              which must never name a type otherwise than the whole

The environment has INMEM_BUILD, INMEM_LLVM_BINDIR (the folder of clang) and INMEM_LLVM_VERSION (its version).
"""
import json
import os
import re
import shlex
import subprocess
import sys

import expect

BUILD = os.environ["INMEM_BUILD"]
VERSION = int(os.environ["INMEM_LLVM_VERSION"])
LEVELS = int(os.environ.get("INMEM_TABLE_LEVELS", "2"))
INPUTS = os.path.dirname(os.path.abspath(__file__))


class Test:
    def __init__(self, source, flags):
        self.source, self.cxx = source, not source.endswith(".c")
        with open(source) as file:
            self.text = file.read()
        self.flags = flags + shlex.split(" ".join(self.values("FLAGS")))
        self.modes = " ".join(self.values("MODES")).split() or (["c++17", "c++20", "c++23"] if self.cxx else ["c17"])
        self.failures = []

    def values(self, key, *tags):
        """Comments of that key whose condition, if any, names one of the tags or both."""
        found = []
        for conditions, value in re.findall(rf"^//\s*{key}(?:\(([^)]*)\))?:\s*(.*?)\s*$", self.text, re.M):
            if all(one.strip() in tags for one in conditions.split(",") if one.strip()):
                found.append(value)
        return found

    def run(self, command, **more):
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)
        if done.returncode != 0:
            sys.exit(f"{shlex.join(command)}\n{done.stdout}\nexit code {done.returncode}")
        return done.stdout

    def compiler(self, plain):
        name = "clang++" if self.cxx else "clang"
        return os.path.join(os.environ["INMEM_LLVM_BINDIR"], name) if plain else os.path.join(BUILD, "bin", "inmem-" + name)

    def build(self, program, mode, level, alone):
        std = "c++2b" if mode == "c++23" and VERSION < 17 else mode
        flags = [f"-std={std}", f"-{level}", *self.flags]
        units, libraries = [self.source], []
        units += [os.path.join(INPUTS, unit) for unit in self.values("UNIT")]
        for index, words in enumerate(self.values("LIBRARY")):
            name, *more = shlex.split(words)
            library = f"{os.path.dirname(program)}/libtable{index}.so"
            self.run([self.compiler(True), f"-{level}", "-fPIC", "-shared", os.path.join(INPUTS, name), "-o", library,
                      *more])
            libraries.append(library)
        libraries += [f"-Wl,-rpath,{os.path.dirname(program)}"]
        if alone is None:
            self.run([self.compiler(False), *flags, *units, *libraries, "-o", program])
            return
        plugin, runtime = os.path.join(BUILD, "lib", "libinmem-ir.so"), os.path.join(BUILD, "lib", "libinmem_rt.so")
        self.run([self.compiler(True), *flags, *alone, f"-fpass-plugin={plugin}", *units, *libraries, runtime,
                  f"-Wl,-rpath,{os.path.dirname(runtime)}", "-o", program])

    def report(self, program):
        trace = program + ".inmem"
        if os.path.exists(trace):
            os.remove(trace)
        self.run([program], env=dict(os.environ, INMEM_OPTIONS=f"output={trace}"))
        more = shlex.split(" ".join(self.values("REPORT")))
        command = [os.path.join(BUILD, "bin", "inmem"), "report", "--format", "json", *more, trace]
        return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout, object_hook=expect.Row)

    def check(self, program, mode, level, alone=None, whole=None):
        self.build(program, mode, level, alone)
        report = self.report(program)
        title = " ".join([mode, level, *([] if alone is None else ["without the AST half", *alone])])
        key, tags = ("EXPECT", [mode, level]) if alone is None else ("ALONE", [mode, level, *(alone or ["no -g"])])
        problems = expect.failures(report, self.values(key, *tags))
        if whole:
            problems += self.contradictions(report, whole)
        self.failures += [f"{title}: {problem}" for problem in problems]
        return report

    @staticmethod
    def contradictions(report, whole):
        """What one half alone says and both together do not."""
        if report.totals.allocations != whole.totals.allocations:
            yield f"{report.totals.allocations} allocations, with the AST half {whole.totals.allocations}"
        known = {row.type: row.allocations for row in whole.types if row.type is not None}
        for row in report.types:
            if row.type is not None and row.allocations > known.get(row.type, 0):
                yield f"{row.type!r} has {row.allocations} blocks, with the AST half {known.get(row.type, 0)}"


def main():
    source, *flags = sys.argv[1:]
    test = Test(source, flags)
    if not test.values("EXPECT") and not re.search(r"^//\s*EXPECT", test.text, re.M):
        sys.exit(f"{source}: no // EXPECT: in it")
    folder = os.path.join(os.getcwd(), "Output", os.path.basename(source) + ".table")
    os.makedirs(folder, exist_ok=True)
    levels = {mode: ["O0", "O2"] for mode in test.modes}
    if LEVELS < 2 and len(test.modes) > 1:
        modes = test.modes if LEVELS == 1 else [test.modes[0], test.modes[-1]]
        levels = {mode: [["O0", "O2"][(index + VERSION) % 2]] for index, mode in enumerate(modes)}
    last, whole = test.modes[-1], {}
    for mode in levels:
        for level in levels[mode]:
            whole[level] = test.check(f"{folder}/{mode}.{level}", mode, level)
    for level, alone in [("O0", []), ("O2", ["-g"])]:
        if level in levels[last]:
            test.check(f"{folder}/alone.{level}", last, level, alone, whole[level])
    for failure in test.failures:
        print(failure)
    return 1 if test.failures else 0


if __name__ == "__main__":
    sys.exit(main())
