#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""standard_headers - headers of the standard library and the system that a public
header names, itself or by one of ours: an error if there are more than MOST.

  standard_headers.py COMPILER MOST INCLUDE/inmem/NAME.h...
"""
import re
import subprocess
import sys


def named_by(compiler, folder, name):
    """As `string`, `unistd.h`. -dI keeps directives, with the file that they are in."""
    ran = subprocess.run(
        [compiler, "-x", "c++", "-std=c++17", "-E", "-dI", "-I", folder, "-"],
        input=f"#include <inmem/{name}>\n", capture_output=True, text=True, check=True,
    )
    file, found = "", set()
    for line in ran.stdout.splitlines():
        if marker := re.match(r'# \d+ "(.*?)"', line):
            file = marker[1]
        elif file.startswith(folder) and (include := re.match(r"#include <(?!inmem/)(.*?)>", line)):
            found.add(include[1])
    return found


def main():
    compiler, most, *headers = sys.argv[1:]
    bad = 0
    for header in headers:
        found = named_by(compiler, *header.rsplit("/inmem/", 1))
        if not found or len(found) > int(most):
            bad += 1
            print(f"{header}: expected 1 to {most} headers, found {len(found)}: {' '.join(sorted(found))}")
    return bad


if __name__ == "__main__":
    sys.exit(main())
