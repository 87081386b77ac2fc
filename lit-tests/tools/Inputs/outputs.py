# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""outputs.py INMEM FOLDER MASSIF EACH: what becomes of files that commands are told to write. Each line tries one in EACH of the names that a file
has, in turn."""
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, sys.argv[0].rsplit("/", 3)[0] + "/Inputs")
from patience import PATIENCE, until

INMEM, FOLDER, MASSIF = (Path(each).resolve() for each in sys.argv[1:4])
EACH = int(sys.argv[4])

# {i} is an input, {o} the output. Each input stands in a line of its own where a command has several kinds.
# "whole": the inputs are such that the command succeeds.
LINES = [
    ("report", "-o", "whole", "report -o {o} {i}"),
    ("report", "-o", "", "report -o {o} {other} {i}"),
    ("report", "-o", "", "report --format json --by site -o {o} {i}"),
    ("flame", "-o", "whole", "flame -o {o} {i}"),
    ("html", "-o", "whole", "html -o {o} {i}"),
    ("html", "-o", "", "html -o {o} --heap {i} {other}"),
    ("html", "-o", "", "html --diff -o {o} {other} {i}"),
    ("diff", "-o", "whole", "diff -o {o} {i} {other}"),
    ("diff", "-o", "", "diff -o {o} {other} {i}"),
    ("diff", "-o", "", "diff -o {o} --old {other} --new {i}"),
    ("diff", "-o", "", "diff -o {o} --old {i} --new {other}"),
    ("diff", "-o", "", "diff -o {o} {folder} {other}"),
    ("check", "-o", "whole", "check --learn -o {o} {i}"),
    ("check", "-o", "", "check --baseline {i} -o {o} {other}"),
    ("check", "-o", "", "check --budget {i} -o {o} {other}"),
    ("check", "--junit", "whole", "check --baseline {other} --junit {o} {i}"),
    ("check", "--junit", "", "check --budget {i} --junit {o} {other}"),
    ("check", "--sarif", "whole", "check --baseline {other} --sarif {o} {i}"),
    ("check", "--sarif", "", "check --baseline {i} --sarif {o} {other}"),
    ("export", "-o", "whole", "export --format pprof -o {o} {i}"),
    ("import", "-o", "whole", "import --format massif -o {o} {massif}"),
    ("import", "-o", "", "import --format massif -o {o} {i}"),
    ("add-types", "-o", "", "add-types -o {o} {i}"),
    ("add-types", "-o", "", "add-types --binary {i} -o {o} {other}"),
    ("heap", "-o", "", "heap -o {o} {i}"),
    ("heap", "-o", "", "heap diff -o {o} {other} {i}"),
    ("resident", "-o", "", "resident -o {o} {i}"),
    ("replay", "-o", "", "replay -o {o} {i}"),
    ("optimize", "-o", "", "optimize -o {o} {i}"),
    ("fix", "--yaml", "", "fix -p {folder} --yaml {o} {i}"),
    ("fix", "--sarif", "", "fix -p {folder} --sarif {o} {i}"),
    ("fix", "--github", "", "fix -p {folder} --github {o} {i}"),
    ("verify-optimization", "-o", "", "verify-optimization -o {o} {i} {other}"),
    ("verify-optimization", "-o", "", "verify-optimization -o {o} {other} {i}"),
    ("verify-optimization", "-o", "", "verify-optimization -o {o} {other} {other} --trained {i} --recorded /bin/true"),
    ("verify-optimization", "-o", "", "verify-optimization -o {o} {other} {other} --trained {other} --recorded {i}"),
    ("verify-optimization", "-o", "", "verify-optimization -o {o} /bin/true /bin/true -- {i}"),
    ("merge", "-o", "whole", "merge -o {o} {i} {other}"),
    ("dump", "-o", "whole", "dump -o {o} {i}"),
    ("run", "-o", "", "run -o {o} -- {i}"),
    ("run", "-o", "", "run -o {o} --runtime {i} -- /bin/true"),
    ("run", "-o", "", "run -o {o} -- /bin/cat {i}"),
    ("run", "--trace", "", "run -q --trace {o} -- {i}"),
    ("run", "-o", "whole", "run -o {o} -- /bin/true"),
    ("run", "--trace", "whole", "run -q --trace {o} -- /bin/true"),
    ("run", "-o", "whole", "run --html -o {o} -- /bin/true"),
]
# Options that name files which are only read.
READ = {"--annotate", "--heap", "--budget", "--baseline", "--old", "--new", "--runtime", "--trained", "--recorded", "--config", "--binary"}
# Whose input is a fleet's folder: fleet/query.test.
FLEET = {("query", "-o"), ("query", "--html")}
# The trace of a process that runs: runtime/attach.test.
LIVE = {("attach", "--trace")}
# symbolize changes its input, and has no other output.


def inmem(line, **more):
    return subprocess.run([INMEM, *line.split()], capture_output=True, cwd=FOLDER, **more)


def require(good, *said):
    if not good:
        print("FAILED:", *said)
        sys.exit(1)


def knows_every_option():
    written = {(command, option) for command, option, _, _ in LINES}
    commands = re.findall(r"^  ([a-z][a-z-]+)  ", inmem("--help").stdout.decode(), re.M)
    require(len(commands) > 15, commands)
    for command in commands:
        for names, value in re.findall(r"^  (-\S+) ([A-Z][A-Z.:=a-z]*)", inmem(f"{command} --help").stdout.decode(), re.M):
            first = names.split(",")[0]
            if re.match(r"(FILE|OUT|OLD|NEW|TRACE|PROGRAM)", value):
                require(first in READ or (command, first) in written | FLEET | LIVE, command, names, "may write: add it to this test")
    print("every option is known")


def fresh(name):
    folder = FOLDER / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    shutil.copy(FOLDER / "calls.inmem", folder / "a.inmem")
    shutil.copy(FOLDER / "shop.inmem", folder / "b.inmem")
    return folder


def aliases(folder):
    """Names of a.inmem."""
    yield "a.inmem"
    yield "./a.inmem"
    yield str(folder / "a.inmem")
    yield f"../{folder.name}/a.inmem"
    (folder / "link").symlink_to("a.inmem")
    yield "link"
    os.link(folder / "a.inmem", folder / "hard.link")
    yield "hard.link"


def content(folder):
    return {p.name: p.read_bytes() for p in folder.iterdir() if p.is_file()}


def filled(line, **names):
    """A command's words; a name may have a blank."""
    return [word.format(**names) for word in line.split()]


