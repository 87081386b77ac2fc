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
# Two rules edit the statement in the loop; the last two edits do not go together.
TOGETHER = """
static std::string loud(std::string Text) {
  return Text.substr(1);
}
std::string together(const std::vector<std::string> &Names) {
  std::string Joined;
  for (const std::string &Name : Names)
    Joined += loud(std::string(Name));
  return Joined;
}
""" + "".join(map(FUNCTION.format, ("Helps", "Alone", "Apart")))
TEST = "if grep -q Fails variant || { grep -q Alone variant && grep -q Apart variant; }; then echo not with that; exit 1; fi"
BUILD = """#!/bin/sh
grep -o '[A-Z][a-z]*[.]reserve' project.cpp | sed 's/[.].*//' >variant
if grep -q 'loud(const' project.cpp; then echo Loud >>variant; fi
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


def finding(rule, words, **more):
    line = next(number for number, text in enumerate(source.read_text().splitlines(), 1) if words in text)
    return {"rule": rule, "severity": "low", "message": "", "site": {"file": "project.cpp", "line": line}, **more}


def verify(findings, folder, **more):
    request = {"schema": "inmem-fix/1", "mode": "verify", "database": str(project),
               "root": str(project), "folder": str(project), "tool": str(INMEM), "output": str(FOLDER / folder),
               "build": "./build.sh", "test": TEST, "command": ["./program"], "runs": 1,
               "timeout": 1800, "findings": findings} | more
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

# Each helps alone. What overlaps an earlier edit, or does not go with the earlier ones, costs the series nothing else.
source.write_text("#include <string>\n#include <vector>\n" + TOGETHER)
edits = {"Helps.push": 0, "Joined +=": 200, "loud(std::string Text)": 0, "Alone.push": 0, "Apart.push": 0}
several = [finding("string-copies" if "loud" in words else "string-regrowth" if room else "vector-regrowth", words, reserve=room, saves_allocations=600)
           for words, room in edits.items()]
rows = verify(several, "several").splitlines()
at = {words: f"project.cpp:{one['site']['line']}" for words, one in zip(edits, several, strict=True)}
for words, verdict in zip(edits, ("kept", "kept", f"dropped: overlaps with the edit at {at['Joined +=']}", "kept",
                                  "dropped: with the earlier patches, its tests fail: not with that"), strict=True):
    row = next(line for line in rows if f"{at[words]} " in line)
    assert row.endswith(verdict) and " 49" in row, row
assert rows[-1].startswith("together: 149") and "less than" not in rows[-1], rows[-1]
series = (FOLDER / "several/series.patch").read_text()
assert series.count("reserve(") == 3 and "Apart.reserve" not in series and "loud(const" not in series, series

# Whatever else joins edits names what it leaves out.
left = f"{at['loud(std::string Text)']}: left out: overlaps with the edit at {at['Joined +=']}: record again and repeat\n"
for mode in ("yaml", "apply"):
    request = {"schema": "inmem-fix/1", "mode": mode, "database": str(project), "root": str(project), "findings": several}
    (FOLDER / "request.json").write_text(json.dumps(request))
    done = subprocess.run([FIX, FOLDER / "request.json"], capture_output=True, text=True, check=True)
    assert left in (done.stderr if mode == "yaml" else done.stdout), done
