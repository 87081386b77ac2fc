# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sizes of random and stress tests: tests/bounds.toml has them, a variable of the same name in
the environment sets another."""
import os
import pathlib
import tomllib


def sizes():
    """{name: number}"""
    with open(pathlib.Path(__file__).resolve().parent.parent / "bounds.toml", "rb") as file:
        return {name: int(os.environ.get(name, each["default"])) for name, each in tomllib.load(file)["sizes"].items()}
