# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""RUN lines of lit tests work whatever the path of the checkout.

%t and its like are words of the shell, with a backslash before each blank. Between double quotes that backslash stays,
so there %{t} is written, which is bare. LD_PRELOAD is split at blanks by the loader and takes no such path at all,
which holds for scripts, too.

Conditions on a report fit on a line, or are comments of the test (lit-tests/Inputs/conditions.py).
"""
import re

# A path in the environment of a script.
PRELOADED = re.compile(r'"LD_PRELOAD"\]?\s*[:=]\s*(?:str\(|os\.path\.join|f")')

PATHS = ("s S p t srcroot inputs buildroot libdir include clangxx clang inmem-clangxx inmem-clang inmem librt plugin irplugin config "
         "assemble").split()
PATH = re.compile("%(" + "|".join(sorted(PATHS, key=len, reverse=True)) + r")(?![\w-])")
LINE = re.compile(r"^\W*RUN:(.*)$")
CONDITIONS_WITHIN = 200  # columns
SUFFIXES = (".test", ".c", ".cc", ".cpp", ".ll")


def between_double_quotes(text):
    """The substitutions for paths within double quotes, those inside of single quotes included."""
    quoted = single = False
    at = 0
    while at < len(text):
        if text[at] == "\\":
            at += 2
            continue
        if text[at] == '"':
            quoted = not quoted
        elif text[at] == "'" and not quoted:
            single = not single
        elif quoted and text[at - 1] != "%" and (found := PATH.match(text, at)):
            yield found.group()
        at += 1


def preloaded_by_scripts(tree):
    for file in tree.files:
        if file.endswith(".py") and file.startswith(("lit-tests/", "scripts/", "bench/")):
            for number, line in enumerate(tree.lines(file), 1):
                if PRELOADED.search(line):
                    yield f"{file}:{number}: a preloaded path must not have a blank; name the file, and its folder in LD_LIBRARY_PATH"


def check(tree, _fix):
    yield from preloaded_by_scripts(tree)
    for file in tree.files:
        if not file.startswith("lit-tests/") or not file.endswith(SUFFIXES) or "/Inputs/" in file:
            continue
        start, text = 0, ""
        for number, line in enumerate(tree.lines(file), 1):
            if not (found := LINE.match(line)):
                continue
            if len(line) > CONDITIONS_WITHIN and re.search(r"%expect|%inputs/heap\.py", line):
                yield f"{file}:{number}: conditions of {len(line)} columns: write `--in %s` here and each as a line `EXPECT: CONDITION`"
            start, text = (start, text) if text else (number, "")
            text += found.group(1).rstrip().removesuffix("\\")
            if line.rstrip().endswith("\\"):
                continue
            for name in between_double_quotes(text):
                yield f"{file}:{start}: {name} between double quotes: write %{{{name[1:]}}}"
            if found := re.search(r"LD_PRELOAD=\S*%(?!basename_t)\S+", text):
                yield f"{file}:{start}: {found.group()}: a preloaded path must not have a blank; name the file from the test's folder or with LD_LIBRARY_PATH"
            if found := re.search(r"llvm-plugins=%\S+", text):
                yield f"{file}:{start}: {found.group()}: rustc splits it at blanks; name a link in the test's folder"
            text = ""
