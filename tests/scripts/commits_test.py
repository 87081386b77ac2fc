#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What scripts/lint says of the subjects of commits."""
import subprocess
import tempfile
import types
import unittest

import checks_of_lint

commits = checks_of_lint.load("commits")


class Commits(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.git("init", "-q")

    def git(self, *arguments):
        identity = ["-c", "user.name=a", "-c", "user.email=a@x.y", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *identity, *arguments], cwd=self.folder.name, check=True, capture_output=True)

    def commit(self, message):
        self.git("commit", "-q", "--allow-empty", "--cleanup=verbatim", "-m", message)

    def findings(self):
        return [line.split(": ", 1)[1] for line in commits.check(types.SimpleNamespace(root=self.folder.name), False)]

    def test_a_subject_and_a_body(self):
        self.commit("x" * 72 + "\n\n" + "y" * 100)
        self.assertEqual(self.findings(), [])

    def test_a_long_subject(self):
        self.commit("x" * 73)
        self.assertEqual(self.findings(), ["the subject has 73 characters; at most 72: the rest goes into the body"])

    def test_no_blank_line(self):
        self.commit("short\nmore")
        self.assertEqual(self.findings(), ["a blank line follows the subject"])

    def test_what_is_published_stays(self):
        self.commit("x" * 73)
        self.git("update-ref", "refs/remotes/origin/main", "HEAD")
        self.commit("a short one")
        self.commit("y" * 80)
        self.assertEqual(self.findings(), ["the subject has 80 characters; at most 72: the rest goes into the body"])

    def test_without_a_history(self):
        self.assertEqual(self.findings(), [])


if __name__ == "__main__":
    unittest.main()
