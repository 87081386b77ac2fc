#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints what scripts/test ends with, from the result files of its steps.

  test-summary.py [--partial] FOLDER

FOLDER holds NAME.step (passed, failed or skipped), NAME.time (seconds: wall, user,
system) and NAME.command of each step; tests.lit.json, lit's results; tests.suites, a
line with name and folder of each suite that lit was given; tests.command, lit's
words, one a line; tests.status if it reported a failure; and wall, the seconds of the whole run. Next to FOLDER, test-figures.json
keeps the CPU seconds of each test for the next run's comparison.

Shows why tests were skipped, the slowest ones, which ones exceed their bound in
tests/bounds.toml or took much longer than in the last run (not with a nightly size), and CPU and
wall time by suite. Times never fail a run. For each failed test it prints the last lines
of its output and the command that repeats it alone. The last line is
`N passed, N failed, N skipped`. Exit code 1 if anything failed.
"""
import argparse
import collections
import json
import os
import pathlib
import re
import shlex
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
BOUNDS = ROOT / "tests" / "bounds.toml"
FIGURES = "test-figures.json"
OUTCOMES = {"PASS": "passed", "XFAIL": "passed", "FLAKYPASS": "passed", "UNSUPPORTED": "skipped", "EXCLUDED": "skipped"}
SLOWEST = 10
MOST_REASONS = 8
GROWN = 1.5  # times the last run's figure, and
GROWN_SECONDS = 2.0  # more: a row of the trend
MOST_GROWN = 5
LAST_LINES = 20  # of a failed test's output
TELLING_LINES = 4  # of the lines before those
MOST_QUOTED = 5  # failed tests; the others are listed without output
WIDTH = 160  # characters of each of these lines
TELLING = re.compile(r"error|fail|fault|timeout|timed out|assert|expected|differ|missing|exception", re.IGNORECASE)

Test = collections.namedtuple("Test", "suite name cpu wall")
Failure = collections.namedtuple("Failure", "what lines repeat")


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
        self.failures, self.reasons, self.folders = [], collections.Counter(), {}
        self.lit = os.path.basename((self.text("tests.command") or "lit").splitlines()[0])
        for path in sorted(folder.glob("*.time"), key=lambda path: path.stat().st_mtime_ns):
            self.read_step(path.stem)
        self.read_tests()
        self.wall = float(self.text("wall") or 0)

    def text(self, name):
        path = self.folder / name
        return path.read_text() if path.exists() else None

    def suite(self, name):
        return self.suites.setdefault(name, Suite(name))

    def fail(self, suite, what, lines=(), repeat=None):
        self.suite(suite).count["failed"] += 1
        self.failures.append(Failure(f"{suite}: {what}" if what != suite else what, lines, repeat))

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
            self.fail(name, name, repeat=(self.text(f"{name}.command") or "").strip())

    def read_tests(self):
        for line in (self.text("tests.suites") or "").splitlines():
            name, _, self.folders[line.split("\t")[0]] = line.partition("\t")
            self.suite(name)
        names = list(self.folders)
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
            self.fail(suite, name, said(test["output"]), repeat_of(self.folders.get(suite), name, self.lit))
        else:
            self.suite(suite).count[outcome] += 1
        if outcome == "skipped":
            self.reasons[reason(test["output"])] += 1
        self.suite(suite).cpu += each.cpu
        self.suite(suite).wall += wall

def said(output):
    """The last lines of a failed test's output, and before them the lines of failure that are further up."""
    # lit's form of what a command printed; all lines where a test has another form.
    printed = re.findall(r"^# \| ?(.*)$", output or "", re.MULTILINE)
    until_error, _, error = (output or "").partition("\n# error: ")
    commands = re.findall(r"^# executed command: (.*)$", until_error, re.MULTILINE)
    ended = [f"error: {error.splitlines()[0]}"] if error else []
    if commands:  # by the end that tells it from others
        ended.insert(0, commands[-1] if len(commands[-1]) <= WIDTH else "…" + commands[-1][1 - WIDTH:])
    printed = printed if printed or commands else re.sub(r"^cpu-seconds: .*$", "", output or "", flags=re.MULTILINE).splitlines()
    lines = [line.rstrip()[:WIDTH] for line in printed if line.strip()]
    above = [line for line in lines[:-LAST_LINES] if TELLING.search(line)]
    return [*above[:TELLING_LINES], *(["…"] if len(lines) > LAST_LINES else []), *lines[-LAST_LINES:], *ended]


