# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of code that mean more than one thing, or nothing to a reader: none is back.

rules.toml has the retired ones of code and of files, and what to write instead.
Comments and strings are none of its business, nor sentences that name tests.
"""
import re

from comments import TOKEN

TEST = re.compile(r"\b(TEST|TEST_F|TEST_P|TYPED_TEST)\([^)]*\)")


def blank(found):
    return re.sub(r"[^\n]", " ", found[0])


def check(tree, _fix):
    rules = tree.rules["names"]
    for file in tree.files:
        for rule in rules["files"]:
            if re.search(rule["match"], file):
                yield f"{file}:1: a file's name: {rule['say']}"
    for file in tree.matching("*.h", "*.cpp", "*.c", "*.inc"):
        if not file.startswith(tuple(rules["folders"])) or file.startswith(tuple(rules["skip"])):
            continue
        text = TEST.sub(blank, TOKEN.sub(blank, "\n".join(tree.lines(file))))
        for number, line in enumerate(text.split("\n"), 1):
            for rule in rules["words"]:
                if match := re.search(rule["match"], line):
                    yield f"{file}:{number}: name: '{match.group()}': {rule['say']}"
