#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""coverage - runs the unit tests of a Checked build and holds rooms to their floors.

  coverage.py --llvm N --build DIR [--missed] [--raise] ROOM...

Called by scripts/coverage. A test that fails, or that a sanitizer stops, is a
failure here too.
"""
import argparse
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FLOORS = os.path.join(ROOT, "scripts", "checks", "coverage.toml")
# A room counts what its own tests run, so that it does not matter which rooms are asked for.
PROGRAMS = {"trace": ["inmem_trace_tests"], "report": ["inmem_report_tests"], "tools": ["inmem_tool_tests"],
            "runtime": ["runtime_unit_test", "runtime_threads_test"], "place": ["inmem_place_tests"],
            "heap": ["inmem_heap_tests"], "fleet": ["inmem_fleet_tests"], "debuginfo": ["inmem_debuginfo_tests"], "fix": ["inmem_fix_tests"]}
# What tests run besides.
ALSO = {"tools": ["bin/inmem"]}
SANITIZERS = {"ASAN_OPTIONS": "detect_leaks=1:detect_stack_use_after_return=1:strict_string_checks=1",
              "UBSAN_OPTIONS": "print_stacktrace=1"}


def run(program, build, profiles):
    """Returns what the program said if it failed, else None."""
    work = os.path.join(build, "work", program)
    os.makedirs(work, exist_ok=True)
    environment = {**os.environ, **SANITIZERS, "LLVM_PROFILE_FILE": os.path.join(profiles, program + ".%4m.profraw"),
                   "INMEM_OPTIONS": f"output={work}/%p.inmem"}
    ran = subprocess.run([os.path.join(build, "tests", program), "--gtest_brief=1"], cwd=work, env=environment,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    return ran.stdout if ran.returncode else None


def covered(options, room, profiles):
    """{file: (lines, lines that ran)} of a room's files."""
    def tool(name, *arguments):
        return subprocess.run([f"{name}-{options.llvm}", *arguments], check=True, capture_output=True, text=True).stdout

    merged = os.path.join(options.build, f"{room}.profdata")
    raw = [os.path.join(profiles, name) for name in os.listdir(profiles) if name.startswith(tuple(PROGRAMS[room]))]
    tool("llvm-profdata", "merge", "-sparse", "-o", merged, *raw)
    programs = [os.path.join(options.build, "tests", program) for program in PROGRAMS[room]]
    programs += [os.path.join(options.build, program) for program in ALSO.get(room, ())]
    objects = [argument for program in programs[1:] for argument in ("-object", program)]
    report = json.loads(tool("llvm-cov", "export", "-summary-only", f"-instr-profile={merged}", programs[0], *objects))
    files = {os.path.relpath(file["filename"], ROOT): file["summary"]["lines"] for file in report["data"][0]["files"]}
    return {file: (lines["count"], lines["covered"]) for file, lines in files.items() if file.startswith(room + "/")}


def raise_floors(shares):
    with open(FLOORS) as file:
        text = file.read()
    for room, share in shares.items():
        text = re.sub(rf"^{room} = [\d.]+", f"{room} = {int(share * 10) / 10}", text, flags=re.MULTILINE)
    with open(FLOORS, "w") as file:
        file.write(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--llvm", required=True)
    parser.add_argument("--build", required=True)
    parser.add_argument("--missed", action="store_true")
    parser.add_argument("--raise", action="store_true", dest="raising")
    parser.add_argument("rooms", nargs="+", choices=PROGRAMS)
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    profiles = os.path.join(options.build, "profiles")
    shutil.rmtree(profiles, ignore_errors=True)
    os.makedirs(profiles)
    failed = 0
    programs = [program for room in options.rooms for program in PROGRAMS[room]]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for program, said in zip(programs, pool.map(lambda program: run(program, options.build, profiles), programs), strict=True):
            print(f"{program}: {'failed' if said is not None else 'passed'}", flush=True)
            if said is not None:
                failed += 1
                print(said)
    with open(FLOORS, "rb") as file:
        floors = tomllib.load(file)["lines"]
    shares, missed = {}, []
    print(f"\n{'room':<10} {'lines':>7} {'ran':>7} {'share':>8} {'floor':>8}")
    for room in options.rooms:
        files = covered(options, room, profiles)
        lines, ran = (sum(counts) for counts in zip(*files.values(), strict=True))
        shares[room] = 100 * ran / lines
        below = shares[room] < floors[room]
        failed += below
        print(f"{room:<10} {lines:>7} {ran:>7} {shares[room]:>6.1f} % {floors[room]:>6.1f} %{'  below its floor' if below else ''}")
        missed += [(lines - ran, lines, file) for file, (lines, ran) in files.items() if ran < lines]
    if options.missed:
        for never, lines, file in sorted(missed, reverse=True):
            print(f"{file}: {never} of {lines} lines never ran")
    if options.raising:
        raise_floors({room: share for room, share in shares.items() if share > floors[room]})
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
