# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each rule of the table of rules has its section in the page of findings, under the anchor that the table names, and the page has no other rules."""
import re

ROW = re.compile(r'\{RuleId::\w+,\s*"([\w-]+)",\s*About::\w+,\s*Cure::\w+,\s*"([\w-]+)"\}')
HEADING = re.compile(r"## ([a-z][a-z-]*(?:, [a-z][a-z-]*)*)$")


def anchor_of(heading):
    """The anchor that GitHub and the site give a heading."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def check(tree, _fix):
    rule = tree.rules["findings"]
    table, page = rule["table"], rule["page"]
    anchors = dict(ROW.findall("\n".join(tree.lines(table))))
    if not anchors:
        yield f"{table}:1: has no row that scripts/checks/findings.py can read"
    described = {}
    for number, line in enumerate(tree.lines(page), 1):
        if found := HEADING.match(line):
            for name in found[1].split(", "):
                described[name] = anchor_of(found[1])
                if name not in anchors:
                    yield f"{page}:{number}: {name} is not a rule of {table}"
    for name, anchor in anchors.items():
        if name not in described:
            yield f"{page}:1: has no section about the rule {name} ({table})"
        elif anchor != described[name]:
            yield f"{table}:1: the section about {name} is {page}#{described[name]}, not #{anchor}"
