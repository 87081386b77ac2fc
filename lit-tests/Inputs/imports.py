#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds the report of an imported profile against what the other tool prints of it.

  imports.py TOOL REPORT.json FILE

heaptrack: FILE is its data, of which heaptrack_print folds each cost exactly. dhat: what valgrind
printed. massif: its data, for ms_print. pprof: its data or text, for `go tool pprof`. jeprof: jemalloc's text. v8: its data,
which is added up here. Exit code 1: something differs.
"""
import json
import re
import subprocess
import sys
import tempfile


REPORT = {}


def check(what, found, expected):
    if found != expected:
        sys.exit(f"imports.py: {what}: expected {expected}, found {found}")
    print(f"{what}: {found}")


def number(text):
    return int(text.replace(",", ""))


def printed(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def heaptrack(totals, file):
    for cost, member in [("allocations", "allocations"), ("temporary", "temporary_allocations"),
                         ("leaked", "live_bytes"), ("peak", "peak_live_bytes")]:
        with tempfile.NamedTemporaryFile("r") as stacks:
            printed("heaptrack_print", "-s", "1", "-f", file, "-F", stacks.name, "--flamegraph-cost-type", cost)
            expected = sum(int(line.rsplit(" ", 1)[1]) for line in stacks)
        check(member, totals[member], expected)
    text = printed("heaptrack_print", "-s", "1", file)
    check("calls", totals["allocations"], int(re.search(r"calls to allocation functions: (\d+)", text)[1]))


def dhat(totals, file):
    with open(file) as log:
        text = log.read()
    for what, members in [("Total", ("allocated_bytes", "allocations")), ("At t-gmax", ("peak_live_bytes", None)),
                          ("At t-end", ("live_bytes", "live_allocations"))]:
        figures = re.search(rf"{what}: +([\d,]+) bytes in ([\d,]+) blocks", text)
        for member, figure in zip(members, figures.groups(), strict=True):
            if member:
                check(member, totals[member], number(figure))
    check("frees", totals["frees"], totals["allocations"] - totals["live_allocations"])


def massif(totals, file):
    timeline = REPORT["timeline"]
    rows = re.findall(r"^ +\d+ +([\d,]+) +([\d,]+) +([\d,]+) +([\d,]+) +([\d,]+)$", printed("ms_print", file), re.MULTILINE)
    useful = [number(row[2]) for row in rows]
    # After the start, a point for each snapshot.
    scale = 1 if "unit" in timeline else 1000000
    check("times", [point["ns"] for point in timeline["points"][1:]], [number(row[0]) * scale for row in rows])
    check("curve", timeline["types"][0]["live_bytes"][1:], useful)
    check("live_bytes", totals["live_bytes"], useful[-1])
    check("peak_live_bytes", totals["peak_live_bytes"], max(useful))
    for member in ("allocations", "allocated_bytes", "frees", "freed_bytes", "live_allocations", "temporary_allocations"):
        check(member, totals[member], None)


def jeprof(totals, file):
    # It adds up fractions of scaled sums.
    with open(file) as text:
        rows = sum(line.startswith("@") for line in text)
    for kind, member in [("alloc_objects", "allocations"), ("alloc_space", "allocated_bytes"),
                         ("inuse_objects", "live_allocations"), ("inuse_space", "live_bytes")]:
        text = printed("jeprof", f"--{kind}", "--show_bytes", "--text", REPORT["processes"][0]["command"][0], file)
        expected = number(re.search(r"Total: ([\d,]+)", text)[1])
        check(f"{member} within {rows} of {expected}", abs(totals[member] - expected) <= rows, True)


def v8(totals, file):
    def size(node):
        return round(node["selfSize"]) + sum(size(child) for child in node["children"])

    with open(file) as text:
        check("live_bytes", totals["live_bytes"], size(json.load(text)["head"]))
    for member in ("allocations", "allocated_bytes", "live_allocations", "peak_live_bytes"):
        check(member, totals[member], None)


def pprof(totals, file):
    # gperftools leaves out which objects and bytes it means: those alive.
    for names, member in [(["alloc_objects"], "allocations"), (["alloc_space"], "allocated_bytes"),
                          (["inuse_objects", "objects"], "live_allocations"), (["inuse_space", "space"], "live_bytes")]:
        printed_of = [subprocess.run(["go", "tool", "pprof", "-top", "-unit=B", f"-sample_index={name}", file],
                                     capture_output=True, text=True) for name in names]
        found = [re.search(r"of (\d+)B? total", done.stdout)[1] for done in printed_of if done.returncode == 0]
        check(member, totals[member], int(found[0]) if found else None)
    check("peak_live_bytes", totals["peak_live_bytes"], None)
    check("temporary_allocations", totals["temporary_allocations"], None)


def main():
    with open(sys.argv[2]) as text:
        REPORT.update(json.load(text))
    globals()[sys.argv[1]](REPORT["totals"], sys.argv[3])


if __name__ == "__main__":
    main()
