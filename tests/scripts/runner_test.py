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
import time
import tomllib
import unittest
import unittest.mock

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tests" / "support"))
import hangs

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
add_test(hangs "/bin/sh" "-c" "sleep 1000 & sleep 1000")
set_tests_properties(hangs PROPERTIES TIMEOUT 1)
add_test(spins "/bin/sh" "-c" "while :; do :; done")
set_tests_properties(spins PROPERTIES TIMEOUT 1)
add_test(fails-as-wanted "/bin/false")
set_tests_properties(fails-as-wanted PROPERTIES WILL_FAIL TRUE)
add_test(unknown "/bin/true")
set_tests_properties(unknown PROPERTIES RUN_SERIAL TRUE)
add_test(absent "/nowhere/program")
add_test(works "/bin/sh" "-c" "i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done")
add_test(slow-one "/bin/true")
set_tests_properties(slow-one PROPERTIES LABELS "slow")
add_test(runtime_musl "/bin/true")
add_test(runtime_musl_smoke "/bin/true")
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

    LONG = {"hangs", "spins", "works"}

    def chosen(self, parameter):
        """The tests that run with it, LONG apart."""
        return set(self.run_lit("--param", parameter, "--filter-out", "|".join(self.LONG)))

    def test_outcomes(self):
        self.assertEqual({name: test["code"] for name, test in self.all.items()}, {
            "passes": "PASS", "fails": "FAIL", "skips": "UNSUPPORTED", "skips-by-words": "UNSUPPORTED", "hangs": "TIMEOUT",
            "spins": "TIMEOUT",
            "fails-as-wanted": "PASS", "unknown": "UNRESOLVED", "absent": "FAIL", "works": "PASS", "slow-one": "PASS", "runtime_musl": "PASS"})

    def test_a_failure_shows_what_was_run_and_said(self):
        self.assertIn("went wrong\n", self.all["fails"]["output"])
        self.assertIn("exit code 3", self.all["fails"]["output"])
        self.assertIn("RUN_SERIAL", self.all["unknown"]["output"])

    def test_what_hangs_ends_with_all_its_processes(self):
        # Not one of its processes is waited for to its own end.
        self.assertLess(self.all["hangs"]["elapsed"], 900)

    def test_cpu_time_is_that_of_the_test(self):
        spent = {name: float(test["output"].rsplit("cpu-seconds: ", 1)[1]) for name, test in self.all.items()}
        # What takes CPU time has more of it than what sleeps longer.
        self.assertGreater(spent["works"], spent["hangs"])

    def test_fast_leaves_out_slow_ones_only(self):
        self.assertEqual(self.chosen("fast="), set(self.all) - {"slow-one", "runtime_musl"} - self.LONG)

    def test_the_first_tier_has_a_stand_in_for_a_test_of_the_second(self):
        self.assertEqual(self.chosen("tier=first"), set(self.all) - {"runtime_musl"} - self.LONG | {"runtime_musl_smoke"})


class Limits(unittest.TestCase):
    """A test may take any time as long as it gets on."""

    class Process:
        pid = 1

        def __init__(self, looks):
            self.looks, self.killed = looks, False

        def wait(self, seconds=None):
            if self.killed or self.looks == 0:
                return 7
            self.looks -= 1
            raise subprocess.TimeoutExpired("process", seconds)

    def outcome(self, *spent):
        """\\returns what becomes of a process that has had so many CPU seconds at each look, and then ends."""
        process = self.Process(len(spent))
        with (unittest.mock.patch.object(hangs, "group_cpu_seconds", side_effect=spent),
              unittest.mock.patch.object(hangs.os, "killpg", side_effect=lambda *_: setattr(process, "killed", True))):
            return hangs.wait_or_kill(process, 10)

    def test_what_gets_on_is_waited_for(self):
        self.assertEqual(self.outcome(), (7, None))
        self.assertEqual(self.outcome(0.01, 0.02, 0.03, 9.9), (7, None))

    def test_what_hangs_is_killed(self):
        self.assertEqual(self.outcome(0.0), (None, "did nothing for 10 seconds"))
        self.assertEqual(self.outcome(3.0, 3.0), (None, "did nothing for 10 seconds"))
        self.assertEqual(self.outcome(9.0, 10.1), (None, "took more than 10 seconds of CPU time"))

    def test_cpu_time_is_that_of_the_group(self):
        spins = subprocess.Popen(["sh", "-c", "while :; do :; done"], process_group=0)
        try:
            while hangs.group_cpu_seconds(spins.pid) < 0.05:
                time.sleep(0.01)
        finally:
            spins.kill()
            spins.wait()
        self.assertEqual(hangs.group_cpu_seconds(spins.pid), 0)


