# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""leaks.py INMEM BUILT LSAN PREFIX COUNT: runs each case of a program built with inmem and with
LeakSanitizer, and compares how many bytes and blocks leak."""

import json
import os
import re
import subprocess
import sys


def by_lsan(program, case):
    """Bytes and blocks that leak; a tracer needs ptrace, without which nothing can be said."""
    done = subprocess.run([program, str(case)], capture_output=True, text=True,
                          env={**os.environ, "LSAN_OPTIONS": "exitcode=23"})
    if done.returncode not in (0, 23):
        sys.exit(f"case {case}: LeakSanitizer: exit code {done.returncode}\n{done.stderr}")
    found = re.search(r"SUMMARY: .*?(\d+) byte\(s\) leaked in (\d+) allocation", done.stderr)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def by_inmem(inmem, program, case, prefix):
    trace = f"{prefix}.{case}.inmem"
    heap = f"{prefix}.{case}.heap"
    if os.path.exists(heap):
        os.remove(heap)
    subprocess.run([program, str(case)], check=True,
                   env={**os.environ, "INMEM_OPTIONS": f"output={trace}:snapshot=exit"})
    out = subprocess.run([inmem, "heap", "--format", "json", heap], check=True, capture_output=True, text=True)
    report = json.loads(out.stdout)
    leaks = report["leaks"]
    return (report["totals"]["unreachable_bytes"], sum(leak["objects"] for leak in leaks)), leaks


def main():
    inmem, built, lsan, prefix, count = sys.argv[1:]
    wrong = 0
    for case in range(int(count)):
        theirs = by_lsan(lsan, case)
        ours, leaks = by_inmem(inmem, built, case, prefix)
        if ours != theirs:
            wrong += 1
            print(f"case {case}: LeakSanitizer {theirs}, inmem {ours}", *leaks, sep="\n  ")
        elif any(leak["type"] is None and leak["site"] is None for leak in leaks):
            wrong += 1
            print(f"case {case}: a leak without a type or place", *leaks, sep="\n  ")
    sys.exit(wrong != 0)


if __name__ == "__main__":
    main()
