#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""run - all checks of scripts/lint, side by side.

  run.py --llvm N [--fix] [--times]

Runs in the virtual environment of scripts/setup.sh. Each check is a function that
takes a Tree and yields findings, each one line: file:line: what.
"""
import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
import time

sys.dont_write_bytecode = True
import comments
import commits
import findings
import includes
import links
import prose
import queries
import rooms
import run_lines
import schema_types
import sizes
import stems
import texts
import units
from tree import Tree


def clang_format(tree, fix):
    """Sources are laid out as .clang-format says."""
    files = [file for file in tree.matching("*.c", "*.cc", "*.cpp", "*.h") if not tree.is_exempt("layout", file)]
    command = [f"clang-format-{tree.llvm}", "-i" if fix else "--dry-run", *files]
    ran = subprocess.run(command, cwd=tree.root, capture_output=True, text=True)
    if ran.returncode:
        raise RuntimeError(ran.stderr)
    # One line for each file is enough: --fix mends them all.
    seen = set()
    for file, line in re.findall(r"^(\S+?):(\d+):\d+: warning: code should be clang-formatted", ran.stderr, re.MULTILINE):
        if file not in seen:
            seen.add(file)
            yield f"{file}:{line}: not laid out by clang-format; scripts/lint --fix does it"


def shellcheck(tree, _fix):
    """Shell scripts."""
    ran = subprocess.run(["shellcheck", "--external-sources", "--format=gcc", "--severity=info", *tree.shell_scripts()],
                         cwd=tree.root, capture_output=True, text=True)
    if ran.returncode > 1:
        raise RuntimeError(ran.stdout + ran.stderr)
    for line in ran.stdout.splitlines():
        yield re.sub(r"^(.*?:\d+):\d+: ", r"\1: shellcheck: ", line)


def ruff(tree, fix):
    """Python, as ruff.toml says."""
    command = [os.path.join(os.path.dirname(sys.executable), "ruff"), "check", "--no-cache", "--output-format=concise", "--quiet",
               *(["--fix"] if fix else []), *tree.python_scripts()]
    ran = subprocess.run(command, cwd=tree.root, capture_output=True, text=True)
    if ran.returncode > 1:
        raise RuntimeError(ran.stdout + ran.stderr)
    for line in ran.stdout.splitlines():
        yield re.sub(r"^(.*?:\d+):\d+: ", r"\1: ruff: ", line)


# The slowest first.
CHECKS = [clang_format, sizes.check, shellcheck, texts.check, links.check, prose.check, run_lines.check,
          includes.check, units.check, rooms.check, stems.check, comments.check, commits.check,
          queries.check, findings.check, schema_types.check, ruff]
# With --fix these change sources.
WRITERS = [clang_format, ruff, schema_types.check]


def run(check, tree, fix):
    start = time.monotonic()
    found = list(check(tree, fix))
    return found, time.monotonic() - start


def results(checks, writers, tree, fix):
    """Yields each check with its findings and seconds. With --fix the writers run first: sizes lowers limits to what it counts."""
    stages = [writers, [check for check in checks if check not in writers]] if fix else [checks]
    with concurrent.futures.ProcessPoolExecutor(os.cpu_count()) as pool:
        for stage in stages:
            started = {check: pool.submit(run, check, tree, fix) for check in stage}
            yield from [(check, future.result()) for check, future in started.items()]


def place(finding):
    file, line = finding.split(":")[:2]
    return file, int(line) if line.isdigit() else 0, finding


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--llvm", required=True)
    parser.add_argument("--fix", action="store_true")
    parser.add_argument("--times", action="store_true")
    options = parser.parse_args()
    tree = Tree(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), options.llvm)
    findings = []
    for check, (found, seconds) in results(CHECKS, WRITERS, tree, options.fix):
        findings += found
        if options.times:
            print(f"{check.__module__}.{check.__name__}: {seconds:.1f} s", file=sys.stderr)
    for finding in sorted(findings, key=place):
        print(finding)
    print(f"lint: {len(tree.files)} files, {len(findings)} findings", file=sys.stderr)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