def repeat_of(folder, name, lit):
    """The command that runs one test of a suite's folder, if that is known. LIT is the program that ran the suites."""
    if not folder:
        return None
    pattern = re.escape(name).replace("\\-", "-")
    folder = os.path.relpath(folder, ROOT) if pathlib.Path(folder).is_relative_to(ROOT) else folder
    if os.path.basename(folder) == "unit-tests":
        return f"ctest --test-dir {shlex.quote(os.path.dirname(folder))} --output-on-failure -R {shlex.quote(f'^{pattern}$')}"
    # lit compares with "SUITE :: NAME".
    return f"{lit} -v {shlex.quote(folder)} --filter {shlex.quote(f':: {pattern}$')}"


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


def shown(seconds):
    return "" if seconds is None else f"{seconds:.1f}"


def above_bounds(tests, bounds, last):
    """Rows of the tests above their bound."""
    for test in sorted(tests, key=lambda test: -test.cpu):
        bound = bounds["slow"].get(test.name, bounds["each"])
        if test.cpu > bound:
            yield [label(test), shown(test.cpu), str(bound), shown(last.get(label(test)))]


def trend(tests, last):
    """The change since the last run over the tests of both runs, and rows of those that grew more than all of them did."""
    both = [test for test in tests if label(test) in last]
    now, then = sum(test.cpu for test in both), sum(last[label(test)] for test in both)
    if not now or not then:
        return None, []
    slowness = now / then
    grown = sorted((test.cpu - last[label(test)] * slowness, label(test), test.cpu) for test in both
                   if test.cpu > GROWN * slowness * last[label(test)])
    rows = [[name, shown(cpu), shown(last[name])] for more, name, cpu in reversed(grown) if more > GROWN_SECONDS]
    return f"{len(both)} tests took {now:.0f} s of CPU, {then:.0f} s in the last run ({(slowness - 1) * 100:+.0f} %)", rows[:MOST_GROWN]


def label(test):
    return f"{test.suite}: {test.name}"


def report_bounds(run, bounds, most):
    """Prints what is above its bound, and the trend; all tests together may take `most` seconds, if that is not None.
    Keeps the figures for the next run."""
    kept = run.folder.parent / FIGURES
    try:
        last = json.loads(kept.read_text())["tests"]
    except (OSError, ValueError, KeyError, TypeError):
        last = {}
    above = list(above_bounds(run.tests, bounds, last))
    if above:
        table([["above its bound (tests/bounds.toml)", "cpu s", "bound s", "last run"], *above])
    total = sum(test.cpu for test in run.tests)
    if most is not None and total > most:
        print(f"above its bound: all tests: {total:.0f} s of CPU, bound {most} s")
    change, grown = trend(run.tests, last)
    if grown:
        table([["grown since the last run", "cpu s", "last run"], *grown])
    if change:
        print(change)
    if above or change:
        print()
    if run.tests:
        figures = {"tests": last | {label(test): round(test.cpu, 3) for test in run.tests}}
        new = kept.with_suffix(".new")
        new.write_text(json.dumps(figures, indent=0, sort_keys=True))
        new.replace(kept)


def print_failures(failures):
    for number, failure in enumerate(failures):
        print(f"FAILED: {failure.what}")
        for line in failure.lines if number < MOST_QUOTED else ():
            print(f"    {line}")
        if failure.repeat:
            print(f"    repeat it alone: {failure.repeat}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--partial", action="store_true", help="not all tests were run: their total has no bound")
    parser.add_argument("--tier", choices=("first", "all"), default="all", help="whose tests were run")
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
    bounds = tomllib.loads(BOUNDS.read_text())
    if sizes := [name for name in bounds["sizes"] if name in os.environ]:
        print(f"no bounds: {', '.join(sizes)} set")
    else:
        most = bounds["first" if options.tier == "first" else "total"]
        report_bounds(run, bounds, None if options.partial else most)
    everything = Suite("all")
    for suite in run.suites.values():
        everything.count += suite.count
        everything.cpu += suite.cpu
    everything.wall = run.wall
    table([["suite", "passed", "failed", "skipped", "cpu s", "wall s"], *(suite.row() for suite in run.suites.values()), everything.row()])
    print_failures(run.failures)
    passed, failed, skipped = (everything.count[each] for each in ("passed", "failed", "skipped"))
    print(f"\n{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
