# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""engines.py INMEM FOLDER PAGE: holds the statements of docs/fleet-engines.md against the tables that `inmem query` has."""
import re
import sys

from ask import ask

COLUMNS = "SELECT table_name, column_name, data_type FROM duckdb_columns() WHERE NOT internal ORDER BY table_name, column_index LIMIT 1000"
NAMES = ("type_names", "site_names")
DERIVED = ("types", "sites")


def main(inmem, folder, page):
    tables = {}
    for row in ask(inmem, folder, COLUMNS):
        tables.setdefault(row["table_name"], []).append((row["column_name"], row["data_type"]))
    del tables["place_names"]  # a view of site_names
    with open(page, encoding="utf-8") as file:
        trino, clickhouse = file.read().split("## ClickHouse")
    for view in (*NAMES, "place_names"):
        assert f"CREATE VIEW hive.inmem.{view} AS" in trino and f"CREATE VIEW {view} AS" in clickhouse, f"no view {view}"
    for table, columns in tables.items():
        name = f"{table}_files" if table in NAMES + DERIVED else table
        # The files of names lie in folders of days, too; the views leave the day out.
        expected = columns + [("date", "VARCHAR"), ("service", "VARCHAR")] if table in NAMES else columns
        found = re.search(rf"CREATE TABLE hive\.inmem\.{name} \((.*?)\)\s+WITH \((.*?)\);", trino, re.DOTALL)
        assert found, f"Trino: no table {name}"
        words = [tuple(column.split()) for column in found[1].split(",")]
        assert words == expected, f"Trino: {name}: {set(words) ^ set(expected) or 'the order differs'}"
        parted = ("date", "VARCHAR") in expected
        assert f"'s3://bucket/fleet/{table}'" in found[2] and ("partitioned_by" in found[2]) == parted, f"Trino: {name}: {found[2]}"
        synced = f"sync_partition_metadata('inmem', '{name}', 'FULL')" in trino
        assert synced == parted, f"Trino: {name}: partitions"
        depth = "*/*/*.parquet" if parted else "*.parquet"
        assert re.search(rf"CREATE VIEW {name} AS\s[^;]*s3\('s3://bucket/fleet/{table}/{re.escape(depth)}'", clickhouse), f"ClickHouse: no view {name}"
    print(f"{len(tables)} tables have their statements")


main(*sys.argv[1:])
