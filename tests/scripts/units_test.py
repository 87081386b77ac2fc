#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What scripts/lint says of functions that are defined far from their header."""
import unittest

import checks_of_lint

units = checks_of_lint.load("units")


class MadeUpTree:
    rules = {"units": {"folder": "runtime/"}}

    def __init__(self, files):
        self.files = {file: text.split("\n") for file, text in files.items()}

    def matching(self, *_patterns):
        return sorted(self.files)

    def lines(self, file):
        return self.files[file]


def findings(header, **sources):
    files = {f"runtime/{name}.cpp": text for name, text in sources.items()}
    return list(units.check(MadeUpTree({"runtime/A.h": header, **files}), False))


class Units(unittest.TestCase):
    def test_a_definition_in_another_file(self):
        found = findings("namespace n {\nvoid *f(int Size);\n}", A="", B="namespace n {\n\nvoid *f(int Size) {}\n}")
        self.assertEqual(found, ["runtime/B.cpp:3: f is declared in runtime/A.h: define it there, or name its source in that header"])

    def test_the_file_of_that_name(self):
        self.assertEqual(findings("int f(); int g();", A="int f() { return 1; }\nint g() { return 2; }"), [])

    def test_another_definition_for_another_library(self):
        self.assertEqual(findings("int f();", A="int f() { return 1; }", StaticA="int f() { return 2; }"), [])

    def test_attributes_are_no_types(self):
        found = findings("INMEM_COLD __attribute__((section(\"s\"))) void\nf(int A);", B="INMEM_IN_HOOKS __attribute__((noinline)) void f(int A) {}")
        self.assertEqual(len(found), 1)

    def test_conditional_and_c_functions(self):
        found = findings("#ifdef X\nextern \"C\" {\nint f();\n}\n#endif", B="extern \"C\" int f() { return 1; }")
        self.assertEqual(len(found), 1)

    def test_what_a_file_has_for_itself_is_another_function(self):
        self.assertEqual(findings("int f();", A="int f() { return 1; }", B="namespace {\nint f() { return 2; }\n}"), [])
        self.assertEqual(findings("int f();", B="static int f() { return 2; }"), [])
        self.assertEqual(findings("int f();", B="namespace {\nint f() { return 2; }\n}"), [])

    def test_members_and_parameters_are_none(self):
        self.assertEqual(findings("struct S {\n  int f();\n};\nvoid g(int (*f)());", A="void g(int (*f)()) {}", B="int f() { return 1; }"), [])


if __name__ == "__main__":
    unittest.main()
