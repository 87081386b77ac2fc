# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ctl_files.py PROGRAM TRACE: heap snapshots that ctl names, and summaries that it turns on, of a program that allocates without end."""
import json
import os
import subprocess
import sys
import time

INMEM = os.path.join(os.environ["INMEM_BUILD"], "bin", "inmem")
PROGRAM, TRACE = sys.argv[1], sys.argv[2]


def inmem(*words, code=0):
    done = subprocess.run([INMEM, *map(str, words)], capture_output=True, text=True)
    assert done.returncode == code, (words, done)
    return done.stdout + done.stderr


def summaries(pid):
    return json.loads(inmem("ctl", pid, "status", "--format", "json"))["snapshots"]


def wait_for(condition):
    while not condition():
        time.sleep(0.01)


def main():
    environment = dict(os.environ, INMEM_OPTIONS=f"output={TRACE}.inmem")
    with subprocess.Popen([PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) as running:
        running.stdout.read(1)
        for name in (".heap", ".2.heap"):
            answer = inmem("ctl", running.pid, "snapshot")
            assert answer == f"process {running.pid}: heap snapshot written to {TRACE}{name}\n", answer
            assert json.loads(inmem("heap", "--format", "json", TRACE + name))["totals"]["objects"] > 0
        assert not [name for name in os.listdir(os.path.dirname(TRACE)) if name.endswith(".part")]

        marks = summaries(running.pid)
        answer = inmem("ctl", running.pid, "periodic=0.01")
        assert "writes a summary every 0.01 s" in answer, answer
        wait_for(lambda: summaries(running.pid) >= marks + 20)
        # The long interval replaces the short one, then none does.
        inmem("ctl", running.pid, "periodic", "1000")
        inmem("ctl", running.pid, "periodic", "0.01,1")
        wait_for(lambda: summaries(running.pid) >= marks + 40)
        answer = inmem("ctl", running.pid, "periodic=0")
        assert "writes no summaries any more" in answer, answer
        wait_for(lambda: json.loads(inmem("ctl", running.pid, "status", "--format", "json"))["orders_waiting"] == 0)
        marks = summaries(running.pid)
        time.sleep(0.1)
        assert summaries(running.pid) == marks
        for wrong in ("periodic", "periodic=", "periodic=x", "periodic=0.0001", "periodic=5,x", "periodic=-1", "periodic=1e3"):
            assert "expected seconds" in inmem("ctl", running.pid, wrong, code=2), wrong
        running.stdin.close()
    text = inmem("report", "--by", "time", TRACE + ".inmem")
    assert "OVER TIME" in text, text


main()
