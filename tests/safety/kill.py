#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kills a busy program of eight threads at random instants and reads its trace.

  kill.py --build BUILD --work DIR [--kills N] [--seed S]

Whatever the instant: the trace is readable, blocks made = freed + live, no count
of an earlier reading is higher than one of a later, and the counts are those that
the program kept itself, up to what each thread had under way. With mode=trace the
events agree with the counts too. N is the size INMEM_KILLS of tests/bounds.toml if not given.

Exit code 0: all held; 1: something did not; 2: wrong usage.
"""
import argparse
import json
import os
import pathlib
import random
import re
import signal
import struct
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "lit-tests" / "Inputs"))
sys.path.insert(0, str(HERE.parent / "support"))
import expect
import sizes

THREADS = 8
TYPES = {"Small": 24, "Large": 200}
LONGEST_SECONDS = 0.12


def read_report(inmem, trace):
    """The report of a trace; None where the process had not begun one."""
    if not trace.exists() or trace.stat().st_size == 0:
        return None
    done = subprocess.run([inmem, "report", "--format", "json", trace], capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(f"report ended with {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout, object_hook=expect.Row)


def counts_of(report):
    """{type: (made, bytes, freed, bytes freed)} of the program's own types."""
    return {row.type: (row.allocations, row.allocated_bytes, row.frees, row.freed_bytes)
            for row in report.types if row.type in TYPES}


def own_counts(path):
    """{type: (begun, made, freeing, freed)} that the program kept, over all threads."""
    data = path.read_bytes() if path.exists() else b""
    if len(data) < THREADS * 64:
        return None
    words = struct.unpack(f"<{THREADS * 8}Q", data[:THREADS * 64])
    return {name: tuple(sum(words[t * 8 + place * 4 + k] for t in range(THREADS)) for k in range(4))
            for place, name in enumerate(TYPES)}


def problems(report, before, own):
    yield from expect.broken_invariants(report)
    now = counts_of(report)
    for name, old in before.items():
        if any(late < early for late, early in zip(now.get(name, (0,) * 4), old, strict=True)):
            yield f"{name}: {old} became {now.get(name)}"
    for name, (begun, made, freeing, freed) in (own or {}).items():
        blocks, size, frees, freed_bytes = now.get(name, (0,) * 4)
        if not made <= blocks <= begun:
            yield f"{name}: {blocks} blocks, the program made {made} to {begun}"
        if not freed <= frees <= freeing:
            yield f"{name}: {frees} frees, the program freed {freed} to {freeing}"
        for what, count, total in (("made", blocks, size), ("freed", frees, freed_bytes)):
            if abs(total - count * TYPES[name]) > THREADS * TYPES[name]:
                yield f"{name}: {count} blocks {what} have {total} bytes"


def event_problems(inmem, trace, report):
    """Events are at most one a thread behind the counts."""
    done = subprocess.run([inmem, "dump", "--events", trace], capture_output=True, text=True)
    if done.returncode != 0:
        yield f"dump ended with {done.returncode}: {done.stderr.strip()}"
        return
    events = {"allocate": 0, "free": 0}
    for kind in re.findall(r"^\s*event (allocate|free)\b", done.stdout, re.MULTILINE):
        events[kind] += 1
    threads = len(set(re.findall(r"^extent events owner=(\d+)", done.stdout, re.MULTILINE)))
    for kind, counted in (("allocate", report.totals.allocations), ("free", report.totals.frees)):
        if abs(events[kind] - counted) > threads + THREADS:
            yield f"{events[kind]} events of kind {kind}, {counted} counted"


def wait_for_blocks(process, counts):
    """Until the program has made a block of each type, or has ended."""
    while process.poll() is None and not all(made for _, made, _, _ in (own_counts(counts) or {"none": (0,) * 4}).values()):
        time.sleep(0.001)


def kill_once(options, program, mode, rng):
    """Starts, reads, kills, reads. Returns (how far it got, problems)."""
    inmem = options.build / "bin" / "inmem"
    trace, counts = options.work / "killed.inmem", options.work / "killed.counts"
    for old in (trace, counts):
        old.unlink(missing_ok=True)
    environment = dict(os.environ, INMEM_OPTIONS=f"output={trace}:mode={mode}")
    process = subprocess.Popen([program, counts], env=environment, stderr=subprocess.PIPE, text=True)
    before = {}
    try:
        # Every event is read back: a long trace would take its time.
        longest = LONGEST_SECONDS if mode == "summary" else LONGEST_SECONDS / 4
        if rng.random() < 0.3:
            longest = 0.01  # while it starts
        else:
            wait_for_blocks(process, counts)
        time.sleep(rng.uniform(0, longest))
        if rng.random() < 0.5 and (report := read_report(inmem, trace)):
            before = counts_of(report)
            time.sleep(rng.uniform(0, LONGEST_SECONDS / 4))
    finally:
        process.send_signal(signal.SIGKILL)
        _, said = process.communicate()
    if process.returncode != -signal.SIGKILL or said:
        return "ended", [f"the program ended with {process.returncode} by itself and said {said!r}"]
    report = read_report(inmem, trace)
    if report is None:
        return "not begun", []
    if report.processes[0].complete:
        return "running", ["the trace says that the program ended in order"]
    found = list(problems(report, before, own_counts(counts)))
    if mode == "trace":
        found += event_problems(inmem, trace, report)
    return "running" if counts_of(report) else "starting", found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--kills", type=int, default=sizes.sizes()["INMEM_KILLS"])
    parser.add_argument("--seed", type=int, default=int(time.time()))
    options = parser.parse_args()
    options.build, options.work = options.build.resolve(), options.work.resolve()
    options.work.mkdir(parents=True, exist_ok=True)
    program = options.work / "busy"
    subprocess.run([options.build / "bin" / "inmem-clang++", "-O2", "-std=c++20", "-pthread", HERE / "busy.cpp",
                    "-o", program], check=True)
    rng = random.Random(options.seed)
    reached, failed = {}, 0
    for number in range(options.kills):
        mode = "trace" if number % 4 == 3 else "summary"
        try:
            how_far, found = kill_once(options, program, mode, rng)
        except AssertionError as failure:
            how_far, found = "running", [str(failure)]
        reached[how_far] = reached.get(how_far, 0) + 1
        for text in found[:5]:
            print(f"kill {number} (mode={mode}): {text}", flush=True)
        if found:
            failed += 1
            kept = options.work / f"failed-{number}.inmem"
            (options.work / "killed.inmem").replace(kept)
            print(f"kill {number}: its trace is {kept}")
    print(f"{options.kills} kills with seed {options.seed}: {failed} failed; the program was "
          + ", ".join(f"{how_far} {count} times" for how_far, count in sorted(reached.items())))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
