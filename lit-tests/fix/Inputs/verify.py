# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""verify.py INMEM COMPILER SOURCE FOLDER: `inmem fix --verify` on a small project whose build rejects some patches."""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys

sys.path.insert(0, sys.argv[0].rsplit("/", 3)[0] + "/Inputs")
from patience import PATIENCE, until

INMEM, COMPILER, SOURCE = (pathlib.Path(each).resolve() for each in sys.argv[1:4])
FOLDER = pathlib.Path(sys.argv[4]).resolve()
BUILD = """#!/bin/sh
# What tells a patch by its text stands for a build that fails, and one that hangs.
if grep -q make_shared project.cpp; then echo 'cannot make_shared' >&2; exit 1; fi
if [ "$(grep -c reserve project.cpp)" = 1 ] && ! sed -n 10,15p project.cpp | grep -q reserve; then
  if [ "$HANGS" ]; then sleep 100000; fi
  exit 1
fi
# A source that was compiled before takes no time, so a machine that is slow does not reach the limit of a build that hangs.
known=$BUILT/$(cat project.cpp flags.txt | cksum | tr ' ' -)
[ -e "$known" ] || { "$COMPILER" $(cat flags.txt) -std=c++17 project.cpp -o "$known.new" && mv "$known.new" "$known"; } || exit 1
cp "$known" program
"""


def check(condition, *about):
    if not condition:
        sys.exit(f"not as expected: {about}")


def git(*words):
    return subprocess.run(["git", "-C", repository, "-c", "user.name=t", "-c", "user.email=t@t", *words], check=True, capture_output=True, text=True).stdout


def clean():
    """The user's tree, and git's list of worktrees, as they were."""
    check(git("worktree", "list").count("\n") == 1, git("worktree", "list"))
    check(git("status", "--porcelain") == " M project.cpp\n?? flags.txt\n", git("status", "--porcelain"))
    check((repository / "project.cpp").read_text() == original, "the source was changed")
    left = [each.name for each in temporary.iterdir()]
    check(not left, left)


shutil.rmtree(FOLDER, ignore_errors=True)
repository, temporary, built = FOLDER / "re po", FOLDER / "tmp", FOLDER / "built"
repository.mkdir(parents=True)
temporary.mkdir()
built.mkdir()
(repository / "project.cpp").write_text("// Nothing here is a finding.\n")
(repository / "build.sh").write_text(BUILD)
(repository / "build.sh").chmod(0o755)
(repository / ".gitignore").write_text("program\n")
git("init", "-q")
git("add", "-A")
git("commit", "-q", "-m", "x")
# The worktrees have what is not committed, too.
original = SOURCE.read_text()
(repository / "project.cpp").write_text(original)
(repository / "flags.txt").write_text("-O2\n")
environment = os.environ | {"COMPILER": str(COMPILER), "BUILT": str(built), "HANGS": ""}
environment |= {"TMPDIR": str(temporary), "INMEM_COMPILE_COMMANDS": str(FOLDER / "db.json")}
subprocess.run(["./build.sh"], cwd=repository, env=environment, check=True)
trace = FOLDER / "run.inmem"
subprocess.run(["./program"], cwd=repository, env=os.environ | {"INMEM_OPTIONS": f"output={trace}"}, check=True, stdout=subprocess.DEVNULL)
del environment["INMEM_COMPILE_COMMANDS"]
command = [INMEM, "fix", trace, "-p", FOLDER / "db.json", "-o", FOLDER / "out", "--runs", "1", "--verify", "./build.sh", "--timeout", "40"]

