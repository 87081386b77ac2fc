#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds what compiling generated code costs, in instructions.

  compile_cost.py PLAIN INMEM OUT

Compiles a function of FEW and one of MANY rows of each kind with both compilers under callgrind: the difference is
what rows take at -O0. Exit code 1: with INMEM they take more than MOST times as many. Counted rows are those beyond the
256 of a function that have a counter of their own.
"""
import os
import re
import shlex
import subprocess
import sys

KINDS = {  # FEW, MANY, what comes first, a row
    "trivial aggregates": (20, 120, "struct A { int a; int b; };\nvoid g(A);\n", "g(A{{{0}, 2}});"),
    "counted aggregates": (260, 320, "struct A { int a; int b; ~A(); };\nvoid g(A);\n", "g(A{{{0}, 2}});"),
    "counted variables": (260, 320, "struct A { int a; int b; ~A(); };\nvoid g(A &);\n", "{{ A a{{{0}, 2}}; g(a); }}"),
}
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


def row_cost(compiler, kind, out):
    """Instructions that a row takes."""
    few, many, first, row = KINDS[kind]
    taken = []
    for rows in (few, many):
        source = f"{out}.cpp"
        with open(source, "w") as file:
            file.write(first + "void f() {\n" + "".join(f"  {row.format(i)}\n" for i in range(rows)) + "}\n")
        taken.append(instructions([compiler, "-O0", "-c", source, "-o", f"{out}.o"], out))
    return (taken[1] - taken[0]) / (many - few)


def main():
    plain, ours, out = sys.argv[1:]
    failures = 0
    for kind in KINDS:
        without, taken = (row_cost(compiler, kind, out) for compiler in (plain, ours))
        print(f"{kind}: a row takes {without:.0f} instructions, {taken:.0f} with inmem: {taken / without:.3f} times")
        failures += taken > MOST * without
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
