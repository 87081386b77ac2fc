# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The modules of scripts/checks, for their tests."""
import importlib
import pathlib
import sys

CHECKS = pathlib.Path(__file__).resolve().parent.parent.parent / "scripts" / "checks"
sys.dont_write_bytecode = True
sys.path.insert(0, str(CHECKS))


def load(name):
    """The module NAME. Ends the program with one line if a package that it needs is missing."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as missing:
        raise SystemExit(f"{missing.name} is missing; run this with the Python of scripts/setup.sh") from None
