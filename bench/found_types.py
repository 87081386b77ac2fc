#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds types that `inmem run` finds in uninstrumented programs to those that the plugin sees in the same source.

  found_types.py --bin BIN --runtime FILE --out BASE --source FILE [--flags FLAGS] [--arguments WORDS] [--recorded OPTIONS]
                  [--named SHARE] [--wrong SHARE] BUILD...

A BUILD is a compiler and its flags, in one word: 'g++ -O2 -g'. Steps in front of it, separated by commas, end with a colon:
'strip:g++ -g' (a separate debug file by debuglink), 'dwz:…'. Blocks are compared by the program's line and the type's name.
Blocks that are neither named nor wrong are unknown.
Exit code 1: fewer than SHARE of typed blocks are named, or more than SHARE are wrong, or a wrong type is certain.
"""
import argparse
import json
import os
import subprocess
import sys

sys.dont_write_bytecode = True
from inmembench import foundtypes



def run(command, **more):
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", **more)
    if done.returncode != 0:
        sys.exit(f"found_types.py: {' '.join(command)}: {done.stderr.strip()[-500:]}")
    return done.stdout


def blocks(report, source):
    return foundtypes.rows(report, lambda path: path.endswith(source))


def record(options, program, name, recorded):
    """The report of a run with options of INMEM_OPTIONS."""
    out = f"{options.out}.{name}.json"
    run([os.path.join(options.bin, "inmem"), "run", "--runtime", options.runtime, "--options", recorded, "--format", "json", "-o", out, "--", program,
         *options.arguments.split()])
    with open(out, encoding="utf-8") as file:
        return json.load(file)


def prepare(program, steps):
    for step in steps:
        if step == "strip":
            run(["objcopy", "--only-keep-debug", program, program + ".debug"])
            run(["strip", "--strip-all", "--remove-section=.gnu_debuglink", program])
            run(["objcopy", f"--add-gnu-debuglink={os.path.basename(program)}.debug", os.path.basename(program)], cwd=os.path.dirname(program))
        elif step == "dwz":
            run(["dwz", program])
        elif step == "zstd":
            run(["objcopy", "--compress-debug-sections=zstd", program])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for option in ("bin", "runtime", "out", "source"):
        parser.add_argument("--" + option, required=True)
    parser.add_argument("--flags", default="", help="of every build, such as -lm")
    parser.add_argument("--arguments", default="", help="of the program")
    parser.add_argument("--recorded", default="stacks=12:lines_mib=0", help="INMEM_OPTIONS of the runs")
    parser.add_argument("--named", type=float, default=1)
    parser.add_argument("--wrong", type=float, default=0)
    parser.add_argument("builds", nargs="+", metavar="BUILD")
    options = parser.parse_args()
    source = os.path.basename(options.source)
    is_c = source.endswith(".c")
    program = options.out + ".oracle"
    run([os.path.join(options.bin, "inmem-clang" if is_c else "inmem-clang++"), "-O0", "-g", options.source, "-o", program,
         *options.flags.split()])
    oracle = blocks(record(options, program, "oracle", options.recorded), source)
    failed = False
    for number, build in enumerate(options.builds):
        steps, _, command = build.rpartition(":")
        program = f"{options.out}.{number}"
        run([*command.split(), options.source, "-o", program, *options.flags.split()], cwd=os.path.dirname(options.out))
        prepare(program, steps.split(","))
        compared = foundtypes.Comparison(oracle, blocks(record(options, program, str(number), options.recorded), source), only_lines=True)
        print("\n".join(f"  {build}: {line}" for line in compared.differences(20)))
        certain = ", ".join(f"{row.where()} {row.kind}" for row in compared.certain())
        print(f"{build}: {100 * compared.at_line():.2f} % named, {100 * compared.wrongly():.2f} % wrong, certain and wrong: {certain or 'none'}")
        failed |= compared.at_line() < options.named or compared.wrongly() > options.wrong or bool(certain)
    return failed


if __name__ == "__main__":
    sys.exit(main())
