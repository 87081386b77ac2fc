#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_rust.py - instructions that a block of Rust takes in all, counted by
valgrind's callgrind: in a plain program, under the preloaded runtime, and in a
program that inmem's pass has instrumented.

  check_rust.py --build BUILD [--rustc PROGRAM] [--no-plain]

Start-up drops out: each figure is the difference between a long and a short run,
divided by the blocks between them. Exit code 0: instrumented blocks cost at most
what they do under the preloaded runtime; 1: some cost more; 2: wrong usage; 77:
skipped, there is no valgrind or no rustc.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SHORT, LONG = 1_500, 4_500  # past the 1024th life of a site, where thinning begins
SLACK = 0.01  # the compiler lays out the program itself in another way

# kind of block: INMEM_OPTIONS of both. What the precompiled library allocates
# ("text") has the program's line by default, for which its callers are found;
# the preloaded runtime does not do that.
CASES = {"box": "", "counted": "", "aligned": "", "zeroed": "", "growing": "", "text": "callers=off"}


def run(command, env=None):
    done = subprocess.run(command, env={**os.environ, **(env or {})}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"check_rust.py: {' '.join(command[:2])}: {done.stderr.strip()[-300:]}")
    return done.stderr


def build(rustc, build_folder, folder):
    """Compiles the program. Returns the paths of plain and instrumented."""
    source = os.path.join(HERE, "probes", "blocks.rs")
    plain, own = os.path.join(folder, "plain"), os.path.join(folder, "own")
    rustc = [rustc, "--edition", "2021", "-g", "-O"]
    run([*rustc, source, "-o", plain])
    # rustc splits these names at blanks.
    plugin, linker = os.path.join(folder, "ir.so"), os.path.join(folder, "clang")
    os.symlink(os.path.join(build_folder, "lib", "libinmem-ir.so"), plugin)
    os.symlink(os.path.join(build_folder, "bin", "inmem-clang"), linker)
    run([*rustc, "-Z", f"llvm-plugins={plugin}", "-C", f"linker={linker}", "-C", "codegen-units=1", source, "-o", own],
        {"RUSTC_BOOTSTRAP": "1"})
    return plain, own


def instructions(program, what, count, env, folder):
    out = os.path.join(folder, "callgrind.out")
    said = run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", program, what, str(count)], env)
    return int(re.search(r"Collected : (\d+)", said).group(1))


def measure(build_folder, rustc, with_plain):
    """{kind: [preloaded, instrumented]} or [plain, ..], instructions a block."""
    figures = {}
    with tempfile.TemporaryDirectory() as folder:
        plain, own = build(rustc, build_folder, folder)
        for what, options in CASES.items():
            recording = {"INMEM_OPTIONS": ":".join(filter(None, [f"output={folder}/trace.inmem", options]))}
            preload = {"LD_PRELOAD": "libinmem_rt.so", "LD_LIBRARY_PATH": os.path.join(build_folder, "lib")}
            variants = [(plain, {})] if with_plain else []
            variants += [(plain, {**recording, **preload}), (own, recording)]
            figures[what] = [
                (instructions(program, what, LONG, env, folder) - instructions(program, what, SHORT, env, folder)) / (LONG - SHORT)
                for program, env in variants]
    return figures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--rustc", default="rustc")
    parser.add_argument("--no-plain", action="store_true", help="leave out the plain program")
    arguments = parser.parse_args()
    for program in ("valgrind", arguments.rustc):
        if not shutil.which(program):
            print(f"check_rust.py: skipped: there is no {program}")
            return 77
    figures = measure(os.path.abspath(arguments.build), arguments.rustc, not arguments.no_plain)
    print("instructions a block: " + ("" if arguments.no_plain else "plain, ") + "preloaded runtime, instrumented")
    worse = []
    for what, row in figures.items():
        print("".join(f"{figure:8.1f} " for figure in row) + f" {what}")
        if row[-1] > row[-2] * (1 + SLACK):
            worse.append(what)
    if worse:
        print(f"check_rust.py: cost more than under the preloaded runtime: {', '.join(worse)}", file=sys.stderr)
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
