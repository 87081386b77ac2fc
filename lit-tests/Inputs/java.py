#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs each line of docs/coming-from-java.md.

  java.py DOCUMENT.md SOURCE.cpp FOLDER

FOLDER holds `program`, made from SOURCE. A cell in the table's second column is
commands, or calls, each of which SOURCE must make. PID is a program that waits.
Exit code 1: one fails.
"""
import os
import re
import subprocess
import sys


def main():
    document, source, folder = sys.argv[1:]
    with open(document) as file:
        rows = [line.split(" | ") for line in file if line.startswith("| ") and "`" in line.split(" | ")[-1]]
    with open(source) as file:
        text = file.read()
    tools = os.path.join(os.environ["INMEM_BUILD"], "bin")
    environment = dict(os.environ, PATH=f"{tools}:{os.environ['PATH']}")

    def run(command):
        return subprocess.run(command, shell=True, cwd=folder, env=environment, capture_output=True, text=True)

    with open(os.path.join(folder, "budget.toml"), "w") as file:
        file.write('[totals]\nbytes = "1 GiB"\n')
    waiting = subprocess.Popen(["./program", "wait"], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               env=dict(environment, INMEM_OPTIONS="output=live.inmem"))
    waiting.stdout.readline()
    failed = []
    if run("INMEM_OPTIONS=output=t.inmem ./program").returncode != 0:
        failed.append("./program")
    for row in rows:
        for code in re.findall(r"`([^`]+)`", row[-1]):
            if code.startswith(("inmem ", "INMEM_OPTIONS=")):
                done = run(code.replace("PID", str(waiting.pid)))
                if done.returncode != 0:
                    failed.append(f"{code}: exit code {done.returncode}: {done.stderr}")
            elif code.replace("inmem::", "").rstrip("()") not in text:
                failed.append(f"{code}: the program does not call it")
    waiting.communicate()
    if waiting.returncode != 0:
        failed.append("the program that waited")
    print("\n".join(failed) or f"{len(rows)} lines")
    return 1 if failed or len(rows) < 20 else 0


if __name__ == "__main__":
    sys.exit(main())
