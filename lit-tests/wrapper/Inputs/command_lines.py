#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs driver command lines with a plain clang and with a wrapper, and compares what they do.

  command_lines.py TABLE PLAIN WRAPPER OUT [EACH]

Each line of TABLE is one command line without the compiler's name; '#' begins a comment. Both run it in a folder
with the same files. Compared are exit code, what is printed and which files are there then; files of text (.i, .d,
.mi, dependencies on stdout) to the letter. With -### the jobs count: which tools, what cc1 does, what it writes.
EACH: one line in EACH of a section, beginning with its first. Exit code 1: a line differs.
"""
import concurrent.futures
import os
import re
import shlex
import shutil
import subprocess
import sys

FILES = {
    "a.cpp": "#include \"h.h\"\nstruct A { int x; ~A() {} };\nint use(A *);\n"
             "int main() { A a{1}; return a.x + plain(2) - 3; }\n",
    "b.cpp": "struct B { int x = 1; ~B() {} };\nint b() { B b; return b.x; }\n",
    "c.c": "#include <stdlib.h>\nint *make(void) { return malloc(sizeof(int)); }\nint main(void) { free(make()); return 0; }\n",
    "d.c": "int d(void) { return 1; }\n",
    "h.h": "#pragma once\nstruct H { int x = 1; ~H() {} };\ninline int plain(int n) { H h; return h.x + n - 1 + 1; }\n",
    "wrong.cpp": "int f() { return undeclared; }\n",
    "warns.cpp": "int f() { int unused = 1; }\n",
    "s.s": ".globl s\ns:\n  ret\n.section .note.GNU-stack,\"\",@progbits\n",
    "t.S": "#define NAME t\n.globl NAME\nNAME:\n  ret\n.section .note.GNU-stack,\"\",@progbits\n",
    "x.ll": "define i32 @x() {\n  ret i32 1\n}\n",
    "M.cppm": "export module M;\nstruct A { int x = 1; };\nexport int f() { A a{2}; return a.x; }\n",
    "args.rsp": "-c -O1 a.cpp\n-o 'from file.o'\n",
    "more.rsp": "@args.rsp -Wall\n",
    "header.cfg": "-x c++-header\n",
    "nested.cfg": "# a comment -c\n--config=./header.cfg\n",
    "included.cfg": "@header.cfg\n",
    "joined.cfg": "  # another \\\n-x \\\nc++-header\n",
    "behind.cfg": "$-Wl,-r $-nostdlib -no-pie\n",
    "named.cfg": "-I <CFGDIR> -DCFG -Wall\n",
    "c.cfg": "-x c\n",
    "free.c": "void _start(void) { for (;;) ; }\n",
}
# Options that decide what a command line does, each in a configuration file.
FILES |= {f"{name}.cfg": f"{options}\n" for name, options in (
    ("static", "-static"), ("r", "-r"), ("syntax", "-fsyntax-only"), ("E", "-E"), ("S", "-S"), ("shared", "-shared -fPIC"),
    ("lto", "-flto -fuse-ld=lld"), ("compile", "-c"), ("nostdlib", "-nostdlib"), ("lm", "-lm"), ("m32", "-m32"),
    ("target", "--target=aarch64-linux-gnu"), ("input", "b.cpp"), ("end", "--"), ("sanitized", "-fsanitize=address"))}
TEXTS = (".d", ".i", ".ii", ".mi")
ACTIONS = re.compile(r'"(-emit-[\w-]+|-E|-S|-fsyntax-only|-analyze|-Eonly|-dump-deps|-verify-pch)"')


def jobs(text):
    """Of what -### prints: the tool, what it does and where to."""
    found = []
    for line in text.splitlines():
        words = re.findall(r'"((?:[^"\\]|\\.)*)"', line)
        if not words or not line.startswith(" "):
            continue
        tool = os.path.basename(words[0])
        output = words[words.index("-o") + 1] if "-o" in words else ""
        found.append((tool, tuple(ACTIONS.findall(line)), re.sub(r"^/tmp/.*", "temporary", output), words.count("-r")))
    return found


def contents(path):
    with open(path) as file:
        return file.read()


def outcome(compiler, line, folder):
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    for name, text in FILES.items():
        with open(os.path.join(folder, name), "w") as file:
            file.write(text)
    # What one line makes another may need.
    result = []
    for part in line.split(" && "):
        done = subprocess.run([compiler, *shlex.split(part)], cwd=folder, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL)
        printed = done.stdout, re.sub(r"/tmp/\S+?([\w.]+)-\w+\.(o|s)", r"\1.\2", done.stderr).replace("\r", "")
        printed = [re.sub(r"\bclang(\+\+)?(-\d+)?: ", "clang: ", each) for each in printed]
        result.append((done.returncode, jobs(printed[1]) if "-###" in part else printed))
    files = {}
    for name in sorted(os.listdir(folder)):
        if name not in FILES:
            known = re.sub(r"-[0-9a-f]{6}\.", ".", name)
            files[known] = contents(os.path.join(folder, name)) if name.endswith(TEXTS) else ""
    return result, files


def lines_of(table, each):
    with open(table) as file:
        sections = file.read().split("\n\n")
    found = [[line.strip() for line in section.splitlines() if line.strip() and line[0] != "#"] for section in sections]
    return [line for lines in found for line in lines[::each]]


def main():
    if len(sys.argv) not in (5, 6):
        sys.exit(__doc__)
    table, plain, wrapper, out, *each = sys.argv[1:]
    lines = lines_of(table, int(each[0]) if each else 1)

    def compare(numbered):
        index, line = numbered
        found = [outcome(compiler, line, f"{out}.{index}/run") for compiler in (plain, wrapper)]
        return [] if found[0] == found[1] else [line, f"  without: {found[0]}", f"  with:    {found[1]}"]

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        differences = [text for each in pool.map(compare, enumerate(lines)) for text in each]
    print("\n".join(differences) or f"{len(lines)} command lines, the same")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
