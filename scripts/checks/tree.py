# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The files that lint checks: those that git knows, and new ones it does not ignore."""
import fnmatch
import functools
import os
import subprocess
import tomllib

RULES = "scripts/checks/rules.toml"


class Tree:
    def __init__(self, root, llvm):
        self.root, self.llvm = root, llvm
        listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"], cwd=root, check=True,
                                capture_output=True, text=True).stdout
        self.files = sorted({file for file in listed.split("\0") if file and os.path.isfile(os.path.join(root, file))})
        with open(os.path.join(root, RULES), "rb") as file:
            self.rules = tomllib.load(file)

    def path(self, file):
        return os.path.join(self.root, file)

    def lines(self, file):
        """The lines of a text file; none of one that is not text."""
        with open(self.path(file), "rb") as opened:
            content = opened.read()
        try:
            return content.decode().splitlines() if b"\0" not in content else []
        except UnicodeDecodeError:
            return []

    def matching(self, *patterns):
        """Files whose name matches one of the patterns."""
        return [file for file in self.files if any(fnmatch.fnmatch(os.path.basename(file), pattern) for pattern in patterns)]

    def is_exempt(self, check, file):
        """Whether rules.toml takes a file out of a check; * matches any characters, / too."""
        return any(fnmatch.fnmatch(file, pattern) for pattern in self.rules["exempt"][check])

    @functools.cache  # noqa: B019 - there is one tree a process
    def interpreter(self, file):
        """What a file's #! line names last, or an empty string."""
        with open(self.path(file), "rb") as opened:
            first = opened.readline(200)
        return os.path.basename(first.split()[-1].decode(errors="replace")) if first.startswith(b"#!") and first.split() else ""

    def shell_scripts(self):
        return [file for file in self.files if file.endswith(".sh") or self.interpreter(file) in ("sh", "bash")]

    def python_scripts(self):
        return [file for file in self.files if file.endswith(".py") or self.interpreter(file).startswith("python")]
