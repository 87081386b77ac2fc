# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""program-lines.py SOURCE TRACE INMEM [--addresses]

Lines of SOURCE that end in a comment of numbers, such as "// 7 + 2", allocate as many blocks. Compares them with the
report's rows: each row counts for its caller's line, else for its own. With --addresses the numbers alone are compared,
since the program has no lines."""

import collections
import json
import re
import subprocess
import sys

source, trace, tool = sys.argv[1:4]
with open(source, encoding="utf-8") as file:
    expected = {
        number: eval(found[1])
        for number, line in enumerate(file, 1)
        if (found := re.search(r"// ([\d+ ]+)$", line)) and not line.startswith("//")
    }
report = json.loads(subprocess.run([tool, "report", "--format", "json", trace], capture_output=True, check=True).stdout)
found = collections.Counter()
for kind in report["types"]:
    for site in kind["sites"]:
        place = site.get("caller") or site
        key = place.get("line") or place["function"]
        found[key] += site["allocations"]
if "--addresses" in sys.argv:
    program = trace.rsplit("/", 1)[-1].removesuffix(".inmem")
    found = {key: count for key, count in found.items() if str(key).startswith(program + "+")}
    ok = sorted(found.values()) == sorted(expected.values())
else:
    found = {key: count for key, count in found.items() if isinstance(key, int)}
    ok = found == expected
if not ok:
    print("expected", dict(sorted(expected.items())))
    print("found   ", dict(sorted(found.items(), key=str)))
    sys.exit("program-lines: the rows differ")
