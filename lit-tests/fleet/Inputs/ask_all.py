# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ask_all.py INMEM FLEET: each stored question has an answer."""
import re
import subprocess
import sys

from ask import ask

inmem, folder = sys.argv[1:]
listing = subprocess.run([inmem, "query", "--list"], capture_output=True, text=True, check=True).stdout
names = re.findall(r"^(\S+)$", listing, re.M)
for name in names:
    part = listing.partition(f"\n{name}\n")[2] if not listing.startswith(name + "\n") else listing[len(name) + 1:]
    needed = []
    for line in part.splitlines():
        if not line.startswith("    "):
            break
        found = re.match(r"    --param (\w+)=…", line)
        if found:
            needed.append(f"{found[1]}=%")
    ask(inmem, folder, name, *needed)
print(len(names), "questions, all answered")
