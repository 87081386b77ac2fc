#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What scripts/lint says of long files and functions."""
import pathlib
import tempfile
import unittest

import checks_of_lint

sizes = checks_of_lint.load("sizes")

LIMITS = {"file": 600, "function": 80, "folders": {"runtime/": {"function": 60}}}


class MadeUpTree:
    """Sources with one function of so many lines each."""

    def __init__(self, root, lengths, exceptions):
        self.root = pathlib.Path(root)
        self.files = sorted(lengths)
        self.rules = {"limits": LIMITS, "exceptions": exceptions}
        for file, lines in lengths.items():
            self.root.joinpath(file).parent.mkdir(parents=True, exist_ok=True)
            self.root.joinpath(file).write_text("void f() {\n" + "  g();\n" * (lines - 2) + "}\n")

    def path(self, file):
        return str(self.root / file)

    def lines(self, _file):
        return []

    def matching(self, *patterns):
        return self.files if "*.cpp" in patterns else []

    def python_scripts(self):
        return []

    shell_scripts = python_scripts


def findings(lengths, exceptions=None):
    with tempfile.TemporaryDirectory() as root:
        return list(sizes.check(MadeUpTree(root, lengths, exceptions or {}), False))


class Sizes(unittest.TestCase):
    def test_a_folder_has_a_limit_of_its_own(self):
        self.assertEqual(findings({"runtime/hot/A.cpp": 61, "tools/A.cpp": 61}),
                         ["runtime/hot/A.cpp:1: function f has 61 lines, 60 are allowed"])

    def test_the_limits_themselves_are_allowed(self):
        self.assertEqual(findings({"runtime/A.cpp": 60, "tools/A.cpp": 80}), [])

    def test_files_have_one_limit_everywhere(self):
        found = findings({"runtime/A.cpp": 601})
        self.assertIn("runtime/A.cpp:1: file has 601 lines, 600 are allowed", found)

    def test_an_exception_that_nobody_needs(self):
        found = findings({"runtime/A.cpp": 60}, {"runtime/A.cpp:f": {"lines": 70, "reason": "made up"}})
        self.assertEqual(len(found), 1)
        self.assertIn("needs no exception", found[0])


if __name__ == "__main__":
    unittest.main()
