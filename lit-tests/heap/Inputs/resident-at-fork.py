# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""resident-at-fork.py INMEM NAME COMMAND... - runs a program under ptrace, which stops it where it forks for a snapshot. The sum of Rss in
its smaps at that moment is the oracle of `inmem resident` for NAME.heap, to the byte."""

import ctypes
import json
import os
import re
import subprocess
import sys

LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
TRACEME, CONT, SETOPTIONS, GETEVENTMSG = 0, 7, 0x4200, 0x4201
TRACE_FORK, TRACE_VFORK, TRACE_CLONE, EXITKILL = 2, 4, 8, 1 << 20
NEW_PROCESS = (1, 2, 3)  # PTRACE_EVENT_FORK, _VFORK, _CLONE


def ptrace(request, pid, data=0):
    if LIBC.ptrace(request, pid, None, data) < 0:
        sys.exit(f"ptrace {request}: {os.strerror(ctypes.get_errno())}")


def resident(pid):
    with open(f"/proc/{pid}/smaps", encoding="utf-8") as text:
        return sum(int(kib) for kib in re.findall(r"^Rss: +(\d+) kB", text.read(), re.MULTILINE)) * 1024


def message(pid):
    """The id of the new process or thread."""
    number = ctypes.c_ulong()
    if LIBC.ptrace(GETEVENTMSG, pid, None, ctypes.byref(number)) < 0:
        sys.exit(f"ptrace: {os.strerror(ctypes.get_errno())}")
    return number.value


def is_thread(new, pid):
    return os.path.exists(f"/proc/{pid}/task/{new}")


def at_fork(command):
    """The resident sizes of the program when it has made a child that is no thread of it."""
    pid = os.fork()
    if pid == 0:
        ptrace(TRACEME, 0)
        os.execvp(command[0], command)
    os.waitpid(pid, 0)
    ptrace(SETOPTIONS, pid, TRACE_FORK | TRACE_VFORK | TRACE_CLONE | EXITKILL)
    ptrace(CONT, pid)
    sizes = []
    while True:
        stopped, status = os.waitpid(-1, 0x40000000)  # __WALL
        if os.WIFSTOPPED(status):
            event, signal = status >> 16, os.WSTOPSIG(status)
            if event in NEW_PROCESS:
                if not is_thread(message(stopped), pid):
                    sizes.append(resident(pid))
            ptrace(CONT, stopped, 0 if event or signal in (5, 19) else signal)
        elif stopped == pid:
            if status:
                sys.exit(f"{command}: {status}")
            return sizes


inmem, name = sys.argv[1:3]
wanted = at_fork(sys.argv[3:])[0]
text = subprocess.run([inmem, "resident", "--format", "json", name + ".heap"], check=True, capture_output=True, text=True).stdout
found = json.loads(text)
assert sum(part["bytes"] for part in found["parts"]) == found["rss_bytes"], found["parts"]
assert found["rss_bytes"] == wanted, f"{name}: {found['rss_bytes']} explained, {wanted} in smaps: {found['rss_bytes'] - wanted} more"
print(f"{name}: {wanted} bytes")
