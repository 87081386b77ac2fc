# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which headers files may include.

System headers belong to the runtime's layer that wraps them, and headers that are slow to compile to none of its files. The folders of plugin, runtime
and report are in floors: a folder includes only what rules.toml lists before it, so that no two folders
include each other.
"""
import collections
import fnmatch
import os
import re

from tree import RULES

INCLUDE = re.compile(r"^\s*#\s*include\s*<([^>]+)>")
OWN_INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"')


def check(tree, _fix):
    yield from system_headers(tree)
    yield from slow_headers(tree)
    yield from floors(tree)


def system_headers(tree):
    rules = tree.rules["system_headers"]
    exceptions, used = rules["exceptions"], set()
    for file in tree.matching("*.c", "*.cpp", "*.h"):
        if not file.startswith(rules["folder"]) or file.startswith(rules["layer"]):
            continue
        for number, line in enumerate(tree.lines(file), 1):
            found = INCLUDE.match(line)
            if not found or not any(fnmatch.fnmatch(found[1], header) for header in rules["headers"]):
                continue
            if found[1] in exceptions.get(file, {}).get("headers", ()):
                used.add((file, found[1]))
            else:
                yield f"{file}:{number}: <{found[1]}> is for {rules['layer']} alone"
    for file, exception in exceptions.items():
        for header in exception["headers"]:
            if (file, header) not in used:
                yield f"{RULES}:1: {file} does not include <{header}>: it needs no exception for it"


def slow_headers(tree):
    rules = tree.rules["system_headers"]
    for file in tree.matching("*.c", "*.cpp", "*.h"):
        if file.startswith(rules["folder"]):
            for number, line in enumerate(tree.lines(file), 1):
                found = INCLUDE.match(line)
                if found and any(fnmatch.fnmatch(found[1], header) for header in rules["slow"]):
                    yield f"{file}:{number}: <{found[1]}> is slow to compile: use the compiler's builtin"


def edges(tree, root):
    """Includes between folders below root: {(from, to): [(file, line)]}."""
    files, found = set(tree.files), collections.defaultdict(list)
    for file in tree.matching("*.c", "*.cpp", "*.h", "*.inc"):
        if not file.startswith(root):
            continue
        for number, line in enumerate(tree.lines(file), 1):
            match = OWN_INCLUDE.match(line)
            target = match and (match[1] if match[1].startswith(root) else root + match[1])
            if not target or target not in files:
                continue
            ends = [os.path.dirname(name[len(root):]) or "." for name in (file, target)]
            if ends[0] != ends[1]:
                found[tuple(ends)].append((file, number))
    return found


def floors(tree):
    for rules in tree.rules["floors"]:
        yield from floors_of(tree, rules)


def floors_of(tree, rules):
    document = "\n".join(tree.lines(rules["document"]))
    order = {folder: place for place, folder in enumerate(folder for floor in rules["order"] for folder in floor["folders"])}
    for folder in order:
        listed = rules["folder"].rstrip("/") if folder == "." else folder
        if f"| `{listed}/`" not in document and f", `{listed}/`" not in document:
            yield f"{rules['document']}:1: says nothing of {rules['folder']}{folder}/"
    for (source, target), includes in sorted(edges(tree, rules["folder"]).items()):
        for folder in {source, target} - order.keys():
            yield f"{RULES}:1: floors: {rules['folder']}{folder} is on no floor"
        if {source, target} <= order.keys() and order[target] > order[source]:
            for file, number in includes:
                yield f"{file}:{number}: {source} must not include {target}, which is above it"
