#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""walk.py RUNTIME - checks the walk that hot/Recorder.h lists: the functions that a
reader opens to follow the size of an allocation from its hook to its row.

Each stop is defined in the file that is named, and called by an earlier stop.
No function that a stop calls while it counts is left out, unless it is only
declared there: slow cases and leaves in other files. Exit code 1: the list is
out of date, or the walk is longer than it may be.
"""
import os
import re
import sys

# A newcomer reads this in one sitting. It was 54 in 17 once.
MOST_STOPS, MOST_FILES = 25, 9
STOP = re.compile(r"^//   walk: (\S+) +(\w+)")
CALL = re.compile(r"\b([a-z]\w*|Counting)(?:<[^<>;]*>)?(?: Now)?\(")
KEYWORDS = {"if", "while", "for", "return", "sizeof", "switch", "defined", "static_cast", "reinterpret_cast", "constexpr"}
# An argument of the slow case, which is not on the way.
ASIDE = {"outOfLine"}
# The hook itself is a macro, which gets its body's name.
HOOK = "INMEM_DEFINE"


def body(source, name):
    """The text of the definition of name, or None."""
    for found in re.finditer(rf"\b{name}\(", source):
        start = source.find("{", found.end())
        before_body = source[found.end() : start]
        if start < 0 or ";" in before_body:
            continue
        depth, at = 0, start
        while at < len(source):
            depth += {"{": 1, "}": -1}.get(source[at], 0)
            at += 1
            if depth == 0:
                break
        return source[start:at]
    return None


def without_comments(text):
    return re.sub(r"//[^\n]*", "", text)


def main():
    runtime = sys.argv[1]
    with open(os.path.join(runtime, "hot/Recorder.h"), encoding="utf-8") as opened:
        stops = [found.groups() for line in opened if (found := STOP.match(line))]
    problems, bodies, inline = [], {}, {}
    files = {file for file, _ in stops}
    for file in files:
        with open(os.path.join(runtime, file), encoding="utf-8") as opened:
            inline[file] = without_comments(opened.read())
    reached = ""
    for number, (file, name) in enumerate(stops):
        text = "doMalloc()" if name == HOOK and f"define {HOOK}" in inline[file] else body(inline[file], name)
        if text is None:
            problems.append(f"{name} is not defined in {file}")
            continue
        if number and name not in CALL.findall(reached):
            problems.append(f"{name} is called by no stop before it")
        bodies[name] = text
        reached += text
    known = {name for _, name in stops}
    for name, text in bodies.items():
        for called in CALL.findall(text):
            if called in known | KEYWORDS | ASIDE:
                continue
            if any(re.search(rf"INMEM_INLINE[^;{{}}]*\b{called}\([^;{{}}]*\)[^;{{}}]*{{", source) for source in inline.values()):
                problems.append(f"{name} calls {called}, which is not listed")
    if len(stops) > MOST_STOPS or len(files) > MOST_FILES:
        problems.append(f"{len(stops)} stops in {len(files)} files: at most {MOST_STOPS} in {MOST_FILES}")
    for problem in problems:
        print(f"hot/Recorder.h: {problem}")
    print(f"{len(stops)} stops in {len(files)} files")
    return bool(problems) or not stops


if __name__ == "__main__":
    sys.exit(main())
