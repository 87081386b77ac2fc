# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""to_trace.py INMEM FLEET TRACES WORK: a row of a sum leads to the trace's file, which inmem html opens."""
import os
import shutil
import subprocess
import sys

from ask import ask

inmem, folder, traces, work = sys.argv[1:]
rows = {row["trace_file"]: str(row["trace_id"]) for row in ask(inmem, folder, "traces")}
name, number = next(iter(rows.items()))
other = next(file for file in rows if file != name)


def query(*words):
    return subprocess.run([inmem, "query", *words], capture_output=True, text=True)


assert name in query("--trace", number, folder, "--format", "csv").stdout
# Another trace of the same name, in a folder that is looked into first, and in the place of collect.
for day in ("date=1970-01-01/service=shop", "a", "z/deeper"):
    os.makedirs(os.path.join(work, day))
    shutil.copy(os.path.join(traces, name if day.startswith("z") else other), os.path.join(work, day, name))
found = query("--trace", number, folder, "--traces", work)
assert found.stdout == os.path.join(work, "z/deeper", name) + "\n", found
shutil.copy(os.path.join(traces, name), os.path.join(work, "date=1970-01-01/service=shop", name))
found = query("--trace", number, folder, "--traces", work)
assert "date=1970-01-01" in found.stdout, found
page = os.path.join(work, "page.html")
subprocess.run([inmem, "html", "-o", page, found.stdout.rstrip("\n")], check=True, capture_output=True)
assert os.path.getsize(page) > 1000
for words, code in (((number, folder, "--traces", os.path.join(work, "a")), 3), (("1", folder, "--traces", work), 2)):
    done = query("--trace", *words)
    assert done.returncode == code and done.stdout == "" and done.stderr.count("\n") == 1, done
print(name, "opened")
