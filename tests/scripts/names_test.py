#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Retired names (rules.toml) are noticed in code and as names of files, and nowhere else."""
import fnmatch
import tomllib
import unittest

import checks_of_lint

names = checks_of_lint.load("names")

with open(checks_of_lint.CHECKS / "rules.toml", "rb") as file:
    RULES = tomllib.load(file)["names"]


class MadeUpTree:
    rules = {"names": RULES}

    def __init__(self, **files):
        self.texts = {f"report/{name}.cpp": text for name, text in files.items()}
        self.files = list(self.texts)

    def matching(self, *patterns):
        return [file for file in self.files if any(fnmatch.fnmatch(file, pattern) for pattern in patterns)]

    def lines(self, file):
        return self.texts[file].split("\n")


def findings(text):
    return list(names.check(MadeUpTree(A=text), False))


class Names(unittest.TestCase):
    def test_a_retired_name_in_code(self):
        self.assertEqual(len(findings("int X;\nenum class LifeClass { Short };")), 1)
        self.assertIn("report/A.cpp:2: name: 'LifeClass'", findings("int X;\nenum class LifeClass { Short };")[0])
        for line in ("Way To;", "ThreadBlock *B;", "T.Block->Rows", "return Counted::Not;", "std::vector<trace::Finding> All;", "addLives(T);"):
            self.assertEqual(len(findings(line)), 1, line)

    def test_what_is_near_it_is_not_meant(self):
        for line in ("Block B;", "LifetimeClass C;", "report::Finding F;", "In.BlocksBefore", "Counted::Nothing", "Railway R;", "Type.Life.p50"):
            self.assertEqual(findings(line), [], line)

    def test_comments_strings_and_names_of_tests_may(self):
        for line in ("// Lives as long as the process.", 'say("Way");', "/* Beside\n   the tool */", "TEST(Kinds, AnUntimedSiteLivesAsTheOthers) {"):
            self.assertEqual(findings(line), [], line)

    def test_a_retired_name_of_a_file(self):
        self.assertEqual(len(list(names.check(MadeUpTree(Wanted=""), False))), 1)
        self.assertEqual(list(names.check(MadeUpTree(HeldStrings=""), False)), [])


if __name__ == "__main__":
    unittest.main()
