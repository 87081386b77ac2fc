#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds what compiling generated code costs, in instructions.

  compile_cost.py PLAIN INMEM OUT

Compiles a function of FEW and one of MANY rows with both compilers under callgrind: the difference is
what rows take at -O0. Exit code 1: with INMEM they take more than MOST times as many.
"""
import os
import re
import shlex
import subprocess
import sys

FEW, MANY = 20, 120
# LLVM 16 takes longer than later ones to make debug locations and to leave them out again.
MOST = 1.15 if int(os.environ["INMEM_LLVM_VERSION"]) >= 19 else 1.30


def instructions(command, out):
    """Of the compiler proper, which the driver would run."""
    shown = subprocess.run([*command, "-###"], check=True, capture_output=True, text=True).stderr
    proper = next(line for line in shown.splitlines() if '"-cc1"' in line)
    done = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}.callgrind", *shlex.split(proper)],
                          check=True, capture_output=True, text=True)
    os.remove(f"{out}.callgrind")
    return int(re.search(r"Collected : (\d+)", done.stderr).group(1))


def main():
    plain, ours, out = sys.argv[1:]
    taken = []
    for compiler in (plain, ours):
        sizes = []
        for rows in (FEW, MANY):
            source = f"{out}.cpp"
            with open(source, "w") as file:
                file.write("struct A { int a; int b; };\nvoid g(A);\nvoid f() {\n" + "".join(f"  g(A{{{i}, 2}});\n" for i in range(rows)) + "}\n")
            sizes.append(instructions([compiler, "-O0", "-c", source, "-o", f"{out}.o"], out))
        taken.append((sizes[1] - sizes[0]) / (MANY - FEW))
    print(f"a row takes {taken[0]:.0f} instructions, {taken[1]:.0f} with inmem: {taken[1] / taken[0]:.3f} times")
    return 0 if taken[1] <= MOST * taken[0] else 1


if __name__ == "__main__":
    sys.exit(main())
