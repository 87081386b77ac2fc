# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From reports to figures: what part of blocks and bytes has a type."""
import os

BAR = 0.99
OWN = ("new", "new[]", "allocator")  # made by new and by containers
GROUPS = ("all", "new", "containers")


class Coverage:
    """Typed and all blocks and bytes, by group, and the untyped sites."""

    def __init__(self):
        self.sums = {group: [0, 0, 0, 0] for group in GROUPS}
        self.left, self.types = {}, {}

    def add(self, group, typed, blocks, size):
        for index, value in enumerate((typed and blocks, blocks, typed and size, size)):
            self.sums[group][index] += value

    def part(self, group, bytes_not_blocks):
        typed, every = self.sums[group][2 * bytes_not_blocks:][:2]
        return typed / every if every else None

    def join(self, other):
        for group in GROUPS:
            self.sums[group] = [a + b for a, b in zip(self.sums[group], other.sums[group], strict=True)]


def coverage(report, executable):
    found = Coverage()
    for kind in report["types"]:
        typed = kind["type"] is not None
        for site in kind["sites"]:
            # A block of instrumented code has a site, or its caller is the program.
            if site["kind"] == "caller" and (os.path.basename(site["module"] or "") != os.path.basename(executable) or
                                             site["function"].startswith("std::")):
                continue  # the last: the C++ library's archive
            blocks, size = site["allocations"], site["allocated_bytes"]
            found.add("all", typed, blocks, size)
            if site["kind"] in OWN:
                found.add("containers" if site["kind"] == "allocator" else "new", typed, blocks, size)
            place = f"{site['function']} {os.path.basename(site['file'] or '')}:{site['line']} {site['kind']}"
            key, where = (kind["type"], found.types) if typed else (place, found.left)
            before = where.get(key, (0, 0))
            where[key] = (before[0] + blocks, before[1] + size)
    return found


def percent(part):
    if part is None:
        return "–"
    # Never rounded up: 100 means all.
    return "100" if part == 1 else f"{int(part * 10000) / 100:.2f}"


class Row:
    def __init__(self, name, lines, coverages, seconds):
        self.name, self.lines, self.coverages, self.seconds = name, lines, coverages, seconds

    def ratio(self):
        bare = self.seconds.get("bare")
        return self.seconds["inmem"] / bare if bare and "inmem" in self.seconds else None

    def meets(self):
        full = self.coverages["inmem"]
        return (min(full.part("all", 0), full.part("all", 1)) >= BAR and
                all((full.part(group, unit) or 1) == 1 for group in GROUPS[1:] for unit in (0, 1)))

    def cells(self):
        full, alone = self.coverages.get("inmem", Coverage()), self.coverages.get("pass", Coverage())
        blocks, size = full.sums["all"][1], full.sums["all"][3]
        ratio = self.ratio()
        return [self.name, f"{self.lines / 1000:.0f}", f"{blocks:,}", f"{size / 1e6:,.1f}",
                *(percent(full.part(group, unit)) for group in GROUPS for unit in (0, 1)),
                *(percent(alone.part("all", unit)) for unit in (0, 1)), f"{ratio:.2f}" if ratio else "–"]

    def text(self, left, types):
        names = ("k lines", "blocks", "MB", "typed %", "of bytes", "new %", "of bytes", "containers %", "of bytes",
                 "pass alone %", "of bytes", "compile ×")
        yield f"{self.name:24}" + "  ".join(f"{name} {cell}" for name, cell in zip(names, self.cells()[1:], strict=False))
        if "inmem" not in self.coverages:
            return
        for what, count, rows in (("left", left, self.coverages["inmem"].left), ("type", types, self.coverages["inmem"].types)):
            for key, (blocks, size) in sorted(rows.items(), key=lambda row: (-row[1][0], -row[1][1]))[:count]:
                yield f"    {what} {blocks:>9} blocks {size:>12} bytes  {key}"


def total(rows):
    """All programs together; each program's lines once."""
    coverages = {kind: Coverage() for kind in rows[0].coverages}
    lines, seen, seconds = 0, set(), dict.fromkeys(rows[0].seconds, 0.0)
    for row in rows:
        for kind, each in row.coverages.items():
            coverages[kind].join(each)
        for kind, each in row.seconds.items():
            seconds[kind] += each
        if row.name.split(" ")[0] not in seen:
            seen.add(row.name.split(" ")[0])
            lines += row.lines
    return Row("all", lines, coverages, seconds)


