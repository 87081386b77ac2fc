#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What scripts/lint says of system headers outside the runtime's platform layer, and of
the runtime's floors."""
import tomllib
import unittest

import checks_of_lint

includes = checks_of_lint.load("includes")

with open(checks_of_lint.CHECKS / "rules.toml", "rb") as file:
    RULES = tomllib.load(file)["system_headers"]
HEADERS, SLOW = RULES["headers"], RULES["slow"]


FLOORS = [{"name": "base", "folders": ["low"]}, {"name": "core", "folders": ["middle", "next"]}]


class MadeUpTree:
    def __init__(self, files, exceptions=None):
        self.files = files
        self.rules = {"system_headers": {"folder": "runtime/", "layer": "runtime/platform/", "headers": HEADERS, "slow": SLOW,
                                         "exceptions": exceptions or {}},
                      "floors": [{"folder": "runtime/", "order": FLOORS, "document": "d.md"}]}

    def matching(self, *_patterns):
        return sorted(self.files)

    def lines(self, file):
        return ["| `low/`, `middle/` |", "| `next/` |"] if file == "d.md" else self.files[file]


def findings(files, exceptions=None):
    return list(includes.system_headers(MadeUpTree(files, exceptions)))


def upward(includer, included):
    """Findings if `includer` includes `included` three lines down."""
    files = {f"runtime/{included}": [], f"runtime/{includer}": ["", "", f'#include "{included}"']}
    return list(includes.check(MadeUpTree(files), False))


class Includes(unittest.TestCase):
    def test_a_system_header_outside_the_layer(self):
        found = findings({"runtime/hot/A.cpp": ["#include <string.h>", "#include <sys/mman.h>"]})
        self.assertEqual(found, ["runtime/hot/A.cpp:2: <sys/mman.h> is for runtime/platform/ alone"])

    def test_the_layer_and_other_folders_may(self):
        self.assertEqual(findings({"runtime/platform/A.h": ["#include <errno.h>"], "tools/A.cpp": ["#include <unistd.h>"]}), [])

    def test_a_slow_header_is_for_no_file_of_the_runtime(self):
        tree = MadeUpTree({"runtime/platform/A.h": ["", "#include <x86intrin.h>"], "bench/A.cpp": ["#include <immintrin.h>"]})
        self.assertEqual(list(includes.slow_headers(tree)),
                         ["runtime/platform/A.h:2: <x86intrin.h> is slow to compile: use the compiler's builtin"])

    def test_an_exception_is_for_its_header_alone(self):
        found = findings({"runtime/A.cpp": ["# include <unistd.h>", "#include <fcntl.h>"]},
                         {"runtime/A.cpp": {"headers": ["unistd.h"], "reason": "defines it"}})
        self.assertEqual(len(found), 1)
        self.assertIn("<fcntl.h>", found[0])

    def test_an_exception_that_nobody_needs(self):
        found = findings({"runtime/A.cpp": []}, {"runtime/A.cpp": {"headers": ["unistd.h"], "reason": "defines it"}})
        self.assertEqual(len(found), 1)
        self.assertIn("needs no exception", found[0])


class Floors(unittest.TestCase):
    def test_down_and_within_a_folder(self):
        self.assertEqual(upward("middle/A.cpp", "low/B.h"), [])
        self.assertEqual(upward("next/A.cpp", "middle/B.h"), [])
        self.assertEqual(upward("next/A.cpp", "next/B.h"), [])

    def test_up_to_a_higher_floor_and_on_the_same_one(self):
        self.assertEqual(upward("low/A.h", "next/B.h"), ["runtime/low/A.h:3: low must not include next, which is above it"])
        self.assertEqual(len(upward("middle/A.cpp", "next/B.h")), 1)

    def test_includes_from_the_root(self):
        files = {"runtime/next/B.h": [], "runtime/low/A.h": ['#include "runtime/next/B.h"']}
        self.assertEqual(list(includes.check(MadeUpTree(files), False)), ["runtime/low/A.h:1: low must not include next, which is above it"])

    def test_a_folder_that_the_document_lacks(self):
        tree = MadeUpTree({})
        tree.rules["floors"][0]["order"] = [*FLOORS, {"name": "top", "folders": ["roof"]}]
        self.assertEqual(list(includes.check(tree, False)), ["d.md:1: says nothing of runtime/roof/"])

    def test_what_halves_share_includes_neither(self):
        files = {"plugin/Both.h": ['#include "half/A.h"'], "plugin/half/A.h": ['#include "Both.h"']}
        tree = MadeUpTree(files)
        tree.rules["floors"] = [{"folder": "plugin/", "document": "d.md", "order": [{"name": "all", "folders": [".", "half"]}]}]
        tree.lines = lambda file: ["| `plugin/` |", "| `half/` |"] if file == "d.md" else files[file]
        self.assertEqual(list(includes.check(tree, False)), ["plugin/Both.h:1: . must not include half, which is above it"])

    def test_imports_of_typescript(self):
        files = {"web/low/a.ts": ['import { b } from "./b";', "import {", '  c } from "../high/c";'], "web/low/b.ts": [],
                 "web/high/c.tsx": ['import { a } from "../low/a";'], "web/App.tsx": ['import { c } from "./high/c";']}
        tree = MadeUpTree(files)
        tree.rules["floors"] = [{"folder": "web/", "document": "d.md", "order": [{"name": "all", "folders": ["low", "high", "App.tsx"]}]}]
        tree.lines = lambda file: ["| `low/`, `high/` |", "| `App.tsx` |"] if file == "d.md" else files[file]
        self.assertEqual(list(includes.check(tree, False)), ["web/low/a.ts:3: low must not include high, which is above it"])

    def test_a_folder_on_no_floor(self):
        found = upward("attic/A.cpp", "low/B.h")
        self.assertEqual(len(found), 1)
        self.assertIn("runtime/attic is on no floor", found[0])


if __name__ == "__main__":
    unittest.main()
