# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""to_trace.py INMEM FLEET: a row of a sum leads to the trace's file."""
import subprocess
import sys

from ask import ask

inmem, folder = sys.argv[1:]
row = ask(inmem, folder, "traces")[0]
found = subprocess.run([inmem, "query", "--trace", str(row["trace_id"]), folder, "--format", "csv"], capture_output=True, text=True, check=True)
assert row["trace_file"] in found.stdout, found.stdout
print(row["trace_file"])
