#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""shapes_test - the page's types have the members of the JSON that it reads.

Rows of web/src/data/types.ts against docs/schema/inmem-report-1.json, which
outputs are validated against (lit-tests/tools/json-schemas.test): a member that
one of them lacks, or calls otherwise, fails here.
"""
import json
import os
import re
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# By interface: the definition in the schema; none: the whole report.
SHAPES = {
    "Counts": "type", "Kind": "kind", "Lifetime": "lifetime", "ObjectSite": "object_site", "Objects": "objects",
    "TypeRow": "type", "Finding": "finding", "Thread": "thread", "ThreadId": "freeing_thread", "Process": "process",
    "Phase": "phase", "Frees": "frees", "Report": None,
}


def interfaces(text):
    """{name: {member: True if it is always there}}, with what an interface extends."""
    found = {}
    for name, parent, body in re.findall(r"^export interface (\w+)(?: extends (\w+))? \{\n(.*?)^\}", text, re.MULTILINE | re.DOTALL):
        own = {member: not optional for member, optional in re.findall(r"^  (\w+)(\??):", body, re.MULTILINE)}
        found[name] = found.get(parent, {}) | own
    return found


def missing(shapes, schema):
    for name, definition in SHAPES.items():
        known = schema["$defs"][definition] if definition else schema
        for member, always in shapes[name].items():
            if member not in known["properties"]:
                yield f"{name}.{member} is not in the schema"
            elif always and member not in known["required"]:
                yield f"{name}.{member} is optional in the schema"


class Shapes(unittest.TestCase):
    def setUp(self):
        with open(os.path.join(ROOT, "web/src/data/types.ts")) as file:
            self.types = file.read()
        with open(os.path.join(ROOT, "docs/schema/inmem-report-1.json")) as file:
            self.schema = json.load(file)

    def test_the_page_reads_members_that_reports_have(self):
        self.assertEqual(list(missing(interfaces(self.types), self.schema)), [])

    def test_a_member_of_one_alone_is_noticed(self):
        shapes = interfaces(self.types.replace("  severity: string;", "  severity: string;\n  weight: number;"))
        self.assertEqual(list(missing(shapes, self.schema)), ["Finding.weight is not in the schema"])
        del self.schema["$defs"]["thread"]["properties"]["tid"]
        self.assertEqual(list(missing(interfaces(self.types), self.schema)), ["Thread.tid is not in the schema"])


if __name__ == "__main__":
    unittest.main()
