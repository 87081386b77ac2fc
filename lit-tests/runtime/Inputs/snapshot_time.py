# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Says whether the ticks of a trace's only snapshot are those of its wall-clock time, by a dump: snapshot_time.py DUMP."""
import sys

header = snapshot = None
with open(sys.argv[1]) as dump:
    for line in dump:
        members = dict(word.split("=", 1) for word in line.split() if "=" in word)
        if line.startswith("header "):
            header = members
        elif line.startswith("extent snapshot "):
            snapshot = members
seconds = (int(snapshot["ticks"]) - int(header["start-ticks"])) / int(header["ticks-per-second"])
wall = (int(snapshot["unix-ns"]) - int(header["start-unix-ns"])) / 1e9
# The next event comes three seconds later. On a busy machine clocks are read some time apart.
if abs(seconds - wall) > 1.5:
    sys.exit(f"the snapshot's ticks are of {seconds:.3f} s, its time is of {wall:.3f} s")
