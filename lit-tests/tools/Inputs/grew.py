#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""grew.py INMEM FOLDER: what `inmem ctl PID grew` prints of FOLDER/app, which runs meanwhile.

However slowly the program runs, it grows at some look, and its cache never does.
"""
import json
import os
import subprocess
import sys

INMEM, FOLDER = sys.argv[1:]
LOOKS = 200
GROWS, CACHE = 30, 17  # lines of grew.cpp


def grew(pid, *more):
    environment = dict(os.environ, COLUMNS="120", LC_ALL="C.UTF-8")
    words = [INMEM, "ctl", str(pid), "grew", "0.2", *more]
    return subprocess.run(words, env=environment, capture_output=True, text=True, check=True).stdout


def until(pid, holds, *more):
    for _ in range(LOOKS):
        text = grew(pid, *more)
        if holds(text):
            return text
    sys.exit(f"grew.py: never in {LOOKS} looks; last:\n{text}")


def main():
    environment = dict(os.environ, INMEM_OPTIONS=f"output={FOLDER}/app.inmem")
    with subprocess.Popen([f"{FOLDER}/app"], env=environment, stdout=subprocess.PIPE, text=True) as app:
        try:
            assert app.stdout.readline() == "ready\n"
            text = until(app.pid, lambda t: "grew by" in t and f"grew.cpp:{GROWS}" in t)
            assert "live memory went from" in text, text
            print("text: the log's line")

            def strings(text_of):
                rows = json.loads(text_of)["lines"]
                return [row for row in rows if row["line"] == GROWS and row["name"] == "std::string"]

            answer = until(app.pid, strings, "--format", "json")
            with open(f"{FOLDER}/grew.json", "w", encoding="utf-8") as file:
                file.write(answer)
            found, (first,) = json.loads(answer), strings(answer)
            assert first["grew_bytes"] == 32 * first["grew_allocations"] > 0, found
            # A look may be between a free and the allocation that follows.
            assert all(row["grew_allocations"] <= 1 for row in found["lines"] if row["line"] == CACHE), found
            print("JSON: the log's line")
        finally:
            app.kill()


if __name__ == "__main__":
    main()
