#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""storm.py REPORT.json COUNTS: what safety/signals.cpp counted against its report.

COUNTS: blocks made, freed, signals handled. Events that the runtime had to drop,
because a signal came inside of it, may be missing, and no others.
"""
import json
import sys

import expect

with open(sys.argv[1]) as file:
    report = json.load(file, object_hook=expect.Row)
with open(sys.argv[2]) as file:
    made, freed, handled = map(int, file.read().split())
dropped = report.processes[0].dropped_events
item = next(row for row in report.types if row.type == "Item")
found = list(expect.broken_invariants(report))
if not made - dropped <= item.allocations <= made:
    found.append(f"{item.allocations} allocations, the program made {made}, dropped are {dropped}")
if not freed - 2 * dropped <= item.frees <= freed:
    found.append(f"{item.frees} frees, the program freed {freed}, dropped are {dropped}")
if handled < 100:
    found.append(f"only {handled} signals came")
print(f"{handled} signals, {made} blocks, {dropped} dropped")
print("\n".join(found))
sys.exit(bool(found))
