#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What scripts/lint says of two files with one name."""
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
        self.assertEqual(findings("a/Lines.h", "a/Lines.cpp", "b/Line.h"), [])

    def test_two_folders(self):
        self.assertEqual(findings("a/Lines.h", "b/Lines.cpp", "bench/Lines.cpp"), ["b/Lines:1: is called as a/Lines: one name for one file"])

    def test_a_reason(self):
        self.assertEqual(findings("a/main.cpp", "b/main.cpp", twice=["main"]), [])

    def test_a_reason_for_nothing(self):
        self.assertEqual(findings("a/main.cpp", twice=["main"]), ["a/main:1: is the only main: rules.toml need not list it"])
        self.assertEqual(len(findings("a/x.cpp", twice=["main"])), 1)


if __name__ == "__main__":
    unittest.main()
