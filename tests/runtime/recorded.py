# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""recorded - what tests share that compile instrumented programs for several targets, run them and compare their reports."""

import json
import os
import pathlib
import subprocess

# Seconds after which a program is taken to hang.
PATIENCE = 1800
ROOT = pathlib.Path(__file__).resolve().parents[2]


class Failed(Exception):
    pass


def step(command, what):
    """Runs a step of a build; WHAT is said if it fails."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise Failed(f"{what}: {done.stderr.strip()}")


def record(program, options, folder, emulator=()):
    """Runs it in FOLDER. \\returns the trace, next to the program, its exit code, and what it printed."""
    trace = f"{program}.inmem"
    pathlib.Path(trace).unlink(missing_ok=True)
    done = subprocess.run([*emulator, program], capture_output=True, text=True, timeout=PATIENCE, cwd=folder,
                          env={**os.environ, "INMEM_OPTIONS": ":".join(filter(None, [f"output={trace}", options]))})
    return trace, done.returncode, done.stdout + done.stderr


def rows(tool, trace, by_line):
    """Of each type, or type and user's line: blocks, bytes, bytes left. What has no type is the libraries'."""
    done = subprocess.run([tool, "report", "--no-symbols", "--format", "json", trace], capture_output=True, text=True)
    if done.returncode != 0:
        raise Failed(done.stderr.strip())
    out = {}
    for row in json.loads(done.stdout)["types"]:
        for site in row["sites"] if row["type"] else []:
            place = site.get("caller") or site
            key = (row["type"], os.path.basename(place["file"] or ""), place["line"]) if by_line else row["type"]
            found = out.setdefault(key, [0, 0, 0])
            for index, name in enumerate(("allocations", "allocated_bytes", "live_bytes")):
                found[index] += site[name]
    return out


def require_same(found, expected, where):
    """Of each the exit code, what was printed, and rows(); WHERE is said of what is expected."""
    if found[:2] != expected[:2]:
        raise Failed(f"ended with {found[0]} and printed {found[1]!r}, {where} {expected[0]} and {expected[1]!r}")
    differ = [f"{key}: {found[2].get(key)}, {where} {expected[2].get(key)}" for key in sorted({*found[2], *expected[2]}, key=str)
              if found[2].get(key) != expected[2].get(key)]
    if differ:
        raise Failed("; ".join(differ))
    if not found[2]:
        raise Failed("no block has a type")


def finish(started):
    """Prints a line for each (text with {}, future). \\returns the exit code."""
    failures = 0
    for text, future in started:
        try:
            print(text.format(future.result()), flush=True)
        except (Failed, subprocess.TimeoutExpired) as fault:
            failures += 1
            print(f"{text.partition(':')[0]}: FAILED: {fault}", flush=True)
    print(f"{failures} of {len(started)} fail")
    return 1 if failures else 0
