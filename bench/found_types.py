#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds types that `inmem run` finds in uninstrumented programs to those that the plugin sees in the same source.

  found_types.py --bin BIN --runtime FILE --out BASE --source FILE [--flags FLAGS] [--arguments WORDS] [--named SHARE] [--wrong SHARE] BUILD...

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

STACKS = "stacks=12:lines_mib=0"


def run(command, **more):
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", **more)
    if done.returncode != 0:
        sys.exit(f"found_types.py: {' '.join(command)}: {done.stderr.strip()[-500:]}")
    return done.stdout


def blocks(report, source):
    """Rows [lines of the source, type, blocks, source of the type]: of the site's line and its caller's, the row's own first."""
    found = []
    for row in report["types"]:
        for site in row["sites"]:
            places = [place for place in (site.get("caller"), site) if place and place["line"] and (place["file"] or "").endswith(source)]
            if row["type"] and places:
                found.append([[place["line"] for place in places], row["type"], site["allocations"], site.get("type_source")])
    return found


def record(options, program, name):
    """The report of a run."""
    out = f"{options.out}.{name}.json"
    run([os.path.join(options.bin, "inmem"), "run", "--runtime", options.runtime, "--options", STACKS, "--format", "json", "-o", out, "--", program,
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


def match(oracle, found, apart):
    """Takes blocks of one type off both sides whose lines are at most APART from each other. Returns their number."""
    matched = 0
    for wanted in oracle:
        for got in found:
            # The plugin may have passed over one function more or fewer.
            if wanted[1] == got[1] and any(abs(line - got[0][0]) <= apart for line in wanted[0]):
                both = min(wanted[2], got[2])
                wanted[2] -= both
                got[2] -= both
                matched += both
    return matched


def compare(name, oracle, found):
    """Returns the shares (named, wrong) of the blocks that the oracle has a type for, and the wrong rows that are certain."""
    oracle, found = [list(row) for row in oracle], [list(row) for row in found]
    typed = sum(row[2] for row in oracle)
    # Compilers merge equal code of neighbouring lines.
    named = match(oracle, found, 0) + match(oracle, found, 1)
    known = {line for row in oracle for line in row[0]}
    wrong = [row for row in found if row[2] and row[0][0] in known]
    for lines, kind, count, _ in oracle:
        if count:
            print(f"  {name}: line {lines[0]}: {count} of {kind} not found")
    for lines, kind, count, source in wrong:
        print(f"  {name}: line {lines[0]}: {count} of {kind} too many ({source})")
    certain = [(row[0][0], row[1]) for row in wrong if row[3] == "certain"]
    return named / max(typed, 1), sum(row[2] for row in wrong) / max(typed, 1), certain


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for option in ("bin", "runtime", "out", "source"):
        parser.add_argument("--" + option, required=True)
    parser.add_argument("--flags", default="", help="of every build, such as -lm")
    parser.add_argument("--arguments", default="", help="of the program")
    parser.add_argument("--named", type=float, default=1)
    parser.add_argument("--wrong", type=float, default=0)
    parser.add_argument("builds", nargs="+", metavar="BUILD")
    options = parser.parse_args()
    source = os.path.basename(options.source)
    is_c = source.endswith(".c")
    program = options.out + ".oracle"
    run([os.path.join(options.bin, "inmem-clang" if is_c else "inmem-clang++"), "-O0", "-g", options.source, "-o", program,
         *options.flags.split()])
    oracle = blocks(record(options, program, "oracle"), source)
    failed = False
    for number, build in enumerate(options.builds):
        steps, _, command = build.rpartition(":")
        program = f"{options.out}.{number}"
        run([*command.split(), options.source, "-o", program, *options.flags.split()], cwd=os.path.dirname(options.out))
        prepare(program, steps.split(","))
        named, wrong, certain = compare(build, oracle, blocks(record(options, program, str(number)), source))
        print(f"{build}: {100 * named:.2f} % named, {100 * wrong:.2f} % wrong, certain and wrong: {certain or 'none'}")
        failed |= named < options.named or wrong > options.wrong or bool(certain)
    return failed


if __name__ == "__main__":
    sys.exit(main())
