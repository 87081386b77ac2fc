# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs of programs.toml: their rows, and where each is built."""
import os
import tomllib

HERE = os.path.dirname(os.path.abspath(__file__))


def rows():
    """{name: row}"""
    with open(os.path.join(HERE, "programs.toml"), "rb") as file:
        return tomllib.load(file)


def libraries(row):
    """Standard libraries that a program is built with; None is the compiler's own."""
    return row.get("stdlib", [None])


class Program:
    """A program with one standard library."""

    def __init__(self, name, row, stdlib, corpus, made):
        self.row = row
        self.name = f"{name} ({stdlib})" if stdlib else name
        self.work = os.path.join(corpus, name + (f"-{stdlib}" if stdlib else ""))
        self.source = made.source(row["package"]) if "package" in row else HERE
