# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks what `inmem resident` says of each run of resident.cpp."""

import json
import os
import pathlib
import subprocess
import sys

INMEM = sys.argv[1]
# The snapshot itself maps and unmaps a little between two looks at smaps.
SLACK = 128 * 1024


def explain(name):
    text = subprocess.check_output([INMEM, "resident", "--format", "json", name + ".heap"])
    return json.loads(text)


def verify(mode):
    """What a running process promises, and what a copy of it returns."""
    environment = {**os.environ, "INMEM_OPTIONS": f"output={mode}-live.inmem"}
    with subprocess.Popen(["./app", mode, "serve"], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as app:
        app.stdout.readline()
        text = subprocess.check_output([INMEM, "resident", "--verify", "--format", "json", str(app.pid)])
        app.stdin.close()
    return json.loads(text)


def check(name, good, why):
    if not good:
        sys.exit(f"{name}: {why}")


for mode in ("kept", "phase", "top", "threads", "guess"):
    before, after, trimmed = map(int, pathlib.Path(mode + ".txt").read_text().split())
    found = explain(mode)
    parts = {p["part"]: p["bytes"] for p in found["parts"]}
    rss = found["rss_bytes"]
    check(mode, sum(parts.values()) == rss, f"parts add up to {sum(parts.values())}, RSS is {rss}")
    low, high = min(before, after) - SLACK, max(before, after) + SLACK
    check(mode, low <= rss <= high, f"RSS {rss}, smaps {before} and {after}")
    check(mode, parts["unknown"] <= rss / 100 + 65536, f"unknown: {parts['unknown']} of {rss}")
    check(mode, found["unrecorded"]["blocks"] <= 32, f"{found['unrecorded']}")
    remedies = {r["remedy"]: r["saves_bytes"] for r in found["remedies"]}
    # Within 0.1 %, and two pages around what printing and smaps take; the runtime may return memory, too.
    own = 4 << 20 if mode == "threads" else 0
    less, more = parts["trim"] - trimmed, trimmed - parts["trim"]
    check(mode, less <= trimmed / 1000 + 8192 and more <= trimmed / 1000 + 8192 + own, f"trim {parts['trim']}, returned {trimmed}")
    pins = {p["type"]: p for p in found["pins"]}
    if mode in ("kept", "threads"):
        check(mode, "place" in remedies, f"remedies {remedies}")
        check(mode, pins["Keep"]["holds_back_bytes"] > rss / 4, f"pins {pins['Keep']}")
    if mode == "phase":
        check(mode, "copy" in remedies and "place" not in remedies, f"remedies {remedies}")
    if mode == "top":
        check(mode, remedies.get("trim", 0) > 5 << 20, f"remedies {remedies}")

for mode, wanted in (("kept", {"place", "trim"}), ("phase", {"copy"}), ("threads", {"place"})):
    found = verify(mode)
    check(mode, found["pss_bytes"] > 0, f"PSS {found['pss_bytes']}")
    check(mode, wanted <= {r["remedy"] for r in found["remedies"]}, f"remedies {found['remedies']}")
    for remedy in found["remedies"]:
        promised, measured = remedy["saves_bytes"], remedy["measured_bytes"]
        part = 0.001 if remedy["remedy"] == "trim" else 0.05
        check(mode, abs(promised - measured) <= promised * part + 8192, f"{remedy}")
