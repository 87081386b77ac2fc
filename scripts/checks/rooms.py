# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The rooms of cmake/rooms.txt: each includes the headers that it may, and every list
and table of rooms has it. Each folder of the tree, and each in one of these, has its row in a document.

rules.toml names the lists; what a list leaves out has its reason there.
"""
import ast
import fnmatch
import os
import re
import tomllib

LIST = "cmake/rooms.txt"
INCLUDE = re.compile(r'\s*#\s*include\s+"([^"]+)"')


def rooms_of(lines):
    """{room: patterns of what it may include} in the order of the lines."""
    split = (line.partition(":") for line in lines if line and not line.startswith("#"))
    return {name: allowed.split() for name, _, allowed in split}


def target_of(files, file, included):
    """The file that an include of another file means; None if it is none of ours."""
    folder = os.path.dirname(file)
    for path in (os.path.join(folder, included), included, os.path.join("include", included), os.path.join(file.split("/")[0], included)):
        if os.path.normpath(path) in files:
            return os.path.normpath(path)
    return None


def includes_of(tree, rooms):
    files = set(tree.files)
    for file in tree.matching("*.h", "*.cpp", "*.c", "*.inc"):
        room = file.split("/")[0]
        if room not in rooms:
            continue
        for number, line in enumerate(tree.lines(file), 1):
            found = INCLUDE.match(line)
            target = found and target_of(files, file, found[1])
            if not target or target.startswith(f"{room}/"):
                continue
            if not any(fnmatch.fnmatch(target, pattern if "/" in pattern else f"{pattern}/*") for pattern in rooms[room]):
                yield f"{file}:{number}: {room}/ may not include {target} ({LIST})"


def names_in(tree, file, how):
    """The rooms that a list names: keys of a dictionary in Python or of a table in TOML, or the first cells of Markdown's tables."""
    text = "\n".join(tree.lines(file))
    if file.endswith(".md"):
        return {name for line in text.split("\n") if line.startswith("| `") for name in re.findall(r"`(\w+)/", line.split("|")[1])}
    if file.endswith(".toml"):
        return set(tomllib.loads(text)[how])
    for node in ast.parse(text).body:
        if isinstance(node, ast.Assign) and node.targets[0].id == how:
            return {key.value for key in node.value.keys}
    return set()


def folders_of(tree):
    """Folders of the tree without a row that says what each is for and what it may use."""
    document = tree.rules["folders"]["document"]
    rows = [line.split("|") for line in tree.lines(document) if line.startswith("| `")]
    named = {name for cells in rows if len(cells) > 4 for name in re.findall(r"`([\w-]+)/", cells[1])}
    folders = {file.rpartition("/")[0] for file in tree.files if "/" in file and not file.startswith(".")}
    for folder in sorted({folder.split("/")[0] for folder in folders}):
        if folder not in named:
            yield f"{document}:1: has no row with what {folder}/ is for, its target and what it may use"
    rows += [line.split("|") for other in tree.rules["folders"]["others"] for line in tree.lines(other) if line.startswith("| `")]
    named = {name.rstrip("/") for cells in rows for name in re.findall(r"`([\w./-]+)`", cells[1])}
    floors = tuple(rules["folder"] for rules in tree.rules["floors"])
    for folder in sorted({"/".join(folder.split("/")[:2]) for folder in folders if "/" in folder}):
        if folder not in named and not f"{folder}/".startswith(floors):
            yield f"{document}:1: has no row with what {folder}/ is for"


def check(tree, _fix):
    rooms = rooms_of(tree.lines(LIST))
    yield from includes_of(tree, rooms)
    yield from folders_of(tree)
    for file, rule in tree.rules["rooms"].items():
        named = names_in(tree, file, rule.get("name"))
        for room in rooms:
            if room not in named and room not in rule.get("without", {}):
                yield f"{file}:1: the list of rooms lacks {room}/ ({LIST})"
            elif room in named and room in rule.get("without", {}):
                yield f"{file}:1: has {room}/, which rules.toml says it leaves out"