class Summary(unittest.TestCase):
    """What is printed of the results, and the exit code."""

    def summary(self, tests, suites=("a",), steps=(), lit_failed=False, environment=(), partial=False, tier="all", last=None):
        """\\returns the exit code and what is printed; LAST: the tests of the run before."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name) / "results"
            folder.mkdir()
            if last is not None:
                (folder.parent / "test-figures.json").write_text(last if isinstance(last, str) else json.dumps({"tests": last}))
            for step, outcome in steps:
                (folder / f"{step}.time").write_text("2.5 1.0 0.5\n")
                if outcome:
                    (folder / f"{step}.step").write_text(outcome + "\n")
                    (folder / f"{step}.command").write_text(f"scripts/{step} --no-install\n")
            (folder / "tests.suites").write_text("".join(f"{each}\n" for each in suites))
            if tests is not None:
                (folder / "tests.lit.json").write_text(tests if isinstance(tests, str) else json.dumps({"tests": [
                    {"name": name, "code": code, "output": output, "elapsed": 0.5} for name, code, output in tests]}))
            if lit_failed:
                (folder / "tests.status").write_text("failed\n")
            (folder / "wall").write_text("61\n")
            (folder / "tests.command").write_text("/usr/bin/lit-22\n-j\n3\n")
            clean = {key: value for key, value in os.environ.items() if not key.startswith("INMEM_")}
            ran = subprocess.run([sys.executable, ROOT / "scripts" / "test-summary.py", *(["--partial"] if partial else []), "--tier", tier, folder],
                                 capture_output=True, text=True, env={**clean, **dict(environment)})
            figures = folder.parent / "test-figures.json"
            self.kept = json.loads(figures.read_text()) if figures.exists() else None
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
        plain = "what it ran\nwent wrong\nexit code 3\ncpu-seconds: 0.1\n"
        _, text = self.summary([("a :: lit", "FAIL", lit), ("a :: plain", "FAIL", plain)], lit_failed=True)
        self.assertIn("FAILED: a: lit\n    ok opens (5 ms)\n    FAILED sorts: Timeout 60000ms exceeded.\n        at sorts (clicks.mjs:59)\n"
                      "FAILED: a: plain\n", text)
        self.assertIn("FAILED: a: plain\n    what it ran\n    went wrong\n    exit code 3\n", text)

    def test_a_failure_shows_its_last_twenty_lines(self):
        """Before them come the first lines of failure that are further up."""
        lines = ["quiet", *(f"error: number {i}" for i in range(9)), *(f"line {i} {'x' * 200}" for i in range(20)), ""]
        for output in "\n".join(lines), "".join(f"# | {line}\n" for line in lines):
            _, text = self.summary([("a :: long", "FAIL", output)], lit_failed=True)
            shown = text.split("FAILED: a: long\n")[1].splitlines()[:25]
            self.assertEqual([line.strip()[:15].rstrip() for line in shown],
                             [*(f"error: number {i}" [:15] for i in range(4)), "…", *(f"line {i} xxxxxxxxx"[:15] for i in range(20))])
            self.assertLess(max(map(len, text.splitlines())), 170)
        many = [(f"a :: t{i}", "FAIL", "\n".join(lines)) for i in range(9)]
        _, text = self.summary(many, lit_failed=True)
        self.assertEqual((text.count("FAILED: a: t"), text.count("line 19")), (9, 5))

    def test_a_failure_names_the_command_that_repeats_it(self):
        suites = [f"units\t{ROOT}/build/unit-tests", f"inmem-llvm-19\t{ROOT}/build-19/lit-tests", "far\t/some where/lit-tests"]
        tests = [("units :: runtime_unit", "FAIL", ""), ("inmem-llvm-19 :: types/a-b.cpp", "FAIL", ""), ("far :: c.test", "FAIL", "")]
        _, text = self.summary(tests, suites=suites, steps=[("lint", "failed")], lit_failed=True)
        self.assertIn("FAILED: lint\n    repeat it alone: scripts/lint --no-install\n", text)
        self.assertIn("FAILED: units: runtime_unit\n    repeat it alone: ctest --test-dir build --output-on-failure -R '^runtime_unit$'\n", text)
        self.assertIn("FAILED: inmem-llvm-19: types/a-b.cpp\n    repeat it alone: lit-22 -v build-19/lit-tests --filter ':: types/a-b\\.cpp$'\n", text)
        self.assertIn("    repeat it alone: lit-22 -v '/some where/lit-tests' --filter ':: c\\.test$'\n", text)

    def test_the_command_repeats_one_test(self):
        """As printed: lit runs that test and no other."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name) / "lit tests"
            folder.mkdir()
            (folder / "lit.cfg").write_text("import lit.formats\nconfig.name = 'a'\nconfig.test_format = lit.formats.ShTest()\n"
                                            "config.suffixes = ['.test']\nconfig.test_source_root = None\n")
            for each in "b.test", "ab.test", "b-test":
                (folder / each).write_text("RUN: true\n")
            _, text = self.summary([("a :: b.test", "FAIL", "")], suites=[f"a\t{folder}"], lit_failed=True)
            command = text.split("repeat it alone: ")[1].splitlines()[0].replace("lit-22 ", f"'{OPTIONS.lit}' ", 1)
            clean = {key: value for key, value in os.environ.items() if not key.startswith("LIT_")}
            ran = subprocess.run(["sh", "-c", command], capture_output=True, text=True, env=clean)
        self.assertEqual((ran.returncode, ran.stdout.count("PASS: ")), (0, 1), ran.stdout + ran.stderr)
        self.assertIn("PASS: a :: b.test", ran.stdout)

    def test_a_crash_says_of_which_command(self):
        """One that printed nothing is told from its test's others by its arguments."""
        lit = (f"# RUN: at line 1\ntrue\n# executed command: true\n# RUN: at line 2\n"
               f"# executed command: record.py {'/long' * 60} -- t small\n# error: command failed with exit status: 139\n"
               "# executed command: FileCheck\n")
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

    @staticmethod
    def taking(seconds, name="one"):
        return (f"a :: {name}", "PASS", f"cpu-seconds: {seconds}")

    def test_a_bound_is_reported_and_fails_nothing(self):
        each, total = BOUNDS["each"], BOUNDS["total"]
        self.assertNotIn("above its bound", self.summary([self.taking(1)])[1])
        code, text = self.summary([self.taking(100 * each), self.taking(each + 1, "two"), self.taking(each, "three")], partial=True)
        self.assertEqual((code, text.splitlines()[-1]), (0, "3 passed, 0 failed, 0 skipped"))
        self.assertRegex(text, rf"(?m)^above its bound .* cpu s  bound s  last run\na: one +{100 * each}\.0 +{each} *\na: two +{each + 1}\.0 +{each} *$")
        self.assertNotIn("a: three", text.partition("above its bound")[2])
        name, bound = max(BOUNDS["slow"].items(), key=lambda pair: pair[1])
        self.assertNotIn("above its bound", self.summary([self.taking(bound - 1, name)])[1])
        self.assertIn("above its bound", self.summary([self.taking(bound + 1, name)])[1])
        self.assertNotIn("above its bound", self.summary([self.taking(100 * each)], environment=[("INMEM_KILLS", "1000")])[1])
        many = [self.taking(each, number) for number in range(5 * total // each + 1)]
        code, text = self.summary(many)
        self.assertEqual(code, 0)
        self.assertRegex(text, rf"(?m)^above its bound: all tests: \d+ s of CPU, bound {total} s$")
        self.assertNotIn("all tests", self.summary(many, partial=True)[1])
        self.assertIn(f"bound {BOUNDS['first']} s", self.summary(many, tier="first")[1])

    def test_the_trend_is_against_the_last_run(self):
        each = BOUNDS["each"]
        last = {"a: one": 10.0, "a: two": 5.0, "a: three": 8.0, "a: gone": 7.0}
        tests = [self.taking(10, "one"), self.taking(9, "two"), self.taking(8, "three"), self.taking(3, "new")]
        code, text = self.summary(tests, last=last)
        self.assertEqual(code, 0)
        self.assertRegex(text, r"(?m)^grown since the last run +cpu s +last run\na: two +9\.0 +5\.0\n"
                               r"3 tests took 27 s of CPU, 23 s in the last run \(\+17 %\)$")
        # The figures of tests that did not run stay.
        self.assertEqual(self.kept["tests"], {"a: one": 10, "a: two": 9, "a: three": 8, "a: new": 3, "a: gone": 7})
        self.assertRegex(self.summary([self.taking(each + 2)], last={"a: one": 12})[1], rf"(?m)^a: one +{each + 2}\.0 +{each} +12\.0$")
        # On a machine that is twice as slow, no test has grown.
        slow = [self.taking(20, "one"), self.taking(10, "two"), self.taking(16, "three")]
        self.assertNotIn("grown", self.summary(slow, last=last)[1])
        # Without a run before, or with a file that is none of ours: figures, no trend.
        for none in None, "{", "[]", '{"tests": {}}':
            code, text = self.summary(tests, last=none)
            self.assertEqual((code, "last run (" in text, self.kept["tests"]["a: one"]), (0, False, 10))

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
