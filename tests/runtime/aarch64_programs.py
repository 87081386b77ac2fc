#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""aarch64_programs - instrumented programs on AArch64 (under qemu-user) and on this machine report the same.

    aarch64_programs.py --build FOLDER --runtime FOLDER --llvm N --work FOLDER [PROGRAM...]

PROGRAMS are sources of lit-tests. Each is compiled for both; exit codes and output are equal, and so are blocks, bytes and
what is left of each type. Those marked `lines` have the same blocks for each line of the user's, too, which takes call
labels, stacks and unwinding. Programs that keep stacks have contexts=on on AArch64, where each stack that is known without
a walk is walked, too, and must be the same. Exit code 0: all are; 1: not.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import sys

from recorded import ROOT, Failed, finish, record, require_same, rows, step

SYSROOT = "/usr/aarch64-linux-gnu"
# Program: what is compared ("lines", "types", or "blocks" of types but not their bytes), INMEM_OPTIONS, and further sources.
PROGRAMS = {
    "callers/branches.cpp": ("lines", ""),
    "callers/ways.cpp": ("lines", ""),
    "callers/tail-calls.cpp": ("types", ""),
    "callers/chains.cpp": ("types", ""),
    "types/new.cpp": ("lines", "stacks=16:frees=on"),
    "types/malloc.cpp": ("lines", "stacks=32"),
    "types/smart.cpp": ("lines", "frees=on"),
    "types/containers.cpp": ("lines", ""),
    "types/strings.cpp": ("lines", ""),
    "types/allocators.cpp": ("types", ""),
    "types/coroutines.cpp": ("types", ""),
    "types/unusual.cpp": ("types", ""),
    "types/one-place.cpp": ("lines", ""),
    "types/builtin-new.cpp": ("lines", ""),
    "objects/storages.cpp": ("types", ""),
    "objects/copies.cpp": ("types", ""),
    "objects/lifetime.cpp": ("types", ""),
    "objects/throwing.cpp": ("types", ""),
    "runtime/exceptions.cpp": ("types", "stacks=16"),
    "runtime/lifetimes.cpp": ("types", "clock=exact"),
    "runtime/thread-ends.cpp": ("types", "frees=on"),
    "runtime/labels.cpp": ("types", "labels=a=b"),
    "filters/types.cpp": ("types", ""),
    "stacks/frees.cpp": ("types", "frees=on"),
    "stacks/parts.cpp": ("types", "stacks=64"),
    "stacks/counted.cpp": ("types", "stacks=16"),
    "scopes/counts.cpp": ("types", ""),
    "scopes/budgets.cpp": ("types", "", "scopes/Inputs/through.c"),
    "scopes/handlers.cpp": ("types", "", "scopes/Inputs/rethrows.cpp"),
    # Its messages have numbers of threads, which are longer or shorter.
    "scopes/threads.cpp": ("blocks", "stacks=8"),
    "graph/counts.cpp": ("types", ""),
    "graph/paths.cpp": ("types", ""),
}


KNOWN = "lit-tests/stacks/contexts.cpp"
CONTEXTS = "-fplugin-arg-inmem-contexts=on"


def compile_for(given, sources, out, arch, *flags):
    runtime = given.runtime if arch == "aarch64" else given.build / "lib"
    plugin = given.build / "lib" / "libinmem.so"
    target = ["--target=aarch64-linux-gnu", "-fuse-ld=lld"] if arch == "aarch64" else []
    objects = []
    for source in sources:
        objects.append(f"{out}-{source.name}.o")
        cxx, standard = ("clang", "-std=c17") if source.suffix == ".c" else ("clang++", "-std=c++20")
        command = [f"{cxx}-{given.llvm}", *target, standard, "-O1", "-g1", f"-fplugin={plugin}", f"-fpass-plugin={plugin}", f"-I{ROOT}/include",
                   f"-I{ROOT}/lit-tests/Inputs", *flags, "-c", str(source), "-o", objects[-1]]
        step(command, f"does not compile for {arch}")
    step([f"clang++-{given.llvm}", *target, "-pthread", *objects, "-o", str(out), "-Wl,--no-as-needed", str(runtime / "libinmem_rt.so"),
                  f"-Wl,-rpath,{runtime}"], f"does not link for {arch}")


