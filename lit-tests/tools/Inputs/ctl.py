# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ctl.py PROGRAM TRACE [key=value]: orders to a program, exact to the event, whether it is busy or idle."""
import json
import os
import subprocess
import sys

sys.path.insert(0, sys.argv[0].rsplit("/", 3)[0] + "/Inputs")
from steps import INMEM, Program, check, inmem, report, row

program, trace = sys.argv[1:3]
options = "".join(":" + word for word in sys.argv[3:])


def counts(name="One", *words):
    found = row(report(trace, *words), name)
    return found and (found["allocations"], found["frees"], found["live_allocations"])


def status(p):
    return json.loads(inmem("ctl", p.pid, "status", "--format", "json"))


p = Program([program], trace, options)
p.step("one 5")
check("five", counts(), (5, 0, 5))
check("on", status(p)["recording"], True)
# The trace was made without a name, and has one since: that is shown.
check("its file", os.path.samefile(status(p)["trace"], trace), True)

# Nobody but the user may give orders.
if os.geteuid() == 0:
    try:
        other = subprocess.run([INMEM, "ctl", p.pid, "stop"], user=65534, group=65534, extra_groups=[],
                               capture_output=True, text=True)
    except PermissionError:  # this folder is not for others at all
        other = None
    if other:
        check("another user's", (other.returncode, "it is another user's" in other.stderr), (3, True))
        check("still on", status(p)["recording"], True)

# Stopped while idle: not one block more, of any thread; frees of the five still count.
assert "does not record" in inmem("ctl", p.pid, "stop")
check("off", status(p)["recording"], False)
p.step("other 100")
p.step("thread 50")
p.step("big 1")
check("stopped", counts(), (5, 0, 5))
check("nothing of it", row(report(trace), "Big"), None)
assert report(trace)["totals"]["peak_live_bytes"] < 1 << 20
p.step("free 5")
check("freed", counts(), (5, 5, 0))

# Started while idle: each from the next on.
inmem("ctl", p.pid, "start")
check("on again", status(p)["recording"], True)
p.step("one 7")
check("seven more", counts(), (12, 5, 7))

# Orders queue up in order while it is idle.
for what in ("stop", "start", "stop"):
    inmem("ctl", p.pid, what)
check("three wait", status(p)["orders_waiting"], 3)
p.step("other 3")
check("the last counts", counts(), (12, 5, 7))
check("none waits", status(p)["orders_waiting"], 0)
inmem("ctl", p.pid, "start")
p.step("one 1")

# A snapshot of an idle program is there at once, and stays.
inmem("ctl", p.pid, "snapshot", "before it is obeyed")
check("up to it", counts("One", "--phase", "..before it is obeyed"), (13, 5, 8))
check("after it", counts("One", "--phase", "before it is obeyed..")[0], 0)
p.step("one 4")
check("up to it, obeyed", counts("One", "--phase", "..before it is obeyed"), (13, 5, 8))
check("after it, obeyed", counts("One", "--phase", "before it is obeyed..")[0], 4)

# Reset: counts begin again, what lives is carried.
inmem("ctl", p.pid, "reset")
check("anew", counts(), (0, 0, 12))
p.step("one 2")
check("two since", counts(), (2, 0, 14))
p.step("free 14")
check("all free", counts(), (2, 14, 0))

assert "on disk" in inmem("ctl", p.pid, "flush")

# A free as the first event after an order.
p.step("one 1")
inmem("ctl", p.pid, "snapshot", "full")
p.step("free 1")
check("one at the snapshot", counts("One", "--phase", "..full")[2], 1)

# Busy in several threads: orders take effect while they run, nothing is lost.
p.step("spin 4")
for i in range(20):
    inmem("ctl", p.pid, "snapshot", f"busy-{i}")
inmem("ctl", p.pid, "stop")
check("off, busy", status(p)["recording"], False)
before = counts("Busy")[0]
p.step("rounds 1000")
after = counts("Busy")[0]
assert before <= after <= before + 4, (before, after)  # each thread ends the event that it is in
p.step("rounds 1000")
check("stopped, busy", counts("Busy")[0], after)
inmem("ctl", p.pid, "start")
p.step("halt")
made = [row(report(trace, "--phase", f"busy-{i}..busy-{i + 1}"), "Busy")["allocations"] for i in range(19)]
assert all(made), made

# Orders that were never obeyed hold in the trace of a killed process, too.
inmem("ctl", p.pid, "reset")
p.kill()
check("reset, then killed", counts("Busy"), None)
assert "there is no process" in inmem("ctl", p.pid, "status", code=3)

# Orders that wait are obeyed at an orderly end.
p = Program([program], trace, options)
p.step("one 5")
inmem("ctl", p.pid, "snapshot", "last")
p.end()
check("at the end", counts("One", "--phase", "..last"), (5, 0, 5))

# More orders than there is room for.
p = Program([program], trace, options)
for _ in range(16):
    inmem("ctl", p.pid, "stop")
assert "16 orders wait already" in inmem("ctl", p.pid, "stop", code=3)
p.end()

assert "does not run with inmem" in inmem("ctl", str(os.getpid()), "status", code=3)
assert "expected start, stop" in inmem("ctl", str(os.getpid()), "jump", code=2)
assert "only a snapshot has a name" in inmem("ctl", "1", "stop", "now", code=2)
print("all as expected")
