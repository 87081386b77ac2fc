#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures answers of `inmem lsp`: a file of 5000 lines that all allocate, in a trace of 100,000 sites.

  lsp.py --bin BIN --out FOLDER [--files N] [--lines N] [--rounds N] [--most MS]

FOLDER keeps the generated project and its trace, so that a second run does not compile. Prints of each request the server's CPU time in
milliseconds, its ratio to that of the hints of a screen, and the median and the largest time from the first byte of the question to the last
of the answer, with the client's own work on it; and the server's peak of resident memory. Exit code 1: a CPU time is above MS.
lit-tests/lsp/cost.test holds instructions of the same requests.
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "lit-tests" / "lsp" / "Inputs"))
from lsp_client import Client, at, check, span

TYPES = 500
A_FUNCTION = 100  # lines that allocate in one function


def generate(folder, files, lines):
    """A program of FILES sources of LINES lines, each of which allocates a block that stays or goes at once."""
    source = folder / "src"
    source.mkdir(parents=True, exist_ok=True)
    (source / "types.h").write_text(
        "namespace records {\ntemplate <int N> struct Entry { int Values[N % 40 + 1]; };\n}\ninline void *Kept;\n"
    )
    names = []
    for number in range(files):
        text = ['#include "types.h"', f"void run{number}();"]
        calls = []
        while len(text) + len(calls) // 50 + 8 < lines:
            name = f"part{number}_{len(calls)}"
            calls.append(name)
            text.append(f"static void {name}() {{")
            for _ in range(min(A_FUNCTION, lines - len(text) - len(calls) // 50 - 8)):
                text.append(f"  Kept = new records::Entry<{len(text) % TYPES}>;")
            text.append("}")
        text.append(f"void run{number}() {{ {' '.join(call + '();' for call in calls)} }}")
        (source / f"file{number}.cpp").write_text("\n".join(text) + "\n")
        names.append(f"run{number}")
    (source / "main.cpp").write_text("".join(f"void {name}();\n" for name in names) + "int main() {\n" + "".join(f"  {name}();\n" for name in names) + "}\n")
    return ["main", *(f"file{number}" for number in range(files))]


def prepare(options, folder):
    """The trace's file; compiled and recorded unless it is there."""
    trace = folder / f"{options.files}x{options.lines}.inmem"
    if trace.exists():
        return trace
    units = generate(folder, options.files, options.lines)
    compiler = os.path.join(options.bin, "inmem-clang++")
    for unit in units:
        subprocess.run([compiler, "-std=c++17", "-g", "-c", f"src/{unit}.cpp", "-o", f"{unit}.o"], cwd=folder, check=True)
    subprocess.run([compiler, *(f"{unit}.o" for unit in units), "-o", "program"], cwd=folder, check=True)
    subprocess.run(["./program"], cwd=folder, check=True, env={**os.environ, "INMEM_OPTIONS": f"output={trace}:leaks=off"})
    return trace


def peak_mib(process):
    for line in pathlib.Path(f"/proc/{process.pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    return 0.0


def worked(process):
    """CPU time of a process with one thread, in milliseconds."""
    return int(pathlib.Path(f"/proc/{process.pid}/schedstat").read_text().split()[0]) / 1e6


def measure(rounds, process, question):
    """Milliseconds of each of ROUNDS questions: CPU time of PROCESS, and on the clock."""
    cpu, clock = [], []
    for _ in range(rounds):
        before, start = worked(process), time.perf_counter()
        question()
        clock.append((time.perf_counter() - start) * 1000)
        cpu.append(worked(process) - before)
    return cpu, clock


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--files", type=int, default=20)
    parser.add_argument("--lines", type=int, default=5000)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--most", type=float)
    options = parser.parse_args()
    options.bin = os.path.realpath(options.bin)
    folder = pathlib.Path(options.out).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    trace = prepare(options, folder)
    file = folder / "src" / "file0.cpp"
    client = Client(os.path.join(options.bin, "inmem"), folder, "--trace", trace.name, options={"threshold": 0})
    client.open(file)
    client.until("inmem/changed", lambda said: said["trace"])
    whole = span((0, 0), (options.lines, 0))
    middle = options.lines // 2
    edit = {"range": span((10, 0), (10, 0)), "text": "\n"}
    hints = len(client.hints(file))
    check("lines with a hint", hints > options.lines * 0.9, True)
    print(f"{hints} hints in a file of {options.lines} lines, {options.files * options.lines} lines in all")

    def edited():
        client.change(file, edit)
        client.document("inlayHint", file, range=whole)

    questions = {
        "hints of 60 lines": lambda: client.document("inlayHint", file, range=span((middle, 0), (middle + 60, 0))),
        "hints of the file": lambda: client.document("inlayHint", file, range=whole),
        "hints of the file after an edit": edited,
        "hover": lambda: client.document("hover", file, position=at(middle, 4)),
        "code actions": lambda: client.document("codeAction", file, range=span((middle, 0), (middle, 9)), context={"diagnostics": []}),
        "heat of the file": lambda: client.ask("inmem/heat", textDocument={"uri": file.as_uri()}),
    }
    slow, screen = False, None
    for name, question in questions.items():
        cpu, clock = measure(options.rounds, client.process, question)
        median = statistics.median(cpu)
        screen = screen or median
        slow |= options.most is not None and median > options.most
        print(f"{name:32} {median:7.1f} ms of CPU, {median / screen:6.1f} times a screen; {statistics.median(clock):7.1f} ms, at most {max(clock):7.1f} ms")
    print(f"{'peak of resident memory':32} {peak_mib(client.process):7.1f} MiB")
    client.end()
    sys.exit(slow)


if __name__ == "__main__":
    main()
