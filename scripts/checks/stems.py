# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Within a component each source and header has a distinct name; a header and its source share one.

A component is a folder at the top of the tree, or one in tests/. rules.toml lists the folders that are not checked, and the names
that a component may use twice, with the reason.
"""
import collections
import os


def component(file):
    first, second, *_ = file.split("/") + [""]
    return f"{first}/{second}" if first == "tests" else first


def check(tree, _fix):
    rules = tree.rules["stems"]
    units = collections.defaultdict(set)  # (component, name) to paths without their ending
    for file in tree.matching("*.h", "*.cpp"):
        if not any(file.startswith(folder) for folder in rules["skip"]):
            unit, _ = os.path.splitext(file)
            units[component(file), os.path.basename(unit)].add(unit)
    twice = {stem for (_, stem), found in units.items() if len(found) > 1}
    for (_, stem), found in sorted(units.items()):
        if len(found) > 1 and stem not in rules["twice"]:
            first, *others = sorted(found)
            yield f"{others[-1]}:1: has the name of {first}, in one component"
    for stem in sorted(rules["twice"].keys() - twice):
        yield f"scripts/checks/rules.toml:1: no component has two files named {stem}: the exception can go"
