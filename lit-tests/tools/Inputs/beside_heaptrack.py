#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds `inmem run` to heaptrack: five programs that gcc built, the same totals, peak and leaks.

  beside_heaptrack.py --inmem FILE --runtime FILE --out BASE --root FOLDER

heaptrack's exact figures are read from its data by `inmem import`. Each tool's own blocks, and what one of them sees before the
other has started, may differ by SLACK. heaptrack loads libstdc++ into programs of C, and makes it free its pool for exceptions at the end.
"""
import argparse
import glob
import json
import os
import subprocess
import sys

PROGRAMS = {"cfrac": ("bench/programs/cfrac.c", ["1000000016000000063"]), "found": ("lit-tests/tools/Inputs/found.cpp", []),
            "plain": ("lit-tests/tools/Inputs/found.c", []), "folded": ("lit-tests/tools/Inputs/folded.cpp", []),
            "regrowth": ("examples/advice/vector-regrowth.cpp", [])}
SLACK = {"allocations": 8, "peak_live_bytes": 2048, "live_bytes": 2048}
SHARE = 0.001  # in addition


def run(command, **more):
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", **more)
    if done.returncode != 0:
        sys.exit(f"beside_heaptrack.py: {' '.join(command)}: {done.stderr.strip()[-500:]}")
    return done.stdout


def totals(file):
    with open(file, encoding="utf-8") as text:
        return json.load(text)["totals"]


def emergency_pool(options):
    """Bytes that libstdc++ allocates as it is loaded, and keeps."""
    base = options.out + ".pool"
    with open(base + ".cpp", "w", encoding="utf-8") as file:
        file.write("int main() { delete new int; }\n")
    run(["g++", base + ".cpp", "-o", base])
    run([options.inmem, "run", "--runtime", options.runtime, "--format", "json", "-o", base + ".json", "--", base])
    return totals(base + ".json")["live_bytes"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("inmem", "runtime", "out", "root"):
        parser.add_argument("--" + name, required=True)
    options = parser.parse_args()
    failed = False
    pool = emergency_pool(options)
    for name, (source, arguments) in PROGRAMS.items():
        base = f"{options.out}.{name}"
        run(["gcc" if source.endswith(".c") else "g++", "-O2", "-g", os.path.join(options.root, source), "-o", base, "-lm"])
        run([options.inmem, "run", "--runtime", options.runtime, "--format", "json", "-o", base + ".json", "--", base, *arguments])
        for old in glob.glob(glob.escape(base) + ".ht*"):
            os.unlink(old)
        run(["heaptrack", "-o", base + ".ht", base, *arguments])
        data = glob.glob(glob.escape(base) + ".ht*")
        run([options.inmem, "import", "--format", "heaptrack", "-o", base + ".inmem", *data])
        with open(base + ".heaptrack.json", "w", encoding="utf-8") as file:
            file.write(run([options.inmem, "report", "--format", "json", base + ".inmem"]))
        ours, theirs = totals(base + ".json"), totals(base + ".heaptrack.json")
        if source.endswith(".c"):
            theirs["peak_live_bytes"] -= pool
        else:
            theirs["live_bytes"] += pool
        for key, slack in SLACK.items():
            far = abs(ours[key] - theirs[key]) > slack + SHARE * theirs[key]
            failed |= far
            print(f"{name}: {key} {ours[key]}, by heaptrack {theirs[key]}{' DIFFERS' if far else ''}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
