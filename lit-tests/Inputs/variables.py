# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""variables.py FILE.json: what `inmem heap --format json` says of the variables of heap/variables.cpp."""

import json
import sys


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        heap = json.load(file)
    rows = {(row["owner"], row["field"]): row for row in heap["collections"]}
    for where, elements in {
        ("Cache", "entries"): 100,
        ("(anonymous namespace)::Hidden", None): 100,
        ("shop::Open", "[]"): 100,
        ("Spare", None): 1,
        ("library::Kept", None): 10,
    }.items():
        assert rows[where]["elements"] == elements, (where, rows[where])
    # Nodes, sessions and their names, and the one that hangs on another.
    entries = rows["Cache", "entries"]["retained_bytes"]
    assert entries == 100 * (48 + 40 + 61) + 40 + 61, entries
    sparse = {(row["owner"], row["field"]): row["wasted_bytes"] for row in heap["sparse"]}
    assert sparse["Spare", None] == 4999 * 4, sparse
    assert sparse["Cache", "room"] == 1000 * 4, sparse
    assert sparse["(anonymous namespace)::Hidden", None] > 8 * 9000, sparse


main()
