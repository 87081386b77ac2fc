# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""holders.py FILE.json: checks what `inmem heap --format json` says of the containers of heap/collections.cpp."""

import json
import sys

BUCKET = 8


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        report = json.load(file)
    sparse = {row["field"]: row for row in report["sparse"] if row["owner"] == "All"}
    assert set(sparse) == {"Few", "One"}, sparse
    for name, elements in (("Few", 10), ("One", 1)):
        row = sparse[name]
        assert row["elements"] == elements, row
        assert row["capacity"] >= 10000, row
        assert row["wasted_bytes"] == (row["capacity"] - 4 * elements) * BUCKET, row
    largest = {row["field"]: row for row in report["collections"] if row["owner"] == "All"}
    for name in ("Full", "Map", "Set", "List"):
        row = largest[name]
        assert row["elements"] == 5000, row
        assert row["retained_bytes"] >= 5000 * 16, row


main()
