#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""stress.py FOLDER SECONDS OPTIONS -- PROGRAM LIBRARY: runs safety/stress.cpp and compares its totals with the report.

The program is ended, and its threads' stacks are shown where gdb is installed, if it goes on for a minute more than it
should. Children write traces of their own, which must be readable.
"""
import glob
import os
import shutil
import subprocess
import sys

import expect
import json

folder, seconds, options, _, *command = sys.argv[1:]
tool = os.path.join(os.environ["INMEM_BUILD"], "bin", "inmem")
for old in glob.glob(folder + "/*"):
    os.remove(old)
options = [f"output={folder}/%p.inmem"] + ([] if options == "default" else [options])
environment = dict(os.environ, INMEM_OPTIONS=":".join(options))
program = subprocess.Popen([*command, seconds], env=environment, stdout=subprocess.PIPE, text=True)
try:
    output, _ = program.communicate(timeout=float(seconds) * 2 + 60)
except subprocess.TimeoutExpired:
    if shutil.which("gdb"):
        subprocess.run(["gdb", "-batch", "-p", str(program.pid), "-ex", "thread apply all bt 12"], check=False)
    program.kill()
    sys.exit("it hangs")
if program.returncode != 0:
    sys.exit(f"it ended with {program.returncode}")
pid, made, freed, handled, jumps, forks, loaded, failures = map(int, output.split())
report = json.loads(subprocess.run([tool, "report", "--format", "json", f"{folder}/{pid}.inmem"],
                                   stdout=subprocess.PIPE, check=True).stdout, object_hook=expect.Row)
dropped = report.processes[0].dropped_events
found = list(expect.broken_invariants(report))
if failures:
    found.append(f"{failures} children failed")
if not report.processes[0].complete:
    found.append("the trace is not complete")


def row(name):
    return next((row for row in report.types if row.type == name), None)


def compare(name, allocations, frees):
    got = row(name)
    if not got:
        if allocations:
            found.append(f"{name} is not in the report")
        return
    if not allocations - dropped <= got.allocations <= allocations:
        found.append(f"{name}: {got.allocations} allocations, the program made {allocations}, dropped are {dropped}")
    if not frees - 2 * dropped <= got.frees <= frees:
        found.append(f"{name}: {got.frees} frees, the program freed {frees}, dropped are {dropped}")


compare("Item", made, freed)
compare("OfHandler", handled, handled)
compare("Loaded", loaded, loaded)
if dropped > handled * 2 + jumps + 100:
    found.append(f"{dropped} events dropped; {handled} signals were handled, {jumps} jumps made")
children = glob.glob(folder + "/*.inmem")
for start in range(0, len(children), 200):
    read = subprocess.run([tool, "report", "--format", "json", *children[start:start + 200]], stdout=subprocess.PIPE)
    if read.returncode != 0:
        found.append("a child's trace cannot be read")
        break
print(f"{made} blocks, {handled} signals, {jumps} jumps, {forks} forks, {loaded // 10} libraries, {dropped} dropped, "
      f"{len(children)} traces")
print("\n".join(found))
sys.exit(bool(found))
