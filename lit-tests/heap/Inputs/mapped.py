# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""mapped.py INMEM NAME... - holds NAME.inmem and NAME.heap against NAME.json, the program's own count."""

import json
import subprocess
import sys


def run(*words):
    return json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)


def place(row):
    """The program's line that a row is shown with."""
    return row.get("caller") or row


def check(inmem, name):
    with open(name + ".json", encoding="utf-8") as file:
        own = json.load(file)
    report = run(inmem, "report", "--format", "json", name + ".inmem")
    mapped = report["mapped"]
    found = {"calls": mapped["calls"], "mapped": mapped["mapped_bytes"], "unmapped": mapped["unmapped_bytes"]}
    assert found == own, (name, found, own)
    assert sum(row["mapped_bytes"] for row in mapped["callers"]) == own["mapped"], name
    known = {place(row)["function"].split("(")[0] for row in mapped["callers"] if place(row)["function"]}
    # The compiler knows that mapAndDrop returns what it maps, and shows its callers.
    wanted = {"mapParts", "mapAndDrop"} if name == "plain" else {"mapParts", "mapInThreads", "handle"}
    assert wanted <= known, (name, known)
    lines = [row for row in mapped["callers"] if place(row)["line"]]
    assert sum(row["mapped_bytes"] for row in lines) * 10 > own["mapped"] * 9, (name, mapped["callers"])

    resident = run(inmem, "resident", "--format", "json", name + ".heap")
    parts = {part["part"]: part["bytes"] for part in resident["parts"]}
    assert sum(parts.values()) == resident["rss_bytes"], name
    # Written pages: of mapAndKeep 6 + 8 * 2 + 1, of sbrk none, 9 of the memfd.
    page = resident["page_bytes"]
    owners = [owner for owner in resident["owners"] if owner["part"] == "mapped" and owner.get("site")]
    library = 0 if name == "static" else 11
    total = sum(owner["bytes"] for owner in owners)
    assert total == (23 + 9 + library) * page, (name, total // page, owners)
    # Without -g, a call through a pointer has no line.
    if name in ("app0", "plain"):
        assert all((owner.get("caller") or owner["site"])["line"] for owner in owners), (name, owners)
    memory = [owner for owner in owners if (owner["name"] or "").startswith("/memfd:samples")]
    assert len(memory) == 1 and memory[0]["bytes"] == 9 * page, (name, memory)
    assert parts["unknown"] * 50 < resident["rss_bytes"], (name, parts)


for program in sys.argv[2:]:
    check(sys.argv[1], program)
