#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Validates JSON that inmem writes against docs/schema.

  schemas.py FOLDER [--whole] FILE|NAME=FILE...

The schema of a FILE is the one that its member `schema` names; NAME is for output that
has none. Every object must be closed: an unknown member is an error, and so is a missing
one. That is tried, too: each kind of object in the files is validated again with a member
more, and without each member that it must have. With --whole each member that the files'
schemas describe must be in one of the files. Prints which schemas those are.
"""
import json
import pathlib
import sys

import jsonschema


def references(part):
    """The definitions that a member's schema names itself, not those within them."""
    for each in [part, part.get("items", {}), *part.get("anyOf", ())]:
        if "$ref" in each:
            yield each["$ref"]


class Schema:
    def __init__(self, file):
        self.name = file.stem
        self.root = json.loads(file.read_text(encoding="utf-8"))
        jsonschema.Draft202012Validator.check_schema(self.root)
        self.validator = jsonschema.Draft202012Validator(self.root)
        self.objects = dict(self.find(self.root, "#"))
        self.seen, self.followed, self.files = set(), set(), 0

    def find(self, part, path):
        """Yields (path, object schema) of all that part contains."""
        if isinstance(part, dict):
            if "properties" in part:
                yield path, part
            for key, each in part.items():
                yield from self.find(each, f"{path}/{key}")
        elif isinstance(part, list):
            for index, each in enumerate(part):
                yield from self.find(each, f"{path}/{index}")

    def resolve(self, part, path, value):
        """The schema that describes value, references followed."""
        for index, each in enumerate(part.get("anyOf", ())):
            if (value is None) == (each == {"type": "null"}):
                return self.resolve(each, f"{path}/anyOf/{index}", value)
        if "$ref" in part:
            path = part["$ref"]
            self.followed.add(path)
            part = self.root
            for key in path.split("/")[1:]:
                part = part[key]
            return self.resolve(part, path, value)
        return part, path

    def walk(self, value, part=None, path="#"):
        """Yields (path of its schema, object) for all objects in value; notes the members seen."""
        part, path = self.resolve(part or self.root, path, value)
        if isinstance(value, list):
            for each in value:
                yield from self.walk(each, part["items"], path + "/items")
        elif isinstance(value, dict) and "properties" in part:
            yield path, value
            for key, each in value.items():
                self.seen.add((path, key))
                yield from self.walk(each, part["properties"][key], f"{path}/properties/{key}")
        elif isinstance(value, dict) and isinstance(part.get("additionalProperties"), dict):
            for each in value.values():
                yield from self.walk(each, part["additionalProperties"], path + "/additionalProperties")

    def unseen(self):
        """What no file has; a member with a definition of its own is seen if that is, wherever it is used."""
        return sorted(f"{self.name}: {path}: no file has '{key}'" for path, part in self.objects.items()
                      for key, each in part["properties"].items() if (path, key) not in self.seen and not self.followed & set(references(each)))


def wrongs(schema, content):
    """Yields what is accepted although it should not be."""
    tried = set()
    for path, value in schema.walk(content):
        if path in tried:
            continue
        tried.add(path)
        part = schema.validator.evolve(schema=schema.objects[path])
        if part.is_valid({**value, "not a member": 0}):
            yield f"{path}: an unknown member is accepted"
        for key in schema.objects[path]["required"]:
            if part.is_valid({name: each for name, each in value.items() if name != key}):
                yield f"{path}: '{key}' may be missing"


def check(schemas, argument):
    name, _, file = argument.rpartition("=")
    content = json.loads(pathlib.Path(file).read_text(encoding="utf-8"))
    schema = schemas[name or content["schema"].replace("/", "-")]
    schema.files += 1
    errors = [f"{'/'.join(map(str, error.absolute_path))}: {error.message[:300]}" for error in schema.validator.iter_errors(content)]
    found = errors or list(wrongs(schema, content))
    for each in found[:20]:
        print(f"{file}: {schema.name}: {each}")
    return not found


def main(arguments):
    if len(arguments) < 2:
        sys.exit(__doc__)
    schemas = {file.stem: Schema(file) for file in sorted(pathlib.Path(arguments[0]).glob("*.json"))}
    whole = arguments[1] == "--whole"
    good = [check(schemas, argument) for argument in arguments[1 + whole:]].count(False) == 0
    used = [schema for schema in schemas.values() if schema.files]
    unseen = [each for schema in used for each in schema.unseen()] if whole and good else []
    print("\n".join(unseen) or f"{len(arguments) - 1 - whole} files: {' '.join(schema.name for schema in used)}")
    return 0 if good and not unseen else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
