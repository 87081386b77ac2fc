#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The commands in scripts/ have one form of help, and scripts/README.md has a row for each."""
import os
import pathlib
import re
import subprocess
import unittest

SCRIPTS = pathlib.Path(__file__).resolve().parent.parent.parent / "scripts"
COMMANDS = sorted(path.name for path in SCRIPTS.iterdir() if path.is_file() and not path.suffix and os.access(path, os.X_OK))


class Help(unittest.TestCase):
    def test_each_names_itself_its_forms_and_its_exit_codes(self):
        self.assertIn("test", COMMANDS)
        for name in COMMANDS:
            with self.subTest(script=name):
                ran = subprocess.run([SCRIPTS / name, "--help"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
                self.assertEqual((ran.returncode, ran.stderr), (0, ""))
                self.assertRegex(ran.stdout, rf"\A{name} - \w")
                self.assertRegex(ran.stdout, rf"(?m)^  .*\bscripts/{name}\b")
                self.assertRegex(ran.stdout, r"Exit\s+code 0: ")

    def test_a_wrong_argument_is_wrong_usage(self):
        for name in COMMANDS:
            with self.subTest(script=name):
                ran = subprocess.run([SCRIPTS / name, "--no-such-option"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
                self.assertEqual(ran.returncode, 2)
                self.assertIn("--no-such-option", ran.stderr)

    def test_each_is_in_the_readme(self):
        rows = re.findall(r"^\|[^|]*\| `(\w+)`", (SCRIPTS / "README.md").read_text(), re.MULTILINE)
        self.assertEqual(sorted(rows), COMMANDS)


if __name__ == "__main__":
    unittest.main()
