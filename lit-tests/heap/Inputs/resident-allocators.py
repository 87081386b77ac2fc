# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""resident-allocators.py INMEM NAME... - checks the snapshot of resident-allocators.cpp with each allocator."""

import json
import pathlib
import subprocess
import sys

SLACK = 192 * 1024
MAPPED = 3 << 20


def check(inmem, name):
    text = subprocess.run([inmem, "resident", "--format", "json", name + ".heap"], check=True, capture_output=True, text=True)
    found = json.loads(text.stdout)
    parts = {part["part"]: part["bytes"] for part in found["parts"]}
    rss = found["rss_bytes"]
    assert found["allocator"] == name, found["allocator"]
    assert sum(parts.values()) == rss, (name, parts)
    smaps = int(pathlib.Path(name + ".txt").read_text(encoding="utf-8"))
    assert abs(rss - smaps) <= SLACK, (name, rss, smaps)
    # 6000 blocks of 56 bytes, the large one as far as it was written, and what C++ keeps.
    live = 6000 * 56 + (5 << 20)
    assert live <= parts["live"] <= live + (2 << 20), (name, parts)
    assert parts["rounding"] < parts["live"], (name, parts)
    assert parts["trim"] == 0, (name, parts)
    # What the program mapped, and none of what the allocator did.
    assert MAPPED <= parts["mapped"] < MAPPED + 65536, (name, parts)
    owners = [owner for owner in found["owners"] if owner["part"] == "mapped" and owner.get("site")]
    assert len(owners) == 1 and (owners[0].get("caller") or owners[0]["site"])["function"] == "main", (name, owners)
    assert parts["unknown"] <= rss / 50, (name, parts)
    remedies = {remedy["remedy"] for remedy in found["remedies"]}
    assert not remedies & {"trim"}, (name, remedies)
    assert ("decay" in remedies) <= (name == "jemalloc"), (name, remedies)
    report = subprocess.run([inmem, "report", "--format", "json", name + ".inmem"], check=True, capture_output=True, text=True)
    assert json.loads(report.stdout)["mapped"]["mapped_bytes"] == MAPPED, name


for allocator in sys.argv[2:]:
    check(sys.argv[1], allocator)
