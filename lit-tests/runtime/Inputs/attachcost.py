# An allocation and its free in an attached process take as many instructions as under `inmem run`, and as many as without once it is detached.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   attachcost.py INMEM PROGRAM STEPS FOLDER [OPTIONS...]
import contextlib
import os
import subprocess
import sys

inmem, program, steps, folder, *more = sys.argv[1:]
os.makedirs(folder, exist_ok=True)
PAIRS = 40


def urgent(pid=0):
    """Each step is two switches between processes, which a busy machine would delay."""
    with contextlib.suppress(PermissionError):
        os.sched_setscheduler(pid, os.SCHED_FIFO, os.sched_param(1))


class Running:
    def __init__(self, *words):
        self.of = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self.of.stdout.readline() == "ready\n"

    def ask(self, what):
        self.of.stdin.write(what)
        self.of.stdin.flush()

    def instructions(self, pid):
        self.ask("w")
        assert self.of.stdout.readline() == "done.\n"
        urgent(pid)
        counter = subprocess.Popen([steps, str(pid)], stdout=subprocess.PIPE, text=True, preexec_fn=urgent)
        assert counter.stdout.readline() == "attached\n"
        self.ask("c")
        count = int(counter.stdout.readline())
        assert counter.wait() == 0 and self.of.stdout.readline() == "done.\n"
        return count

    def end(self):
        self.of.stdin.close()
        assert self.of.wait() == 0


def attached(target, *options):
    subprocess.run([inmem, "attach", str(target.of.pid), "-q", "--trace", f"{folder}/cost.inmem", *options], check=True)
    count = target.instructions(target.of.pid)
    subprocess.run([inmem, "detach", str(target.of.pid), "-q"], check=True)
    os.unlink(f"{folder}/cost.inmem")
    return count


for options in ([], *(["--options", option] for option in more)):
    target = Running(program)
    plain = target.instructions(target.of.pid)
    now = attached(target, *options)
    after = target.instructions(target.of.pid)
    again = attached(target, *options)
    target.end()
    target = Running(inmem, "run", "-q", "--trace", f"{folder}/run.inmem", *options, "--", program)
    with open(f"/proc/{target.of.pid}/task/{target.of.pid}/children") as children:
        run = target.instructions(int(children.read()))
    target.end()
    os.unlink(f"{folder}/run.inmem")
    print(f"{PAIRS} pairs {options}: {plain} plain, {run} run, {now} attached, {after} detached, {again} attached again")
    # How many of the few lifetimes are timed differs: by less than two instructions a pair.
    assert after == plain < run and now <= run + 2 * PAIRS and again <= run + 2 * PAIRS
