# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every file names its licence, and none names the machine it was written on."""
import re

from tree import RULES

LICENCE = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
URL = re.compile(r"\b[a-z][a-z0-9+]*://(?:[^\s/@\"'`<>]*@)?([A-Za-z0-9.-]+)")


def check(tree, _fix):
    rules = tree.rules["texts"]
    # A test's expectations may have to stand first.
    head = rules["licence_within"]
    patterns = [(re.compile(pattern["match"]), pattern["what"]) for pattern in rules["patterns"]]
    hosts = set(rules["hosts"])
    for file in tree.files:
        lines = tree.lines(file)
        if lines and not tree.is_exempt("licence", file) and not any(LICENCE in line for line in lines[:head]):
            yield f"{file}:1: no line '{LICENCE}' among the first {head}"
        if file == RULES or tree.is_exempt("texts", file):
            continue
        for number, line in enumerate(lines, 1):
            for pattern, what in patterns:
                if found := pattern.search(line):
                    yield f"{file}:{number}: {what}: {found.group()}"
            for host in URL.findall(line):
                if "." in host and host not in hosts:
                    yield f"{file}:{number}: host {host} is not among those in {RULES}"
