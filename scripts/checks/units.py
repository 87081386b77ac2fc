# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A function of the runtime is defined where its header says: in the source of the header's name,
or in another one of its folder that a comment of the header begins with (`// Other.cpp: subject.`)."""
import collections
import os
import re

import tree_sitter
import tree_sitter_cpp

LANGUAGE = tree_sitter.Language(tree_sitter_cpp.language())
FUNCTIONS = tree_sitter.Query(LANGUAGE, "(function_declarator declarator: (identifier) @name)")
# Attributes, which the parser would take for types.
ATTRIBUTES = re.compile(rb"\bINMEM_[A-Z_]+\b(?!\()|__attribute__\s*\(\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\)")
# A section of a header, and the source that defines it.
SECTION = re.compile(r"// (\w+)\.cpp: ")
SURROUNDINGS = {"translation_unit", "declaration_list", "linkage_specification", "namespace_definition", "preproc_if", "preproc_ifdef",
                "preproc_else", "preproc_elif"}


def is_hidden(node):
    """Returns true if other files cannot use what the node declares."""
    if node.type == "namespace_definition":
        return node.child_by_field_name("name") is None
    return any(child.type == "storage_class_specifier" and child.text == b"static" for child in node.children)


def functions(content, kind):
    """Yields (name, line) of the functions that content declares ("declaration") or defines ("function_definition") for others."""
    blanked = ATTRIBUTES.sub(lambda found: re.sub(rb"\S", b" ", found[0]), content)
    parsed = tree_sitter.Parser(LANGUAGE).parse(blanked)
    for name in tree_sitter.QueryCursor(FUNCTIONS).captures(parsed.root_node).get("name", []):
        node = name.parent
        while node is not None and node.type.endswith("_declarator"):
            node = node.parent
        if node is None or node.type != kind:
            continue
        around = [node]
        while around[-1].parent is not None:
            around.append(around[-1].parent)
        if all(each.type in SURROUNDINGS for each in around[1:]) and not any(is_hidden(each) for each in around):
            yield name.text.decode(), name.start_point.row + 1


def sources(file, lines):
    """The units that define what a header declares."""
    unit, _ = os.path.splitext(file)
    return {unit} | {f"{os.path.dirname(file)}/{found[1]}" for line in lines if (found := SECTION.match(line))}


def check(tree, _fix):
    folder = tree.rules["units"]["folder"]
    headers, declared, defined = collections.defaultdict(set), {}, collections.defaultdict(list)
    for file in tree.matching("*.h", "*.cpp"):
        if not file.startswith(folder):
            continue
        unit, kind = os.path.splitext(file)
        content = "\n".join(tree.lines(file)).encode()
        for name, line in functions(content, "declaration" if kind == ".h" else "function_definition"):
            if kind == ".h":
                declared[name] = file
                headers[name] |= sources(file, tree.lines(file))
            else:
                defined[name].append((unit, line))
    for name in sorted(headers.keys() & defined.keys()):
        if headers[name].isdisjoint(unit for unit, _ in defined[name]):
            unit, line = defined[name][0]
            yield f"{unit}.cpp:{line}: {name} is declared in {declared[name]}: define it there, or name its source in that header"
