#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""scripts/steady counts runs that pass, keeps what failed ones printed, and copies a checkout to a path of each kind.

  steady_test.py --lit LIT
"""
import argparse
import importlib.machinery
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.dont_write_bytecode = True
LIT = None
SITE = """
import lit.formats, os
config.name, config.suffixes = "made-up", [".test"]
config.test_format = lit.formats.ShTest(execute_external=False)
config.test_source_root = config.test_exec_root = {folder!r}
config.excludes = ["Inputs"]
"""


def load():
    loader = importlib.machinery.SourceFileLoader("steady", str(ROOT / "scripts" / "steady"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("steady", loader))
    loader.exec_module(module)
    return module


class Checkout(unittest.TestCase):
    """A checkout with scripts/steady and a suite."""

    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.root = pathlib.Path(self.temporary.name).resolve() / "checkout"
        self.suite = self.root / "build" / "lit-tests"
        self.suite.mkdir(parents=True)
        (self.root / "scripts").mkdir()
        shutil.copy(ROOT / "scripts" / "steady", self.root / "scripts")
        (self.suite / "lit.site.cfg.py").write_text(SITE.format(folder=str(self.suite)))
        (self.root / "build" / "test-results").mkdir()
        (self.root / "build" / "test-results" / "tests.command").write_text(f"{LIT}\n-j\n3\n--param\ntier=first\n--param\nfast=\n{self.suite}\n")
        (self.suite / "good.test").write_text("RUN: true\n")

    def steady(self, *arguments):
        clean = {key: value for key, value in os.environ.items() if not key.startswith("LIT_")}
        ran = subprocess.run([sys.executable, self.root / "scripts" / "steady", *arguments], capture_output=True, text=True, env=clean)
        return ran.returncode, ran.stdout + ran.stderr

    def test_runs_are_counted(self):
        code, text = self.steady("--runs", "3", "--load", "1")
        self.assertEqual(code, 0, text)
        self.assertRegex(text, r"(?m)^load of 1: 3 of 3 runs passed, 1 tests each, \d+ s a run\none core: 3 of 3 runs passed")

    def test_a_failure_is_kept_and_fails(self):
        (self.suite / "odd.test").write_text(f"RUN: echo why; test -e {self.suite}/once && rm {self.suite}/once\n")
        (self.suite / "once").touch()
        code, text = self.steady("--runs", "2", "--modes", "core")
        self.assertEqual(code, 1)
        self.assertRegex(text, r"(?m)^one core: 1 of 2 runs passed.*\n    1 of 2: made-up :: odd.test$")
        kept = re.search(r"(?m)^FAILED: one core, run 2: made-up :: odd.test: (.*)$", text)
        self.assertIn("why", (self.root / kept[1]).read_text())
        self.assertEqual(self.steady("--runs", "1", "--filter", "good", "--modes", "core")[0], 0)
        self.assertEqual(self.steady("--runs", "1", "--filter", "nothing", "--modes", "core")[0], 1)

    def test_paths(self):
        """Each copy names itself, as does the suite in it."""
        log = pathlib.Path(self.temporary.name) / "log"
        (self.suite / "where.test").write_text(f"RUN: echo '%s' >> {log}\n")
        kinds = ["short", "long", "blank", "plus", "letter", "link", "inmem", "tmp"]
        code, text = self.steady("--paths", ",".join(kinds), "--filter", "where")
        self.assertEqual(code, 0, text)
        roots = [line.removesuffix("/build/lit-tests/where.test") for line in log.read_text().splitlines()]
        self.assertEqual((len(roots[0]), len(roots[1])), (10, 150))
        # lit itself follows the link; what the configuration names does not.
        for root, end in zip(roots[2:], ("/in mem", "/in+mem", "/inmém", "/real", "/inmem", "/checkout"), strict=True):
            self.assertTrue(root.endswith(end), root)
            self.assertFalse(os.path.exists(root), root)
        self.assertTrue(roots[0].startswith("/tmp/") and roots[-1].startswith("/tmp/"), roots)
        self.assertFalse(os.path.exists(roots[0]) or os.path.exists(roots[1]))

    def test_wrong_usage(self):
        for arguments, said in ((["--paths", "far"], "expected short, long"), (["--modes", "idle"], "expected load, core"),
                                (["--timing", "--filter", "x"], "give one"), ([str(self.root)], "is not a suite's folder")):
            code, text = self.steady(*arguments)
            self.assertEqual((code, said in text), (2, True), text)


class Parts(unittest.TestCase):
    def test_timed_tests_are_found_by_their_text(self):
        steady = load()
        for text in ("usleep(10);", "RUN: env INMEM_OPTIONS=profile=1ms %t", "std::chrono::steady_clock::now()", "timer_create(CLOCK"):
            self.assertTrue(steady.TIMED.search(text), text)
        self.assertFalse(steady.TIMED.search("RUN: %inmem report %t.inmem | %FileCheck %s"))

    def test_loops_end(self):
        steady = load()
        with steady.Loops(2) as loops:
            self.assertEqual(len(loops.pids), 2)
        self.assertFalse(any(os.path.exists(f"/proc/{pid}") for pid in loops.pids))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lit", required=True)
    LIT = parser.parse_args().lit
    unittest.main(argv=sys.argv[:1])
