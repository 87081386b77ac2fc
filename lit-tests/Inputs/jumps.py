#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""jumps.py [--suspended] REPORT.json COUNTS: what safety/jumps.cpp counted against its report.

COUNTS: objects made and destroyed, blocks made afterwards, jumps out of a handler. A jump may cost the event that
it left and, since the program counts after the event, one that the program did not count. With --suspended nothing
was left for good: what happens while the runtime is held up elsewhere is dropped, and said to be.
"""
import json
import sys

import expect

suspended = sys.argv[1] == "--suspended"
files = sys.argv[1 + suspended:]
with open(files[0]) as file:
    report = json.load(file, object_hook=expect.Row)
with open(files[1]) as file:
    objects, destroyed, blocks, jumps = map(int, file.read().split())
dropped = report.processes[0].dropped_events
found = list(expect.broken_invariants(report))


def row(name):
    return next((row for row in report.types if row.type == name), None)


def near(what, got, want):
    if not want - dropped - jumps <= got <= want + jumps:
        found.append(f"{what}: {got}, the program counted {want}; {jumps} jumps, {dropped} dropped")


plain = row("Plain")
if objects:
    # What constructors count is a tally of the type.
    near("objects", sum(plain.objects.constructed.values()) if plain else 0, objects)
if not suspended:
    if dropped > jumps:
        found.append(f"{dropped} events dropped after {jumps} jumps")
    after = row("After")
    got = after.allocations if after else 0
    # The first blocks of a thread may still be made below what a jump left.
    if got + dropped < blocks or got > blocks or got < blocks * 0.99:
        found.append(f"afterwards: {got} of {blocks} blocks")
print(f"{objects} objects, {jumps} jumps, {dropped} dropped, {blocks} blocks afterwards")
print("\n".join(found))
sys.exit(bool(found))
