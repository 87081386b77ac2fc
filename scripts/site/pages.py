# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""pages.py --source ROOT --build BUILD --into DIR: the pages of the site.

Copies README, the other pages of the root and docs/, with the files that they link
to, so that links lead where they lead in the source. Pages of reference are made
from `inmem ... --help`, from INMEM_OPTIONS=help=1 and from include/inmem.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import urllib.parse

LINK = re.compile(r"(!?\[[^\]]*\])\(([^)\s]+)\)")


class Site:
    def __init__(self, root, into):
        self.root, self.into = root, into

    def leads_to(self, page, target):
        """The path in the source that a link leads to, or None."""
        url = urllib.parse.urlsplit(target)
        if url.scheme or url.netloc or not url.path:
            return None
        return pathlib.Path(os.path.normpath(self.root / page.parent / urllib.parse.unquote(url.path)))

    def copy(self, page):
        text = (self.root / page).read_text(encoding="utf-8")
        pages = {self.root / each for each in self.pages}

        def link(match):
            leads = self.leads_to(page, match[2])
            if leads is None or leads in pages:
                return match[0]
            # A folder or a source: its name; a picture or a schema is copied.
            if leads.is_file() and leads.suffix in (".png", ".svg", ".json"):
                target = self.into / leads.relative_to(self.root)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(leads, target)
                return match[0]
            return match[1][1:-1] if match[1].startswith("[") else match[0]

        target = self.into / page
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(LINK.sub(link, text), encoding="utf-8")

    def copy_all(self):
        self.pages = [page.relative_to(self.root) for page in [
            *(self.root / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "bench/README.md")),
            *sorted((self.root / "docs").rglob("*.md"))]]
        for page in self.pages:
            self.copy(page)


def output(*command, **more):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, **more)


def command_line(inmem):
    text = output(inmem, "--help").stdout
    names = re.findall(r"^  ([a-z][a-z-]*) {2,}", text.partition("Subcommands:")[2], re.MULTILINE)
    if len(names) < 10:
        sys.exit(f"pages.py: {inmem} --help lists {len(names)} subcommands")
    parts = ["# Command line\n\nWhat `inmem --help` and `inmem COMMAND --help` print; `man inmem` and `man inmem-COMMAND` have the same.\n",
             f"## inmem\n\n```text\n{text.rstrip()}\n```\n"]
    for name in names:
        parts.append(f"## inmem {name}\n\n```text\n{output(inmem, name, '--help').stdout.rstrip()}\n```\n")
    return "\n".join(parts)


def run_time_options(build):
    # The loader splits LD_PRELOAD at blanks, but not folders.
    done = output(sys.executable, "-c", "0", env={**os.environ, "LD_LIBRARY_PATH": str(build / "lib"), "LD_PRELOAD": "libinmem_rt.so",
                                                  "INMEM_OPTIONS": "help=1:mode=off"})
    rows = re.findall(r"^inmem:   (\w+)=(\S*)  (.*)$", done.stderr, re.MULTILINE)
    if len(rows) < 20:
        sys.exit(f"pages.py: help=1 lists {len(rows)} options:\n{done.stderr}")
    lines = ["# Run-time options\n", "What `INMEM_OPTIONS=help=1 ./program` prints. Pairs `key=value` are joined by colons;",
             "[options in detail](../docs/options.md) explains them.\n"]
    for name, default, meaning in rows:
        lines.append(f"`{name}`{f' (default `{default}`)' if default else ''}\n: {meaning}\n")
    return "\n".join(lines)


def documented(lines):
    """(declaration, comment) of each public declaration with a comment in front."""
    comment, private, number = [], False, 0
    while number < len(lines):
        line = lines[number].strip()
        number += 1
        if line in ("namespace detail {", "private:"):
            private = True
        elif line in ("} // namespace detail", "public:", "};"):
            private = False
        if line.startswith("/**"):
            while "*/" not in line:
                line += " " + re.sub(r"^\*(?!/)\s*", "", lines[number].strip())
                number += 1
            comment = [line[3:line.index("*/")].strip()]
        elif line.startswith("///") and not line.startswith("///<"):
            comment.append(line[3:].strip())
        elif comment and line and not line.startswith(("//", "#")):
            while not re.search(r"[;{}]", line) and number < len(lines):
                line += " " + lines[number].strip()
                number += 1
            declaration = re.split(r"\s*[{;]", line)[0].strip()
            declaration = re.sub(r"\)\s*:\s.*$", ")", declaration)  # what a constructor initialises
            if declaration and not private:
                yield declaration, " ".join(comment)
            comment = []
        else:
            comment = []


def headers(folder):
    parts = ["# C and C++ headers\n\nPublic declarations and their comments, from `include/inmem`.\n"]
    for header in sorted(folder.glob("*.h")):
        entries = list(documented(header.read_text(encoding="utf-8").splitlines()))
        if entries and header.name != "abi.h":
            parts.append(f"## inmem/{header.name}\n")
            parts += [f"```cpp\n{declaration}\n```\n\n{clean(text)}\n" for declaration, text in entries]
    return "\n".join(parts)


def clean(text):
    text = re.sub(r"\\param (\w+)", r"**\1**:", text)
    text = re.sub(r"\\returns?\b", "Returns", text)
    text = re.sub(r"\\[pc] (\S+?)([.,;:)]?)(?= |$)", r"`\1`\2", text)
    return text.replace("<", "&lt;").replace("*", "\\*") if "`" not in text else text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("source", "build", "into"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
    options = parser.parse_args()
    shutil.rmtree(options.into, ignore_errors=True)
    Site(options.source, options.into).copy_all()
    reference = options.into / "reference"
    reference.mkdir()
    (reference / "command-line.md").write_text(command_line(options.build / "bin" / "inmem"), encoding="utf-8")
    (reference / "run-time-options.md").write_text(run_time_options(options.build), encoding="utf-8")
    (reference / "headers.md").write_text(headers(options.source / "include" / "inmem"), encoding="utf-8")


if __name__ == "__main__":
    main()
