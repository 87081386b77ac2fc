#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a program recorded and leaves its report as JSON.

  record.py REPORT.json [key=value]... -- PROGRAM [ARG]...

key=value pairs become INMEM_OPTIONS. Output and exit code are the program's
own; a signal N ends this with 128 + N, as a shell does. The trace stays beside
the report (REPORT.json.inmem). Exit code 125: no trace, or no report of it.
"""
import os
import subprocess
import sys


def main():
    try:
        report, *rest = sys.argv[1:]
        cut = rest.index("--")
    except ValueError:
        sys.exit(__doc__)
    options, command = rest[:cut], rest[cut + 1:]
    trace = report + ".inmem"
    for old in (trace, report):
        if os.path.exists(old):
            os.remove(old)
    environment = dict(os.environ, INMEM_OPTIONS=":".join([f"output={trace}", *options]))
    status = subprocess.run(command, env=environment).returncode
    if not os.path.exists(trace):
        print(f"record.py: {command[0]} left no trace {trace}", file=sys.stderr)
        return 125
    inmem = os.path.join(os.environ["INMEM_BUILD"], "bin", "inmem")
    with open(report, "wb") as out:
        if subprocess.run([inmem, "report", "--format", "json", trace], stdout=out).returncode != 0:
            return 125
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    sys.exit(main())
