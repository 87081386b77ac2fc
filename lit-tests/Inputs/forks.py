#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""forks.py FOLDER: checks what safety/fork-ways.c left, one folder a way to fork.

Each has the parent's report and, where a child recorded anything, the child's.
"""
import json
import pathlib
import sys

import expect

PARENTS, CHILDS = 11, 100


def of(report, name):
    return next((row.allocations for row in report.types if row.type == name), 0)


def problems(folder):
    reports = [json.loads(path.read_text(), object_hook=expect.Row) for path in folder.glob("*.json")]
    for report in reports:
        yield from expect.broken_invariants(report)
    parents = [report for report in reports if of(report, "Parents") == PARENTS]
    children = [report for report in reports if of(report, "Childs") == CHILDS]
    how = folder.name
    if how in ("clone-vm", "clone-vfork"):  # one memory: all is in the one trace
        if len(reports) != 1 or parents != children or not reports[0].processes[0].complete:
            yield f"{how}: {[(of(r, 'Parents'), of(r, 'Childs')) for r in reports]}, expected one complete trace with all"
        return
    expected = {"vfork": (1, 0), "spawn": (2, 0)}.get(how, (1, 1))
    if (len(parents), len(children)) != expected:
        yield f"{how}: {len(parents)} parents and {len(children)} children, expected {expected}; " \
              f"{[(of(r, 'Parents'), of(r, 'Childs')) for r in reports]}"
        return
    if of(parents[0], "Childs") or any(of(child, "Parents") for child in children):
        yield f"{how}: a process has the other's blocks"
    for child in children:
        row = next((row for row in child.before_fork.types if row.type == "Parents"), None)
        if row is None or (row.allocations, row.frees) != (10, 1):
            yield f"{how}: the child inherited {row}"


found = [text for folder in sorted(pathlib.Path(sys.argv[1]).iterdir()) for text in problems(folder)]
print("\n".join(found))
sys.exit(bool(found))
