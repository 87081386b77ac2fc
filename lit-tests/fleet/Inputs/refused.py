# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""refused.py INMEM FLEET WORK EACH: what a question may not do is one line, exit code 2, and leaves no file. One in EACH is asked."""
import os
import subprocess
import sys
from pathlib import Path

inmem, folder, work, each = sys.argv[1:]
secret = os.path.join(work, "secret.csv")
with open(secret, "w", encoding="utf-8") as out:
    out.write("a\n1\n")
before = sorted(os.walk(folder))
questions = [
    ["selec", folder],
    ["SELECT nothing FROM types", folder],
    ["SELECT 1; SELECT 2", folder],
    [" ", folder],
    [f"SELECT * FROM read_csv('{secret}')", folder],
    [f"SELECT * FROM read_text('{folder}/../secret.csv')", folder],
    [f"COPY (SELECT 1) TO '{folder}/types/x.csv'", folder],
    ["SET enable_external_access = true", folder],
    ["CREATE TABLE x AS SELECT 1", folder],
    [f"SELECT 1) TO '{work}/y.csv' (FORMAT csv); --", folder, "--format", "parquet", "-o", os.path.join(work, "z.parquet")],
    ["top-type", folder],
    ["growth", folder, "--param", "old=1"],
    ["top-types", folder, "--param", "top=many"],
    ["top-types", work],
]
# An answer never replaces a file of the fleet, whatever its name is there.
table = next(os.path.join(at, name) for at, _, names in os.walk(os.path.join(folder, "types")) for name in names)
manifest = os.path.join(folder, "_manifest", sorted(os.listdir(os.path.join(folder, "_manifest")))[-1])
link = os.path.join(work, "link")
if os.path.lexists(link):
    os.remove(link)
os.link(table, link)
contents = {name: Path(name).read_bytes() for name in (table, manifest)}
for output in (table, manifest, link):
    for option in (["-o"], ["--html"], ["--format", "parquet", "-o"]):
        questions.append(["SELECT 1 AS a", folder, *option, output])
asked = questions[:: int(each)]
for words in asked:
    done = subprocess.run([inmem, "query", *words], capture_output=True, text=True)
    assert done.returncode == 2 and done.stdout == "" and done.stderr.count("\n") == 1, (words, done)
assert sorted(os.walk(folder)) == before
assert contents == {name: Path(name).read_bytes() for name in contents}
assert not os.path.exists(os.path.join(work, "y.csv")) and not os.path.exists(os.path.join(work, "z.parquet"))
print(len(asked), "refused")
