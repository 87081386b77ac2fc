# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the accesses to each scalar field with those that DHAT saw at each of its bytes.

  dhat_fields.py REPORT.json DHAT.json [--except TYPE.FIELD]... [--sum TYPE.FIELD+FIELD]... [--exported EXPORT.json]

Types are matched with DHAT's blocks by size. The fields of --sum need only have the same sum. EXPORT.json is inmem's
export for DHAT's viewer: it has the same counts.
Exit code 1: something differs, or there are fewer than ten types to compare.
"""

import argparse
import json
import sys

SCALARS = {"int", "long", "short", "char", "bool", "double", "float", "unsigned int"}


def histograms(dhat):
    """Accesses by offset, of all blocks of one size."""
    found = {}
    for point in dhat["pps"]:
        size = point["tb"] // point["tbk"]
        if point["tb"] % point["tbk"] or "acc" not in point:
            continue
        counts = []
        run = iter(point["acc"])
        for number in run:
            counts.extend([next(run)] * -number if number < 0 else [number])
        sums = found.setdefault(size, [0] * size)
        for offset, count in enumerate(counts):
            sums[offset] += count
    return found


def is_scalar(field):
    name = field.get("type", "")
    return (name in SCALARS or name.endswith("*")) and "bits" not in field and not field["opaque"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("report")
    parser.add_argument("dhat")
    parser.add_argument("--except", dest="left_out", action="append", default=[])
    parser.add_argument("--sum", dest="sums", action="append", default=[])
    parser.add_argument("--exported")
    options = parser.parse_args()
    with open(options.report) as file:
        report = json.load(file)
    with open(options.dhat) as file:
        seen = histograms(json.load(file))

    counted, bytes_of = {}, {}
    types = set()
    for row in report["types"]:
        for field in row.get("fields", []) if row["size"] in seen else []:
            if is_scalar(field):
                name = f"{row['type']}.{field['field']}"
                types.add(row["type"])
                counted[name] = field["reads"] + field["writes"] + field["copies"]
                bytes_of[name] = seen[row["size"]][field["offset"] : field["offset"] + field["bytes"]]
    wrong = 0
    for total in options.sums:
        of, fields = total.rsplit(".", 1)
        names = [f"{of}.{field}" for field in fields.split("+")]
        ours, theirs = (sum(counted[name] for name in names), sum(bytes_of[name][0] for name in names))
        if abs(ours - theirs) > 1:  # half of an odd number
            print(f"{total}: counted {ours}, DHAT {theirs}")
            wrong += 1
        options.left_out += names
    for name, count in counted.items():
        if name not in options.left_out and set(bytes_of[name]) != {count}:
            print(f"{name}: counted {count}, DHAT {sorted(set(bytes_of[name]))}")
            wrong += 1
    if options.exported:
        with open(options.exported) as file:
            content = json.load(file)
        written = histograms(content)
        for row in report["types"]:
            for field in row.get("fields", []) if row["size"] in seen else []:
                name = f"{row['type']}.{field['field']}"
                counts = written[row["size"]][field["offset"] : field["offset"] + field["bytes"]]
                if name in counted and name not in options.left_out and counts != bytes_of[name]:
                    print(f"{name}: exported {counts}, DHAT {bytes_of[name]}")
                    wrong += 1
        wrong += not content["bkacc"] or not all("rb" in point and "wb" in point for point in content["pps"])
    print(f"{len(types)} types:", *sorted(types))
    return wrong > 0 or len(types) < 10


if __name__ == "__main__":
    sys.exit(main())
