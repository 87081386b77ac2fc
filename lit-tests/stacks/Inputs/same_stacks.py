#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""same_stacks.py TRACE...: reports of all show the same stacks, files, lines and inlined calls included, and no trace
says twice where an address is from. Needs INMEM_BUILD. Exit code 1: something does not hold."""
import collections
import json
import os
import re
import subprocess
import sys


def inmem(*arguments):
    tool = os.path.join(os.environ["INMEM_BUILD"], "bin", "inmem")
    return subprocess.run([tool, *arguments], check=True, capture_output=True, text=True).stdout


def stacks_of(trace):
    report = json.loads(inmem("report", "--format", "json", "--by", "stack", "--top", "0", trace))
    found = []
    for row in report["types"]:
        for stack in row.get("stacks", []):
            frames = [(f["function"], f["file"], f["line"], f["kind"]) for f in stack["frames"]]
            found.append((str(row["type"]), stack["allocations"], stack["allocated_bytes"], frames))
    return sorted(found, key=str)


def main(traces):
    first = stacks_of(traces[0])
    if not any(line for _, _, _, frames in first for _, _, line, _ in frames):
        print(f"{traces[0]}: no lines")
        return 1
    bad = 0
    for trace in traces:
        stacks = stacks_of(trace)
        for row in [r for r in stacks if r not in first] + [r for r in first if r not in stacks]:
            print(f"{trace}: differs from {traces[0]}: {row}")
            bad = 1
        told = collections.Counter(re.findall(r"^ *symbol address=(\d+)", inmem("dump", trace), re.M))
        twice = [address for address, times in told.items() if times > 1]
        if twice:
            print(f"{trace}: addresses told twice: {twice}")
            bad = 1
    return bad


sys.exit(main(sys.argv[1:]))
