# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""profile_ctl.py PROGRAM TRACE: samples of a program that goes on step by step, begun and ended from outside."""
import json
import sys

sys.path.insert(0, sys.argv[0].rsplit("/", 3)[0] + "/Inputs")
from steps import Program, check, inmem, report


def samples(p):
    return json.loads(inmem("ctl", p.pid, "profile", "read", "--format", "json")).get("profile")


def counts(of):
    return {key: of[key] for key in ("clock", "samples", "other_samples", "unwound", "threads")}


p = Program([sys.argv[1]], sys.argv[2])
p.step("before")
check("none yet", samples(p), None)
assert "takes samples" in inmem("ctl", p.pid, "profile", "start", "1ms,cpu,16")
p.step("sampled")
first = samples(p)
check("clock", (first["clock"], first["interval_ns"]), ("cpu", 1_000_000))
assert 50 < first["samples"] < 300, first["samples"]
crunch = [f for f in first["functions"] if f["function"].startswith("crunch")]
assert crunch and crunch[0]["total"] > 0.8 * first["unwound"], first
p.step("sampled")
assert samples(p)["samples"] > first["samples"]
assert "takes no samples" in inmem("ctl", p.pid, "profile", "stop")
p.step("stopping")
stopped = samples(p)
p.step("stopped")
check("after the stop", counts(samples(p)), counts(stopped))
# Again, by the other clock: the two are not added up.
inmem("ctl", p.pid, "profile", "start", "5ms,wall")
p.step("sampled")
inmem("ctl", p.pid, "profile", "stop")
p.step("stopping")
other = samples(p)
check("the other clock", (other["clock"], other["other_samples"]), ("wall", stopped["samples"]))
p.end()
check("in the trace", counts(report(sys.argv[2])["profile"]), counts(other))
for wrong in (("profile",), ("profile", "fast"), ("profile", "start", "10us"), ("profile", "start", "1ms,gpu"),
              ("profile", "start", "1ms,cpu,500"), ("profile", "stop", "1ms")):
    inmem("ctl", p.pid, *wrong, code=2)
