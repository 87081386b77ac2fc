# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""sizes.py REPORT.json SOURCE [EXPECTED]: compares the lines that blocks are said to be for with those that asked for them.

A line of SOURCE with HERE asks for blocks of a thousand times its number. Prints lines with others, and those without that end in
"// FOUND", or whatever else EXPECTED is a regular expression for.
"""
import json
import re
import sys

SMALL = 60000  # bytes; other blocks of the program

with open(sys.argv[1]) as file:
    report = json.load(file)
with open(sys.argv[2]) as file:
    source = file.read().splitlines()
expected = sys.argv[3] if len(sys.argv) > 3 else "FOUND"
name = sys.argv[2].rsplit("/", 1)[-1]
found = {}
for row in report["types"]:
    for site in row["sites"]:
        place = site.get("caller", site)
        if place and (place["file"] or "").endswith(name):
            sums = found.setdefault(place["line"], [0, 0])
            sums[0] += site["allocations"]
            sums[1] += site["allocated_bytes"]
wrong = 0
for line, (blocks, size) in sorted(found.items()):
    if size >= SMALL and size != blocks * line * 1000:
        wrong += 1
        print(f"line {line} has {size} bytes in {blocks} blocks")
print(f"{wrong} wrong lines")
for line, text in enumerate(source, 1):
    if re.search(f"HERE.*// ({expected})$", text) and line not in found:
        print(f"line {line} is not found")
