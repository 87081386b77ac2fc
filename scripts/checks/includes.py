# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The system's headers are included by the layer that wraps them, and nowhere else."""
import fnmatch
import re

from tree import RULES

INCLUDE = re.compile(r"^\s*#\s*include\s*<([^>]+)>")


def check(tree, _fix):
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
