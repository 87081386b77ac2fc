# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Documents are in plain English: short sentences, tables that fit, the field's words;
each page is in the navigation of the site.

rules.toml has the limits, the words, and how many findings older pages may still
have: a number that can only shrink; --fix lowers it.
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


def check(tree, fix):
    rules = tree.rules["prose"]
    allowed = dict(rules["allowed"])
    lowered = {}
    for file in tree.matching("*.md"):
        if not any(fnmatch.fnmatch(file, page) for page in rules["pages"]):
            continue
        found = findings_of(tree, file, rules)
        most = allowed.pop(file, 0)
        if len(found) > most:
            for line, what in found[:5] if most else found:
                yield f"{file}:{line}: prose: {what}" + (f" ({len(found)} findings, {most} are allowed)" if most else "")
        elif len(found) < most:
            lowered[file] = len(found)
    navigation = "\n".join(tree.lines(rules["navigation"]))
    for file in tree.matching("*.md"):
        if file.startswith("docs/") and f": {file}\n" not in navigation + "\n":
            yield f"{file}:1: is not in the navigation of the site, {rules['navigation']}"
    for file in allowed:
        yield f"scripts/checks/rules.toml:1: prose: there is no {file}"
    if fix and lowered:
        lower(tree, lowered)


def lower(tree, numbers):
    path = tree.path("scripts/checks/rules.toml")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    for name, count in numbers.items():
        line = rf'^"{re.escape(name)}" = \d+\n'
        text = re.sub(line, f'"{name}" = {count}\n' if count else "", text, flags=re.MULTILINE)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
