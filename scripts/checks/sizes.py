# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Source files and functions are no longer than rules.toml allows.

An exception is a line of its own with a limit and a reason. The limit is the size
at the time of writing: what became shorter has its limit lowered, by --fix.
"""
import ast
import re

import tree_sitter
import tree_sitter_cpp
from tree import RULES

CPP = ("*.c", "*.cc", "*.cpp", "*.h", "*.inc")
OTHER = ("CMakeLists.txt", "*.cmake", "*.cmake.in")
LANGUAGE = tree_sitter.Language(tree_sitter_cpp.language())
FUNCTIONS = tree_sitter.Query(LANGUAGE, "(function_definition) @function")


def declared_name(node):
    """The name that a declarator declares, with its classes."""
    while (inner := node.child_by_field_name("declarator")) is not None:
        node = inner
    # A reference's declarator has no field of that name.
    while node.type in ("reference_declarator", "parenthesized_declarator") and node.named_children:
        node = node.named_children[-1]
        while (inner := node.child_by_field_name("declarator")) is not None:
            node = inner
    return re.sub(r"\s+", " ", node.text.decode())


def cpp_functions(content):
    """Yields (name, first line, lines) of each function that has a body."""
    parsed = tree_sitter.Parser(LANGUAGE).parse(content)
    for node in tree_sitter.QueryCursor(FUNCTIONS).captures(parsed.root_node).get("function", []):
        first, last = node.start_point.row + 1, node.end_point.row + 1
        yield declared_name(node), first, last - first + 1


def python_functions(content):
    for node in ast.walk(ast.parse(content)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, node.lineno, node.end_lineno - node.lineno + 1


def measured(tree):
    """Yields (name in rules.toml, file, line, lines, what it is)."""
    python, shell = tree.python_scripts(), tree.shell_scripts()
    for file in sorted({*tree.matching(*CPP, *OTHER), *python, *shell}):
        with open(tree.path(file), "rb") as opened:
            content = opened.read()
        yield file, file, 1, content.count(b"\n"), "file"
        functions = ()
        if file in python:
            functions = python_functions(content)
        elif file in tree.matching(*CPP):
            functions = cpp_functions(content)
        for name, line, lines in functions:
            yield f"{file}:{name}", file, line, lines, f"function {name}"


def limit_of(limits, file, what):
    """Lines that a file or function may have: by its folder, else by the rule for all."""
    kind = "file" if what == "file" else "function"
    for folder, own in limits.get("folders", {}).items():
        if file.startswith(folder) and kind in own:
            return own[kind]
    return limits[kind]


def check(tree, fix):
    limits, exceptions = tree.rules["limits"], tree.rules["exceptions"]
    largest = {}
    for key, file, line, lines, what in measured(tree):
        # Functions of the same name share an exception: the longest counts.
        if lines > limit_of(limits, file, what) and lines > largest.get(key, (0,))[0]:
            largest[key] = lines, file, line, what
    for key, (lines, file, line, what) in largest.items():
        allowed = exceptions.get(key, {}).get("lines", limit_of(limits, file, what))
        if lines > allowed:
            yield f"{file}:{line}: {what} has {lines} lines, {allowed} are allowed"
    lowered = {key: largest[key][0] if key in largest else 0 for key, exception in exceptions.items()
               if key not in largest or largest[key][0] < exception["lines"]}
    if fix:
        lower(tree.path(RULES), lowered)
        return
    for key, lines in lowered.items():
        yield (f"{RULES}:{rule_line(tree, key)}: {key} has {lines} lines now: lower its limit (scripts/lint --fix does)" if lines
               else f"{RULES}:{rule_line(tree, key)}: {key} needs no exception any more (scripts/lint --fix removes it)")


def rule_line(tree, key):
    return next((number for number, line in enumerate(tree.lines(RULES), 1) if line.startswith(f'"{key}"')), 1)


def lower(path, lowered):
    """Rewrites the lines of exceptions in place, so that comments stay."""
    if not lowered:
        return
    with open(path) as file:
        lines = file.readlines()
    kept = []
    for line in lines:
        key = line.split('"')[1] if line.startswith('"') else None
        if key not in lowered:
            kept.append(line)
        elif lowered[key]:
            kept.append(re.sub(r"lines = \d+", f"lines = {lowered[key]}", line, count=1))
    with open(path, "w") as file:
        file.writelines(kept)
