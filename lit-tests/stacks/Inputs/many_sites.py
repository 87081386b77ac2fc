#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds how the work of `inmem symbolize` grows with the sites of one unit.

Records two programs whose sites are instances of one template, and counts instructions by callgrind.
"""
import argparse
import os
import re
import subprocess
import sys

SITES = 500
MOST = 3  # times the instructions for twice the sites; a walk over all entries for each site takes 4


def source(sites):
    return "\n".join(["template <class T> T *make() { return new T; }"] + [f"struct S{i} {{ int Value[{i % 50 + 1}]; }};" for i in range(sites)]
                     + ["int main() {"] + [f"  delete make<S{i}>();" for i in range(sites)] + ["}", ""])


def instructions(options, sites):
    base = f"{options.out}.{sites}"
    with open(base + ".cpp", "w", encoding="utf-8") as file:
        file.write(source(sites))
    subprocess.run(["g++", "-O0", "-g1", base + ".cpp", "-o", base], check=True)
    subprocess.run([base], check=True, env={**os.environ, "LD_PRELOAD": options.runtime,
                                            "INMEM_OPTIONS": f"quiet=1:lines_mib=0:stacks=1:output={base}.inmem"})
    done = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={base}.callgrind", options.inmem, "symbolize", base + ".inmem"],
                          check=True, capture_output=True, text=True)
    if int(re.search(r"(\d+) code addresses named", done.stdout).group(1)) < sites:
        sys.exit(f"few addresses of {sites}: {done.stdout}")
    return int(re.search(r"Collected : (\d+)", done.stderr).group(1))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for name in ("inmem", "runtime", "out"):
        parser.add_argument("--" + name, required=True)
    options = parser.parse_args()
    few, many, more = (instructions(options, sites) for sites in (SITES, 2 * SITES, 4 * SITES))
    print(f"{SITES} sites {few}, {2 * SITES} {many}, {4 * SITES} {more} instructions")
    return 0 if more - many < MOST * (many - few) else 1


if __name__ == "__main__":
    sys.exit(main())
