#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The order in which scripts/lint --fix changes files and looks at them."""
import pathlib
import tempfile
import time
import unittest

import checks_of_lint

run = checks_of_lint.load("run")


def slow_writer(file, fix):
    time.sleep(0.3)
    if fix:
        pathlib.Path(file).write_text("laid out", encoding="utf-8")
    return []


def reader(file, _fix):
    return [pathlib.Path(file).read_text(encoding="utf-8")]


class Fixes(unittest.TestCase):
    def found(self, fix):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "source")
            file.write_text("as written", encoding="utf-8")
            done = run.results([reader, slow_writer], [slow_writer], str(file), fix)
            return [finding for _check, (findings, _seconds) in done for finding in findings]

    def test_a_check_sees_files_as_fixed(self):
        self.assertEqual(self.found(fix=True), ["laid out"])

    def test_nothing_waits_if_nothing_is_written(self):
        self.assertEqual(self.found(fix=False), ["as written"])

    def test_layout_comes_before_sizes(self):
        self.assertIn(run.clang_format, run.WRITERS)
        self.assertIn(run.ruff, run.WRITERS)
        self.assertNotIn(run.sizes.check, run.WRITERS)  # it writes limits of what the others have laid out


if __name__ == "__main__":
    unittest.main()
