# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Documents are in plain English: short sentences, tables that fit, the field's words;
each page is in the navigation of the site.

rules.toml has the limits and the words.
"""
import fnmatch
import re

import links


def sentences(tokens):
    """Yields (line, sentence) of paragraphs; code counts as a word."""
    for before, token in zip(tokens, tokens[1:], strict=False):
        if before.type != "paragraph_open" or token.type != "inline":
            continue
        text = "".join("X" if child.type == "code_inline" else " " if child.type in ("softbreak", "hardbreak") else child.content
                       for child in token.children)
        # A colon or a semicolon ends no sentence, so that none hides behind it.
        for sentence in re.split(r"(?<=[.!?])[)\"*_]*\s+(?=[A-Z`\"(*])", text):
            yield token.map[0] + 1, sentence


def findings_of(tree, file, rules):
    found = []
    for line, sentence in sentences(links.parse(tree.path(file))):
        words = len(re.findall(r"[\w'’.+-]*\w[\w'’.+-]*", sentence))
        if words > rules["sentence"]:
            found.append((line, f"a sentence of {words} words; at most {rules['sentence']}: {sentence[:60]}…"))
    fenced = False
    for number, line in enumerate(tree.lines(file), 1):
        if re.match(r"\s*(```|~~~)", line):
            fenced = not fenced
        if fenced:
            continue
        if line.startswith("|") and len(line) > rules["table_line"]:
            found.append((number, f"a table line of {len(line)} characters; at most {rules['table_line']}"))
        plain = re.sub(r"`[^`]*`", "X", line)
        for pattern in rules["words"]:
            if match := re.search(pattern["match"], plain):
                found.append((number, f"'{match.group()}': {pattern['say']}"))
    return sorted(found)


def check(tree, _fix):
    rules = tree.rules["prose"]
    for file in tree.matching("*.md"):
        if any(fnmatch.fnmatch(file, page) for page in rules["pages"]):
            for line, what in findings_of(tree, file, rules):
                yield f"{file}:{line}: prose: {what}"
    navigation = "\n".join(tree.lines(rules["navigation"]))
    for file in tree.matching("*.md"):
        if file.startswith("docs/") and f": {file}\n" not in navigation + "\n":
            yield f"{file}:1: is not in the navigation of the site, {rules['navigation']}"
