#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What scripts/test says of tests that pass, fail, skip, hang or do not exist.

  runner_test.py --lit LIT --ctest CTEST

Runs tests/support/lit_formats.py and scripts/test-summary.py over made-up tests.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import tomllib
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
OPTIONS = None
with open(ROOT / "tests" / "bounds.toml", "rb") as file:
    BOUNDS = tomllib.load(file)

CTEST_FILE = """
add_test(passes "/bin/sh" "-c" "test $GIVEN = yes && pwd | grep -q sub")
set_tests_properties(passes PROPERTIES ENVIRONMENT "GIVEN=yes" WORKING_DIRECTORY "@/sub")
add_test(fails "/bin/sh" "-c" "echo went wrong; exit 3")
add_test(skips "/bin/sh" "-c" "echo skipped: no moon; exit 77")
set_tests_properties(skips PROPERTIES SKIP_RETURN_CODE 77)
add_test(skips-by-words "/bin/echo" "[  SKIPPED ] Moon.Full")
set_tests_properties(skips-by-words PROPERTIES SKIP_REGULAR_EXPRESSION "\\\\[  SKIPPED \\\\]")
add_test(hangs "/bin/sh" "-c" "sleep 100 & sleep 100")
set_tests_properties(hangs PROPERTIES TIMEOUT 1)
add_test(fails-as-wanted "/bin/false")
set_tests_properties(fails-as-wanted PROPERTIES WILL_FAIL TRUE)
add_test(unknown "/bin/true")
set_tests_properties(unknown PROPERTIES RUN_SERIAL TRUE)
add_test(absent "/nowhere/program")
add_test(works "/bin/sh" "-c" "i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done")
add_test(slow-one "/bin/true")
set_tests_properties(slow-one PROPERTIES LABELS "slow")
"""
CONFIG = """
config.inmem_source_dir, config.inmem_build_dir, config.inmem_exec_root = {root!r}, {folder!r}, {folder!r} + "/unit-tests"
config.inmem_suite, config.ctest = "made-up", {ctest!r}
lit_config.load_config(config, {root!r} + "/tests/lit.cfg.py")
"""


class Pool(unittest.TestCase):
    """ctest's tests through lit."""

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        for name in "sub", "unit-tests":
            (cls.folder / name).mkdir()
        (cls.folder / "CTestTestfile.cmake").write_text(CTEST_FILE.replace("@", str(cls.folder)))
        (cls.folder / "unit-tests" / "lit.site.cfg.py").write_text(
            CONFIG.format(root=str(ROOT), folder=str(cls.folder), ctest=OPTIONS.ctest))
        cls.all = cls.run_lit()

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    @classmethod
    def run_lit(cls, *arguments):
        out = cls.folder / "out.json"
        # What the caller's lit was told is not for this one.
        clean = {key: value for key, value in os.environ.items() if not key.startswith("LIT_")}
        subprocess.run([OPTIONS.lit, "-j2", "-q", "--output", out, *arguments, cls.folder / "unit-tests"],
                       stdout=subprocess.DEVNULL, env=clean)
        return {test["name"].removeprefix("made-up :: "): test for test in json.loads(out.read_text())["tests"]}

    def test_outcomes(self):
        self.assertEqual({name: test["code"] for name, test in self.all.items()}, {
            "passes": "PASS", "fails": "FAIL", "skips": "UNSUPPORTED", "skips-by-words": "UNSUPPORTED", "hangs": "TIMEOUT",
            "fails-as-wanted": "PASS", "unknown": "UNRESOLVED", "absent": "FAIL", "works": "PASS", "slow-one": "PASS"})

    def test_a_failure_shows_what_was_run_and_said(self):
        self.assertIn("went wrong\n", self.all["fails"]["output"])
        self.assertIn("exit code 3", self.all["fails"]["output"])
        self.assertIn("RUN_SERIAL", self.all["unknown"]["output"])

    def test_what_hangs_ends_with_all_its_processes(self):
        self.assertLess(self.all["hangs"]["elapsed"], 20)
        self.assertIn("took more than 1 seconds", self.all["hangs"]["output"])

    def test_cpu_time_is_that_of_the_test(self):
        spent = {name: float(test["output"].rsplit("cpu-seconds: ", 1)[1]) for name, test in self.all.items()}
        self.assertGreater(spent["works"], 0.02)
        self.assertLess(spent["hangs"], 0.5)

    def test_fast_leaves_out_slow_ones_only(self):
        self.assertEqual(set(self.run_lit("--param", "fast")), set(self.all) - {"slow-one"})


