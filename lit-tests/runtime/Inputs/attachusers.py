# What `inmem attach` says where it may not trace. As root, in a mount namespace of its own for Yama's file.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   attachusers.py INMEM
import ctypes
import os
import shutil
import struct
import subprocess
import sys

NOBODY = 65534
ALLOW, DENY = 0x7FFF0000, 0x00050001  # SECCOMP_RET_ALLOW, SECCOMP_RET_ERRNO | EPERM
PTRACE = 101
libc = ctypes.CDLL(None, use_errno=True)


def refuse_ptrace():
    """ptrace(2) fails with EPERM from here on, as Yama has it for processes that are not descendants."""
    # load the number of the call; if it is ptrace, DENY, else ALLOW
    code = struct.pack("<HBBIHBBIHBBIHBBI", 0x20, 0, 0, 0, 0x15, 0, 1, PTRACE, 0x06, 0, 0, DENY, 0x06, 0, 0, ALLOW)
    room = ctypes.create_string_buffer(code, len(code))
    program = ctypes.create_string_buffer(struct.pack("<HxxxxxxQ", len(code) // 8, ctypes.addressof(room)))
    assert libc.prctl(38, 1, 0, 0, 0) == 0  # PR_SET_NO_NEW_PRIVS
    assert libc.prctl(22, 2, program, 0, 0) == 0, ctypes.get_errno()  # PR_SET_SECCOMP


def become(user):
    if user:
        os.setgroups([])
        os.setgid(user)
        os.setuid(user)


def attach(pid, message, user, denied):
    def prepare():
        become(user)
        if denied:
            refuse_ptrace()

    done = subprocess.run([inmem, "attach", str(pid)], capture_output=True, text=True, cwd=folder, preexec_fn=prepare)
    assert done.returncode == 3 and not done.stdout, (message, done)
    assert done.stderr.count("\n") == 1 and message in done.stderr and done.stderr.startswith("inmem: process "), (message, done)


def mount(path):
    subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=0755", "none", path], check=True)


sleeps = ["sleep", "1000"]
others = subprocess.Popen(sleeps)
own = subprocess.Popen(sleeps, preexec_fn=lambda: become(NOBODY))
try:
    # Files of our own for this process and its children: Yama's, and the tool where another user may run it.
    assert libc.unshare(0x00020000) == 0  # CLONE_NEWNS
    subprocess.run(["mount", "--make-rprivate", "/"], check=True)
    mount("/mnt")
    folder = "/mnt"
    for part in ("bin", "lib"):
        os.mkdir(f"/mnt/{part}")
    inmem = shutil.copy(sys.argv[1], "/mnt/bin")
    shutil.copy(os.path.join(os.path.dirname(sys.argv[1]), "../lib/libinmem_rt.so"), "/mnt/lib")
    mount("/proc/sys/kernel")
    os.mkdir("/proc/sys/kernel/yama")

    def scope(number):
        with open("/proc/sys/kernel/yama/ptrace_scope", "w") as file:
            print(number, file=file)

    attach(others.pid, "no permission: it is another user's; run as that user or as root", NOBODY, False)
    for number in "12":
        scope(number)
        setting = f"no permission: kernel.yama.ptrace_scope is {number}; "
        attach(own.pid, setting + "run as root, or set it to 0 (sysctl -w kernel.yama.ptrace_scope=0)", NOBODY, True)
        attach(own.pid, setting + "give this program CAP_SYS_PTRACE, or set it to 0", 0, True)
        attach(others.pid, "it is another user's", NOBODY, True)
    scope(3)
    rest = "no permission: kernel.yama.ptrace_scope is 3, which forbids tracing until the system is rebooted; start the program with `inmem run`"
    attach(own.pid, rest, NOBODY, True)
    attach(own.pid, rest, 0, True)
    scope(0)
    attach(own.pid, "no permission to trace it: it has special rights, or this program lacks CAP_SYS_PTRACE", 0, True)
    # Nothing was left behind: all are attachable, by those who may.
    for of in (others, own):
        with open(f"/proc/{of.pid}/status") as status:
            text = status.read()
        assert "TracerPid:\t0" in text and "State:\tS" in text, text
        with open(f"/proc/{of.pid}/maps") as maps:
            assert "libinmem_rt" not in maps.read()
finally:
    for of in (others, own):
        of.kill()
        of.wait()
print("users")
