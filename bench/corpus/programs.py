# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs of programs.toml: their rows, and where each is built."""
import glob
import os
import subprocess
import tomllib

from inmembench.measure import Failed

HERE = os.path.dirname(os.path.abspath(__file__))


def rows():
    """{name: row}"""
    with open(os.path.join(HERE, "programs.toml"), "rb") as file:
        return tomllib.load(file)


def libraries(row):
    """Standard libraries that a program is built with; None is the compiler's own."""
    return row.get("stdlib", [None])


class Program:
    """A program with one standard library."""

    def __init__(self, name, row, stdlib, corpus, made):
        self.row, self.made = row, made
        self.name = f"{name} ({stdlib})" if stdlib else name
        self.work = os.path.join(corpus, name + (f"-{stdlib}" if stdlib else ""))
        self.source = made.source(row["package"]) if "package" in row else HERE

    def prepare(self):
        done = os.path.join(self.source, ".inmem-prepared")
        if "prepare" not in self.row or os.path.exists(done):
            return
        ran = subprocess.run(["bash", "-ec", self.row["prepare"]], cwd=self.source, text=True, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, env={**os.environ, "CC": self.made.clang, "CXX": self.made.clangxx})
        if ran.returncode:
            raise Failed(f"{self.name}: preparing failed: {ran.stdout[-400:]}")
        open(done, "w").close()

    def sources(self):
        found = []
        for pattern in self.row["sources"]:
            base = os.path.join(HERE, "drivers") if pattern.lstrip("!").startswith("@") else self.source
            paths = sorted(os.path.normpath(path) for path in glob.glob(os.path.join(base, pattern.lstrip("!@"))))
            if pattern.startswith("!"):
                found = [path for path in found if path not in paths]
            elif not paths:
                raise Failed(f"{self.name}: no source matches {pattern}")
            else:
                found += paths
        return found
