# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""resident-kinds.py INMEM - checks the snapshots of resident-kinds.cpp."""

import json
import pathlib
import subprocess
import sys

MIB = 1 << 20
SLACK = 192 * 1024


def check(name, recorded):
    text = subprocess.run([sys.argv[1], "resident", "--format", "json", name + ".heap"], check=True, capture_output=True, text=True)
    found = json.loads(text.stdout)
    own = json.loads(pathlib.Path(name + ".txt").read_text(encoding="utf-8"))
    parts = {part["part"]: part["bytes"] for part in found["parts"]}
    assert sum(parts.values()) == found["rss_bytes"], (name, parts)
    assert abs(found["rss_bytes"] - own["rss"]) <= SLACK, (name, found["rss_bytes"], own)
    # sbrk's memory is next to free memory of malloc, and not what malloc_trim returns.
    assert own["sbrk"] == 2 and parts["trim"] < MIB and parts["kept"] < MIB, (name, parts)
    huge = found["huge_bytes"]
    assert huge in (0, 2 * MIB, 4 * MIB), (name, huge)
    wanted = (3 + 3 * own["memfd"] + 4 * own["sysv"] + 5) * MIB + max(huge, 8192)
    # Pages at the ends of sbrk's memory may have blocks.
    assert wanted - 16384 <= parts["mapped"] <= wanted + SLACK, (name, wanted, parts)
    assert parts["unknown"] * 100 <= found["rss_bytes"], (name, parts)
    assert parts["live"] >= 22000 * 7, (name, parts)
    assert found["unrecorded"]["bytes"] < 65536, (name, found["unrecorded"])
    assert found["hugetlb_bytes"] == 2 * MIB * own["hugetlb"], (name, found["hugetlb_bytes"])
    mapped = [owner for owner in found["owners"] if owner["part"] == "mapped"]
    names = {(owner["name"] or "").split()[0] if owner["name"] else None: owner for owner in mapped}
    assert ("/memfd:samples" in names) == bool(own["memfd"]) and ("/SYSV00000000" in names) == bool(own["sysv"]), (name, mapped)
    assert any("my pool" in (owner["name"] or "") for owner in mapped) == bool(own["name"]), (name, mapped)
    lines = [owner for owner in mapped if owner.get("site")]
    assert bool(lines) == recorded, (name, mapped)
    if recorded:
        # Two lines of sbrk, one of the pool, and of the thin pages.
        assert sum(owner["bytes"] for owner in lines) >= wanted - 16384 - 4 * MIB * own["sysv"], (name, lines)
    remedies = {remedy["remedy"]: remedy["saves_bytes"] for remedy in found["remedies"]}
    assert remedies.get("trim", 0) < MIB and ("no-huge-pages" in remedies) == (huge > 0), (name, remedies)


check("on", True)
check("off", False)
