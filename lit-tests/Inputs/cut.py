#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cut.py PROGRAM WORK: runs safety/cut.cpp, whose trace loses its end, its name or nothing.

Exit code 1: something did not hold.
"""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys

import expect

PROGRAM, WORK = sys.argv[1], pathlib.Path(sys.argv[2])
INMEM = os.path.join(os.environ["INMEM_BUILD"], "bin", "inmem")
FIRST = 'types["Item<1000>"].allocations == 200 == types["Item<1000>"].frees'


def run(name, how, options=""):
    """(exit status, stdout, lines on stderr, folder)"""
    folder = WORK / name
    folder.mkdir()
    environment = dict(os.environ, INMEM_OPTIONS="output=trace.inmem" + options)
    done = subprocess.run([PROGRAM, *how.split()], cwd=folder, env=environment, capture_output=True, text=True, timeout=1800)
    return done.returncode, done.stdout, done.stderr.splitlines(), folder


def report(trace):
    return subprocess.run([INMEM, "report", "--format", "json", trace], capture_output=True, text=True)


def whole(name, trace):
    done = report(trace)
    if done.returncode != 0:
        yield f"{name}: report: {done.stderr}"
        return
    read = json.loads(done.stdout, object_hook=expect.Row)
    yield from (f"{name}: {text}" for text in expect.failures(
        read, [FIRST, "processes[0].complete is True", 'types["Item<60>"].allocations == 1000']))


def lost(name, how, options=""):
    """The program runs on and one line says what happened to the trace."""
    status, output, errors, folder = run(name, how, options)
    if status != 0 or not output.startswith("done\n"):
        yield f"{name}: status {status}, output {output!r}"
    if len(errors) != 1 or "was cut" not in errors[0] or "trace.inmem" not in errors[0]:
        yield f"{name}: said {errors}"
    done = report(folder / "trace.inmem")
    if done.returncode == 3:  # nothing that could be read
        if done.stdout or not done.stderr.startswith("inmem: ") or done.stderr.count("\n") != 1:
            yield f"{name}: report: {done.stdout!r} {done.stderr!r}"
    elif done.returncode != 0 or json.loads(done.stdout)["processes"][0]["complete"]:
        yield f"{name}: the report takes the trace for whole: {done.returncode} {done.stderr}"


def unharmed(name, how, status, output):
    found = run(name, how)
    if found[0] != status or found[1] != output or found[2]:
        yield f"{name}: {found}"


def problems():
    for options in ("", ":mode=trace", ":stacks=8"):
        for size in (0, 100, 4096, 20000, 50000):
            yield from lost(f"cut-{size}{options[1:]}", f"cut {size}", options)
    yield from lost("idle", "idle")
    yield from lost("while-busy", "while-busy")
    yield from lost("while-busy-frees", "while-busy", ":frees=on")
    yield from lost("child", "child")

    for name in ("remove", "rename"):
        status, output, errors, folder = run(name, name)
        if status != 0 or output != "done\n" or errors:
            yield f"{name}: {status} {output!r} {errors}"
        if (folder / "trace.inmem").exists():
            yield f"{name}: a new file was made"
    yield from whole("rename", WORK / "rename" / "renamed.inmem")

    # SIGBUS that is none of ours.
    yield from unharmed("other", "other", -signal.SIGBUS, "")
    yield from unharmed("sent", "sent", -signal.SIGBUS, "")
    yield from unharmed("handler", "handler", 7, "handled\n")
    yield from whole("nothing", run("nothing", "")[3] / "trace.inmem")


if WORK.exists():
    shutil.rmtree(WORK)
WORK.mkdir()
found = list(problems())
print("\n".join(found))
sys.exit(bool(found))