class Summary(unittest.TestCase):
    """What is printed of the results, and the exit code."""

    def summary(self, tests, suites=("a",), steps=(), lit_failed=False, environment=(), partial=False):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for step, outcome in steps:
                (folder / f"{step}.time").write_text("2.5 1.0 0.5\n")
                if outcome:
                    (folder / f"{step}.step").write_text(outcome + "\n")
            (folder / "tests.suites").write_text("".join(f"{each}\n" for each in suites))
            if tests is not None:
                (folder / "tests.lit.json").write_text(tests if isinstance(tests, str) else json.dumps({"tests": [
                    {"name": name, "code": code, "output": output, "elapsed": 0.5} for name, code, output in tests]}))
            if lit_failed:
                (folder / "tests.status").write_text("failed\n")
            (folder / "wall").write_text("61\n")
            clean = {key: value for key, value in os.environ.items() if not key.startswith("INMEM_")}
            ran = subprocess.run([sys.executable, ROOT / "scripts" / "test-summary.py", *(["--partial"] if partial else []), folder],
                                 capture_output=True, text=True, env={**clean, **dict(environment)})
        self.assertEqual(ran.stderr, "")
        return ran.returncode, ran.stdout

    def last(self, *arguments, **more):
        code, text = self.summary(*arguments, **more)
        return code, text.splitlines()[-1]

    PASSED = ("a :: one", "PASS", "cpu-seconds: 1.5")

    def test_all_passed(self):
        code, text = self.summary([self.PASSED], steps=[("packages", None), ("build", "passed")])
        self.assertEqual((code, text.splitlines()[-1]), (0, "2 passed, 0 failed, 0 skipped"))
        self.assertRegex(text, r"(?m)^packages +0 +0 +0 +2 +2$")  # what it took, without an outcome
        self.assertRegex(text, r"(?m)^all +2 +0 +0 +4 +61$")

    def test_failures_are_named_and_counted(self):
        code, text = self.summary([self.PASSED, ("a :: two", "FAIL", ""), ("a :: three", "TIMEOUT", ""), ("a :: four", "XPASS", "")],
                                  lit_failed=True)
        self.assertEqual((code, text.splitlines()[-1]), (1, "1 passed, 3 failed, 0 skipped"))
        for name in "two", "three", "four":
            self.assertIn(f"FAILED: a: {name}\n", text)

    def test_a_failure_says_why(self):
        """A machine's log that keeps the closing lines alone has the cause among them."""
        lit = "# .---command stdout---\n# | ok opens (5 ms)\n# | FAILED sorts: Timeout 60000ms exceeded.\n# |     at sorts (clicks.mjs:59)\n# `---\n"
        many = "".join(f"# | error: number {i} {'x' * 200}\n" for i in range(9))
        plain = "what it ran\nwent wrong\nexit code 3\ncpu-seconds: 0.1\n"
        _, text = self.summary([("a :: lit", "FAIL", lit), ("a :: many", "FAIL", many), ("a :: plain", "FAIL", plain)], lit_failed=True)
        self.assertIn("FAILED: a: lit\n    FAILED sorts: Timeout 60000ms exceeded.\nFAILED: a: many\n", text)
        self.assertEqual(text.count("    error: number"), 4)
        self.assertLess(max(map(len, text.splitlines())), 170)
        self.assertIn("FAILED: a: plain\n    what it ran\n    went wrong\n    exit code 3\n", text)

    def test_a_crash_says_of_which_command(self):
        """One that printed nothing is told from its test's others by its arguments."""
        lit = (f"# RUN: at line 1\ntrue\n# executed command: true\n# RUN: at line 2\n"
               f"# executed command: record.py {'/long' * 60} -- t small\n# error: command failed with exit status: 139\n")
        _, text = self.summary([("a :: lit", "FAIL", lit)], lit_failed=True)
        self.assertRegex(text, r"FAILED: a: lit\n    …[/long]+ -- t small\n    error: command failed with exit status: 139\n")
        self.assertLess(max(map(len, text.splitlines())), 170)

    def test_a_failed_build_fails(self):
        code, text = self.summary([self.PASSED], steps=[("LLVM 19 build", "failed")])
        self.assertEqual((code, text.splitlines()[-1]), (1, "1 passed, 1 failed, 0 skipped"))
        self.assertIn("FAILED: LLVM 19 build\n", text)
        self.assertEqual(self.last(None, suites=(), steps=[("LLVM 22 build", "failed")]), (1, "0 passed, 1 failed, 0 skipped"))

    def test_nothing_run_is_a_failure(self):
        self.assertEqual(self.last(None, suites=())[0], 1)
        self.assertEqual(self.last([self.PASSED], suites=("a", "b")), (1, "1 passed, 1 failed, 0 skipped"))
        self.assertEqual(self.last(None), (1, "0 passed, 1 failed, 0 skipped"))

    def test_a_runner_that_broke_down_is_a_failure(self):
        self.assertEqual(self.last([self.PASSED], lit_failed=True), (1, "1 passed, 1 failed, 0 skipped"))
        self.assertEqual(self.last('{"tests": [', lit_failed=True)[0], 1)

    def test_skips_say_why(self):
        missing = "Test requires the following unavailable features: moon"
        code, text = self.summary([self.PASSED, ("a :: two", "UNSUPPORTED", missing), ("a :: three", "UNSUPPORTED", missing),
                                   ("a :: four", "UNSUPPORTED", "starting\nskipped: no root\ncpu-seconds: 0.1")])
        self.assertEqual((code, text.splitlines()[-1]), (0, "1 passed, 0 failed, 3 skipped"))
        self.assertIn("skipped: 2 tests: needs moon\n", text)
        self.assertIn("skipped: 1 test: no root\n", text)

    def test_bounds(self):
        def taking(seconds):
            return [("a :: one", "PASS", f"cpu-seconds: {seconds}")]
        each, total = BOUNDS["each"], BOUNDS["total"]
        self.assertNotIn("slow:", self.summary(taking(1))[1])
        code, text = self.summary(taking(3 * each - 1))
        self.assertEqual(code, 0)
        self.assertIn(f"slow: a: one: {3 * each - 1} s of CPU, its bound is {each} s", text)
        code, text = self.summary(taking(3 * each + 1))
        self.assertEqual((code, text.splitlines()[-1]), (1, "1 passed, 1 failed, 0 skipped"))
        self.assertIn(f"FAILED: a: one: {3 * each + 1} s of CPU, its bound is {each} s (tests/bounds.toml), far above", text)
        self.assertEqual(self.last(taking(3 * each + 1), environment=[("INMEM_KILLS", "1000")])[0], 0)
        name, bound = max(BOUNDS["slow"].items(), key=lambda pair: pair[1])
        self.assertNotIn("slow:", self.summary([(f"a :: {name}", "PASS", f"cpu-seconds: {bound - 1}")])[1])
        count = 5 * total // each + 1
        many = [(f"a :: {number}", "PASS", f"cpu-seconds: {each}") for number in range(count)]
        self.assertEqual(self.last(many), (1, f"{count} passed, 1 failed, 0 skipped"))
        self.assertEqual(self.last(many, partial=True), (0, f"{count} passed, 0 failed, 0 skipped"))
        # All of them twice as slow as they should be: so may one be.
        count = 2 * total // each
        many = many[:count]
        self.assertEqual(self.last([*many, ("a :: one", "PASS", f"cpu-seconds: {6 * each - 1}")]), (0, f"{count + 1} passed, 0 failed, 0 skipped"))
        self.assertEqual(self.last([*many, ("a :: one", "PASS", f"cpu-seconds: {7 * each}")]), (1, f"{count + 1} passed, 1 failed, 0 skipped"))

    def test_the_slowest_ten(self):
        text = self.summary([(f"a :: t{number}", "PASS", f"cpu-seconds: {number}") for number in range(15)])[1]
        rows = [line.split()[1] for line in text.splitlines() if line.startswith("a: t")]
        self.assertEqual(rows, [f"t{number}" for number in range(14, 4, -1)])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lit", required=True)
    parser.add_argument("--ctest", required=True)
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