def inputs_stay():
    refused = 0
    for number, (_, _, _, line) in enumerate(LINES):
        if "{i}" not in line and "{folder}" not in line:
            continue
        folder = fresh("inputs")
        for output in list(aliases(folder))[number % EACH :: EACH]:
            before = content(folder)
            words = filled(line, o=output, i="a.inmem", other="b.inmem", folder=".", massif="a.inmem")
            ran = subprocess.run([INMEM, *words], capture_output=True, cwd=folder)
            require(ran.returncode == 2 and b" is an input and the output" in ran.stderr, words, ran)
            require(ran.stderr.count(b"\n") == 1 and ran.stdout == b"", words, ran)
            require(content(folder) == before, words, "changed", sorted(content(folder)))
            refused += 1
    # What is given as standard input or output has a name, too.
    folder = fresh("inputs")
    before = content(folder)
    with open(folder / "a.inmem", "rb") as stdin:
        ran = subprocess.run([INMEM, "report", "-o", "a.inmem", "-"], stdin=stdin, capture_output=True, cwd=folder)
    require(ran.returncode == 2 and content(folder) == before, ran)
    for words in ("report a.inmem", "merge -o - a.inmem b.inmem", "dump -o /dev/stdout a.inmem"):
        with open(folder / "a.inmem", "ab") as stdout:
            ran = subprocess.run([INMEM, *words.split()], stdout=stdout, stderr=subprocess.PIPE, cwd=folder)
        require(ran.returncode == 2 and content(folder) == before, words, ran)
    # Two outputs are not one file.
    ran = subprocess.run([INMEM, *"check --baseline a.inmem --junit x.out --sarif ./x.out b.inmem".split()], capture_output=True, cwd=folder)
    require(ran.returncode == 2 and content(folder) == before, ran)
    print(f"inputs stay: {refused} refusals")


def small_files():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (16, 16))


def whole_lines():
    return [line for _, _, whole, line in LINES if whole]


