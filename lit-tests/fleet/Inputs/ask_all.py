# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ask_all.py INMEM FLEET [ANSWERS [NAME=VALUE...]]: each stored question has an answer, which goes into the file ANSWERS.

A parameter that has no default gets the VALUE given here, or `%`."""
import json
import re
import subprocess
import sys

from ask import ask

inmem, folder = sys.argv[1:3]
values = dict(word.split("=", 1) for word in sys.argv[4:])
listing = subprocess.run([inmem, "query", "--list"], capture_output=True, text=True, check=True).stdout
names = re.findall(r"^(\S+)$", listing, re.M)
answers = {}
for name in names:
    part = listing.partition(f"\n{name}\n")[2] if not listing.startswith(name + "\n") else listing[len(name) + 1:]
    needed = []
    for line in part.splitlines():
        if not line.startswith("    "):
            break
        found = re.match(r"    --param (\w+)=…", line)
        if found:
            needed.append(f"{found[1]}={values.get(found[1], '%')}")
    answers[name] = ask(inmem, folder, name, *needed)
if len(sys.argv) > 3:
    with open(sys.argv[3], "w", encoding="utf-8") as out:
        json.dump(answers, out, indent=1)
    print(sum(1 for rows in answers.values() if rows), "with rows")
print(len(names), "questions, all answered")
