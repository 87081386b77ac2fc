# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""phases_cost.py FOLDER: the instructions of a report on N phases grow by the same number for each further phase."""
import json
import os
import pathlib
import re
import subprocess
import sys

INMEM = os.path.join(os.environ["INMEM_BUILD"], "bin", "inmem")
folder = pathlib.Path(sys.argv[1])


def trace_of(phases):
    """A trace with so many phases, in each of which a block is allocated."""
    meta, marks = [], []
    for n in range(1, phases + 1):
        meta.append(f' phase snapshot={n} ticks={n} name="p{n}"\n')
        marks.append(f"extent snapshot sequence={n} kind=manual flags=7\n row site=1 type=1 allocations={n} bytes={8 * n}\n"
                     f"extent mark-rows\n row-at snapshot={n} thread=1 site=1 type=1 allocations={n}\n"
                     f"extent mark-peaks\n peak-at snapshot={n} type=1 peak=8\n")
    text, trace = folder / f"{phases}.txt", folder / f"{phases}.inmem"
    text.write_text('header state=complete\nextent meta\n type index=1 id=1 size=8 name="A"\n site id=1 type=1 kind=new\n'
                    f"{''.join(meta)}{''.join(marks)}"
                    "extent rows owner=1\n row site=1 type=1 allocations=99999 bytes=799992\n")
    subprocess.run([os.environ["INMEM_ASSEMBLE"], "-o", trace, text], check=True)
    return trace


def instructions(phases):
    counts = folder / f"{phases}.callgrind"
    done = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={counts}", INMEM, "report", "--by", "phase", "--format", "json",
                           trace_of(phases)], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{phases} phases: exit code {done.returncode}: {done.stderr[-1000:]}")
    found = {phase["name"] for phase in json.loads(done.stdout)["phases"]}
    if len(found - {None}) != phases:
        sys.exit(f"{phases} phases: the report has {len(found)}")
    return int(re.search(r"^(?:summary|totals): (\d+)", counts.read_text(), re.MULTILINE)[1])


few, some, many = map(instructions, (500, 1000, 2000))
print(f"{few} instructions for 500 phases, {some} for 1000, {many} for 2000")
# Twice as many more take twice as many; four times if each phase looked at all others.
if many - some > 3 * (some - few):
    sys.exit("the cost of phases is not in proportion to their number")
