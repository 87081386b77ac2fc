#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""macros - macros that public headers leave defined: an error if one could be a
program's own. A name begins with INMEM_ or inmem_; in detail/, which users do not
read, with INMEM_DETAIL_, but for INMEM_API.

  macros.py COMPILER INCLUDE/inmem/NAME.h...
"""
import os
import re
import subprocess
import sys


def defined_by(compiler, folder, name):
    """{macro: file below the folder}; -dD keeps definitions, with the file that they are in."""
    ran = subprocess.run([compiler, "-x", "c++", "-std=c++17", "-E", "-dD", "-I", folder, "-"],
                         input=f"#include <inmem/{name}>\n", capture_output=True, text=True, check=True)
    file, found = "", {}
    for line in ran.stdout.splitlines():
        if marker := re.match(r'# \d+ "(.*?)"', line):
            file = os.path.normpath(marker[1])
        elif change := re.match(r"#(define|undef) (\w+)", line):
            found.pop(change[2], None)
            if change[1] == "define" and file.startswith(folder):
                found[change[2]] = file[len(folder) + 1:]
    return found


def main():
    compiler, *headers = sys.argv[1:]
    bad = 0
    for header in headers:
        found = defined_by(compiler, *header.rsplit("/inmem/", 1))
        wrong = [macro for macro, file in sorted(found.items())
                 if not re.match("INMEM_DETAIL_|INMEM_API$" if "/detail/" in file else "INMEM_|inmem_", macro)]
        if wrong or not found:
            bad += 1
            print(f"{header}: {'defines ' + ' '.join(wrong) if wrong else 'defines no macro'}")
    return bad


if __name__ == "__main__":
    sys.exit(main())
