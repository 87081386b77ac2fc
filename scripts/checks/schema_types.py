# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page's types of JSON are those of docs/schema: scripts/lint --fix writes them.

rules.toml has the schemas, and the names of their definitions in TypeScript where
the schema's own would be a keyword or say less.
"""
import json
import os

LICENCE = "// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n"
SIMPLE = {"integer": "number", "number": "number", "string": "string", "boolean": "boolean", "null": "null"}


class Writer:
    """One schema as interfaces, its definitions first."""

    def __init__(self, schema, root, names):
        self.schema = schema
        self.root = root
        self.names = names

    def name(self, definition):
        return self.names.get(definition) or "".join(word.capitalize() for word in definition.split("_"))

    def object(self, shape, indent):
        """The members between braces, or a record of what all members are."""
        if "properties" not in shape:
            values = shape.get("additionalProperties")
            return f"Record<string, {self.type(values, indent) if isinstance(values, dict) else 'unknown'}>"
        lines = ["{"]
        for member, of in shape["properties"].items():
            if "description" in of:
                lines.append(f"{indent}  /** {of['description']} */")
            optional = "" if member in shape.get("required", ()) else "?"
            lines.append(f"{indent}  {member}{optional}: {self.type(of, indent + '  ')};")
        return "\n".join([*lines, indent + "}"])

    def array(self, shape, indent):
        if "items" not in shape:
            return "unknown[]"
        items = self.type(shape["items"], indent)
        return f"({items})[]" if " | " in items.split("{")[0] or items.endswith("| null") else f"{items}[]"

    def type(self, shape, indent=""):
        if "$ref" in shape:
            return self.name(shape["$ref"].removeprefix("#/$defs/"))
        for choice in ("anyOf", "oneOf"):
            if choice in shape:
                return " | ".join(dict.fromkeys(self.type(each, indent) for each in shape[choice]))
        if "enum" in shape or "const" in shape:
            return " | ".join(json.dumps(value) for value in shape.get("enum", [shape.get("const")]))
        kinds = shape.get("type", "unknown")
        made = {"object": self.object, "array": self.array}
        return " | ".join(made[kind](shape, indent) if kind in made else SIMPLE.get(kind, "unknown")
                          for kind in ([kinds] if isinstance(kinds, str) else kinds))

    def text(self):
        parts = []
        for name, shape in [*((self.name(key), of) for key, of in self.schema.get("$defs", {}).items()), (self.root, self.schema)]:
            if shape.get("type") == "object" and "properties" in shape:
                parts.append(f"export interface {name} {self.object(shape, '')}\n")
            else:
                parts.append(f"export type {name} = {self.type(shape)};\n")
        return "\n".join(parts)


def written(tree, source, rule):
    with open(os.path.join(tree.root, source)) as file:
        schema = json.load(file)
    return f"{LICENCE}// Written by scripts/lint --fix from {source}.\n\n" + Writer(schema, rule["root"], rule.get("names", {})).text()


def check(tree, fix):
    for source, rule in tree.rules["schema_types"].items():
        target = os.path.join(tree.root, rule["target"])
        text = written(tree, source, rule)
        if os.path.exists(target):
            with open(target) as file:
                if file.read() == text:
                    continue
        if fix:
            os.makedirs(os.path.dirname(target), exist_ok=True)
            with open(target, "w") as file:
                file.write(text)
        else:
            yield f"{rule['target']}:1: is not what {source} says; scripts/lint --fix writes it"
