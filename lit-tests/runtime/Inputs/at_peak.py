#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares what a report says was alive at the peak with what the program knows.

  at_peak.py --exact SHARE TRUTH REPORT

TRUTH has a line a type: name, bytes, blocks. Each figure of the report must be the truth's, each
bound hold, for the type and its sites; at least SHARE of the types are known exactly.
"""
import argparse
import json
import sys


def faults(name, truth, found):
    for unit, true in zip(("bytes", "blocks"), truth, strict=True):
        if not found[f"{unit}_at_least"] <= true <= found[f"{unit}_at_most"] or found[unit] not in (None, true):
            yield f"{name}: {true} {unit}, but {found}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--exact", type=float, required=True)
    parser.add_argument("truth")
    parser.add_argument("report")
    options = parser.parse_args()
    with open(options.report, encoding="utf-8") as file:
        types = {row["type"]: row for row in json.load(file)["types"]}
    wrong, exact, bounds, rows = [], 0, [], 0
    with open(options.truth, encoding="utf-8") as file:
        for line in file:
            name, *truth = line.split()
            truth = [int(figure) for figure in truth]
            rows += 1
            if name not in types:
                exact += truth == [0, 0]
                continue
            found = types[name]["at_peak"]
            wrong += faults(name, truth, found)
            for site in types[name]["sites"]:
                wrong += faults(f"{name} at line {site['line']}", truth, site["at_peak"])
            exact += [found["bytes"], found["blocks"]] == truth
            bounds.append(f"{name}: {truth}, {found}")
    print("\n".join(wrong + bounds))
    print(f"{exact} of {rows} types are exact")
    return 1 if wrong or exact < options.exact * rows else 0


if __name__ == "__main__":
    sys.exit(main())
