#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ends.py PROGRAM PLAIN WORK: runs safety/ends.cpp to each of its ends.

The exit status must be that of PLAIN, built without inmem; the trace must have
the 20 items, and say whether the end was in order.
"""
import json
import os
import pathlib
import subprocess
import sys

import expect

# Whether the trace is complete; None: whatever.
ENDS = {
    "return": True, "exit": True, "_exit": True, "_Exit": True, "quick_exit": True, "thread-exit": True,
    "failed-exec": True, "abort": False, "throw": False, "terminate": False, "overflow": False,
    "thread-overflow": False, "kill": False, "term": False, "cpu-limit": False, "exec": True,
    "execveat": True, "failed-execveat": True, "daemon": True,
}


def problems(end, complete, program, plain, work):
    trace = work / f"{end}.inmem"
    trace.unlink(missing_ok=True)
    environment = dict(os.environ, INMEM_OPTIONS=f"output={trace}")
    status, plain_status = (
        subprocess.run([exe, end], env=environment, stderr=subprocess.DEVNULL).returncode for exe in (program, plain))
    if status != plain_status:
        yield f"exit status {status}, without inmem {plain_status}"
    inmem = os.path.join(os.environ["INMEM_BUILD"], "bin", "inmem")
    done = subprocess.run([inmem, "report", "--format", "json", trace], capture_output=True, text=True)
    if done.returncode != 0:
        yield f"report ended with {done.returncode}: {done.stderr.strip()}"
        return
    report = json.loads(done.stdout, object_hook=expect.Row)
    yield from expect.failures(report, [
        'types["Item"].allocations == 20 == types["Item"].live_allocations', f"processes[0].complete is {complete}"])


def main():
    program, plain, work = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    work.mkdir(exist_ok=True)
    found = [f"{end}: {text}" for end, complete in ENDS.items()
             for text in problems(end, complete, program, plain, work)]
    print("\n".join(found))
    return 1 if found else 0


sys.exit(main())