# Interrupted while a build hangs, it leaves nothing behind, not even the build.
for number in (signal.SIGINT, signal.SIGTERM):
    slow = subprocess.Popen([*command[:-3], f"echo $$ > '{FOLDER}/pid'; sleep 100000", "--", "./program"], cwd=repository, env=environment,
                            stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    pid = FOLDER / "pid"
    until(lambda pid=pid, slow=slow: (pid.exists() and pid.read_text().strip()) or slow.poll() is not None, "a build that has begun")
    slow.send_signal(number)
    check(slow.wait(PATIENCE) == 128 + number, slow.returncode)
    check(not pathlib.Path("/proc", pid.read_text().strip()).exists(), "the build goes on")
    pid.unlink()
    clean()

# Each patch is compiled once without a limit.
first = [FOLDER / "first" if word == FOLDER / "out" else str(PATIENCE) if word == "40" else word for word in command]
subprocess.run([*first, "--test", "test -x program", "--", "./program"], cwd=repository, env=environment, check=True, capture_output=True)
clean()
environment["HANGS"] = "yes"
done = subprocess.run([*command, "--test", "test -x program", "--", "./program"], cwd=repository, env=environment, capture_output=True, text=True)
print(done.stdout, done.stderr)
check(done.returncode == 0, done.returncode)
rows = {line.split()[2]: line for line in done.stdout.splitlines() if "project.cpp:" in line and "project.cpp" in line.split()[2]}
check("kept" in rows["project.cpp:14"], rows)
check("the build did not end in 40 s" in rows["project.cpp:21"], rows)
check("the build fails: cannot make_shared" in rows["project.cpp:28"], rows)
check("together:" in done.stdout, done.stdout)
# Each step has a line, with an estimate.
steps = re.findall(r"^inmem: fix: (.*)$", done.stderr, re.MULTILINE)
check([re.sub(r"(took|most|about) \d+ (s|min)", r"\1 N", each) for each in steps[:4]] == [
    "without a patch: the first of two builds", "without a patch: the second build; the first took N",
    "without a patch: the tests, and two runs", re.sub(r"(most) \d+ (s|min)", r"\1 N", steps[3])], steps)
check(re.fullmatch(r"1 of 4: project.cpp:28: .*; at most \d+ (s|min) left", steps[3]), steps)
check(re.fullmatch(r"4 of 4: all patches that help, together; about \d+ (s|min) left", steps[6]), steps)
clean()
patch = FOLDER / "out" / "series.patch"
git("apply", "--check", str(patch))
check(len([each for each in (FOLDER / "out").iterdir() if each.suffix == ".patch"]) == 2, list((FOLDER / "out").iterdir()))
record = json.loads((FOLDER / "out" / "verified.json").read_text())
check(len(record) == 3 and sum(each["kept"] for each in record.values()) == 1, record)

# What was measured is not measured again: the hanging build is not tried.
again = subprocess.run([*command, "--test", "test -x program", "--", "./program"], cwd=repository, env=environment, capture_output=True, text=True)
check(again.returncode == 0 and "project.cpp" not in again.stderr, again.stdout, again.stderr)
check(rows["project.cpp:14"] in again.stdout, again.stdout)
clean()

# Tests that fail without any patch: nothing can be verified, and one line says what they say.
elsewhere = [FOLDER / "failing" if word == FOLDER / "out" else word for word in command]
failing = subprocess.run([*elsewhere, "--test", "echo no luck >&2; false", "--", "./program"], cwd=repository, env=environment, capture_output=True,
                         text=True)
check(failing.returncode != 0 and "without a patch, its tests fail: no luck" in failing.stderr, failing.returncode, failing.stderr)
clean()

# Without an edit nothing is built, and one line says why there is none.
database = FOLDER / "none.json"
database.write_text(json.dumps([{"directory": str(FOLDER), "file": "other.cpp", "arguments": [str(COMPILER), "-c", "other.cpp"]}]))
(FOLDER / "other.cpp").write_text("int other;\n")
for rules, reason in (([], "3 findings: "), (["--rule", "padding"], "there are no findings\n")):
    none = subprocess.run([INMEM, "fix", trace, "-p", database, *rules, "--verify", "false", "--", "./program"], cwd=repository, env=environment,
                          capture_output=True, text=True)
    check(none.returncode == 0 and none.stdout.count("\n") == 1, none.stdout, none.stderr)
    check(none.stdout.startswith(f"no edit to verify: {reason}"), none.stdout)
