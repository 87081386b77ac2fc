# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the types that `inmem run` finds in a program with those of a build by inmem of the same source."""
import collections
import os

SYSTEM = ("/usr/include", "/include/c++/", "/lib/gcc/", "/lib/clang/", "/lib/llvm")


class Row:
    """Blocks of one type that code at one place allocates."""

    def __init__(self, places, kind, blocks, source):
        self.places, self.kind, self.blocks, self.source = places, kind, blocks, source

    def where(self):
        file, line, function = self.places[0]
        return f"{file}:{line} {function}"


def rows(report, is_own):
    """Rows of a JSON report. The first of a row's places is the program's own; the oracle may have passed over one function more or
    fewer, so the site is one, too. Rows without own code have an empty place. IS_OWN: of a file's path."""
    found = []
    for kind in report["types"]:
        for site in kind["sites"]:
            places = [(os.path.basename(place["file"]), place["line"], (place["function"] or "").partition("(")[0])
                      for place in (site.get("caller"), site) if place and place["line"] and is_own(place["file"] or "")]
            found.append(Row(places or [("", 0, "")], kind["type"], site["allocations"], site.get("type_source")))
    return found


class Comparison:
    """Takes blocks off both sides: of one type at one line, at the next or previous one (compilers merge equal code of
    neighbouring lines), in one function, and then anywhere: a copy constructor's blocks may have its caller's line on one side.
    Wrong are blocks that are left at a line with types: of a type that the line has not, or while it lacks others."""

    def __init__(self, oracle, found, only_lines=False, repeats=True):
        own = [row for row in oracle if row.places[0][1]]
        self.typed = sum(row.blocks for row in own if row.kind)
        self.left = [Row(row.places, row.kind, row.blocks, row.source) for row in own if row.kind]
        rest = [Row(row.places, row.kind, row.blocks, row.source) for row in found if row.kind]
        kinds, untyped = collections.defaultdict(set), collections.Counter()
        for row in own:
            if not row.kind:
                untyped[row.places[0][:2]] += row.blocks
            for place in row.places if row.kind else ():
                kinds[place[:2]].add(row.kind)
        self.matched = collections.Counter()
        keys = {"line": (lambda file, line, _: [(file, line)], lambda row: row.places[0][:2]),
                "next line": (lambda file, line, _: [(file, line - 1), (file, line + 1)], lambda row: row.places[0][:2]),
                "function": (lambda _, __, function: [function], lambda row: row.places[0][2]),
                "anywhere": (lambda *_: [None], lambda _: None)}
        for step in ("line", "next line") if only_lines else ("line", "next line", "function"):
            self.take(step, rest, *keys[step])
        if not only_lines:
            self.take("anywhere", rest, *keys["anywhere"])
        self.take_unplaced(oracle, rest)
        self.wrong = self.wrong_rows(rest, kinds, untyped)
        if not repeats:
            self.compare_shares(found, kinds)
        self.left = [row for row in self.left if row.blocks]
        names = {row.kind for row in own if row.kind}
        self.types, self.types_found = len(names), len(names & {row.kind for row in found})

    @staticmethod
    def take_unplaced(oracle, rest):
        """Blocks that the oracle has in code that is not the program's."""
        unplaced = collections.Counter()
        for row in oracle:
            if row.kind and not row.places[0][1]:
                unplaced[row.kind] += row.blocks
        for row in rest:
            both = min(row.blocks, unplaced[row.kind])
            unplaced[row.kind] -= both
            row.blocks -= both

    def wrong_rows(self, rest, kinds, untyped):
        lacking = collections.Counter()
        for row in self.left:
            for line in {place[:2] for place in row.places}:
                lacking[line] += row.blocks
        wrong = []
        for row in rest:
            line = row.places[0][:2]
            if row.blocks and line in kinds:
                spared = min(row.blocks, untyped[line])
                untyped[line] -= spared
                most = row.blocks - spared if row.kind not in kinds[line] else min(row.blocks - spared, lacking[line])
                if most > 0:
                    wrong.append(Row(row.places, row.kind, most, row.source))
                    row.blocks -= most
        return wrong

    def compare_shares(self, found, kinds):
        """For programs that allocate more or less in each run: of the blocks that are found at lines with types, how many have one
        of these."""
        at_lines = [row for row in found if row.places[0][:2] in kinds]
        right = sum(row.blocks for row in at_lines if row.kind in kinds[row.places[0][:2]])
        self.wrong = [row for row in self.wrong if row.kind not in kinds[row.places[0][:2]]]
        self.typed = sum(row.blocks for row in at_lines)
        self.matched = collections.Counter({"line": right})
        lines = {row.places[0][:2] for row in at_lines}
        self.left = [Row([(*place, "")], kind, 1, None) for place in lines for kind in sorted(kinds[place])
                     if not any(row.kind == kind for row in at_lines if row.places[0][:2] == place)]

    def take(self, step, rest, keys, key_of):
        index = collections.defaultdict(list)
        for row in rest:
            index[(row.kind, key_of(row))].append(row)
        for wanted in self.left:
            for key in dict.fromkeys(key for place in wanted.places for key in keys(*place)):
                for got in index.get((wanted.kind, key), ()):
                    both = min(wanted.blocks, got.blocks)
                    wanted.blocks -= both
                    got.blocks -= both
                    self.matched[step] += both

    def named(self):
        """The share of typed blocks that have their type."""
        return sum(self.matched.values()) / max(self.typed, 1)

    def at_line(self):
        """The share of typed blocks that have their type at its line, too."""
        return (self.matched["line"] + self.matched["next line"]) / max(self.typed, 1)

    def wrongly(self):
        return sum(row.blocks for row in self.wrong) / max(self.typed, 1)

    def certain(self):
        """Wrong rows that are said to be certain."""
        return [row for row in self.wrong if row.source == "certain"]

    def differences(self, most):
        """Lines of text, those with the most blocks first."""
        every = [(row.blocks, f"{row.blocks} of {row.kind} not found: {row.where()}") for row in self.left]
        every += [(row.blocks, f"{row.blocks} of {row.kind} too many ({row.source}): {row.where()}") for row in self.wrong]
        every.sort(key=lambda each: -each[0])
        return [text for _, text in every[:most]]
