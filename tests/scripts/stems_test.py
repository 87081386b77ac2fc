#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Findings of scripts/lint about two files of one name."""
import unittest

import checks_of_lint

stems = checks_of_lint.load("stems")


class MadeUpTree:
    def __init__(self, files, twice):
        self.files, self.rules = files, {"stems": {"skip": ["bench/"], "twice": dict.fromkeys(twice, "a reason")}}

    def matching(self, *_patterns):
        return self.files


def findings(*files, twice=()):
    return list(stems.check(MadeUpTree(files, twice), False))


class Stems(unittest.TestCase):
    def test_a_header_and_its_source(self):
        self.assertEqual(findings("a/Lines.h", "a/Lines.cpp", "a/b/Line.h"), [])

    def test_two_folders_of_a_component(self):
        self.assertEqual(findings("a/x/Lines.h", "a/y/Lines.cpp", "bench/Lines.cpp"),
                         ["a/y/Lines:1: has the name of a/x/Lines, in one component"])

    def test_two_components_may_share_a_name(self):
        self.assertEqual(findings("a/Lines.h", "b/Lines.cpp"), [])
        self.assertEqual(findings("tests/a/LinesTest.cpp", "tests/b/LinesTest.cpp"), [])

    def test_a_reason(self):
        self.assertEqual(findings("a/x/main.cpp", "a/y/main.cpp", twice=["main"]), [])

    def test_a_reason_for_nothing(self):
        stale = ["scripts/checks/rules.toml:1: no component has two files named main: the exception can go"]
        self.assertEqual(findings("a/main.cpp", "b/main.cpp", twice=["main"]), stale)
        self.assertEqual(findings("a/x.cpp", twice=["main"]), stale)


if __name__ == "__main__":
    unittest.main()