INTRODUCTION = """# A type for every allocation: a corpus of real programs

Programs and libraries from Debian's sources, compiled with `-O1` and run on real input by `bench/corpus/run --write`, which made
this page. The table counts allocations made by instrumented code, in blocks and in bytes. `new`: allocated by a new-expression;
`containers`: by an allocator that calls `operator new`. `pass alone`: only the IR pass runs, with `-g`, and leaves out what it does not
know. `compile`: CPU time of compiling with inmem over clang alone, in turn, the least of three for each file. Percentages are rounded
down: 100 means all.

"""


LINES = """
## The program's own lines

Written by `bench/corpus/callers --write`. Each program is compiled with line tables and run once with `callers=on` and once with
`stacks=64`, whose lines are those of the first frame outside system headers, by the unwinder and debug information.

- `own MB`: bytes with such a line.
- `found`: the percentage of them for which callers give the same line. Wanted: 99 %.
- `wrong`: bytes that callers put at a line beyond those of its stacks, in percent. Wanted: 0.1 %.

leveldb's threads make two runs differ. Its `found` compares the percentages of all bytes that have a line, and its `wrong`
are bytes at a line without stacks.

"""


FOUND = """
## Types without recompiling

Written by `bench/corpus/found --write`. Each program is compiled by inmem, whose types are taken for true, and with `-g` by gcc and clang. `inmem run`
records those, and its types are compared by line.

- `blocks`: those that have a type and a line of the program in inmem's build.
- `named`: the percentage of them that have the same type without recompiling. Wanted: 99 % in C++, 95 % in C.
- `at its line`: those that are also counted at the same line, or the next or previous one.
- `wrong`: blocks of a type that neither their line nor the program's other lines have so many of, in percent. Wanted: at most 0.1 % in C++, 1 % in C.
- `certain and wrong`: blocks of a wrong type that is said to be certain. Wanted: 0.

leveldb's threads and the timers of redis make two runs differ. Of their blocks at lines with types, those are named that have a type of that line.

"""


def write(path, rows):
    head = ["program", "k lines", "blocks", "MB", "typed, % of blocks", "of bytes", "`new`: % of blocks", "of bytes",
            "containers: % of blocks", "of bytes", "pass alone: % of blocks", "of bytes", "compile"]
    lines = ["| " + " | ".join(head) + " |", "| --- " + "| ---: " * (len(head) - 1) + "|"]
    lines += ["| " + " | ".join(row.cells()) + " |" for row in [*rows, total(rows)]]
    left = [f"| {row.name} | `{place}` | {blocks:,} | {size:,} |" for row in rows
            for place, (blocks, size) in sorted(row.coverages["inmem"].left.items(), key=lambda each: -each[1][1])[:6]]
    sections = sections_of(path)
    with open(path, "w") as file:
        file.write(INTRODUCTION + "\n".join(lines) + "\n\n## What is left\n\nAt most six sites of each program, by bytes.\n\n"
                   "| program | site | blocks | bytes |\n| --- | --- | ---: | ---: |\n" + "\n".join(left) + "\n" + sections)


def sections_of(path):
    """What bench/corpus/callers and bench/corpus/found have written there."""
    with open(path) as file:
        text = file.read()
    starts = [text.find(heading.strip().partition("\n")[0]) for heading in (LINES, FOUND)]
    return "\n" + text[min(start for start in starts if start >= 0):] if max(starts) >= 0 else ""


def write_section(path, heading, rows):
    """Replaces a section, or appends it."""
    title = heading.strip().partition("\n")[0]
    with open(path) as file:
        before, found, rest = file.read().partition("\n" + title + "\n")
    _, more, after = rest.partition("\n## ")
    with open(path, "w") as file:
        file.write((before if found else before.rstrip("\n") + "\n") + heading + "\n".join(rows) + "\n" + more + after)


def write_lines(path, rows):
    write_section(path, LINES, rows)


def write_found(path, rows):
    write_section(path, FOUND, rows)
