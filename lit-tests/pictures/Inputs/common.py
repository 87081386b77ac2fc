# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests of looks share: traces of the shop, golden files."""
import argparse
import difflib
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
UPDATE = os.environ.get("INMEM_UPDATE_GOLDEN") == "1"


def arguments(*names):
    parser = argparse.ArgumentParser()
    for name in ("inmem", "golden", "work", *names):
        parser.add_argument(f"--{name}", required=True)
    return parser.parse_args()


def assemble(work):
    """old.inmem, new.inmem, and live.inmem, a program that still runs."""
    for name, source in (("old", "shop-old"), ("new", "shop-new"), ("live", "shop-new")):
        text = (HERE / f"{source}.trace").read_text(encoding="utf-8")
        if name == "live":
            text = text.replace("state=complete", "state=running", 1)
        pathlib.Path(work, f"{name}.txt").write_text(text, encoding="utf-8")
        subprocess.run([os.environ["INMEM_ASSEMBLE"], "-o", f"{name}.inmem", f"{name}.txt"], cwd=work, check=True)


class Goldens:
    """Golden files of a folder; INMEM_UPDATE_GOLDEN=1 writes them."""

    def __init__(self, folder):
        self.folder, self.differ = pathlib.Path(folder), False

    def compare(self, name, text):
        path = self.folder / name
        if UPDATE:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
            return
        old = path.read_text(encoding="utf-8") if path.exists() else ""
        if old != text:
            self.differ = True
            sys.stdout.writelines(difflib.unified_diff(old.splitlines(True), text.splitlines(True), str(path), "now"))

    def finish(self):
        if self.differ:
            sys.exit("\nIf the change is meant: INMEM_UPDATE_GOLDEN=1 lit build/lit-tests --filter pictures/")
