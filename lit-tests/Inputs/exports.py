#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds exported files against the report of the same trace.

  exports.py REPORT.json FORMAT=FILE...

FORMAT is collapsed, speedscope, dhat or chrome. What DHAT's viewer wants to find
in a file is read from the viewer itself. Exit code 1: something differs.
"""
import json
import re
import sys

VIEWER = "/usr/libexec/valgrind/dh_view.js"


def check(what, found, expected):
    if found != expected:
        sys.exit(f"exports.py: {what}: expected {expected}, found {found}")


def collapsed(text, report):
    lines = [line.rsplit(" ", 1) for line in text.splitlines()]
    check("bytes", sum(int(size) for _, size in lines), report["totals"]["allocated_bytes"])
    check("frames", all(stack and not stack.endswith(";") for stack, _ in lines), True)


def speedscope(text, report):
    content = json.loads(text)
    frames = content["shared"]["frames"]
    totals = report["totals"]
    sums = [totals["allocated_bytes"], totals["allocations"], totals["live_bytes"]]
    for profile, expected in zip(content["profiles"], sums, strict=True):
        check(profile["name"], sum(profile["weights"]), expected)
        check("end of " + profile["name"], profile["endValue"], expected)
        check("samples", len(profile["samples"]), len(profile["weights"]))
        check("frame indexes", all(0 <= frame < len(frames) for stack in profile["samples"] for frame in stack), True)


def dhat(text, report):
    content = json.loads(text)
    with open(VIEWER) as viewer:
        source = viewer.read()
    wanted = re.search(r"let fields = \[(.*?)\]", source, re.DOTALL)[1]
    check("fields", set(re.findall(r'"(\w+)"', wanted)) - set(content), set())
    version = int(re.search(r"kExpectedFileVersion = (\d+)", source)[1])
    check("version", content["dhatFileVersion"], version)
    of_point = re.search(r'checkFields\(aPP, \[("tb".*?)\]', source)[1]
    for point in content["pps"]:
        check("fields of a point", set(re.findall(r'"(\w+)"', of_point)) - set(point), set())
        check("frame indexes", all(0 < frame < len(content["ftbl"]) for frame in point["fs"]), True)
    check("bytes", sum(point["tb"] for point in content["pps"]), report["totals"]["allocated_bytes"])
    check("blocks", sum(point["tbk"] for point in content["pps"]), report["totals"]["allocations"])


def chrome(text, report):
    events = json.loads(text)["traceEvents"]
    counters = [event for event in events if event["ph"] == "C"]
    check("live bytes at the end", sum(counters[-1]["args"].values()), report["totals"]["live_bytes"])
    check("order", [event["ts"] for event in counters], sorted(event["ts"] for event in counters))
    phases = {event["name"]: event["args"]["allocations"] for event in events if event["ph"] == "X"}
    check("warm", phases["warm"], 100)
    check("steady", phases["steady"], 3)


def main():
    with open(sys.argv[1]) as text:
        report = json.load(text)
    for pair in sys.argv[2:]:
        name, file = pair.split("=", 1)
        with open(file) as text:
            globals()[name](text.read(), report)
        print(f"{name}: as the report")


if __name__ == "__main__":
    main()
