#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds the counts of objects in reports against what the program's own comments say.

  objects.py SOURCE OUT [--exit CODE] [FLAG]...

Compiles SOURCE at -O0 and at -O2 (with FLAGs), runs it and reads its report; OUT begins the
names of what that leaves. Each line `// OBJECTS Class: key=N ...` in SOURCE states the counts of a class that
somebody did by hand; keys are the storages (heap, stack, static, thread, member,
placed, unknown), destroyed, alive, and the manners (defaulted, copied, moved,
converted, aggregate, other). A storage or manner that is not named must be 0;
`destroyed` must be named (none: the class has no destructor to count). Every class of
the program whose objects are counted must be stated; a closure is called (lambda). Exit code 1: something differs.
"""
import json
import os
import re
import subprocess
import sys

STORAGES = ["heap", "stack", "static", "thread", "member", "placed", "unknown"]
MANNERS = ["defaulted", "copied", "moved", "converted", "aggregate", "other"]


def stated(source):
    wanted = {}
    with open(source) as file:
        for line in file:
            if match := re.match(r"\s*// OBJECTS (.+?): ((?:\w+=\w+ ?)+)$", line):
                pairs = dict(pair.split("=") for pair in match[2].split())
                wanted[match[1]] = {key: None if value == "none" else int(value) for key, value in pairs.items()}
    if not wanted:
        sys.exit(f"{source} states no counts")
    return wanted


def found(report):
    with open(report) as file:
        rows = json.load(file)["types"]
    return {re.sub(r"\(lambda at .*\)", "(lambda)", row["type"]): {**row["objects"]["constructed"], **row["objects"]}
            for row in rows if row["objects"] is not None}


def differences(wanted, counts):
    for name in sorted(set(wanted) | set(counts)):
        if name not in counts:
            if any(wanted[name].values()):
                yield f"{name}: not in the report"
            continue
        if name not in wanted:
            yield f"{name}: not stated in the source"
            continue
        want, have = wanted[name], counts[name]
        if "destroyed" not in want:
            yield f"{name}: the source does not say how many were destroyed"
        keys = STORAGES + (MANNERS if set(want) & set(MANNERS) else [])
        for key in keys + [key for key in want if key not in keys]:
            if (have.get(key) or 0) != (want.get(key, 0) or 0):
                yield f"{name}: {key} is {have.get(key)}, by hand {want.get(key, 0)}"
        total = sum(have[key] for key in STORAGES)
        if total != sum(have[key] for key in MANNERS):
            yield f"{name}: storages and manners do not add up to the same"


def report_of(source, out, level, flags, status):
    compiler = os.path.join(os.environ["INMEM_BUILD"], "bin", "inmem-clang++")
    program, report = f"{out}{level}", f"{out}{level}.json"
    subprocess.run([compiler, "-std=c++20", "-w", level, *flags, source, "-o", program], check=True)
    record = os.path.join(os.path.dirname(__file__), "record.py")
    done = subprocess.run([sys.executable, record, report, "--", program])
    if done.returncode != status:
        sys.exit(f"{program}: exit code {done.returncode}, not {status}")
    return report


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    source, out, *flags = sys.argv[1:]
    status = 0
    if flags[:1] == ["--exit"]:
        status, flags = int(flags[1]), flags[2:]
    wanted = stated(source)
    failures = []
    for level in ("-O0", "-O2"):
        report = report_of(source, out, level, flags, status)
        failures += [f"{level}: {text}" for text in differences(wanted, found(report))]
    for failure in failures:
        print(failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
