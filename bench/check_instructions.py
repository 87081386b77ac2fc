#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_instructions.py - instructions that the hooks take for a pair of
allocation and free, counted by valgrind's callgrind within libinmem_rt alone:
the one figure of the benchmark that does not drift with the machine's load.

  check_instructions.py --build BUILD            compare with instructions.golden
  check_instructions.py --build BUILD --smoke    only the cases of SMOKE
  check_instructions.py --build BUILD --update   write it anew
  check_instructions.py --build BUILD --aarch64 FOLDER [--llvm N]
                        the same of the runtime for AArch64 in FOLDER, by qemu
                        and instructions.aarch64.golden

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
    "new+delete in the C++ library, not instrumented": ("followed", "string", False, ""),
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


# One case for each path through the hooks.
SMOKE = {"malloc+free", "malloc+realloc+free", "new[]+delete[]", "new+delete in a library, two callers in turn",
         "malloc+free, not instrumented", "malloc+free, mode=trace", "malloc+free, sample_bytes=524288", "16 frames, stacks=16"}


class Native:
    """This machine, under valgrind."""

    golden = os.path.join(HERE, "instructions.golden")
    # The short run is past the 1024th life of its site, where thinning begins.
    short, long = 20_000, 120_000

    def __init__(self, build):
        self.build = os.path.abspath(build)

    def missing(self):
        return None if shutil.which("valgrind") else "valgrind"

    def compile(self, source, out, *flags):
        compiler = "inmem-clang" if source.endswith(".c") else "inmem-clang++"
        subprocess.run([os.path.join(self.build, "bin", compiler), "-O2", *flags, source, "-o", out], check=True)

    def prepare(self, folder):
        pass

    def preload(self):
        return {"LD_LIBRARY_PATH": os.path.join(self.build, "lib"), "LD_PRELOAD": "libinmem_rt.so"}

    def count(self, program, what, pairs, env, folder):
        out = os.path.join(folder, "callgrind.out")
        run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", program, what, str(pairs)], env)
        return instructions_in_runtime(out)


class AArch64:
    """The runtime cross-built in a folder, under qemu-user with a plugin that counts."""

    golden = os.path.join(HERE, "instructions.aarch64.golden")
    short, long = 5_000, 15_000  # qemu's counts are exact
    sysroot = "/usr/aarch64-linux-gnu"

    def __init__(self, build, folder, llvm):
        self.plugin = os.path.abspath(os.path.join(build, "lib", "libinmem.so"))
        self.runtime = os.path.abspath(os.path.join(folder, "lib"))
        self.llvm = llvm

    def missing(self):
        return None if shutil.which("qemu-aarch64") and shutil.which("cc") else "qemu-aarch64 or cc"

    def compile(self, source, out, *flags):
        compiler = "clang" if source.endswith(".c") else "clang++"
        subprocess.run([f"{compiler}-{self.llvm}", "--target=aarch64-linux-gnu", "-fuse-ld=lld", "-O2", f"-fplugin={self.plugin}",
                        f"-fpass-plugin={self.plugin}", *flags, source, "-o", out, "-Wl,--no-as-needed", f"{self.runtime}/libinmem_rt.so",
                        f"-Wl,-rpath,{self.runtime}"], check=True)

    def prepare(self, folder):
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", os.path.join(HERE, "qemu", "Instructions.c"), "-o", os.path.join(folder, "count.so")],
                       check=True)

    def preload(self):
        return None

    def count(self, program, what, pairs, env, folder):
        out = os.path.join(folder, "instructions")
        # -R: see tests/runtime/aarch64.sh.
        run(["qemu-aarch64", "-cpu", "cortex-a72", "-R", "0x200000000", "-plugin", f"{folder}/count.so,out={out}", "-L", self.sysroot, program,
             what, str(pairs)], env)
        with open(out) as file:
            return int(file.read())


def run(command, env):
    done = subprocess.run(command, env={**os.environ, **env}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"check_instructions.py: {' '.join(command[-3:])}: {done.stderr.strip()[-300:]}")


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


