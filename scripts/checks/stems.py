# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A name of a file means one thing: sources and headers have names of their own, but for a
header and its source beside it.

rules.toml has the folders, and the names that may be there twice, with the reason.
"""
import collections
import os


def check(tree, _fix):
    rules = tree.rules["stems"]
    units = collections.defaultdict(set)
    for file in tree.matching("*.h", "*.cpp"):
        if not any(file.startswith(folder) for folder in rules["skip"]):
            unit, _ = os.path.splitext(file)
            units[os.path.basename(unit)].add(unit)
    for stem, found in sorted(units.items()):
        if len(found) > 1 and stem not in rules["twice"]:
            first, *others = sorted(found)
            yield f"{others[-1]}:1: is called as {first}: one name for one file"
        elif len(found) == 1 and stem in rules["twice"]:
            yield f"{min(found)}:1: is the only {stem}: rules.toml need not list it"
    for stem in sorted(rules["twice"].keys() - units.keys()):
        yield f"scripts/checks/rules.toml:1: there is no {stem} any more"
