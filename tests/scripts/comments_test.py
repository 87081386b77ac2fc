#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What scripts/lint says of the comments of C and C++."""
import re
import tomllib
import unittest

import checks_of_lint

comments = checks_of_lint.load("comments")


class MadeUpTree:
    rules = {"comments": {"folders": ["a/"], "skip": ["a/others/"], "without_messages": ["a/tests/"], "words": [{"match": r"\banew\b", "say": "again"}],
                          "first": [{"match": r"The same\b", "say": "As f()"}]}}

    def __init__(self, files):
        self.files = files

    @staticmethod
    def titled(name, what=""):
        line = f"//===- {name} " + (f"- {what} " if what else "")
        return line + "-" * (75 - len(line)) + "===//"

    def matching(self, *_patterns):
        return list(self.files)

    def lines(self, file):
        return self.files[file].split("\n")


def findings(text, file="a/b.inc"):
    return [line.split(": ", 1) for line in comments.check(MadeUpTree({file: text}), False)]


def purposes(files):
    return [line.split(":", 1)[0] for line in comments.check(MadeUpTree(files), False)]


class Comments(unittest.TestCase):
    def test_the_rules_of_the_project(self):
        rules = tomllib.loads((checks_of_lint.CHECKS / "rules.toml").read_text())["comments"]
        lines = ["What a row counts.", "How many rows.", "The same.", "Whether it is.", "Whatever it is.", "Howls of a wolf."]
        self.assertEqual([line for line in lines if any(re.match(rule["match"], line) for rule in rules["first"])], lines[:4])
        lines = ["Known as far as it goes.", "It is timed all of its life."]
        self.assertTrue(all(any(re.search(rule["match"], line) for rule in rules["words"]) for line in lines))
        lines = ["The flag goes last.", "The table lies behind it.", "It stands for two.", "Blocks lie apart.", "It went undergoes.", "A standard."]
        self.assertEqual([line for line in lines if any(re.search(rule["match"], line) for rule in rules["words"])], lines[:4])

    def test_words_in_all_kinds_of_comments(self):
        text = 'int A; ///< anew\n/* one\n * anew */\nint anew = 1; // "anew" and `anew`\nconst char *S = "//anew";\n'
        self.assertEqual([where for where, _ in findings(text)], ["a/b.inc:1", "a/b.inc:3"])

    def test_words_in_messages(self):
        text = 'say("counts begin "\n    "anew (%s)");\nchar Key[] = "anew";\n'
        self.assertEqual(findings(text), [["a/b.inc:2", "message: 'anew': again"]])
        self.assertEqual(findings('say("counts begin\\nanew");'), [["a/b.inc:1", "message: 'anew': again"]])
        self.assertEqual(findings(text, "a/tests/c.inc"), [])

    def test_beginnings(self):
        text = "// One.\n// The same\nint A; ///< The same\n  /// The same\n"
        self.assertEqual([where for where, _ in findings(text)], ["a/b.inc:3", "a/b.inc:4"])

    def test_beginnings_of_purposes(self):
        self.assertEqual(findings(MadeUpTree.titled("b.inc", "the same purpose")), [["a/b.inc:1", "comment: begins with 'The same': As f()"]])

    def test_a_comment_after_code_goes_on(self):
        self.assertEqual(findings("int A; // it is\n       // The same\n"), [])

    def test_a_file_says_what_it_is_for(self):
        title = MadeUpTree.titled
        self.assertEqual(purposes({"a/x.h": title("x.h", "a purpose"), "a/x.cpp": title("x.cpp"), "a/y.cpp": title("y.cpp") + "\n// SPDX\n// It does."}), [])
        self.assertEqual(purposes({"a/x.h": title("x.h"), "a/y.h": title("z.h", "a purpose"), "a/z.cpp": "// SPDX", "a/v.h": ""}),
                         ["a/x.h", "a/y.h", "a/z.cpp", "a/v.h"])

    def test_typescript(self):
        text = '// SPDX\n// A page.\nconst a = `// it is`; // anew\n/** The same */\nreturn <p class="anew">it begins anew: {a}</p>;\n'
        self.assertEqual(findings(text, "a/b.tsx"), [["a/b.tsx:5", "message: 'anew': again"], ["a/b.tsx:3", "comment: 'anew': again"],
                                                     ["a/b.tsx:4", "comment: begins with 'The same': As f()"]])
        self.assertEqual(findings('// SPDX\nimport "./a";\n', "a/b.ts"), [["a/b.ts:1", "a file says what it is for in a comment below its licence"]])

    def test_a_file_has_one_job(self):
        title = MadeUpTree.titled
        self.assertEqual(purposes({"a/x.h": title("x.h", "a purpose") + "\n// SPDX\n//\n// It does.\n// Also prints."}), ["a/x.h"])
        self.assertEqual(purposes({"a/x.h": title("x.h", "a purpose") + "\n// SPDX\n\n/// Also called by b().\nvoid a();"}), [])

    def test_other_folders(self):
        self.assertEqual(findings("// anew", "b/c.inc") + findings("// anew", "a/others/c.inc"), [])


if __name__ == "__main__":
    unittest.main()