def build_programs(machine, folder, cases):
    """{(name, instrumented): path} of what these cases run; the bare ones are built with inmem's clang too."""
    wanted = {CASES[case][0] for case in cases}
    made = {}
    for name, source, *flags in (
            ("pair", "pair.c"), ("pair_new", "pair_new.cpp"), ("callers", "callers.cpp"),
            ("deep", "deep.cpp", "-fomit-frame-pointer"), ("deep.fp", "deep.cpp", "-fno-omit-frame-pointer"),
            ("deep.contexts", "deep.cpp", "-fplugin-arg-inmem-contexts=on")):
        if name not in wanted:
            continue
        made[name, True] = os.path.join(folder, name)
        machine.compile(os.path.join(HERE, "probes", source), made[name, True], *flags)
    # Any C compiler: not one instruction of the program itself is counted.
    for name, source, compilers in (("pair", "pair.c", ("cc", "gcc", "clang")), ("followed", "followed.cpp", ("c++", "g++", "clang++"))):
        plain = machine.preload() and next(filter(None, map(shutil.which, compilers)), None)
        if plain and name in wanted:
            made[name, False] = os.path.join(folder, f"{name}.plain")
            subprocess.run([plain, "-O2", "-fno-builtin", os.path.join(HERE, "probes", source), "-o", made[name, False]], check=True)
    return made


def measure(machine, cases=None):
    """{case: instructions per pair}, for all cases that can run here."""
    figures = {}
    with tempfile.TemporaryDirectory() as folder:
        machine.prepare(folder)
        made = build_programs(machine, folder, cases or CASES)
        for case, (name, what, instrumented, options) in CASES.items():
            if (cases and case not in cases) or (name, instrumented) not in made:
                continue
            trace = os.path.join(folder, "trace.inmem")
            env = {"INMEM_OPTIONS": ":".join(filter(None, [f"output={trace}", options]))}
            if not instrumented:
                env |= machine.preload()
            low, high = (machine.count(made[name, instrumented], what, pairs, env, folder) for pairs in (machine.short, machine.long))
            figures[case] = (high - low) / (machine.long - machine.short)
    return figures


def read_golden(path):
    figures = {}
    with open(path) as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                value, _, name = line.strip().partition(" ")
                figures[name.strip()] = float(value)
    return figures


def write_golden(path, figures):
    with open(path, "w") as file:
        file.write("# Instructions in libinmem_rt for each pair, by check_instructions.py --update.\n"
                   "# A change that lowers one lowers it here; one that raises it says why in its commit.\n")
        for name, value in figures.items():
            file.write(f"{value:7.1f} {name}\n")


def main():
    parser = argparse.ArgumentParser(description="instructions of the hooks for a pair, against instructions.golden")
    parser.add_argument("--build", required=True, help="inmem's build folder")
    parser.add_argument("--update", action="store_true", help="write the golden file anew")
    parser.add_argument("--smoke", action="store_true", help="count only one case for each path through the hooks")
    parser.add_argument("--aarch64", metavar="FOLDER", help="count for AArch64 with the runtime that was built in FOLDER")
    parser.add_argument("--llvm", default="22", help="with --aarch64: version of the clang that compiles (default: 22)")
    options = parser.parse_args()
    machine = AArch64(options.build, options.aarch64, options.llvm) if options.aarch64 else Native(options.build)
    if machine.missing():
        print(f"check_instructions.py: no {machine.missing()} here: skipped")
        return 77
    for part in ("bin/inmem-clang++", "lib/libinmem_rt.so"):
        if not os.path.exists(os.path.join(options.build, part)):
            parser.error(f"{options.build} is no build folder of inmem: {part} is missing")
    if options.smoke and options.update:
        parser.error("--update writes all cases; --smoke excludes it")
    cases = SMOKE if options.smoke else CASES
    figures = measure(machine, cases)
    if options.update:
        write_golden(machine.golden, figures)
    golden, exceeded = {name: value for name, value in read_golden(machine.golden).items() if name in cases or name not in CASES}, False
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
