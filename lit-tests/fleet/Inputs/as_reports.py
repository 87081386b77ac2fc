# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""as_reports.py INMEM FLEET REPORT.json...: the fleet's figures are the reports'."""
import json
import pathlib
import sys

from ask import ask

inmem, folder, *files = sys.argv[1:]
reports = [json.loads(pathlib.Path(file).read_text(encoding="utf-8")) for file in files]
FIGURES = ("allocations", "allocated_bytes", "frees", "freed_bytes", "live_allocations", "live_bytes", "temporary_allocations")

wanted = {}
for report in reports:
    for kind in report["types"]:
        sums = wanted.setdefault(kind["type"] or "", dict.fromkeys(FIGURES, 0))
        for figure in FIGURES:
            sums[figure] += kind[figure]
wanted = {name: sums for name, sums in wanted.items() if any(sums.values())}
columns = ", ".join(f"CAST(sum(t.{figure}) AS BIGINT) AS {figure}" for figure in FIGURES)
rows = ask(inmem, folder, f"SELECT coalesce(n.type, '') AS name, {columns} FROM types t JOIN type_names n ON n.type_id = t.type_id GROUP BY ALL")
found = {row.pop("name"): row for row in rows}
assert found == wanted, (found, wanted)

totals = ask(inmem, folder, "SELECT " + ", ".join(f"CAST(sum({figure}) AS BIGINT) AS {figure}" for figure in FIGURES) + " FROM processes")[0]
assert totals == {figure: sum(report["totals"][figure] for report in reports) for figure in FIGURES}, totals

# A lifetime that is known is in both tables of lifetimes, once.
known = sum(kind["lifetime"]["count"] for report in reports for kind in report["types"]
            if kind["lifetime"] and kind["lifetime"]["histogram"])
for table in ("lifetimes", "lifetimes_daily"):
    assert ask(inmem, folder, f"SELECT CAST(sum(n) AS BIGINT) AS n FROM {table}") == [{"n": known}], table
print("types, totals and lifetimes are those of", len(reports), "reports")
