# What `inmem attach` refuses, each in one line and without changing the process; and a program that waits with start=off.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   attachrefused.py INMEM PROGRAM LIBRARY FOLDER CLANG INSTRUMENTED...
import os
import subprocess
import sys

inmem, program, library, folder, clang, *instrumented = sys.argv[1:]
os.makedirs(folder, exist_ok=True)


def refused(pid, message, code=3, options=()):
    done = subprocess.run([inmem, "attach", str(pid), *options], capture_output=True, text=True, cwd=folder)
    assert done.returncode == code, (message, done)
    assert message in done.stderr and done.stderr.count("\n") == 1 and not done.stdout, (message, done)


class Running:
    def __init__(self, *words, **more):
        self.of = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, **more)
        assert self.of.stdout.readline() == "ready\n"

    def __enter__(self):
        return self.of.pid

    def __exit__(self, *_):
        self.of.stdin.write("end\n")
        self.of.stdin.flush()
        assert self.of.stdout.read() == "ended, 0 failed\n" and self.of.wait() == 0


def built(name, source, *options):
    path = f"{folder}/{name}"
    subprocess.run([clang, "-x", "c", "-", "-o", path, *options], input=source, text=True, check=True)
    return path


WAITS = '#include <stdio.h>\n%s\nint main(void) { %s puts("ready"); fflush(stdout); getchar(); puts("ended, 0 failed"); return 0; }\n'
# What a 32-bit program needs of libraries, by system calls.
SMALL = """
static int call(int N, int A, const void *B, int C) { int R; __asm__ volatile("int $0x80" : "=a"(R) : "a"(N), "b"(A), "c"(B), "d"(C) : "memory"); return R; }
void _start(void) { char Line[8]; call(4, 1, "ready\\n", 6); call(3, 0, Line, 8); call(4, 1, "ended, 0 failed\\n", 16); call(1, 0, 0, 0); }
"""
refused(99999999, "there is no process 99999999")
# One that has ended: gone, and before its parent looks.
gone = subprocess.Popen(["true"])
os.waitid(os.P_PID, gone.pid, os.WEXITED | os.WNOWAIT)
refused(gone.pid, "has ended")
gone.wait()
refused(gone.pid, f"there is no process {gone.pid}")
if os.path.exists("/proc/2/status"):  # not in most containers
    with open("/proc/2/status") as status:
        if "Kthread:\t1" in status.read():
            refused(2, "is a thread of the kernel")
refused(0, "there is no process 0")
with Running(program, "loop", "1") as pid:
    refused(pid, "nonsense", 2, ["--options", "nonsense=1"])
    refused(pid, "sample_bytes", 2, ["--options", "sample_bytes=x"])
    # A refusal leaves it attachable.
    done = subprocess.run([inmem, "attach", str(pid), "--options", "output=none"], capture_output=True, text=True)
    assert done.returncode == 0 and "keeps no trace" in done.stdout, done
    refused(pid, "keeps no trace")
    subprocess.run([inmem, "detach", str(pid), "-q"], check=True)
with Running(built("static", WAITS % ("", ""), "-static")) as pid:
    refused(pid, "static executable")
try:
    small = Running(built("small", SMALL, "-m32", "-nostdlib", "-static", "-ffreestanding", "-fno-stack-protector"))
except OSError:
    small = None  # a kernel for 64-bit programs alone
if small:
    with small as pid:
        refused(pid, "is a 32-bit program")
MUSL = "/lib/x86_64-linux-musl/"
if os.path.exists(MUSL + "libc.so") and os.path.exists("/lib/ld-musl-x86_64.so.1"):
    link = ["-nostdlib", "-fno-stack-protector", "-Wl,-dynamic-linker=/lib/ld-musl-x86_64.so.1", "-x", "none"]
    link += [MUSL + file for file in ("Scrt1.o", "crti.o", "libc.so", "crtn.o")]
    with Running(built("musl", WAITS % ("", ""), *link)) as pid:
        refused(pid, "its C library is musl")
with Running(built("own", WAITS % ("#include <stdlib.h>\nextern void *__libc_malloc(size_t); extern void __libc_free(void *);\n"
             "void *malloc(size_t N) { return __libc_malloc(N); } void free(void *P) { __libc_free(P); }", ""), "-rdynamic")) as pid:
    refused(pid, "defines malloc itself")
with Running(built("filtered", WAITS % ("#include <linux/filter.h>\n#include <linux/seccomp.h>\n#include <sys/prctl.h>\n",
             "struct sock_filter All = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW); struct sock_fprog Filter = {1, &All};"
             "prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &Filter, 0, 0);"))) as pid:
    refused(pid, "seccomp")
    subprocess.run([inmem, "attach", str(pid), "--force", "-q", "--trace", f"{folder}/filtered.inmem"], check=True)
    subprocess.run([inmem, "detach", str(pid), "-q"], check=True)
with Running(built("ignores", WAITS % ("#include <signal.h>", "signal(SIGSEGV, SIG_IGN);"))) as pid:
    refused(pid, "ignores SIGSEGV")
# One that traces itself.
TRACES = built("traced", WAITS % ("#include <sys/ptrace.h>\n#include <sys/wait.h>\n#include <unistd.h>\n#include <signal.h>\n",
               "int Child = fork(); if (Child == 0) { ptrace(PTRACE_TRACEME, 0, 0, 0); raise(SIGSTOP); for (;;) pause(); }"
               "int Status; waitpid(Child, &Status, 0); FILE *F = fopen(\"child\", \"w\");"
               "fprintf(F, \"%d\", Child); fclose(F); ptrace(PTRACE_SETOPTIONS, Child, 0, PTRACE_O_EXITKILL);"))
with Running(TRACES, cwd=folder) as pid, open(f"{folder}/child") as child:
    refused(int(child.read()), "is traced already")
# A preloaded runtime that records is for `ctl`; one that waits is started.
for start, code, says in (("on", 3, "records already; use `inmem ctl"), ("off", 0, "records")):
    trace = f"{folder}/{start}.inmem"
    if os.path.exists(trace):
        os.remove(trace)
    run = subprocess.Popen(
        [inmem, "run", "-q", "--trace", trace, "--options", f"start={start}", "--", program, "loop", "1"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert run.stdout.readline() == "ready\n"
    with open(f"/proc/{run.pid}/task/{run.pid}/children") as children:
        pid = children.read().split()[0]
    done = subprocess.run([inmem, "attach", pid], capture_output=True, text=True)
    assert done.returncode == code and says in done.stdout + done.stderr, done
    run.stdin.write("end\n")
    run.stdin.flush()
    assert run.stdout.read() == "ended, 0 failed\n" and run.wait() == 0
    text = subprocess.run([inmem, "report", "--format", "csv", trace], capture_output=True, text=True, check=True).stdout
    assert text.count("\n") > 1, text
# The same of programs that were built with inmem, whatever they are linked with.
for built_with in instrumented:
    for start, code, says in (("on", 3, "records already; use `inmem ctl"), ("off", 0, "records")):
        options = f"start={start}:quiet=1:output={folder}/built-{start}.inmem"
        with Running(built_with, "loop", "1", env={**os.environ, "INMEM_OPTIONS": options}) as pid:
            done = subprocess.run([inmem, "attach", str(pid)], capture_output=True, text=True)
            assert done.returncode == code and says in done.stdout + done.stderr and (done.stdout + done.stderr).count("\n") == 1, done
            done = subprocess.run([inmem, "detach", str(pid)], capture_output=True, text=True)
            assert done.returncode == 3 and "was built or started with inmem; `inmem ctl" in done.stderr, done
print("refused")
