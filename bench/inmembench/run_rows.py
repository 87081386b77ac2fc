# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs as they are, by `inmem run`: with types and the program's lines, beside heaptrack and bytehound."""
import os

from .measure import Failed, below, geometric_mean, interleave, ratios, row

KINDS = {"run": "inmem run", "run-stacks": "inmem run, stacks=16"}
PEERS = ("heaptrack", "bytehound")
# Those with enough to do that the start of the tool, some ms, does not count.
PROGRAMS = ("json", "cfrac", "espresso", "lua", "lsm", "messages")
MOST_PAIRS = 1.6


def mean_of(figures):
    if not all(figures):
        return None
    return {key: geometric_mean([each[key] for each in figures]) for key in ("median", "low", "high")} | {
        "n": min(each["n"] for each in figures)}


def beside(cells):
    """What inmem's cells are beside the peers' of the same rounds."""
    return {key: figure for key, figure in cells.items() if key in PEERS}


def pairs(bench, patterns, program, per_pair):
    """Time of pairs in the program itself, which is over before types are looked for."""
    found = {kind: [] for kind in (*KINDS, *PEERS)}
    for name, count in patterns.values():
        count //= 3 if bench.quick else 1
        rounds = interleave(2 * bench.rounds, bench.variants(
            ["bare", *KINDS, *PEERS], program(bench, name),
            lambda variant, count=count: [str(count // (10 if variant in PEERS else 1))], pinned=name != "threads", parse=per_pair))
        for kind in found:
            found[kind].append(ratios(rounds, kind))
    cells = {kind: mean_of(figures) for kind, figures in found.items()}
    yield row("inmem run: pairs, geometric mean", "x", {"default": cells["run"]} | beside(cells), f"≤ {MOST_PAIRS}",
              below(cells["run"], MOST_PAIRS))
    yield row("inmem run, stacks=16: pairs, geometric mean", "x", {"default": cells["run-stacks"]} | beside(cells))


def programs(bench, arguments, program):
    """Time of the program and of the tool, which looks for types and lines when it has ended."""
    for name in PROGRAMS:
        given, threaded = arguments(name)
        rounds = interleave(bench.rounds, bench.variants(["bare", *KINDS, *PEERS], program(bench, name), given, pinned=not threaded))
        outputs = {figures["stdout"] for each in rounds for figures in each.values()}
        note = "" if len(outputs) == 1 else "the program's output differs between variants"
        for kind, what in KINDS.items():
            cells = {"default": ratios(rounds, kind)} | {peer: ratios(rounds, peer) for peer in PEERS}
            peer = cells["heaptrack"]
            yield row(f"{what}: {name}, types and all", "x", cells, "below heaptrack",
                      False if note else cells["default"]["median"] < peer["median"] if peer else None, note)


def bytehound():
    """The library of bytehound, which no registry has: BYTEHOUND names one that was built from its sources."""
    path = os.environ.get("BYTEHOUND", "")
    if not os.path.exists(path):
        raise Failed("libbytehound.so was not found; BYTEHOUND may name it")
    return path
