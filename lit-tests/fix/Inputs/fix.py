# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""fix.py - what inmem-fix makes of findings that a source states in comments.

  fix.py --fix PROGRAM --folder DIR [--run CLANG] [--std c++20] [--every N] SOURCE...

A comment `// finding: RULE[=RESERVE][^N]... -> WORDS` at the end of a line puts a finding on that line, and on the line N above it. WORDS are part of the
refusal that is expected, or, after `fix:`, of what the edit does. `; promises N` after them says how many of these lines it must promise. With --run,
each edited source is compiled and run: it must print what it printed before, and allocate less (the program prints the number of its allocations to
standard error). --every takes each Nth finding of each source.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys

COMMENT = re.compile(r"// finding: ([a-z-]+)(?:=(\d+))?((?:\^\d+)*)(?:\[(.*?)\])? -> (.*?)(?:; promises (\d+))?$")


def findings_in(source):
    for number, line in enumerate(source.read_text().splitlines(), 1):
        found = COMMENT.search(line)
        if found:
            rule, reserve, above, extra, words, promised = found.groups()
            type_, _, advice = (extra or "").partition("|")
            lines = [{"line": number - int(up or 0), "allocations": 1} for up in above.split("^")] if above else []
            yield (words, promised), {"rule": rule, "severity": "low", "type": type_, "message": "", "advice": advice, "reserve": int(reserve or 0),
                          "saves_allocations": len(lines) or 1, "lines": lines, "site": {"file": str(source), "line": number}}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fix", required=True)
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    parser.add_argument("--run")
    parser.add_argument("--std", default="c++20")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("sources", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    folder = options.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    copies = []
    for source in options.sources:  # the originals stay as they are
        copy = folder / source.name
        copy.write_text(source.read_text())
        copies.append(copy)
    database = folder / "compile_commands.json"
    database.write_text(json.dumps([{"directory": str(folder), "file": str(copy), "arguments": ["clang++", f"-std={options.std}", "-c", str(copy)]}
                                    for copy in copies if copy.suffix == ".cpp"]))
    expected = [each for copy in copies for each in list(findings_in(copy))[:: options.every]]
    request = {"schema": "inmem-fix/1", "database": str(database), "root": str(folder), "findings": [finding for _, finding in expected]}

    def fix(mode, output=""):
        path = folder / "request.json"
        path.write_text(json.dumps(request | {"mode": mode, "output": output}))
        return subprocess.run([options.fix, str(path)], check=True, capture_output=True, text=True).stdout

    def run(copy):
        subprocess.run([options.run, f"-std={options.std}", "-w", "-O1", str(copy), "-o", str(folder / "program")], check=True)
        ended = subprocess.run([folder / "program"], check=True, capture_output=True, text=True)
        return ended.stdout, int(ended.stderr)

    listed = fix("list")
    lines = re.findall(r"^ +((?:fix|no):.*)(?:\n +promises (\d+))?", listed, re.MULTILINE)
    wrong = 0
    for ((words, wanted_blocks), finding), (line, blocks) in zip(expected, lines, strict=True):
        wanted, what = ("fix:", words[4:].strip()) if words.startswith("fix:") else ("no:", words)
        if not line.startswith(wanted) or what not in line or wanted_blocks not in (None, blocks):
            wrong += 1
            place = f"{finding['site']['file']}:{finding['site']['line']}: {finding['rule']}"
            print(f"{place}: expected {wanted} {what}; {wanted_blocks}\n  found {line}; {blocks}")
    if options.run:
        before = [run(copy) for copy in copies if copy.suffix == ".cpp"]
        fix("apply")
        after = [run(copy) for copy in copies if copy.suffix == ".cpp"]
        for (old, old_blocks), (new, new_blocks) in zip(before, after, strict=True):
            print(f"allocations: {old_blocks} -> {new_blocks}")
            if old != new or new_blocks >= old_blocks:
                wrong += 1
                print(f"prints before: {old}prints after: {new}")
    print(f"{len(expected)} findings, {wrong} not as expected")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
