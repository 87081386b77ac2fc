#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints what scripts/test ends with, from the result files of its steps.

  test-summary.py [--partial] FOLDER

FOLDER holds NAME.step (passed, failed or skipped) and NAME.time (seconds: wall, user,
system) of each step; tests.lit.json, lit's results; tests.suites, the names of the
suites that lit was given; tests.status if lit reported a failure; and wall, the
seconds of the whole run.

Shows why tests were skipped, the slowest ones, CPU and wall time by suite, what is
above its bound in tests/bounds.toml (not with --partial or a nightly size), and a few lines
of what each failed test said. The last line is `N passed, N failed, N skipped`. Exit code
1 if anything failed.
"""
import argparse
import collections
import json
import os
import pathlib
import re
import sys
import tomllib

BOUNDS = pathlib.Path(__file__).resolve().parent.parent / "tests" / "bounds.toml"
OUTCOMES = {"PASS": "passed", "XFAIL": "passed", "FLAKYPASS": "passed", "UNSUPPORTED": "skipped", "EXCLUDED": "skipped"}
SLOWEST = 10
FAR_ABOVE = 3  # times its bound: a failure
FAR_SLOWER = 5  # times the bound of all tests: the same. A busy machine takes up to 2.6 times as long
MOST_REASONS = 8
SAID_LINES = 4  # of a failed test, each of
SAID_WIDTH = 160  # characters
TELLING = re.compile(r"error|fail|fault|timeout|timed out|assert|expected|differ|missing|exception", re.IGNORECASE)

Test = collections.namedtuple("Test", "suite name cpu wall")


class Suite:
    """A step, or a suite of tests: how many there were of each outcome, and what they took."""

    def __init__(self, name):
        self.name, self.cpu, self.wall = name, 0.0, 0.0
        self.count = collections.Counter()

    def row(self):
        return [self.name, *(str(self.count[each]) for each in ("passed", "failed", "skipped")), f"{self.cpu:.0f}", f"{self.wall:.0f}"]


class Run:
    def __init__(self, folder):
        self.folder, self.suites, self.tests = folder, {}, []
        self.failures, self.reasons = [], collections.Counter()
        for path in sorted(folder.glob("*.time"), key=lambda path: path.stat().st_mtime_ns):
            self.read_step(path.stem)
        self.read_tests()
        self.wall = float(self.text("wall") or 0)

    def text(self, name):
        path = self.folder / name
        return path.read_text() if path.exists() else None

    def suite(self, name):
        return self.suites.setdefault(name, Suite(name))

    def fail(self, suite, what, lines=()):
        self.suite(suite).count["failed"] += 1
        self.failures.append((f"{suite}: {what}" if what != suite else what, lines))

    def read_step(self, name):
        outcome, times = self.text(f"{name}.step"), self.text(f"{name}.time").split()
        if name == "tests":  # shown by suite
            return
        suite = self.suite(name)
        if len(times) == 3:
            suite.wall, suite.cpu = float(times[0]), float(times[1]) + float(times[2])
        if outcome and outcome.strip() in ("passed", "skipped"):
            suite.count[outcome.strip()] += 1
        elif outcome:
            self.fail(name, name)

    def read_tests(self):
        names = (self.text("tests.suites") or "").split()
        for name in names:
            self.suite(name)
        try:
            for test in json.loads(self.text("tests.lit.json") or '{"tests": []}')["tests"]:
                self.read_test(test)
        except (ValueError, KeyError) as error:
            self.fail("tests", f"tests.lit.json cannot be read: {error}")
            return
        # Whatever lit says, a suite without a test tests nothing.
        for name in names:
            if not self.suite(name).count:
                self.fail(name, "no test was run")
        if self.text("tests.status") is not None and not any(suite.count["failed"] for suite in map(self.suite, names)):
            self.fail("tests", "lit itself failed")

    def read_test(self, test):
        suite, name = test["name"].split(" :: ", 1)
        cpu = re.search(r"^cpu-seconds: ([\d.]+)$", test["output"] or "", re.MULTILINE)
        wall = test["elapsed"] or 0.0
        each = Test(suite, name, float(cpu[1]) if cpu else wall, wall)
        self.tests.append(each)
        outcome = OUTCOMES.get(test["code"], "failed")
        if outcome == "failed":
            self.fail(suite, name, said(test["output"]))
        else:
            self.suite(suite).count[outcome] += 1
        if outcome == "skipped":
            self.reasons[reason(test["output"])] += 1
        self.suite(suite).cpu += each.cpu
        self.suite(suite).wall += wall

    def check_bounds(self, total):
        """Warnings about what is above its bound; what is far above is a failure.

        Where all tests take longer than they should, each may: the machine is slow, or shared.
        """
        with open(BOUNDS, "rb") as file:
            bounds = tomllib.load(file)
        cpu = sum(test.cpu for test in self.tests)
        slowness = max(1.0, cpu / bounds["total"]) if total else 1.0
        over = [(f"{test.suite}: {test.name}", test.cpu, bounds["slow"].get(test.name, bounds["each"]), test.suite, FAR_ABOVE * slowness)
                for test in self.tests]
        if total:
            over.append(("all tests", cpu, bounds["total"], "tests", FAR_SLOWER))
        for name, seconds, bound, suite, most in over:
            if seconds > bound:
                text = f"{name}: {seconds:.0f} s of CPU, its bound is {bound} s (tests/bounds.toml)"
                print(f"slow: {text}")
                if seconds > most * bound:
                    self.fail(suite, f"{text.removeprefix(f'{suite}: ')}, far above")


def said(output):
    """The lines of a failed test's output that tell most: those with a word of failure, else the last ones."""
    # lit's form of what a command printed; all lines where a test has another form.
    printed = re.findall(r"^# \| ?(.*)$", output or "", re.MULTILINE)
    commands = re.findall(r"^# executed command: (.*)$", output or "", re.MULTILINE)
    if commands and not printed:  # a crash, say: of which command, by the end that tells them apart
        failed = commands[-1] if len(commands[-1]) <= SAID_WIDTH else "…" + commands[-1][1 - SAID_WIDTH:]
        return [failed, *re.findall(r"^# (error: .*)$", output, re.MULTILINE)][:SAID_LINES]
    printed = printed or re.sub(r"^cpu-seconds: .*$", "", output or "", flags=re.MULTILINE).splitlines()
    lines = [line.rstrip()[:SAID_WIDTH] for line in printed if line.strip()]
    return [line for line in lines if TELLING.search(line)][:SAID_LINES] or lines[-SAID_LINES:]