def others_stay():
    """A write that fails leaves the file that was there."""
    failures = 0
    for line in whole_lines():
        if line.startswith("run"):
            continue  # the limit would be the program's, too
        folder = fresh("others")
        (folder / "out").write_bytes(b"old")
        before = content(folder)
        words = filled(line, o="out", i="a.inmem", other="b.inmem", massif=MASSIF)
        ran = subprocess.run([INMEM, *words], capture_output=True, cwd=folder, preexec_fn=small_files)
        require(ran.returncode == 4 and b"out: cannot write: File too large" in ran.stderr, words, ran)
        require(content(folder) == before, words, sorted(content(folder)))
        failures += 1
    # Neither does an input that cannot be read.
    folder = fresh("others")
    (folder / "out").write_bytes(b"old")
    before = content(folder)
    for words in ("dump -o out a.inmem none.inmem", "merge -o out a.inmem none.inmem", "report -o out none.inmem"):
        ran = subprocess.run([INMEM, *words.split()], capture_output=True, cwd=folder)
        require(ran.returncode == 3 and content(folder) == before, words, ran, sorted(content(folder)))
        failures += 1
    print(f"other files stay: {failures} failures")


def run(folder, line, output):
    words = filled(line, o=output, i="a.inmem", other="b.inmem", massif=MASSIF)
    return subprocess.run([INMEM, *words], capture_output=True, cwd=folder)


def goes_anywhere(line):
    folder = fresh("devices")
    good = run(folder, line, "plain")
    require(good.returncode in (0, 1), line, good)
    wanted = (folder / "plain").read_bytes()
    require(wanted, line)
    is_run = line.startswith("run")

    def same(got):  # a run of a program differs from the last
        return bool(got) if is_run else got == wanted

    require((folder / "plain").stat().st_mode & 0o777 == 0o666 & ~UMASK, line)
    for output in () if "--trace" in line else ("/dev/stdout",) if is_run else ("/dev/stdout", "-"):
        require(same(run(folder, line, output).stdout.removesuffix(good.stdout)), line, output)
    require(run(folder, line, "/dev/null").returncode == good.returncode and Path("/dev/null").is_char_device(), line)
    # An old file keeps its mode; a link stays one, and leads to the new text.
    (folder / "old").write_bytes(b"old")
    (folder / "old").chmod(0o640)
    (folder / "to-old").symlink_to("old")
    require(run(folder, line, "to-old").returncode == good.returncode, line)
    require((folder / "to-old").is_symlink() and same((folder / "old").read_bytes()), line)
    require((folder / "old").stat().st_mode & 0o777 == 0o640, line)
    (folder / "to-new").symlink_to("new")
    require(run(folder, line, "to-new").returncode == good.returncode and same((folder / "new").read_bytes()), line)
    if "--trace" not in line:
        os.mkfifo(folder / "pipe")
        # A page is larger than what a pipe holds: cat writes to a file, so that it reads on.
        with tempfile.TemporaryFile() as read, subprocess.Popen(["cat", folder / "pipe"], stdout=read) as reader:
            done = run(folder, line, "pipe")
            reader.wait()
            read.seek(0)
            require(done.returncode == good.returncode and same(read.read()), line, "FIFO")
    left = {p.name for p in folder.iterdir()} - {"a.inmem", "b.inmem", "plain", "old", "to-old", "new", "to-new", "pipe"}
    require(not left, line, left)


def other_outputs():
    for line in whole_lines():
        goes_anywhere(line)
    print(f"devices, pipes and links: {len(whole_lines())} outputs")


def open_files(pid):
    try:
        return [os.readlink(f"/proc/{pid}/fd/{n}") for n in os.listdir(f"/proc/{pid}/fd")]
    except OSError:
        return []


def killed():
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL):
        folder = fresh("killed")
        (folder / "out").write_bytes(b"old")
        before = content(folder)
        # It has opened its output, and waits for its input.
        child = subprocess.Popen([INMEM, "dump", "-o", "out", "-"], stdin=subprocess.PIPE, cwd=folder,
                                 preexec_fn=lambda number=number: number != signal.SIGKILL and signal.signal(number, signal.SIG_DFL))
        until(lambda pid=child.pid, folder=str(folder): any(name.startswith(folder) for name in open_files(pid)), "an output that is open")
        child.send_signal(number)
        require(child.wait(PATIENCE) == -number, number)
        require(content(folder) == before, number, sorted(content(folder)))
    print("killed: the old file and nothing else")


UMASK = os.umask(0o022)
os.umask(UMASK)
knows_every_option()
inputs_stay()
others_stay()
other_outputs()
killed()
