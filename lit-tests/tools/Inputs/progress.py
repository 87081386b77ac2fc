#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""progress.py INMEM FOLDER: runs each command on a terminal, with FOLDER/app.inmem, and looks for the line of progress.

With INMEM_PROGRESS_AFTER_MS=0 work shows it at once, so that no speed of a machine decides what is seen.
"""
import os
import pty
import re
import subprocess
import sys

INMEM, FOLDER = sys.argv[1:]
T = "app.inmem"
SHOWN = {
    "report": ["report", T],
    "flame": ["flame", "-o", "out.svg", T],
    "html": ["html", "-o", "out.html", T],
    "symbolize": ["symbolize", "--again", "copy.inmem"],
    "diff": ["diff", T, T],
    "check": ["check", "--baseline", T, T],
    "export": ["export", "--format", "pprof", "-o", "out.pprof", T],
    "import": ["import", "-o", "imported.inmem", "out.heaptrack"],
    "add-types": ["add-types", "--binary", "app", "-o", "typed.pprof", "out.pprof"],
    "heap": ["heap", "app.heap"],
    "resident": ["resident", "app.heap"],
    "replay": ["replay", T, "--malloc", "glibc"],
    "optimize": ["optimize", "-o", "out.yaml", T],
    "verify-optimization": ["verify-optimization", T, T],
    "merge": ["merge", "-o", "merged.inmem", T, T],
    "doctor": ["doctor", T],
    "dump": ["dump", "-o", "out.txt", T],
    "collect": ["collect", "--from", "traces", "--to", "store", "--settle", "0s"],
}
# Work of these needs DuckDB: its library may be missing.
FLEET = {"query": ["query", "SELECT count(*) FROM traces", "fleet"], "fleet": ["fleet", "compact", "fleet"]}
# Why not: the words of each are what shows that it works.
OTHERS = {
    "run": "the program has the terminal; the report after it is as `report`",
    "attach": "it says what it waits for",
    "detach": "it ends at once, or says why not",
    "serve": "it serves until it is ended",
    "query": "needs DuckDB",
    "fleet": "needs DuckDB",
    "fix": "it names the patch that it tries",
    "top": "it draws the screen",
    "ctl": "orders are obeyed at once; `grew` is tried with a program of its own in live tests",
    "mcp": "it talks to a program",
    "lsp": "it talks to an editor",
    "init": "it writes a few files",
    "completion": "it prints a text",
}


def on_terminal(words):
    """What a command writes to a terminal on standard error, and its exit code."""
    lead, tail = pty.openpty()
    environment = dict(os.environ, INMEM_PROGRESS_AFTER_MS="0", COLUMNS="100")
    started = subprocess.Popen([INMEM, *words], cwd=FOLDER, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=tail)
    os.close(tail)
    seen = b""
    while True:
        try:
            piece = os.read(lead, 1 << 16)
        except OSError:
            break
        if not piece:
            break
        seen += piece
    os.close(lead)
    return seen.decode(errors="replace"), started.wait()


def main():
    listed = subprocess.run([INMEM, "--help"], capture_output=True, text=True, check=True).stdout
    commands = re.findall(r"^  ([a-z-]+) {2,}\S", listed[listed.index("Subcommands:") : listed.index("Examples:")], re.MULTILINE)
    if wrong := set(commands) ^ (set(SHOWN) | set(OTHERS)):
        sys.exit(f"neither shown nor explained, or no command: {sorted(wrong)}")
    print("each command is listed")
    os.makedirs(os.path.join(FOLDER, "traces"), exist_ok=True)
    os.makedirs(os.path.join(FOLDER, "store"), exist_ok=True)
    with open(os.path.join(FOLDER, T), "rb") as trace:
        content = trace.read()
    for name in ("copy.inmem", "traces/app.inmem"):
        with open(os.path.join(FOLDER, name), "wb") as copy:
            copy.write(content)
    subprocess.run([INMEM, "export", "--format", "heaptrack", "-o", "out.heaptrack", T], cwd=FOLDER, check=True)
    tried = dict(SHOWN)
    if subprocess.run([INMEM, "export", "--format", "parquet", "-o", "fleet", T], cwd=FOLDER, capture_output=True).returncode == 0 and \
       subprocess.run([INMEM, *FLEET["query"]], cwd=FOLDER, capture_output=True).returncode == 0:
        tried |= FLEET
    shown = []
    for name, words in tried.items():
        seen, code = on_terminal(words)
        if not re.search(r"\rinmem: [^\r]* \.\.\. \d+ s", seen):
            sys.exit(f"{name}: exit code {code}, no line of progress in {seen!r}")
        if "\r\x1b[K" not in seen or re.search(r"\.\.\. \d+ s$", seen):
            sys.exit(f"{name}: the line stays: {seen!r}")
        shown.append(name)
    print("shown and erased: " + " ".join(shown))
    quiet = subprocess.run([INMEM, "report", T], cwd=FOLDER, env=dict(os.environ, INMEM_PROGRESS_AFTER_MS="0"), capture_output=True, text=True)
    if " ... " in quiet.stderr or " ... 0 s" in quiet.stdout:
        sys.exit(f"in a pipe: {quiet.stderr!r}")
    print("nothing in a pipe")


if __name__ == "__main__":
    main()
