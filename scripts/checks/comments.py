# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Comments and messages of C, C++ and TypeScript are in plain English, and the first comments of a file say what it is for.

rules.toml has the words, and what they are to be replaced by; one word alone is data (a value in JSON). `first` is for words that a
comment must not begin with, nor the purpose in a file's first line.
"""
import os
import re

TITLE = re.compile(r"//===- (?P<file>\S+)(?: - (?P<what>\S.*?))? ?-+(?:\*- C\+\+ -\*-)?===//$")
TOKEN = re.compile(r"""
    "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)+' | R"(?P<end>[^(\s]*)\(.*?\)(?P=end)"
  | (?P<comment>//[^\n]*|/\*.*?\*/)
""", re.VERBOSE | re.DOTALL)
SCRIPT = (".ts", ".tsx", ".mjs")
# Text between tags of TSX is a message, too.
SCRIPT_TOKEN = re.compile(r"""
    "(?:[^"\\\n]|\\.)*" | `(?:[^`\\]|\\.)*` | (?P<comment>//[^\n]*|/\*.*?\*/) | (?P<between>[>}][^<>{}/"`]+(?=[<{]))
""", re.VERBOSE | re.DOTALL)


def token_of(file):
    return SCRIPT_TOKEN if file.endswith(SCRIPT) else TOKEN


def comments_of(text, token=TOKEN):
    """Yields (line, text of the line, whether a comment begins there)."""
    last = column = -1
    for found in token.finditer(text):
        if found["comment"] is None:
            continue
        first = text.count("\n", 0, found.start()) + 1
        begin = found.start() - (text.rfind("\n", 0, found.start()) + 1)
        own = not text[found.start() - begin:found.start()].strip()
        for number, line in enumerate(found["comment"].split("\n")):
            plain = re.sub(r"^\s*(///?<?|/\*+<?|\*+/?)\s?|\s*\*/$", "", line)
            yield first + number, plain, number == 0 and not (own and first == last + 1 and begin == column)
        last, column = first + found["comment"].count("\n"), begin


def messages_of(text, token=TOKEN):
    """Yields (line, text) of the strings: all that a program prints is among them."""
    for found in token.finditer(text):
        if found[0].startswith(('"', "`", ">", "}")) and re.search(r"\s", found[0]):
            yield text.count("\n", 0, found.start()) + 1, found[0][1:-1]


def purpose(tree, file):
    """What is wrong with the first lines of a file, or None."""
    first, *others = tree.lines(file)[:8] or [""]
    if any(line.startswith("// Also ") for line in others):
        return "has one job: what it also does belongs to another file, or is a part of it"
    if file.endswith(SCRIPT):
        return None if others and others[0].startswith("// ") else "says what it is for in a comment below its licence"
    title = TITLE.match(first)
    if not title or title["file"] != os.path.basename(file) or len(first) != 80:
        return f"begins with the line //===- {os.path.basename(file)} - PURPOSE ---===// of 80 columns"
    header = os.path.splitext(file)[0] + ".h"
    if title["what"] or (header != file and header in tree.files):
        return None
    comments = [line for line in others if line.startswith("// ") and "SPDX" not in line]
    return None if comments else "says what it is for in its first line, or in a comment after it"


def check(tree, _fix):
    rules = tree.rules["comments"]
    for file in tree.matching("*.h", "*.cpp", "*.c", "*.inc", *(f"*{end}" for end in SCRIPT)):
        if not file.startswith(tuple(rules["folders"])) or file.startswith(tuple(rules["skip"])):
            continue
        if file.endswith((".h", ".cpp", *SCRIPT)) and not file.startswith("include/") and (wrong := purpose(tree, file)):
            yield f"{file}:1: a file {wrong}"
        content = "\n".join(tree.lines(file))
        for line, text in messages_of(content, token_of(file)) if not file.startswith(tuple(rules["without_messages"])) else ():
            for rule in rules["words"]:
                if match := re.search(rule["match"], text.replace("\\n", " ")):
                    yield f"{file}:{line}: message: '{match.group()}': {rule['say']}"
        for line, text, begins in comments_of(content, token_of(file)):
            plain = re.sub(r"`[^`]*`|\"[^\"]*\"", "X", text)
            for rule in rules["words"]:
                if match := re.search(rule["match"], plain):
                    yield f"{file}:{line}: comment: '{match.group()}': {rule['say']}"
            if title := TITLE.match(f"//{text}"):
                plain = (title["what"] or "").capitalize()
            for rule in rules["first"] if begins else ():
                if match := re.match(rule["match"], plain):
                    yield f"{file}:{line}: comment: begins with '{match.group()}': {rule['say']}"
