# Counts the threads of a program that `inmem attach` and `inmem detach` hold at a time: one, however many there are.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   attachstops.py INMEM PROGRAM LIBRARY FOLDER THREADS
import os
import re
import subprocess
import sys

inmem, program, library, folder, threads = sys.argv[1:]
os.makedirs(folder, exist_ok=True)
target = subprocess.Popen([program, "busy", threads, library], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
assert target.stdout.readline() == "ready\n"


def held(*words):
    """The most threads that are seized at a time, and how often one was, by strace."""
    log = f"{folder}/strace.log"
    done = subprocess.run(["strace", "-e", "trace=ptrace", "-e", "signal=none", "-o", log, inmem, *words], capture_output=True, text=True)
    assert done.returncode == 0, (words, done)
    now, most, count = set(), 0, 0
    with open(log) as lines:
        for line in lines:
            found = re.match(r"ptrace\(PTRACE_(SEIZE|DETACH), (\d+),.* = 0$", line)
            if found and found[1] == "SEIZE":
                now.add(found[2])
                most, count = max(most, len(now)), count + 1
            elif found:
                now.remove(found[2])
    # None has ended, and so each is let go.
    assert not now, now
    return most, count


found = [held("attach", str(target.pid), "-q", "--trace", f"{folder}/stops.inmem"), held("detach", str(target.pid), "-q")]
for most, count in found:
    assert most == 1 and count > 0, (most, count)
    print(f"{threads} threads: {count} were held, one at a time")
target.stdin.write("end\n")
target.stdin.flush()
assert target.stdout.read() == "ended, 0 failed\n" and target.wait() == 0
