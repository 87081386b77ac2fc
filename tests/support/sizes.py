# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sizes of random and stress tests: tests/bounds.toml has them, a variable of the same name in
the environment sets another."""
import os
import pathlib
import tomllib


def known():
    with open(pathlib.Path(__file__).resolve().parent.parent / "bounds.toml", "rb") as file:
        return tomllib.load(file)["sizes"]


def sizes(first_tier=False):
    """{name: number}. first_tier: with the smaller sizes that some have there."""
    defaults = {name: each["first"] if first_tier and "first" in each else each["default"] for name, each in known().items()}
    return {name: int(os.environ.get(name, number)) for name, number in defaults.items()}


def first_tier_environment():
    """{name: text} of sizes that are smaller in the first tier, and that the environment does not set."""
    return {name: str(each["first"]) for name, each in known().items() if "first" in each and name not in os.environ}
