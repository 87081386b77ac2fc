#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The stored questions of `inmem query`, unchanged, on Apache Spark.

  spark_query.py FLEET QUESTION [name=value]...     rows as JSON, one a line
  spark_query.py FLEET --compare INMEM              every question, row by row as `inmem query` answers it

Needs pyspark 4.3 (`pip install pyspark==4.3.0`) and Java 17. Runs in this process with two threads, or on the
cluster that --master names: `local-cluster[2,1,1024]` starts two executors of 1 GB on this machine.
"""
import argparse
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

QUERIES = Path(__file__).resolve().parent.parent.parent / "fleet" / "queries"
# Tables with an id of which files of several days have a row.
DIMENSIONS = {"type_names": "type_id", "site_names": "site_id"}
WHOLE_SCHEMA = "inmem-fleet/1"
SCHEMAS = ("inmem-fleet/3", "inmem-fleet/2", WHOLE_SCHEMA)
# Cells that files of the later ones leave out, since others give them (docs/fleet-schema.md).
ELEMENTS = "nullif(coalesce(elements, allocations), -1)"
BYTES = "coalesce(allocated_bytes, allocations * size)"
FREES = "coalesce(frees, allocations - live_allocations)"
DERIVED = {
    "types": {
        "elements": ELEMENTS,
        "allocated_bytes": BYTES,
        "frees": FREES,
        "freed_bytes": f"coalesce(freed_bytes, {BYTES} - live_bytes)",
        "timed": f"coalesce(timed, {FREES})",
    },
    "sites": {"frees": FREES, "freed_bytes": "coalesce(freed_bytes, allocated_bytes - live_bytes)"},
}


def read_question(name, folder):
    """The SELECT of a stored question and its parameters: name, type, default or None."""
    text = (Path(folder) / f"{name}.sql").read_text(encoding="utf-8")
    parameters = {}
    for found in re.finditer(r"^-- :(\w+) (integer|text) (\S+)", text, re.M):
        parameters[found[1]] = (found[2], None if found[3] == "-" else found[3])
    return "".join(line for line in text.splitlines(keepends=True) if not line.startswith("-- ")), parameters


def values_of(parameters, given):
    out = {}
    for name, (kind, default) in parameters.items():
        value = given.get(name, default)
        if value is None:
            sys.exit(f"spark_query: {name}=… is missing")
        out[name] = int(value) if kind == "integer" else value
    return out


def newest_manifest(fleet):
    files = list((Path(fleet) / "_manifest").glob("[0-9]*.json"))
    if not files:
        sys.exit(f"spark_query: {fleet} is no fleet's folder: it has no _manifest")
    return json.loads(max(files).read_text(encoding="utf-8"))


def start(master):
    # Nothing listens on an address that others reach.
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    os.environ.setdefault("SPARK_LOCAL_HOSTNAME", "localhost")
    from pyspark.sql import SparkSession

    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "4",
        "spark.sql.sources.partitionColumnTypeInference.enabled": "false",
        "spark.network.timeout": "600s",
        "spark.executor.memory": "1g",
        "spark.log.level": "ERROR",
    }
    builder = SparkSession.builder.master(master).appName("inmem query")
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def make_views(spark, fleet, columns):
    """A view for each table of the newest manifest. `columns`: of tables without files."""
    by_table = {}
    for file in newest_manifest(fleet)["files"]:
        if file["schema"] not in SCHEMAS:
            sys.exit(f"spark_query: {fleet} has files of schema {file['schema']}")
        by_table.setdefault(file["table"], []).append(file)
    root = Path(fleet).resolve()

    def read(table, files):
        reader = spark.read
        if files[0].get("date"):
            reader = reader.option("basePath", str(root / table))
        return reader.parquet(*[str(root / file["path"]) for file in files])

    for table, schema in columns.items():
        files = by_table.get(table, [])
        derived = DERIVED.get(table, {})
        whole = [file for file in files if derived and file["schema"] == WHOLE_SCHEMA]
        rest = [file for file in files if file not in whole]
        parts = [read(table, whole)] if whole else []
        if rest:
            frame = read(table, rest)
            parts.append(frame.selectExpr(*[f"{derived[name]} AS {name}" if name in derived else name for name in frame.columns]))
        if not parts:
            parts.append(spark.createDataFrame([], schema))
        view = parts[0] if len(parts) == 1 else parts[0].unionByName(parts[1])
        view.createOrReplaceTempView(table)
    for table, key in DIMENSIONS.items():
        rest = [f"min({name}) AS {name}" for name in spark.table(table).columns if name not in (key, "date", "service")]
        once = spark.sql(f"SELECT {key}, {', '.join(rest)} FROM {table} GROUP BY {key}")
        once.createOrReplaceTempView(table)
    spark.sql("SELECT place_id, min(function) AS function, min(file) AS file FROM site_names GROUP BY place_id").createOrReplaceTempView("place_names")


def columns_by(inmem, fleet):
    """Tables and columns as `inmem query` has them, for tables that have no files."""
    found = ask_inmem(inmem, fleet, "SELECT table_name, column_name, data_type FROM duckdb_columns() WHERE NOT internal ORDER BY table_name, column_index", {})
    types = {"VARCHAR": "STRING", "INTEGER": "INT"}
    out = {}
    for row in found:
        if row["table_name"] != "place_names":
            out.setdefault(row["table_name"], []).append(f"{row['column_name']} {types.get(row['data_type'], row['data_type'])}")
    return {table: ", ".join(columns) for table, columns in out.items()}


def ask_inmem(inmem, fleet, question, values):
    command = [inmem, "query", question, fleet, "--format", "json"]
    for name, value in values.items():
        command += ["--param", f"{name}={value}"]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def ask_spark(spark, sql, values):
    return [row.asDict() for row in spark.sql(sql, args=values).collect()]


def kill_an_executor():
    """SIGKILL to the youngest executor that this process has started; false: there is none."""
    own = os.getpid()
    processes = subprocess.run(["ps", "-ww", "-eo", "pid=,ppid=,args="], capture_output=True, text=True, check=True).stdout
    table = {}
    for line in processes.splitlines():
        pid, parent, args = line.split(None, 2)
        table[int(pid)] = (int(parent), args)

    def is_ours(pid):
        while pid in table:
            if pid == own:
                return True
            pid = table[pid][0]
        return False

    executors = [pid for pid, (_, args) in table.items() if "CoarseGrainedExecutorBackend" in args and is_ours(pid)]
    if executors:
        os.kill(max(executors), signal.SIGKILL)
    return bool(executors)


def compare(spark, options):
    names = sorted(file.stem for file in Path(options.queries).glob("*.sql"))
    builds = [row["build"] for row in ask_inmem(options.compare, options.fleet, "SELECT DISTINCT build FROM processes ORDER BY build", {})]
    middle = len(builds) // 2
    given = {"old": builds[max(0, middle - 1)], "new": builds[middle], "type": "%e%"}
    given.update(word.split("=", 1) for word in options.values)
    failed, killed = 0, []
    for number, name in enumerate(names):
        sql, parameters = read_question(name, options.queries)
        values = values_of(parameters, given)
        wanted = ask_inmem(options.compare, options.fleet, name, values)
        if options.kill and number == len(names) // 2:
            # In the middle of the question, if it takes as long.
            timer = threading.Timer(0.3, lambda: killed.append(kill_an_executor()))
            timer.start()
        began = time.monotonic()
        found = ask_spark(spark, sql, values)
        same = wanted == found
        print(f"{'same' if same else 'DIFFERS'} {name}: {len(wanted)} rows, {time.monotonic() - began:.1f} s", flush=True)
        if not same:
            failed += 1
            for left, right in zip(wanted, found, strict=False):
                if left != right:
                    print("  inmem", left, "\n  spark", right)
                    break
    print(f"{len(names) - failed} of {len(names)} questions have the same rows" + (f", executors killed: {sum(killed)}" if options.kill else ""))
    return 1 if failed or (options.kill and not any(killed)) else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fleet")
    parser.add_argument("question", nargs="?")
    parser.add_argument("values", nargs="*", metavar="name=value")
    parser.add_argument("--compare", metavar="INMEM", help="the inmem to compare with")
    parser.add_argument("--inmem", default="inmem", help="where the columns of empty tables come from")
    parser.add_argument("--kill", action="store_true", help="with --compare: kill an executor in the middle")
    parser.add_argument("--master", default="local[2]")
    parser.add_argument("--queries", default=str(QUERIES), help="folder of the stored questions")
    options = parser.parse_intermixed_args()
    if options.compare and options.question:
        options.values.insert(0, options.question)
    spark = start(options.master)
    make_views(spark, options.fleet, columns_by(options.compare or options.inmem, options.fleet))
    if options.compare:
        return compare(spark, options)
    sql, parameters = read_question(options.question, options.queries)
    for row in ask_spark(spark, sql, values_of(parameters, dict(word.split("=", 1) for word in options.values))):
        print(json.dumps(row, ensure_ascii=False))
    return 0


if __name__ == "__main__":
    sys.exit(main())
