# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""lines.py REPORT.json FILE [--types]: blocks by the line of FILE that they are for: a site's caller, or its own line where
the site is the program's. Lines whose caller is not known are left out. With --types, also by their types."""
import collections
import json
import sys

with open(sys.argv[1]) as file:
    report = json.load(file)
name = sys.argv[2]
lines = collections.Counter()
for row in report["types"]:
    for site in row["sites"]:
        place = site.get("caller", site)
        if place and (place["file"] or "").endswith(name) and place["line"]:
            lines[place["line"], (row["type"] or "?") if "--types" in sys.argv else ""] += site["allocations"]
total = sum(s["allocations"] for t in report["types"] for s in t["sites"])
print("whole" if total == report["totals"]["allocations"] else "torn")
for (line, kind), blocks in sorted(lines.items()):
    print(f"line {line}: {blocks} {kind}".rstrip())
