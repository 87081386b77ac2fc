# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""verdicts.py INMEM INMEM-FIX FOLDER: `inmem fix --verify` on edits that the program FOLDER/variants plays."""
import json
import os
import pathlib
import re
import subprocess
import sys

INMEM, FIX, FOLDER = (pathlib.Path(each).resolve() for each in sys.argv[1:4])
VERDICTS = {"Helps": "kept", "Peaks": "the peak rises", "Slow": "it takes more CPU time", "Fails": "its tests fail: not with that",
            "Prints": "the program prints something else", "Exits": "the exit code becomes 3", "Less": "saves less than half"}
FUNCTION = """
std::vector<int> make{0}() {{
  std::vector<int> {0};
  for (int I = 0; I < 9; ++I)
    {0}.push_back(I);
  return {0};
}}
"""
PADDED = """
struct Bytes {
  char Kind = 0;
  double Value = 0;
  char Flag = 0;
};
int main() { return Bytes().Kind; }
"""
BUILD = """#!/bin/sh
grep -o '[A-Z][a-z]*[.]reserve' project.cpp | sed 's/[.].*//' >variant
if grep -A1 'struct Bytes' project.cpp | grep -q double; then echo Bytes >>variant; fi
cp "$VARIANTS" program
"""

project = FOLDER / "plain"
project.mkdir()
source = project / "project.cpp"
source.write_text("#include <vector>\n" + "".join(map(FUNCTION.format, VERDICTS)) + PADDED)
(project / "build.sh").write_text(BUILD)
(project / "build.sh").chmod(0o755)
(project / "compile_commands.json").write_text(json.dumps([{"directory": str(project), "file": "project.cpp", "arguments": ["clang++", "-c", "project.cpp"]}]))
lines = source.read_text().splitlines()


def finding(rule, words, **more):
    line = next(number for number, text in enumerate(lines, 1) if words in text)
    return {"rule": rule, "severity": "low", "message": "", "site": {"file": "project.cpp", "line": line}, **more}


def verify(findings, folder, **more):
    request = {"mode": "verify", "database": str(project), "root": str(project), "folder": str(project), "tool": str(INMEM), "output": str(FOLDER / folder),
               "build": "./build.sh", "test": "if grep -q Fails variant; then echo not with that; exit 1; fi", "command": ["./program"], "runs": 1,
               "timeout": 60, "findings": findings} | more
    path = FOLDER / "request.json"
    path.write_text(json.dumps(request))
    before = {each.name: each.read_bytes() for each in project.iterdir()}
    done = subprocess.run([FIX, path], capture_output=True, text=True, env=os.environ | {"VARIANTS": str(FOLDER / "variants"), "TMPDIR": str(FOLDER)})
    print(done.stdout, done.stderr)
    assert done.returncode == 0, done.returncode
    assert {each.name: each.read_bytes() for each in project.iterdir()} == before, "the project was changed"
    assert not list(FOLDER.glob("inmem-fix*")), "a copy is left"
    return done.stdout


growth = [finding("vector-regrowth", f"{name}.push_back", saves_allocations=600) for name in VERDICTS]
table = verify(growth, "growth")
for name, one in zip(VERDICTS, growth, strict=True):
    row = next(line for line in table.splitlines() if f"project.cpp:{one['site']['line']} " in line)
    assert VERDICTS[name] in row and ("kept" in row) == (name == "Helps"), row
assert "together: 499 of " in table, table  # 500, and the word that the program keeps
assert (FOLDER / "growth/series.patch").read_text().count("reserve") == 1

# The output is left to the tests.
assert "kept" in verify([growth[list(VERDICTS).index("Prints")]], "ignored", ignore_output=True)

# The members' order saves bytes, and no blocks.
padding = finding("padding", "Bytes()", type="Bytes", advice="declare members in the order Value, Kind, Flag", saves_bytes=8000)
table = verify([padding], "padding")
assert "kept" in table and "together: -1 of " in table and re.search(r", 79\d\d bytes", table) and "less than" not in table, table
assert (FOLDER / "padding/series.patch").exists()
