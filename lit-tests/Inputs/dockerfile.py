#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""dockerfile.py FOLDER: checks the Dockerfile in the folder as far as that can be done without docker.

Instructions are docker's, COPY names files of the folder, RUN has a shell's syntax, and hadolint accepts it if it is there.
Prints the instructions.
"""
import pathlib
import re
import shutil
import subprocess
import sys

KNOWN = {"FROM", "ARG", "ENV", "COPY", "RUN", "CMD", "ENTRYPOINT", "WORKDIR", "USER", "LABEL"}
folder = pathlib.Path(sys.argv[1])
text = (folder / "Dockerfile").read_text()
lines = re.sub(r"\\\n", " ", re.sub(r"^#.*\n", "", text, flags=re.MULTILINE)).splitlines()
words = []
for line in lines:
    word, rest = line.split(maxsplit=1)
    words.append(word)
    if word not in KNOWN:
        sys.exit(f"Dockerfile: {word} is not an instruction")
    if word == "COPY" and not (folder / rest.split()[0]).exists():
        sys.exit(f"Dockerfile: COPY {rest}: there is no such file")
    if word == "RUN":
        subprocess.run(["sh", "-n", "-c", rest], check=True)
if words[0] != "FROM":
    sys.exit("Dockerfile: begins with " + words[0])
if shutil.which("hadolint"):
    subprocess.run(["hadolint", folder / "Dockerfile"], check=True)
print("Dockerfile:", *words)
