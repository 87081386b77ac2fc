#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_instructions.py - instructions that the hooks take for a pair of
allocation and free, counted by valgrind's callgrind within libinmem_rt alone:
the one figure of the benchmark that does not drift with the machine's load.

  check_instructions.py --build BUILD            compare with instructions.golden
  check_instructions.py --build BUILD --update   write it anew

Start-up and slow paths drop out: each figure is the difference between a long
and a short run, divided by the pairs between them. Exit code 0: as in the golden
file or fewer; 1: one is exceeded, or what is counted changed; 2: wrong usage;
77: skipped, there is no valgrind.
"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
GOLDEN = os.path.join(HERE, "instructions.golden")
# The short run is past the 1024th life of its site, where thinning begins.
SHORT, LONG = 20_000, 120_000
# Allowed above the golden figure: other versions of clang choose other code.
SLACK_SHARE, SLACK = 0.03, 1.0

# name: (program, what it does, instrumented, INMEM_OPTIONS)
CASES = {
    "malloc+free": ("pair", "malloc", True, ""),
    "malloc+free of 500 bytes": ("pair", "large", True, ""),
    "calloc+free": ("pair", "calloc", True, ""),
    "malloc+realloc+free": ("pair", "realloc", True, ""),
    "aligned_alloc+free": ("pair", "aligned", True, ""),
    "new[]+delete[]": ("pair_new", "new", True, ""),
    "new+delete in a library, one caller": ("callers", "one", True, ""),
    "new+delete in a library, two callers in turn": ("callers", "two", True, ""),
    "new+delete in a library, three levels": ("callers", "levels", True, ""),
    "new+delete in a library, six levels": ("callers", "six", True, ""),
    "new+delete in a library, callers=off": ("callers", "one", True, "callers=off"),
    "malloc+free, not instrumented": ("pair", "malloc", False, ""),
    "malloc+free, clock=exact": ("pair", "malloc", True, "clock=exact"),
    "malloc+free, clock=events": ("pair", "malloc", True, "clock=events"),
    "malloc+free, mode=trace": ("pair", "malloc", True, "mode=trace"),
    "malloc+free, sample_bytes=524288": ("pair", "malloc", True, "sample_bytes=524288"),
    "malloc+free, every=10000": ("pair", "malloc", True, "every=10000"),
    "malloc+free, mode=off": ("pair", "malloc", True, "mode=off"),
    "16 frames, stacks=16": ("deep", "new", True, "stacks=16"),
    "16 frames, frame pointers": ("deep.fp", "new", True, "stacks=16"),
    "16 frames, contexts=on": ("deep.contexts", "new", True, "stacks=16"),
    "16 frames, contexts=on, no stacks": ("deep.contexts", "new", True, ""),
}


def instructions_in_runtime(path):
    """Adds up the self cost of libinmem_rt's functions in a callgrind file.

    The hooks lie in a section of their own, which valgrind gives no object: "???", as it does for
    a little of the start, which drops out.
    """
    total, ours, skip, names = 0, False, False, {}
    with open(path) as file:
        for line in file:
            if line.startswith("ob="):
                # ob=(1) /path the first time, ob=(1) after that.
                number, _, name = line[3:].strip().partition(" ")
                if name:
                    names[number] = name
                ours = "libinmem_rt" in names.get(number, "") or names.get(number) == "???"
            elif line.startswith("cob="):
                number, _, name = line[4:].strip().partition(" ")
                if name:
                    names[number] = name
            elif line.startswith("calls="):
                skip = True  # the next line has the callee's inclusive cost
            elif line[:1].isdigit() or line[:1] in "+-*":
                if ours and not skip:
                    total += int(line.split()[-1])
                skip = False
    return total


def count(program, what, pairs, env, folder):
    out = os.path.join(folder, "callgrind.out")
    done = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", program, what, str(pairs)],
                          env={**os.environ, **env}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"check_instructions.py: {os.path.basename(program)} {what}: {done.stderr.strip()[-300:]}")
    return instructions_in_runtime(out)