def reason(output):
    """Why a test was skipped: what lit misses, or what the test says of it."""
    lines = [line.strip() for line in (output or "").splitlines() if line.strip() and not line.startswith("cpu-seconds:")]
    missing = [line for line in lines if "unavailable features:" in line]
    said = missing or [line for line in lines if re.search("skip", line, re.IGNORECASE)] or lines[-1:]
    text = said[0] if said else "no reason given"
    text = re.sub(r"^.*unavailable features: ", "needs ", text)
    return re.sub(r"^skipped:\s*", "", text)[:110]


def table(rows):
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        print("  ".join([row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]))


def nightly():
    with open(BOUNDS, "rb") as file:
        return [name for name in tomllib.load(file)["sizes"] if name in os.environ]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--partial", action="store_true", help="not all tests were run: their total has no bound")
    parser.add_argument("folder", type=pathlib.Path)
    options = parser.parse_args()
    run = Run(options.folder)

    print()
    for text, count in run.reasons.most_common(MOST_REASONS):
        print(f"skipped: {count} {'test' if count == 1 else 'tests'}: {text}")
    if len(run.reasons) > MOST_REASONS:
        print(f"skipped: {len(run.reasons) - MOST_REASONS} more reasons")
    slowest = sorted(run.tests, key=lambda test: -test.cpu)[:SLOWEST]
    if slowest:
        table([["slowest", "cpu s", "wall s"]] + [[f"{test.suite}: {test.name}", f"{test.cpu:.1f}", f"{test.wall:.1f}"] for test in slowest])
        print()
    sizes = nightly()
    if sizes:
        print(f"no bounds: {', '.join(sizes)} set")
    else:
        run.check_bounds(not options.partial)
    everything = Suite("all")
    for suite in run.suites.values():
        everything.count += suite.count
        everything.cpu += suite.cpu
    everything.wall = run.wall
    table([["suite", "passed", "failed", "skipped", "cpu s", "wall s"], *(suite.row() for suite in run.suites.values()), everything.row()])
    for failure, lines in run.failures:
        print(f"FAILED: {failure}")
        for line in lines:
            print(f"    {line}")
    passed, failed, skipped = (everything.count[each] for each in ("passed", "failed", "skipped"))
    print(f"\n{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
