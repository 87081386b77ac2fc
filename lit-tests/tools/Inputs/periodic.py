# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""periodic.py PROGRAM TRACE: summaries that a thread of the runtime writes become a time line."""
import sys

sys.path.insert(0, sys.argv[0].rsplit("/", 3)[0] + "/Inputs")
from patience import until
from steps import Program, check, report

program, trace = sys.argv[1:3]


def points():
    line = report(trace, "--by", "type").get("timeline")
    return [p for p in line["points"] if p["kind"] == "periodic"] if line else []


p = Program([program, "steps"], trace, ":periodic=0.02")


def enough():
    p.step("on")  # a block between any two looks, whenever the summaries come
    return len(points()) >= 20


until(enough, "20 summaries")
p.end()
read = report(trace)
check("in order of time", [q["ns"] for q in read["timeline"]["points"]],
      sorted(q["ns"] for q in read["timeline"]["points"]))
leaked = next(t for t in read["timeline"]["types"] if t["type"] == "Leaked")["live_bytes"]
check("never less", leaked, sorted(leaked))
assert leaked[-1] >= 1000 and len(leaked) >= 20, leaked
print("all as expected")
