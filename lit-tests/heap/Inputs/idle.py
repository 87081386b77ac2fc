# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""idle.py PROGRAM TRACE OPTIONS waits|at-once: asks a program that does nothing for a heap snapshot."""

import json
import os
import subprocess
import sys

sys.path.insert(0, sys.argv[0].rsplit("/", 3)[0] + "/Inputs")
from patience import until

INMEM = os.path.join(os.environ["INMEM_BUILD"], "bin", "inmem")


def main():
    program, trace, options, expected = sys.argv[1:]
    environment = dict(os.environ, INMEM_OPTIONS=f"output={trace}.inmem" + options)
    with subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) as running:
        running.stdout.read(1)
        answer = subprocess.run(
            [INMEM, "ctl", str(running.pid), "snapshot"], check=True, capture_output=True, text=True
        ).stdout
        if expected == "at-once":
            until(lambda: os.path.exists(trace + ".heap"), "a snapshot")
        else:  # its only thread waits for its input
            assert len(os.listdir(f"/proc/{running.pid}/task")) == 1
        taken = os.path.exists(trace + ".heap")
        running.stdin.close()
    assert taken == (expected == "at-once"), (taken, answer)
    if not taken:
        assert "before its next event (it is idle; with profile=, periodic= or watch=" in answer, answer
        return
    text = subprocess.run([INMEM, "heap", "--format", "json", trace + ".heap"], check=True, capture_output=True).stdout
    types = {row["type"]: row["objects"] for row in json.loads(text)["types"]}
    assert types["long"] == 100, types


main()
