#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""header - does a public header compile alone, whatever the standard?

  header.py INCLUDE LANGUAGE... [-- FLAG...]

INCLUDE: the folder of the headers and the header, as include/inmem/abi.h.
LANGUAGE: c++17, c11 and so on. FLAG: what the header needs (-include of a test
framework). Each is compiled twice over in one file, by the clang under test and,
with the default LLVM, by g++ too; a warning is an error. Other LLVMs compile the
first and the last LANGUAGE only.
"""
import itertools
import os
import subprocess
import sys

SPELLED = {"c++23": "c++2b"}  # as clang 16 knows it, too
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]


IS_DEFAULT = os.environ["INMEM_LLVM_VERSION"] == "22"


def compilers(is_cxx):
    yield os.path.join(os.environ["INMEM_LLVM_BINDIR"], "clang++" if is_cxx else "clang")
    if IS_DEFAULT:
        yield "g++" if is_cxx else "gcc"


def main():
    header, *languages = itertools.takewhile(lambda argument: argument != "--", sys.argv[1:])
    flags = sys.argv[len(languages) + 3:]
    folder, name = header.rsplit("/inmem/", 1)
    bad = 0
    for language in languages if IS_DEFAULT else {languages[0], languages[-1]}:
        is_cxx = language.startswith("c++")
        for compiler in compilers(is_cxx):
            standard = f"-std={SPELLED.get(language, language)}"
            command = [compiler, "-x", "c++" if is_cxx else "c", standard, "-fsyntax-only", "-I", folder, *WARNINGS, *flags, "-"]
            ran = subprocess.run(command, input=f"#include <inmem/{name}>\n#include <inmem/{name}>\nint used;\n", capture_output=True, text=True)
            if ran.returncode:
                bad += 1
                print(f"{name}, {language}, {compiler}:\n{ran.stderr}")
    return 1 if bad or not languages else 0


if __name__ == "__main__":
    sys.exit(main())
