#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page's types follow from the JSON schemas, which outputs are validated against
(lit-tests/tools/json-schemas.test): a member is added to a schema alone."""
import json
import pathlib
import shutil
import tempfile
import tomllib
import unittest

import checks_of_lint

schema_types = checks_of_lint.load("schema_types")

ROOT = checks_of_lint.CHECKS.parent.parent
with open(checks_of_lint.CHECKS / "rules.toml", "rb") as file:
    RULES = tomllib.load(file)["schema_types"]
REPORT = "docs/schema/inmem-report-1.json"


def types(schema, **names):
    return schema_types.Writer(schema, "Root", names).text()


class Copied:
    """Schemas and types in a folder where they can be changed."""

    def __init__(self, folder):
        self.root = folder
        self.rules = {"schema_types": RULES}
        for source, rule in RULES.items():
            for path in (source, rule["target"]):
                (pathlib.Path(folder) / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / path, pathlib.Path(folder) / path)

    def change(self, path, change):
        file = pathlib.Path(self.root) / path
        file.write_text(change(file.read_text()))

    def findings(self, fix=False):
        return list(schema_types.check(self, fix))


class SchemaTypes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = Copied(folder.name)

    def test_the_page_has_the_types_of_the_schemas(self):
        self.assertEqual(self.tree.findings(), [])

    def test_a_member_is_added_in_one_place(self):
        def add(text):
            schema = json.loads(text)
            schema["$defs"]["thread"]["properties"]["weight"] = {"type": ["number", "null"]}
            return json.dumps(schema)
        self.tree.change(REPORT, add)
        self.assertEqual(len(self.tree.findings()), 1)
        self.assertIn("report.ts:1: is not what docs/schema/inmem-report-1.json says", self.tree.findings()[0])
        self.assertEqual(self.tree.findings(fix=True), [])
        self.assertIn("  weight?: number | null;\n", (pathlib.Path(self.tree.root) / RULES[REPORT]["target"]).read_text())
        self.assertEqual(self.tree.findings(), [])

    def test_a_type_that_was_changed_by_hand(self):
        self.tree.change(RULES[REPORT]["target"], lambda text: text.replace("  pid: number;", "  pid: string;", 1))
        self.assertEqual(len(self.tree.findings()), 1)

    def test_members_are_optional_unless_required(self):
        self.assertEqual(types({"type": "object", "properties": {"a": {"type": "integer", "description": "why"}, "b": {"const": "x"}},
                                "required": ["a"]}),
                         'export interface Root {\n  /** why */\n  a: number;\n  b?: "x";\n}\n')

    def test_lists_choices_and_records(self):
        self.assertEqual(types({"type": "array", "items": {"type": ["string", "null"]}}), "export type Root = (string | null)[];\n")
        self.assertEqual(types({"type": "array", "items": {"enum": ["a", "b"]}}), 'export type Root = ("a" | "b")[];\n')
        self.assertEqual(types({"type": "object", "additionalProperties": {"type": "integer"}}), "export type Root = Record<string, number>;\n")

    def test_definitions_have_names_of_types(self):
        text = types({"$defs": {"at_peak": {"type": "integer"}, "type": {"type": "string"}},
                      "anyOf": [{"$ref": "#/$defs/at_peak"}, {"$ref": "#/$defs/type"}]}, type="Row")
        self.assertEqual(text, "export type AtPeak = number;\n\nexport type Row = string;\n\nexport type Root = AtPeak | Row;\n")


if __name__ == "__main__":
    unittest.main()
