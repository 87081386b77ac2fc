#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds the events of `inmem dump --events` against a report's totals.

  events.py DUMP REPORT.json

Exit code 1: the numbers of allocations, frees or bytes differ, a thread has no
time for more than 64 events, its times add up to more than the run, or nothing
was timed.
"""
import collections
import json
import sys


def main():
    count, size = collections.Counter(), collections.Counter()
    unclocked = lives = run = 0
    passed = collections.Counter()  # ticks, by thread
    thread = None
    with open(sys.argv[1]) as dump:
        for line in dump:
            words = line.split()
            if words[:1] == ["header"]:
                header = dict(word.split("=", 1) for word in words[1:] if "=" in word)
                run = int(header["last-ticks"]) - int(header["start-ticks"]) >> int(header["tick-shift"])
            if words[:1] == ["extent"]:
                unclocked = 0
                thread = words[2]
            if words[:1] != ["event"]:
                continue
            members = dict(word.split("=") for word in words[2:])
            count[words[1]] += 1
            size[words[1]] += int(members["size"])
            lives += "life" in members
            passed[thread] += int(members.get("time", 0))
            unclocked = 0 if "time" in members else unclocked + 1
            if unclocked > 64:
                sys.exit(f"events.py: more than 64 events without a time: {line}")
    if max(passed.values()) > run:
        sys.exit(f"events.py: events of {max(passed.values())} ticks in a run of {run}")
    with open(sys.argv[2]) as report:
        totals = json.load(report)["totals"]
    expected = (totals["allocations"], totals["frees"], totals["allocated_bytes"], totals["freed_bytes"])
    found = (count["allocate"], count["free"], size["allocate"], size["free"])
    if found != expected:
        sys.exit(f"events.py: events have {found}, the report {expected}")
    if not 0 < lives <= totals["frees"]:
        sys.exit(f"events.py: {lives} lives were timed")


main()
