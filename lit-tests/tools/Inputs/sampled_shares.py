# Shares of types in sampled profiles against an exact run of the same program.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   sampled_shares.py INMEM EXACT.json PROFILE
#
# PROFILE is gperftools' text with each live block. Its blocks are sampled here as jemalloc does (a block of S bytes with the probability
# 1 - exp(-S / PERIOD)), with fixed seeds, and written as jemalloc's text: once with the sizes asked for, and once with those of its classes, which
# --sizes requested converts. EXACT.json is a report of a run under `inmem run`.
import json
import math
import random
import re
import sys

from add_types import SIZES, run, types_of

PERIOD, SEEDS = 8192, (1, 2, 3, 4, 5, 6)
inmem, exact, profile = sys.argv[1:]
with open(exact) as file:
    truth = {t["type"]: t["live_bytes"] for t in json.load(file)["types"] if t["type"]}
with open(profile) as file:
    text = file.read()
maps = text[text.index("MAPPED_LIBRARIES:") :]
rows = [(int(r[1]), int(r[2]), r[3]) for r in re.finditer(r"^\s*(\d+):\s*(\d+) \[.*\] @ (0x.+)$", text, re.M) if int(r[1])]


def class_of(size):
    """jemalloc's size class."""
    step = max(16, (1 << (size - 1).bit_length() - 1) // 4)
    return 8 if size <= 8 else -(-size // step) * step


def errors(seed, rounded, *options):
    """How many standard errors each type's bytes are off."""
    chance = random.Random(seed)
    out, blocks, taken = [f"heap_v2/{PERIOD}", "", ""], 0, 0
    for count, size, stack in rows:
        one = rounded(size / count)
        sampled = sum(chance.random() < 1 - math.exp(-one / PERIOD) for _ in range(count))
        if sampled:
            out += [f"@ {stack}", f"  t*: {sampled}: {round(sampled * one)} [0: 0]"]
            blocks, taken = blocks + sampled, taken + round(sampled * one)
    out[1:3] = [f"  t*: {blocks}: {taken} [0: 0]"]
    with open("sampled.heap", "w") as file:
        file.write("\n".join(out) + "\n\n" + maps)
    run(inmem, "add-types", "sampled.heap", "-q", *options, "-o", "sampled.pb.gz")
    types, total = types_of("sampled.pb.gz")
    assert sum(types.values()) >= 0.95 * total, (types, total)
    for name, size in SIZES.items():
        # Each block is in it with the probability p, and then counts 1 / p times.
        p = 1 - math.exp(-rounded(size) / PERIOD)
        error = math.sqrt(truth[name] * size * (1 - p) / p)
        yield abs(types.get(name, 0) - truth[name]) / error


def check(*how):
    """Whether all are within the interval, as far as chance allows."""
    off = [one for seed in SEEDS for one in errors(seed, *how)]
    within = sum(one <= 1.96 for one in off)
    assert len(off) == len(SIZES) * len(SEEDS), off
    print(f"sampled: {within} of {len(off)} are within their interval of 95 %, the worst is {max(off):.1f} standard errors off")
    return within >= 0.9 * len(off) and max(off) <= 3.5


assert check(lambda size: size)
assert check(lambda size: class_of(round(size)), "--sizes", "requested")
assert not check(lambda size: class_of(round(size)))