def build_programs(build, folder):
    """{(name, instrumented): path}; the bare ones are built with inmem's clang too."""
    made = {}
    for name, source, compiler, *flags in (
            ("pair", "pair.c", "inmem-clang"), ("pair_new", "pair_new.cpp", "inmem-clang++"),
            ("callers", "callers.cpp", "inmem-clang++"),
            ("deep", "deep.cpp", "inmem-clang++"), ("deep.fp", "deep.cpp", "inmem-clang++", "-fno-omit-frame-pointer"),
            ("deep.contexts", "deep.cpp", "inmem-clang++", "-fplugin-arg-inmem-contexts=on")):
        out = os.path.join(folder, name)
        subprocess.run([os.path.join(build, "bin", compiler), "-O2", *flags, os.path.join(HERE, "probes", source), "-o",
                        out], check=True)
        made[name, True] = out
    # Any C compiler: not one instruction of the program itself is counted.
    plain = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if plain:
        out = os.path.join(folder, "pair.plain")
        subprocess.run([plain, "-O2", "-fno-builtin", os.path.join(HERE, "probes", "pair.c"), "-o", out], check=True)
        made["pair", False] = out
    return made


def measure(build, cases=None):
    """{case: instructions per pair}, for all cases that can run here."""
    figures = {}
    with tempfile.TemporaryDirectory() as folder:
        made = build_programs(build, folder)
        for case, (name, what, instrumented, options) in CASES.items():
            if (cases and case not in cases) or (name, instrumented) not in made:
                continue
            trace = os.path.join(folder, "trace.inmem")
            env = {"INMEM_OPTIONS": ":".join(filter(None, [f"output={trace}", options]))}
            if not instrumented:
                env |= {"LD_LIBRARY_PATH": os.path.join(build, "lib"), "LD_PRELOAD": "libinmem_rt.so"}
            low, high = (count(made[name, instrumented], what, pairs, env, folder) for pairs in (SHORT, LONG))
            figures[case] = (high - low) / (LONG - SHORT)
    return figures


def read_golden():
    figures = {}
    with open(GOLDEN) as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                value, _, name = line.strip().partition(" ")
                figures[name.strip()] = float(value)
    return figures


def write_golden(figures):
    with open(GOLDEN, "w") as file:
        file.write("# Instructions in libinmem_rt for each pair, by check_instructions.py --update.\n"
                   "# A change that lowers one lowers it here; one that raises it says why in its commit.\n")
        for name, value in figures.items():
            file.write(f"{value:7.1f} {name}\n")


def main():
    parser = argparse.ArgumentParser(description="instructions of the hooks for a pair, against instructions.golden")
    parser.add_argument("--build", required=True, help="inmem's build folder")
    parser.add_argument("--update", action="store_true", help="write the golden file anew")
    options = parser.parse_args()
    if not shutil.which("valgrind"):
        print("check_instructions.py: no valgrind here: skipped")
        return 77
    for part in ("bin/inmem-clang++", "lib/libinmem_rt.so"):
        if not os.path.exists(os.path.join(options.build, part)):
            parser.error(f"{options.build} is no build folder of inmem: {part} is missing")
    figures = measure(os.path.abspath(options.build))
    if options.update:
        write_golden(figures)
    golden, exceeded = read_golden(), False
    print(f"{'pair':<34} {'golden':>8} {'now':>8}")
    for name in {**golden, **figures}:
        want, have = golden.get(name), figures.get(name)
        if want is None or (have is None and CASES.get(name, ("", "", True))[2]):
            verdict = "not in the golden file: run --update" if want is None else "no longer counted"
            exceeded = True
        elif have is None:
            verdict = "no plain C compiler here"
        elif have > want * (1 + SLACK_SHARE) + SLACK:
            verdict, exceeded = "EXCEEDED", True
        elif have < want * (1 - SLACK_SHARE) - SLACK:
            verdict = "fewer: run --update to hold it"
        else:
            verdict = ""
        shown = [f"{figure:8.1f}" if figure is not None else f"{'-':>8}" for figure in (want, have)]
        print(f"{name:<34} {shown[0]} {shown[1]} {verdict}".rstrip())
    return 1 if exceeded else 0


if __name__ == "__main__":
    sys.exit(main())
