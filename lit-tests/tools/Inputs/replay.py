# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""replay.py INMEM - compares replays of the traces of replay.cpp with what the program has resident with each allocator."""

import json
import os
import subprocess
import sys

INMEM = sys.argv[1]
LIBRARIES = {"glibc": None, "jemalloc": "libjemalloc.so.2", "mimalloc": "libmimalloc.so.2", "tcmalloc": "libtcmalloc.so.4"}
# Freed pages that an allocator returns after a time are kept in both.
KEEPS = {"jemalloc": "MALLOC_CONF=dirty_decay_ms:-1,muzzy_decay_ms:-1", "mimalloc": "MIMALLOC_ALLOW_DECOMMIT=0"}
MIB = 1 << 20


def real(mode, malloc):
    environment = dict(os.environ)
    if LIBRARIES[malloc]:
        environment["LD_PRELOAD"] = LIBRARIES[malloc]
    if malloc in KEEPS:
        name, value = KEEPS[malloc].split("=", 1)
        environment[name] = value
    text = subprocess.run(["./plain", mode, "print"], check=True, capture_output=True, text=True, env=environment).stdout
    return [int(word) for word in text.split()]


def replayed(mode):
    words = []
    for malloc in LIBRARIES:
        words += ["--malloc", malloc + (":" + KEEPS[malloc] if malloc in KEEPS else "")]
    text = subprocess.run([INMEM, "replay", "--format", "json", *words, f"{mode}.inmem"], check=True, capture_output=True, text=True).stdout
    with open(f"{mode}.json", "w", encoding="utf-8") as out:
        out.write(text)
    return json.loads(text)


for kind, share in (("alone", 0.05), ("moved", 0.1), ("threads", 0.15)):
    found = replayed(kind)
    assert found["unpaired_frees"] == 0, found
    assert len(found["orders"]) == (5 if kind == "threads" else 1), found["orders"]
    for row in found["allocators"]:
        ranges = [(row[name]["low"], row[name]["high"]) for name in ("peak_rss_bytes", "end_rss_bytes")]
        for (low, high), own in zip(ranges, real(kind, row["malloc"]), strict=True):
            print(kind, row["malloc"], low, high, own)
            # tcmalloc differs that much from run to run.
            slack = own * (share if row["malloc"] != "tcmalloc" else 0.25) + MIB / 2
            # What threads leave behind depends on how the machine ran them.
            assert (kind, low) == ("threads", ranges[1][0]) or low - slack <= own <= high + slack, (kind, row["malloc"], low, high, own)
            assert low <= high
        assert ranges[0][0] > 3 * MIB, row

# Settings reach the allocator, and what is not written is not resident: 200 rows of 64 KiB.
found = json.loads(subprocess.run(
    [INMEM, "replay", "--format", "json", "--malloc", "glibc", "--malloc", "glibc:MALLOC_ARENA_MAX=1,MALLOC_TRIM_THRESHOLD_=65536", "--unwritten",
     "64k", "moved.inmem"], check=True, capture_output=True, text=True).stdout)
assert found["allocators"][1]["settings"] == ["MALLOC_ARENA_MAX=1", "MALLOC_TRIM_THRESHOLD_=65536"], found
assert found["allocators"][0]["end_rss_bytes"]["high"] < 11 * MIB, found
