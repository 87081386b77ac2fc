#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints scripts/test's closing table from the result files of its steps.

  test-summary.py FOLDER

FOLDER holds, by suite name: NAME.step (the word passed or failed), NAME.junit.xml
(ctest), NAME.lit.json (lit), NAME.status (present if the runner itself failed).
Exit code 1 if anything failed.
"""
import json
import pathlib
import sys
import xml.etree.ElementTree as ElementTree

LIT_PASSED = {"PASS", "XFAIL", "FLAKYPASS"}
LIT_SKIPPED = {"UNSUPPORTED", "SKIPPED", "EXCLUDED"}


class Suite:
    def __init__(self, name):
        self.name, self.passed, self.failed, self.skipped, self.seconds = name, 0, [], 0, 0.0

    def add(self, outcome, test, seconds=0.0):
        self.seconds += seconds
        if outcome == "passed":
            self.passed += 1
        elif outcome == "skipped":
            self.skipped += 1
        else:
            self.failed.append(test)


def read_step(path, suite):
    suite.add(path.read_text().strip(), suite.name)


def read_junit(path, suite):
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        status = case.get("status")
        outcome = {"run": "passed", "fail": "failed"}.get(status, "skipped")
        # ctest marks what could not be started ("Not Run") as skipped too, but
        # only a test that asked to be skipped says so.
        skipped = case.find("skipped")
        if outcome == "skipped" and status != "disabled":
            message = skipped.get("message", "") if skipped is not None else ""
            if "SKIP" not in message.upper():
                outcome = "failed"
        suite.add(outcome, case.get("name"), float(case.get("time", 0)))


def read_lit(path, suite):
    for test in json.loads(path.read_text())["tests"]:
        code = test["code"]
        outcome = "passed" if code in LIT_PASSED else "skipped" if code in LIT_SKIPPED else "failed"
        suite.add(outcome, test["name"], test.get("elapsed") or 0.0)


READERS = {".step": read_step, ".junit.xml": read_junit, ".lit.json": read_lit}


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    suites = {}
    for path in sorted(folder.iterdir(), key=lambda p: p.stat().st_mtime):
        for ending, read in READERS.items():
            if path.name.endswith(ending):
                name = path.name.removesuffix(ending)
                suite = suites.setdefault(name, Suite(name))
                try:
                    read(path, suite)
                except (ElementTree.ParseError, ValueError, KeyError) as error:
                    suite.failed.append(f"{path.name} cannot be read: {error}")
    # A runner that failed without a failed test found no tests or broke down.
    for path in folder.glob("*.status"):
        suite = suites.setdefault(path.stem, Suite(path.stem))
        if not suite.failed:
            suite.failed.append(f"{suite.name}: the runner itself failed")

    failed = [(suite.name, test) for suite in suites.values() for test in suite.failed]
    for name, test in failed:
        print(f"FAILED: {name}: {test}")
    width = max([len(name) for name in suites], default=0)
    print(f"\n{'suite':<{width}} {'passed':>7} {'failed':>7} {'skipped':>8} {'cpu s':>7}")
    for suite in suites.values():
        seconds = f"{suite.seconds:.0f}" if suite.seconds else ""
        print(f"{suite.name:<{width}} {suite.passed:>7} {len(suite.failed):>7} {suite.skipped:>8} {seconds:>7}")
    passed = sum(suite.passed for suite in suites.values())
    skipped = sum(suite.skipped for suite in suites.values())
    print(f"\n{passed} passed, {len(failed)} failed, {skipped} skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
