# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Conditions of a test, on its command line or in its comments.

  CONDITION... [--in SOURCE [--prefix NAME]...]

--in takes the lines `NAME: CONDITION` of SOURCE, behind `//` or alone. NAME is EXPECT unless --prefix names others.
"""
import argparse
import re


def parse(description, arguments=None):
    """(report's path, [condition]) of a script's arguments. A prefix without a line ends the script."""
    parser = argparse.ArgumentParser(description=f"{description}\n{__doc__}", formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("report")
    parser.add_argument("conditions", nargs="*", metavar="CONDITION")
    parser.add_argument("--in", dest="source", metavar="SOURCE")
    parser.add_argument("--prefix", dest="prefixes", action="append", metavar="NAME")
    options = parser.parse_intermixed_args(arguments)
    conditions = list(options.conditions)
    if options.source:
        with open(options.source, encoding="utf-8") as file:
            text = file.read()
        for prefix in options.prefixes or ["EXPECT"]:
            found = re.findall(rf"^(?://|#)?\s*{prefix}:\s*(.*?)\s*$", text, re.MULTILINE)
            if not found:
                parser.error(f"{options.source} has no line {prefix}:")
            conditions += found
    return options.report, conditions
