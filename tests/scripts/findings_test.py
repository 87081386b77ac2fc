#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What scripts/lint says of rules of findings that the table and the page do not share."""
import unittest

import checks_of_lint

findings = checks_of_lint.load("findings")

PAGE = "## Which findings are shown\n## a-rule, other\n### Details\n"
TABLE = """\
    {RuleId::ARule, "a-rule", About::Live, Cure::Edit,
     "a-rule-other"},
    {RuleId::Other, "other", About::Other, Cure::Advice, "a-rule-other"},
"""


class MadeUpTree:
    rules = {"findings": {"table": "t.h", "page": "p.md"}}

    def __init__(self, table, page):
        self.files = {"t.h": table, "p.md": page}

    def lines(self, file):
        return self.files[file].split("\n")


def said(table, page):
    return list(findings.check(MadeUpTree(table, page), False))


class Findings(unittest.TestCase):
    def test_each_has_its_section(self):
        self.assertEqual(said(TABLE, PAGE), [])

    def test_rule_without_a_section(self):
        self.assertEqual(said(TABLE, "## a-rule\n"), [
            "t.h:1: the section about a-rule is p.md#a-rule, not #a-rule-other", "p.md:1: has no section about the rule other (t.h)"])

    def test_section_without_a_rule(self):
        self.assertEqual(said(TABLE, PAGE + "## third\n"), ["p.md:4: third is not a rule of t.h"])

    def test_table_that_cannot_be_read(self):
        self.assertEqual(said("enum class RuleId {};", ""), ["t.h:1: has no row that scripts/checks/findings.py can read"])


if __name__ == "__main__":
    unittest.main()
