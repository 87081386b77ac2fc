#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Asserts on a report of `inmem report --format json`.

  expect.py REPORT.json 'totals.allocations == 3' 'types["Foo"].live_bytes == 0'
  expect.py REPORT.json --in SOURCE [--prefix NAME]...    those of lines `NAME: CONDITION` (default EXPECT)

Conditions are Python expressions over the report's own members (totals, types,
processes), with `types` indexed by name (None for the row of unknown type),
`typed`: the rows with a type, `sites`: a flat list of all sites, and `untyped`: those of
instrumented code without a type, `threads`, and
`fields` by "TYPE.FIELD". Every report is
also checked against what must always hold. Exit code 1: something does not hold.
"""
import ast
import json
import sys

import conditions

SUMMED = ["allocations", "allocated_bytes", "frees", "freed_bytes", "live_allocations", "live_bytes"]


class Row(dict):
    """A JSON object whose members can be written with a dot."""

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"no member {name!r} in {sorted(self)}") from None


class Types(dict):
    def __missing__(self, name):
        raise KeyError(f"no type {name!r} in the report; it has {sorted(map(str, self))}")


def broken_invariants(report):
    """What does not hold although it must in every report."""
    totals = report.totals
    for key in SUMMED:
        if totals[key] is None:  # another tool's profile may not know it
            if any(row[key] is not None for row in report.types):
                yield f"types know {key}, totals do not"
            continue
        total = sum(row[key] for row in report.types)
        if total != totals[key]:
            yield f"types' {key} add up to {total}, not totals.{key} = {totals[key]}"
    rows = [("totals", totals)] + [(f"type {row.type!r}", row) for row in report.types]
    for where, row in rows if None not in (totals[key] for key in SUMMED) else []:
        had = row.allocations + row.get("carried_allocations", 0)
        if had != row.frees + row.live_allocations:
            yield f"{where}: allocations {had} != frees {row.frees} + live {row.live_allocations}"
        had = row.allocated_bytes + row.get("carried_bytes", 0)
        if had != row.freed_bytes + row.live_bytes:
            yield f"{where}: allocated_bytes {had} != freed {row.freed_bytes} + live {row.live_bytes}"
        peak = row.peak_live_bytes
        if peak is not None and not row.live_bytes <= peak <= had:
            yield f"{where}: peak_live_bytes {peak} is not between live and allocated"
    for row in report.types:
        lifetime = row.lifetime
        if lifetime is None:
            continue
        if lifetime.count != row.frees:
            yield f"type {row.type!r}: lifetime.count {lifetime.count} != frees {row.frees}"
        if sum(bucket["count"] for bucket in lifetime.histogram) != lifetime.count:
            yield f"type {row.type!r}: the buckets' counts do not add up to {lifetime.count}"
        edges = [edge for bucket in lifetime.histogram for edge in (bucket["from"], bucket["to"])]
        if edges != sorted(edges):
            yield f"type {row.type!r}: buckets overlap or are out of order: {edges}"
        if sum(site["allocations"] for site in row.sites) != row.allocations:
            yield f"type {row.type!r}: the sites' allocations do not add up to {row.allocations}"


def explain(condition, names):
    """The values on both sides of a comparison, for the failure message."""
    tree = ast.parse(condition, mode="eval").body
    if not isinstance(tree, ast.Compare):
        return ""
    parts = [tree.left, *tree.comparators]
    values = [repr(eval(compile(ast.Expression(part), "<condition>", "eval"), names)) for part in parts]
    return ": " + " | ".join(value[:300] for value in values)


def failures(report, wanted):
    """What does not hold of a report, read with Row as its object_hook."""
    names = {
        "json": json,
        "report": report,
        "totals": report.totals,
        "processes": report.processes,
        "types": Types((row.type, row) for row in report.types),
        "typed": [row for row in report.types if row.type is not None],
        "untyped": [site for row in report.types if row.type is None for site in row.sites if site.kind != "caller"],
        "threads": report.get("threads", []),
        "fields": {
            f"{row.type}.{field.field}": field for row in report.types for field in row.get("fields", []) if field.field
        },
        "sites": [site for row in report.types for site in row.sites],
    }
    found = list(broken_invariants(report))
    for condition in wanted:
        try:
            if not eval(condition, names):
                found.append(f"does not hold: {condition}{explain(condition, names)}")
        except Exception as error:
            found.append(f"cannot be evaluated: {condition}: {type(error).__name__}: {error}")
    return found


def main():
    path, wanted = conditions.parse(__doc__)
    with open(path) as file:
        report = json.load(file, object_hook=Row)
    found = failures(report, wanted)
    for failure in found:
        print(f"{path}: {failure}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
