#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What scripts/lint says of rooms that a list lacks, and of includes between them."""
import unittest

import checks_of_lint

rooms = checks_of_lint.load("rooms")


class MadeUpTree:
    def __init__(self, files, rules):
        self.texts = {name: text.split("\n") for name, text in files.items()}
        self.files = list(self.texts)
        self.rules = {"rooms": rules, "folders": {"document": "folders.md", "others": ["tests.md"]}, "floors": [{"folder": "floors/"}]}

    def matching(self, *_patterns):
        return [file for file in self.files if file.endswith((".h", ".cpp"))]

    def lines(self, file):
        return self.texts[file]


LIST = "# rooms\nlow: include/low.h\nhigh: low include\n"


FOLDERS = "".join(f"| `{name}/`, `more-{name}/` | for this | target | uses |\n" for name in ("low", "high", "include", "include/inmem", "other", "cmake"))


def findings(files, rules=()):
    return list(rooms.check(MadeUpTree({"cmake/rooms.txt": LIST, "folders.md": FOLDERS, "tests.md": "", **files}, dict(rules)), False))


class Rooms(unittest.TestCase):
    def test_downwards(self):
        self.assertEqual(findings({"high/a.cpp": '#include "low/b.h"\n#include "inmem/c.h"\n#include "d.h"', "low/b.h": "", "include/inmem/c.h": "",
                                   "high/d.h": "", "other/e.cpp": '#include "high/d.h"'}), [])

    def test_upwards(self):
        self.assertEqual(findings({"low/a.cpp": '\n#include "high/b.h"', "high/b.h": ""}),
                         ["low/a.cpp:2: low/ may not include high/b.h (cmake/rooms.txt)"])

    def test_another_header_of_a_room(self):
        self.assertEqual(findings({"low/a.h": '#include "low.h"\n#include "no.h"', "include/low.h": "", "include/no.h": ""}),
                         ["low/a.h:2: low/ may not include include/no.h (cmake/rooms.txt)"])

    def test_lists(self):
        files = {"a.md": "| `low/`, `x/` | words of `high/` |", "b.toml": "[lines]\nlow = 1", "c.py": "import ast\nROOMS = {'high': 1}"}
        rules = {"a.md": {}, "b.toml": {"name": "lines", "without": {"high": "a reason"}}, "c.py": {"name": "ROOMS"}}
        self.assertEqual(findings(files, rules), ["a.md:1: the list of rooms lacks high/ (cmake/rooms.txt)",
                                                  "c.py:1: the list of rooms lacks low/ (cmake/rooms.txt)"])

    def test_a_reason_for_nothing(self):
        rules = {"b.toml": {"name": "lines", "without": {"high": "a reason"}}}
        self.assertEqual(findings({"b.toml": "[lines]\nlow = 1\nhigh = 1"}, rules), ["b.toml:1: has high/, which rules.toml says it leaves out"])

    def test_a_folder_without_a_row(self):
        files = {"more-low/a.md": "", ".ci/run": "", "new/a.md": "", "b.md": ""}
        self.assertEqual(findings(files), ["folders.md:1: has no row with what new/ is for, its target and what it may use"])
        row = "| `new/` | only a purpose |\n"
        self.assertEqual(len(findings(files | {"folders.md": FOLDERS + row})), 1)

    def test_a_folder_in_a_folder(self):
        files = {"low/one/a.md": "", "low/two/deep/b.md": "", "low/three/c.md": "", "floors/d/e.h": "",
                 "folders.md": FOLDERS + "| `low/one/` | one |\n| `floors/` | for this | target | uses |\n", "tests.md": "| `low/two` | two |\n"}
        self.assertEqual(findings(files), ["folders.md:1: has no row with what low/three/ is for"])


if __name__ == "__main__":
    unittest.main()