def run(program, options, arch, folder):
    # qemu 7.2 takes long to reserve what the runtime reserves in the whole address space; in 1 GiB,
    # the C library's arenas for a dozen threads leave nothing for the trace.
    emulator = ["qemu-aarch64", "-cpu", "cortex-a72", "-R", "0x200000000", "-L", SYSROOT] if arch == "aarch64" else []
    trace, status, output = record(program, options, folder, emulator)
    # Threads have other numbers.
    return trace, status, re.sub(r"\bthread \d+", "thread N", output)


def without_check(output):
    """\returns (by context, by words, walked), as check_stacks=on has printed, and the rest of the output."""
    found = re.search(r"inmem: check_stacks: known by context (\d+), by words (\d+), walked (\d+), wrong (\d+)\n", output)
    if not found:
        raise Failed(f"does not say which stacks it has checked: {output!r}")
    *counts, wrong = map(int, found.groups())
    if wrong:
        raise Failed(f"took {wrong} stacks for others")
    return counts, output.replace(found[0], "")


def check_known(given, flags):
    """Most stacks of a program with all kinds of control flow are known without a walk."""
    folder = given.work / f"known{len(flags)}"
    folder.mkdir(parents=True, exist_ok=True)
    compile_for(given, [ROOT / KNOWN], folder / "program", "aarch64", *flags)
    _, status, output = run(folder / "program", "stacks=64:check_stacks=on", "aarch64", folder)
    (by_context, by_words, walked), rest = without_check(output)
    if status or rest:
        raise Failed(f"ended with {status} and printed {rest!r}")
    if by_context + by_words < 2 * walked or (by_context > by_words) != bool(flags):
        raise Failed(f"{by_context} stacks are known by context, {by_words} by words, {walked} walked")
    return by_context + by_words


def check(given, name):
    compared, options, *further = PROGRAMS[name]
    stem = name.replace("/", "-")
    results = {}
    for arch in ("aarch64", "x86_64"):
        folder = given.work / f"{stem}.{arch}"
        folder.mkdir(parents=True, exist_ok=True)
        program = folder / "program"
        checked = arch == "aarch64" and "stacks=" in options
        compile_for(given, [ROOT / "lit-tests" / each for each in (name, *further)], program, arch, *[CONTEXTS] * checked)
        trace, status, output = run(program, options + ":check_stacks=on" * checked, arch, folder)
        if checked:
            _, output = without_check(output)
        counts = rows(given.build / "bin" / "inmem", trace, compared == "lines")
        if compared == "blocks":
            counts = {name: blocks for name, (blocks, _, _) in counts.items()}
        results[arch] = status, output, counts
    require_same(results["aarch64"], results["x86_64"], "on x86-64")
    return len(results["aarch64"][2])


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    for option in ("--build", "--runtime", "--work"):
        parser.add_argument(option, type=pathlib.Path, required=True)
    parser.add_argument("--llvm", required=True)
    parser.add_argument("programs", nargs="*", default=[])
    given = parser.parse_args()
    for option in ("build", "runtime", "work"):
        setattr(given, option, getattr(given, option).resolve())
    names = given.programs or list(PROGRAMS)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        started = [(f"{name}: {{}} rows", pool.submit(check, given, name)) for name in names]
        if not given.programs:
            started += [(f"{KNOWN} {' '.join(flags)}: {{}} stacks known", pool.submit(check_known, given, flags)) for flags in ([], [CONTEXTS])]
        return finish(started)


if __name__ == "__main__":
    sys.exit(main())
