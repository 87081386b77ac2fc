#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds what compiling generated code costs, in instructions.

  compile_cost.py PLAIN INMEM OUT [KIND]...

Compiles a function of the first rows, and then for each KIND (none: for all) one with more rows of that kind, with both
compilers: the difference is what rows take at -O0. qemu's plugin counts, in a third of callgrind's time. Exit code 1: with
INMEM they take more than MOST times as many. The first rows use up the 256 counters of their own that a function has.
"""
import os
import pathlib
import shlex
import subprocess
import sys

DECLARATIONS = """struct T { int a; int b; };
struct A { int a; int b; ~A(); };
void g(T);
void g(A);
void h(A &);
"""
COUNTED = "g(A{{{0}, 2}});"
FIRST = [COUNTED.format(i) for i in range(260)]
# By kind: a row, and how many. Maps of the compiler that grow, which depends on the length of paths, hide in many cheap rows.
KINDS = {
    "trivial aggregates": ("g(T{{{0}, 2}});", 400),
    "counted aggregates": (COUNTED, 60),
    "counted variables": ("{{ A a{{{0}, 2}}; h(a); }}", 60),
}
# LLVM 16 takes longer than later ones to make debug locations and to leave them out again.
MOST = 1.15 if int(os.environ["INMEM_LLVM_VERSION"]) >= 19 else 1.30


PLUGIN = pathlib.Path(__file__).resolve().parents[3] / "bench" / "qemu" / "Instructions.c"


def instructions(command, out):
    """Of the compiler proper, which the driver would run."""
    shown = subprocess.run([*command, "-###"], check=True, capture_output=True, text=True).stderr
    proper = next(line for line in shown.splitlines() if '"-cc1"' in line)
    subprocess.run(["qemu-x86_64", "-plugin", f"{out}.so,out={out}.count,in=all", *shlex.split(proper)], check=True)
    with open(f"{out}.count") as file:
        return int(file.read())


def cost(compiler, rows, out):
    """Instructions that a function of these rows takes."""
    source = f"{out}.cpp"
    with open(source, "w") as file:
        file.write(f"{DECLARATIONS}void f() {{\n" + "".join(f"  {row}\n" for row in rows) + "}\n")
    return instructions([compiler, "-O0", "-c", source, "-o", f"{out}.o"], out)


def main():
    plain, ours, out, *kinds = sys.argv[1:]
    failures = 0
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", PLUGIN, "-o", f"{out}.so"], check=True)
    few = {compiler: cost(compiler, FIRST, out) for compiler in (plain, ours)}
    for kind in kinds or KINDS:
        row, count = KINDS[kind]
        more = [row.format(i) for i in range(count)]
        without, taken = ((cost(compiler, FIRST + more, out) - few[compiler]) / count for compiler in (plain, ours))
        print(f"{kind}: a row takes {without:.0f} instructions, {taken:.0f} with inmem: {taken / without:.3f} times")
        failures += taken > MOST * without
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
