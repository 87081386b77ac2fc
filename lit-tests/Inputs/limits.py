#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""limits.py PROGRAM WORK: runs safety/limits.cpp where traces meet their limits.

Needs a user namespace in which to mount. Exit code 1: something did not hold.
"""
import json
import os
import pathlib
import resource
import subprocess
import sys

import expect

PROGRAM, WORK = sys.argv[1], pathlib.Path(sys.argv[2])
INMEM = os.path.join(os.environ["INMEM_BUILD"], "bin", "inmem")


def limit(what, value):
    return lambda: resource.setrlimit(what, (value, value))


def run(command, folder, output="trace.inmem", options="", **more):
    """(exit status, stdout, lines of ours on stderr, other lines)"""
    environment = dict(os.environ, INMEM_OPTIONS=f"output={output}{options}")
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=1800, **more)
    lines = done.stderr.splitlines()
    return (done.returncode, done.stdout, [line for line in lines if line.startswith("inmem: ")],
            [line for line in lines if not line.startswith("inmem: ")])


def report(trace):
    done = subprocess.run([INMEM, "report", "--format", "json", trace], capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(f"report ended with {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout, object_hook=expect.Row)


def ran_as_usual(name, result, said):
    """Complains unless the program ran as without us and we `said` one line that has this text."""
    status, output, ours, others = result
    if status != 0 or output != "done\n" or others:
        yield f"{name}: exit status {status}, output {output!r}, errors {others}"
    if len(ours) != (said is not None) or (said and said not in ours[0]):
        yield f"{name}: said {ours}, expected one line with {said!r}"


def first_blocks(name, trace, complete):
    """The first blocks are in a readable trace."""
    try:
        read = report(trace)
    except AssertionError as failure:
        yield f"{name}: {failure}"
        return
    conditions = ['types["Item<1000>"].allocations == 200 == types["Item<1000>"].frees',
                  f"processes[0].complete is {complete}"]
    yield from (f"{name}: {text}" for text in expect.failures(read, conditions))


def ended_early(name, trace):
    yield from first_blocks(name, trace, False)
    if trace.exists():
        dump = subprocess.run([INMEM, "dump", trace], capture_output=True, text=True).stdout
        if "note kind=full" not in dump:
            yield f"{name}: the trace has no record of the end"
        if not any("no more room" in note for note in report(trace).notes):
            yield f"{name}: the report does not say that the trace ends early"


def small_disk(name, size, options=""):
    folder = WORK / name
    folder.mkdir()
    kept = WORK / f"{name}.inmem"
    command = ["unshare", "-m", "sh", "-c",
               f"mount -t tmpfs -o size={size}k none '{folder}' && cd '{folder}' && '{PROGRAM}'; s=$?; "
               f"cp trace.inmem '{kept}'; exit $s"]
    result = run(command, WORK, output=folder / "trace.inmem", options=options)
    yield from ran_as_usual(name, result, "ends here")
    yield from ended_early(name, kept)


def problems():
    # A disk of every size from the header on.
    for size in (256, 400, 700, 1500):
        yield from small_disk(f"disk-{size}", size)
    yield from small_disk("disk-events", 700, ":mode=trace")
    folder = WORK / "no-room"
    folder.mkdir()
    result = run(["unshare", "-m", "sh", "-c",
                  f"mount -t tmpfs -o size=4k none '{folder}' && echo full > '{folder}/file' && '{PROGRAM}'"],
                 WORK, output=folder / "trace.inmem")
    yield from ran_as_usual("no-room", result, "ends here")

    result = run([PROGRAM], WORK, output="fsize.inmem", preexec_fn=limit(resource.RLIMIT_FSIZE, 300 << 10))
    yield from ran_as_usual("fsize", result, "ends here")
    yield from ended_early("fsize", WORK / "fsize.inmem")

    result = run([PROGRAM], WORK, output="as.inmem", preexec_fn=limit(resource.RLIMIT_AS, 4 << 30))
    yield from ran_as_usual("as", result, None)
    yield from first_blocks("as", WORK / "as.inmem", True)
    # What the program maps does not stop the trace from growing.
    result = run([PROGRAM, "maps"], WORK, output="maps.inmem", options=":mode=trace", preexec_fn=limit(resource.RLIMIT_AS, 4 << 30))
    yield from ran_as_usual("maps", result, None)
    yield from first_blocks("maps", WORK / "maps.inmem", True)
    result = run([PROGRAM, "alone"], WORK, output="tight.inmem", preexec_fn=limit(resource.RLIMIT_AS, 130 << 20))
    yield from ran_as_usual("tight", result, "no address space")
    if (WORK / "tight.inmem").exists():
        yield "tight: left a trace"

    result = run([PROGRAM], WORK, output="/no/such/folder/trace.inmem")
    yield from ran_as_usual("no-folder", result, "/no/such/folder/trace.inmem")
    result = run([PROGRAM], WORK, output="/proc/trace.inmem")
    yield from ran_as_usual("no-files", result, "/proc/trace.inmem")
    result = run(["unshare", "-m", "sh", "-c",
                  f"mount --bind '{WORK}' '{WORK}' && mount -o remount,ro,bind '{WORK}' && cd '{WORK}' && '{PROGRAM}'"],
                 WORK, output="read-only.inmem")
    yield from ran_as_usual("read-only", result, "read-only.inmem")

    # A container: its root is read-only, one folder can be written.
    root, kept = WORK / "root", WORK / "container.inmem"
    for name, output, said in (("container-root", "trace.inmem", "trace.inmem"),
                               ("container", "/mnt/trace.inmem", None)):
        root.mkdir(exist_ok=True)
        result = run(["unshare", "-m", "sh", "-c",
                      f"mount --rbind / '{root}' && mount -o remount,ro,bind '{root}' && mount -t tmpfs none '{root}/mnt' && "
                      f"chroot '{root}' sh -c 'cd / && ! touch file 2>&- && \"{PROGRAM}\"'; s=$?; "
                      f"cp '{root}/mnt/trace.inmem' '{kept}' 2>&-; exit $s"], WORK, output=output)
        yield from ran_as_usual(name, result, said)
    yield from first_blocks("container", kept, True)

    # Descriptors: none left from some moment on, or all closed by the program.
    for how in ("files", "closed"):  # the mapping stays
        result = run([PROGRAM, how], WORK, output=f"{how}.inmem")
        if result[0] != 0:
            yield f"{how}: exit status {result[0]}, {result}"
        yield from first_blocks(how, WORK / f"{how}.inmem", True)
    result = run([PROGRAM, "chroot"], WORK, output=WORK / "chroot.inmem")
    if result[0] != 0 or result[2]:
        yield f"chroot: {result}"
    yield from first_blocks("chroot", WORK / "chroot.inmem", True)


WORK.mkdir(exist_ok=True)
for old in WORK.iterdir():
    old.rmdir() if old.is_dir() else old.unlink()
found = list(problems())
print("\n".join(found))
sys.exit(bool(found))
