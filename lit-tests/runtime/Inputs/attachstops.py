# How `inmem attach` and `inmem detach` hold the threads of a program: each for two system calls, before which the tool has made itself urgent.
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
    """How often a thread stood still to be looked at, and how many were asked to stop at a time, by strace."""
    log = f"{folder}/strace.log"
    calls = "trace=ptrace,wait4,process_vm_readv,process_vm_writev,openat,readlink,newfstatat,nanosleep,clock_nanosleep,sched_setattr"
    done = subprocess.run(["strace", "-e", calls, "-e", "signal=none", "-o", log, inmem, *words], capture_output=True, text=True)
    assert done.returncode == 0, (words, done)
    seized, most, looks, stands, since, urgent = set(), 0, 0, None, 0, False
    # How a call begins.
    prepares = ("wait4", "ptrace(PTRACE_GETSIG", "ptrace(PTRACE_SETSIG", "process_vm_writev", "newfstatat")
    with open(log) as lines:
        for line in lines:
            if found := re.match(r"sched_setattr\(0, .*policy=(SCHED_\w+),.* sched_runtime=(\d+),.* = 0$", line):
                # Real time, or the shortest slice where that is not allowed.
                urgent = found[1] == "SCHED_FIFO" or found[2] == "100000"
            elif found := re.match(r"ptrace\(PTRACE_(SEIZE|DETACH), (\d+),.* = 0$", line):
                if found[1] == "SEIZE":
                    seized.add(found[2])
                    most = max(most, len(seized))
                else:
                    seized.remove(found[2])
                    assert not stands or stands == found[2], (stands, line)
                    looks += stands is not None
                    # Its registers and its stack: else it has called for us.
                    assert stands is None or since <= 2, (stands, since)
                    stands = None
            elif found := re.match(r"wait4\(.*PTRACE_EVENT_STOP<<16.* = (\d+)$", line):
                assert stands is None and urgent, line
                stands, since = found[1], 0
            elif "PTRACE_CONT" in line or "PTRACE_SETREGSET" in line:
                stands = None  # at a safe point
            elif stands and not line.startswith(prepares) and "NT_X86" not in line:
                since += 1
    # None has ended, and so each is let go.
    assert not seized and not stands and not urgent, (seized, stands, urgent)
    return most, looks


attach = held("attach", str(target.pid), "-q", "--trace", f"{folder}/stops.inmem")
detach = held("detach", str(target.pid), "-q")
# To attach, one thread is enough. Detaching looks at all; they stop when they get a processor, and none waits for another.
assert attach[0] == 1 and detach[0] == int(threads) + 1 <= detach[1], (attach, detach)
print(f"{threads} threads: looked {attach[1]} and {detach[1]} times")
target.stdin.write("end\n")
target.stdin.flush()
assert target.stdout.read() == "ended, 0 failed\n" and target.wait() == 0
