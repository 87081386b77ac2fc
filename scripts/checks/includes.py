# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which headers files may include.

System headers belong to the runtime's layer that wraps them, and headers that are slow to compile to none of its files. The folders of plugin, runtime,
report and web/src are in floors: a folder includes only what rules.toml lists before it, so that no two folders
include each other. A file of the root may be on a floor by itself.
"""
import collections
import fnmatch
import os
import re

from tree import RULES

INCLUDE = re.compile(r"^\s*#\s*include\s*<([^>]+)>")
OWN_INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"')
IMPORT = re.compile(r'\bfrom "(\.[^"]+)"')


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


def target_of(files, root, file, line):
    """The file of the root that a line includes or imports, or None."""
    if match := OWN_INCLUDE.match(line):
        name = match[1] if match[1].startswith(root) else root + match[1]
        return name if name in files else None
    if file.endswith((".ts", ".tsx")) and (match := IMPORT.search(line)):
        name = os.path.normpath(os.path.join(os.path.dirname(file), match[1]))
        return next((name + end for end in (".ts", ".tsx") if name + end in files), None)
    return None


def edges(tree, root, alone=()):
    """Includes between folders below root, and files that are alone: {(from, to): [(file, line)]}."""
    files, found = set(tree.files), collections.defaultdict(list)

    def end(file):
        name = file[len(root):]
        return name if name in alone else os.path.dirname(name) or "."

    for file in tree.matching("*.c", "*.cpp", "*.h", "*.inc", "*.ts", "*.tsx"):
        if not file.startswith(root):
            continue
        for number, line in enumerate(tree.lines(file), 1):
            target = target_of(files, root, file, line)
            if not target:
                continue
            ends = [end(name) for name in (file, target)]
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
        listed = rules["folder"] if folder == "." else folder if "." in folder else f"{folder}/"
        if f"| `{listed}`" not in document and f", `{listed}`" not in document:
            yield f"{rules['document']}:1: says nothing of {rules['folder']}{folder}/"
    for (source, target), includes in sorted(edges(tree, rules["folder"], order).items()):
        for folder in {source, target} - order.keys():
            yield f"{RULES}:1: floors: {rules['folder']}{folder} is on no floor"
        if {source, target} <= order.keys() and order[target] > order[source]:
            for file, number in includes:
                yield f"{file}:{number}: {source} must not include {target}, which is above it"
