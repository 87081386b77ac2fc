#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds what sample profiles know functions by to what it is without inmem.

  sample_profiles.py PLAIN INMEM SOURCE OUT

Compiles SOURCE for pseudo-probes: each function of PLAIN's has the same hash with INMEM, at each level of objects=.
Then compiles it with a profile by lines, in which each function has a count: it has the same. Exit code 1: one differs.
"""
import re
import subprocess
import sys

LEVELS = ("off", "heap", "count", "lifetime")


def compiled(compiler, source, out, *flags):
    subprocess.run([compiler, "-std=c++20", "-w", "-O1", "-S", "-emit-llvm", *flags, source, "-o", f"{out}.ll"], check=True)
    with open(f"{out}.ll") as file:
        return file.read()


def hashes(text):
    return {name: code for code, name in re.findall(r'!\{i64 -?\d+, i64 (-?\d+), !"([^"]*)"\}', text)}


def counts(text):
    entries = dict(re.findall(r'^(!\d+) = !\{!"function_entry_count", i64 (-?\d+)\}', text, re.M))
    return {name: entries.get(node) for name, node in re.findall(r'^define .*?@"?([\w$.]+)"?\(.*!prof (!\d+)', text, re.M)}


def main():
    plain, inmem, source, out = sys.argv[1:]
    probes = hashes(compiled(plain, source, out, "-fpseudo-probe-for-profiling"))
    with open(f"{out}.prof", "w") as file:
        file.writelines(f"{name}:{1000 + 10 * i}:{100 + i}\n 1: {100 + i}\n" for i, name in enumerate(sorted(probes)))
    lines = f"-fprofile-sample-use={out}.prof"
    sampled = counts(compiled(plain, source, out, lines))
    if len(probes) < 5 or len(sampled) < 5:
        sys.exit("the source has no functions to compare")
    failures = 0
    for level in LEVELS:
        chosen = f"-fplugin-arg-inmem-objects={level}"
        for what, wanted, found in (
                ("hash", probes, hashes(compiled(inmem, source, out, chosen, "-fpseudo-probe-for-profiling"))),
                ("count", sampled, counts(compiled(inmem, source, out, chosen, lines)))):
            for name, value in wanted.items():
                # Small functions may be inlined and dropped in one of both.
                if name in found and found[name] != value:
                    failures += 1
                    print(f"objects={level}: the {what} of {name} is {found[name]}, without inmem {value}")
            if len(wanted.keys() & found.keys()) < 4:
                sys.exit(f"objects={level}: no {what} of {len(wanted)} is there")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
