#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds what counting objects costs in hot code.

  instructions.py --most RATIO COMPILER SOURCE OUT

Compiles SOURCE at -O2 with COMPILER as it is and with objects=off. Instructions of a round are the
difference between a run with many rounds (its argument) and one with few, by callgrind, so that
start and end drop out. Exit code 1: the first takes more than RATIO times as many as the second.
"""
import argparse
import os
import re
import subprocess
import sys

FEW, MANY = 20, 420


def instructions(program, rounds, out):
    done = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}.callgrind", program, str(rounds)],
                          env={**os.environ, "INMEM_OPTIONS": f"output={out}.inmem"}, check=True, capture_output=True, text=True)
    return int(re.search(r"Collected : (\d+)", done.stderr).group(1))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--most", type=float, required=True)
    parser.add_argument("compiler")
    parser.add_argument("source")
    parser.add_argument("out")
    options = parser.parse_args()
    found = []
    for kind, flags in (("on", []), ("off", ["-fplugin-arg-inmem-objects=off"])):
        program = f"{options.out}.{kind}"
        subprocess.run([options.compiler, "-O2", *flags, options.source, "-o", program], check=True)
        few, many = (instructions(program, rounds, options.out) for rounds in (FEW, MANY))
        found.append((many - few) / (MANY - FEW))
    print(f"a round takes {found[0]:.0f} instructions, {found[1]:.0f} with objects=off: {found[0] / found[1]:.3f} times")
    return 0 if found[0] <= options.most * found[1] else 1


if __name__ == "__main__":
    sys.exit(main())
