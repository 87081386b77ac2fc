# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Subjects of commits are one line of at most 72 characters, and a blank line follows.

Only commits that no remote has are checked, or the newest if there is no remote: what is
published stays as it is.
"""
import subprocess

MOST = 72


def git(tree, *arguments):
    ran = subprocess.run(["git", *arguments], cwd=tree.root, capture_output=True, text=True)
    return ran.stdout if ran.returncode == 0 else ""


def check(tree, _fix):
    which = ["HEAD", "--not", "--remotes"] if git(tree, "for-each-ref", "--count=1", "refs/remotes") else ["-1"]
    for entry in git(tree, "log", "--no-merges", "--max-count=100", "--format=%h%n%B%x00", *which).split("\0"):
        commit, subject, *body = (entry.strip("\n") + "\n").split("\n")
        if not commit:
            continue
        if len(subject) > MOST:
            yield f"commit {commit}: the subject has {len(subject)} characters; at most {MOST}: the rest goes into the body"
        if body and body[0]:
            yield f"commit {commit}: a blank line follows the subject"
