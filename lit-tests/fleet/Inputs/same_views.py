# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""same_views.py INMEM FLEET ROOT: the views of inmem query, of the Spark runner and of the docs give the same values for what files leave out."""
import importlib.util
import re
import sys
from pathlib import Path

from ask import ask

inmem, folder, root = sys.argv[1], sys.argv[2], Path(sys.argv[3])
spec = importlib.util.spec_from_file_location("spark_query", root / "examples/fleet/spark_query.py")
runner = importlib.util.module_from_spec(spec)
spec.loader.exec_module(runner)


def bare(sql):
    """Without spaces, parentheses and case, which engines write in their own ways; coalesce() for what CASE says."""
    sql, replaced = re.sub(r'[\s()"]|cast|asbigint', "", sql.lower()).replace("-1", "_1"), 1
    while replaced:
        sql, replaced = re.subn(r"casewhen(\w+?)isnotnullthen\1else((?:(?!casewhen).)*?)end", r"coalesce\1,\2", sql)
    return sql


views = {row["view_name"]: bare(row["sql"]) for row in ask(inmem, folder, "SELECT view_name, sql FROM duckdb_views() WHERE NOT internal")}
docs = bare((root / "docs/fleet-schema.md").read_text(encoding="utf-8"))
count = 0
for table, columns in runner.DERIVED.items():
    for name, value in columns.items():
        wanted = bare(f"{value} AS {name}")
        assert wanted in views[table], (wanted, views[table])
        assert wanted in docs, wanted
        count += 1
assert sum(view.count("coalesce") for view in views.values()) == sum(value.count("coalesce") for part in runner.DERIVED.values() for value in part.values())
print(count, "columns, the same everywhere")
