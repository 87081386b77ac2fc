#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What scripts/lint says of the prose of documents."""
import pathlib
import tempfile
import unittest

import checks_of_lint

prose = checks_of_lint.load("prose")

RULES = {"pages": ["README.md", "docs/*.md"], "navigation": "mkdocs.yml", "sentence": 5, "table_line": 20,
         "words": [{"match": r"\banew\b", "say": "again"}]}


class Documents:
    """A tree of these documents; a page below docs/ is in the navigation unless it is called lost.md."""

    def __init__(self, root, texts):
        self.root = pathlib.Path(root)
        self.files = sorted(texts)
        self.rules = {"prose": RULES}
        self.root.joinpath("docs").mkdir()
        for file, text in texts.items():
            self.root.joinpath(file).write_text(text)
        pages = [file for file in texts if not file.endswith("lost.md")]
        self.root.joinpath("mkdocs.yml").write_text("".join(f"- Page: {file}\n" for file in pages))

    def path(self, file):
        return str(self.root / file)

    def lines(self, file):
        return self.root.joinpath(file).read_text().splitlines()

    def matching(self, *_patterns):
        return self.files


def found(text, file="docs/page.md"):
    with tempfile.TemporaryDirectory() as folder:
        return list(prose.check(Documents(folder, {file: text}), False))


class Prose(unittest.TestCase):
    def test_a_sentence_that_is_too_long(self):
        self.assertEqual(found("Short.\n\nOne two three four five six.\n"),
                         ["docs/page.md:3: prose: a sentence of 6 words; at most 5: One two three four five six.…"])

    def test_a_sentence_at_the_limit_and_one_after_it(self):
        self.assertEqual(found("One two three four five. One two `a b c d e` four.\n"), [])

    def test_a_colon_does_not_end_a_sentence(self):
        self.assertEqual(len(found("One two three: Four five six.\n")), 1)

    def test_a_list_item_is_a_sentence(self):
        self.assertEqual(len(found("- One two three four five six.\n")), 1)

    def test_a_long_line_of_a_table(self):
        self.assertEqual(found("| a | b |\n| --- | --- |\n| long long | long long |\n"),
                         ["docs/page.md:3: prose: a table line of 25 characters; at most 20"])

    def test_a_retired_word(self):
        self.assertEqual(found("It begins anew.\n"), ["docs/page.md:1: prose: 'anew': again"])

    def test_code_is_not_prose(self):
        self.assertEqual(found("Use `anew`.\n\n```text\n| anew anew anew anew anew |\n```\n"), [])

    def test_a_page_outside_of_the_navigation(self):
        self.assertEqual(found("Short.\n", "docs/lost.md"),
                         ["docs/lost.md:1: is not in the navigation of the site, mkdocs.yml"])

    def test_another_document_is_left_alone(self):
        self.assertEqual(found("It begins anew.\n", "CHANGELOG.md"), [])


if __name__ == "__main__":
    unittest.main()
