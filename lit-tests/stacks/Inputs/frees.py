# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds the matrix of who frees against the report's other figures: frees.py WHOLE [LATE THREAD].

WHOLE is a report of all, LATE of the phase `late` and THREAD of thread 2 of frees.cpp.
"""

import json
import sys


def load(path):
    with open(path) as file:
        return json.load(file)


def add(rows):
    return sum(row["frees"] for row in rows), sum(row["freed_bytes"] for row in rows)


def freed_by(report, name):
    return add([row for row in report["frees"]["functions"]
                if row["type"] == "Token" and row["freed_by"]["function"].startswith(name)])


whole = load(sys.argv[1])
expected = whole["totals"]["frees"], whole["totals"]["freed_bytes"]
for part in "functions", "threads", "cells":
    assert add(whole["frees"][part]) == expected, (part, add(whole["frees"][part]), expected)
frames = whole["frees"]["frames"]
assert all(cell["stack"] for cell in whole["frees"]["cells"])
assert all(cell["frames"] == [frames[number] for number in cell["stack"]] for cell in whole["frees"]["cells"])
assert {number for cell in whole["frees"]["cells"] for number in cell["stack"]} == set(range(len(frames)))
assert len({json.dumps(frame) for frame in frames}) == len(frames)
# The innermost frame is the one that frees, here without options about blame.
assert any(frames[cell["stack"][0]]["function"] == cell["freed_by"]["function"] for cell in whole["frees"]["cells"])
names = {site["name"] for row in whole["types"] for site in row["sites"]}
assert {row["name"] for row in whole["frees"]["functions"]} <= names
for row in whole["types"]:
    cells = [cell for cell in whole["frees"]["cells"] if cell["type"] == row["type"]]
    assert add(cells) == (row["frees"], row["freed_bytes"]), row["type"]
# 10 bytes and three blocks that realloc took over; main freed what grow made, with it inlined or not.
grown = [cell for cell in whole["frees"]["cells"]
         if cell["allocated_by"]["function"].startswith("grow") and cell["freed_by"]["function"].startswith("grow")]
assert add(grown) == (5, 10 + 100 + 1000 + 10000 + 100000), grown

if len(sys.argv) > 2:
    late = load(sys.argv[2])
    assert freed_by(late, "destroyHere") == (0, 0)
    assert freed_by(late, "Owner::~Owner") == (5, 160)
    assert freed_by(late, "destroyThere") == (13, 416)
    assert add(late["frees"]["cells"]) == (20, 640)
    thread = load(sys.argv[3])
    assert {cell["freed_in"]["index"] for cell in thread["frees"]["cells"]} == {2}
    assert freed_by(thread, "destroyThere") == (13, 416)
