#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""stress.py FOLDER SECONDS OPTIONS -- PROGRAM LIBRARY: runs safety/stress.cpp and compares its totals with the report.

In runs of less than a minute, which are part of every test run, the program's threads rest for seven eighths of the time.
It is ended, and its threads' stacks are shown where gdb is installed, if it goes on for half an hour more than it should.
Children write traces of their own, which must be readable; they are removed as soon as they have been read.
"""
import glob
import json
import os
import shutil
import subprocess
import sys
import time

import expect
from patience import PATIENCE

folder, seconds, options, _, *command = sys.argv[1:]
tool = os.path.join(os.environ["INMEM_BUILD"], "bin", "inmem")
found = []
traces = 0


def report(*files):
    """The report on traces, or None if they cannot be read."""
    read = subprocess.run([tool, "report", "--format", "json", *files], stdout=subprocess.PIPE)
    return json.loads(read.stdout, object_hook=expect.Row) if read.returncode == 0 else None


def read_children(pid):
    """Reads and removes the traces of all processes but PID that have ended."""
    global traces
    ended = [file for file in glob.glob(folder + "/*.inmem")
             if (child := os.path.basename(file).split(".")[0]) != str(pid) and not os.path.exists(f"/proc/{child}")]
    for start in range(0, len(ended), 200):
        some = ended[start:start + 200]
        if report(*some):
            for file in some:
                os.remove(file)
        else:
            found.append("a child's trace cannot be read")
    traces += len(ended)


def run():
    """Runs the program; what it printed at its end."""
    environment = dict(os.environ, INMEM_OPTIONS=":".join([f"output={folder}/%p.inmem"] + options_of_run))
    rest = "7" if float(seconds) < 60 else "0"
    program = subprocess.Popen([*command, seconds, rest], env=environment, stdout=subprocess.PIPE, text=True)
    latest = time.monotonic() + float(seconds) + PATIENCE
    while True:
        try:
            output, _ = program.communicate(timeout=10)
            break
        except subprocess.TimeoutExpired:
            read_children(program.pid)
        if program.poll() is None and time.monotonic() > latest:
            if shutil.which("gdb"):
                subprocess.run(["gdb", "-batch", "-p", str(program.pid), "-ex", "thread apply all bt 12"], check=False)
            program.kill()
            sys.exit("it hangs")
    if program.returncode != 0:
        sys.exit(f"it ended with {program.returncode}")
    return output


def compare(name, allocations, frees):
    got = next((row for row in own.types if row.type == name), None)
    if not got:
        if allocations:
            found.append(f"{name} is not in the report")
        return
    if not allocations - dropped <= got.allocations <= allocations:
        found.append(f"{name}: {got.allocations} allocations, the program made {allocations}, dropped are {dropped}")
    if not frees - 2 * dropped <= got.frees <= frees:
        found.append(f"{name}: {got.frees} frees, the program freed {frees}, dropped are {dropped}")


for old in glob.glob(folder + "/*"):
    os.remove(old)
options_of_run = [] if options == "default" else [options]
pid, made, freed, handled, jumps, forks, cancels, loaded, failures = map(int, run().split())
own = report(f"{folder}/{pid}.inmem")
dropped = own.processes[0].dropped_events
found += expect.broken_invariants(own)
if failures:
    found.append(f"{failures} children failed, or threads could not be started")
if not own.processes[0].complete:
    found.append("the trace is not complete")
compare("Item", made, freed)
compare("OfHandler", handled, handled)
compare("Loaded", loaded, loaded)
if dropped > handled * 2 + jumps + cancels + 100:
    found.append(f"{dropped} events dropped: {handled} signals handled, {jumps} jumps made, {cancels} threads cancelled")
if not (cancels and loaded) or ("tsan" not in command[0] and not (handled and jumps and forks)):
    found.append("not all that should come has come")
read_children(pid)
print(f"{made} blocks, {handled} signals, {jumps} jumps, {forks} forks, {cancels} cancelled, {loaded // 10} libraries, "
      f"{dropped} dropped, {traces} traces of children")
print("\n".join(found))
sys.exit(bool(found))
