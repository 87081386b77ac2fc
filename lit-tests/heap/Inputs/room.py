# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""SNAPSHOT.json: of lit-tests/heap/room.cpp, only two containers waste more than the rooms that it reserves."""
import json
import pathlib
import sys

heap = json.loads(pathlib.Path(sys.argv[1]).read_text())
wrong = []
wasted = {}
for row in heap["sparse"]:
    wasted[row["field"]] = row["wasted_bytes"]
    if row["elements"] > row["capacity"]:
        wrong.append(f"more elements than room: {row}")
    if row["field"] not in ("Long", "Numbers") and row["wasted_bytes"] > 4096:
        wrong.append(f"not so sparse: {row}")
if not 4900 <= wasted.get("Long", 0) <= 5100:
    wrong.append(f"Long wastes 5000 bytes: {wasted}")
if wasted.get("Numbers") != 999 * 8:
    wrong.append(f"Numbers waste 7992 bytes: {wasted}")
for row in heap["collections"]:
    if row["elements"] > 1000:
        wrong.append(f"too many elements: {row}")
sys.exit("\n".join(wrong) or 0)
