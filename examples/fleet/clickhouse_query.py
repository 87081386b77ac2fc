#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The stored questions of `inmem query` on ClickHouse, with the statements of docs/fleet-engines.md.

  clickhouse_query.py FLEET QUESTION [name=value]...   rows as JSON, one a line
  clickhouse_query.py FLEET --compare INMEM            every question, row by row as `inmem query` answers it

FLEET is a folder: its paths stand for those of the bucket in the statements. Needs chdb, the engine as a library
(`pip install chdb==4.4.0`).
"""
import argparse
import json
import re
import sys
import tempfile
from pathlib import Path

from spark_query import QUERIES, ask_inmem, read_question, values_of

DOCS = Path(__file__).resolve().parent.parent.parent / "docs"
BUCKET = re.compile(r"s3\('s3://bucket/fleet/(\w+)/([^']*)', 'Parquet'\)")


def statements():
    """The page's statements in order; then the views of tables that leave cells out."""
    page = (DOCS / "fleet-engines.md").read_text(encoding="utf-8").split("## ClickHouse")[1]
    schema = (DOCS / "fleet-schema.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```text\n(.*?)```", page, re.S) + re.findall(r"```text\n(CREATE VIEW types .*?)```", schema, re.S)
    return [statement.strip() for block in blocks for statement in block.split(";\n") if statement.strip()]


def create(query, fleet):
    """Runs the statements of tables that have a folder; returns those that have none."""
    missing = set()
    for statement in statements():
        found = BUCKET.search(statement)
        if found and not (fleet / found[1]).is_dir():
            missing.add(found[1])
            continue
        query(BUCKET.sub(lambda match: f"file('{fleet}/{match[1]}/{match[2]}', 'Parquet')", statement))
    return missing


def text_of(value):
    return str(value) if isinstance(value, int) else "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"


def ask(query, sql, values):
    sql = re.sub(r":(\w+)", lambda match: text_of(values[match[1]]), sql)
    text = query(sql, "JSONEachRow")
    return [json.loads(line) for line in text.splitlines()]


def compare(query, options, missing):
    names = sorted(file.stem for file in QUERIES.glob("*.sql"))
    builds = [row["build"] for row in ask_inmem(options.compare, options.fleet, "SELECT DISTINCT build FROM processes ORDER BY build", {})]
    middle = len(builds) // 2
    given = {"old": builds[max(0, middle - 1)], "new": builds[middle], "type": "%e%"}
    given.update(word.split("=", 1) for word in options.values)
    same, left_out = 0, 0
    for name in names:
        sql, parameters = read_question(name, QUERIES)
        values = values_of(parameters, given)
        absent = sorted(table for table in missing if re.search(rf"\b(FROM|JOIN) {table}\b", sql))
        if absent:
            left_out += 1
            print(f"no {absent[0]} for {name}")
            continue
        wanted = ask_inmem(options.compare, options.fleet, name, values)
        try:
            found = ask(query, sql, values)
        except Exception as error:  # chdb has one kind of error
            print(f"FAILS {name}: {error}", flush=True)
            continue
        if wanted == found:
            same += 1
            print(f"same {name}: {len(wanted)} rows", flush=True)
            continue
        print(f"DIFFERS {name}", flush=True)
        for left, right in zip(wanted, found, strict=False):
            if left != right:
                print("  inmem     ", left, "\n  clickhouse", right)
                break
    print(f"{same} of {len(names) - left_out} questions have the same rows")
    return 0 if same == len(names) - left_out else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fleet", type=Path)
    parser.add_argument("question", nargs="?")
    parser.add_argument("values", nargs="*", metavar="name=value")
    parser.add_argument("--compare", metavar="INMEM", help="the inmem to compare with")
    options = parser.parse_intermixed_args()
    if options.compare and options.question:
        options.values.insert(0, options.question)
    from chdb import session

    with tempfile.TemporaryDirectory() as folder:
        opened = session.Session(folder)

        def query(sql, form="JSONEachRow"):
            return str(opened.query(sql, form))

        missing = create(query, options.fleet.resolve())
        if options.compare:
            return compare(query, options, missing)
        sql, parameters = read_question(options.question, QUERIES)
        for row in ask(query, sql, values_of(parameters, dict(word.split("=", 1) for word in options.values))):
            print(json.dumps(row, ensure_ascii=False))
    return 0


if __name__ == "__main__":
    sys.exit(main())
