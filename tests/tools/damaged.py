#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""damaged.py - what does `inmem` do with a damaged file, wherever it opens one?

  damaged.py --inmem FILE --assemble FILE [--heap FILE] [--rounds N | --every N] [--seed N] [--only PART]

Damages each kind of file that a subcommand or option opens and runs the command on it. Each run must end by itself
within a time and a memory limit, with exit code 0 to 3; if it refuses the file (3), standard error is one line that
names it, and no output is left behind, unless the line says which part was left out. --rounds 1 is the small sweep of scripts/test, more
rounds add random damage; the seed makes them again. --every N takes each Nth of these runs: each damage occurs, though not with
each command. Exit code 1: some run did not hold, and its file is kept.
"""
import argparse
import contextlib
import http.client
import json
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import urllib.parse

SECONDS, BYTES = 20, 2 << 30  # of CPU time; a command that sleeps hangs after
PATIENCE = 1800  # seconds
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SAMPLES = {"budget": "tests/fuzz/corpus/budget/some"} | {kind: f"tests/fuzz/corpus/import/{kind}" for kind in ("dhat", "heaptrack", "massif", "pprof")}
# What is said of a damaged file that is shown nevertheless, before any error.
WARNINGS = ("note:", "was cut short", "are damaged and left out", "traces added", "was passed over", "file passed over", "inmem: collect: ")

# Kinds of which one file of a fleet's folder is damaged.
FLEET = ROOT / "lit-tests/fleet/Inputs/schema-2"
FOLDER = "many-traces"
IN_FLEET = {"manifest": "_manifest/*.json", "parquet": "types/*/*/*.parquet"}
CONFIG = b'[labels]\nteam = "core"\n[services.web]\nlabels = { team = "web" }\nsample_bytes = "512 KiB"\n'
ENVIRONMENT = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "COLUMNS": "100"}
DATABASE = b'[{"directory": "/nowhere", "file": "a.cpp", "arguments": ["clang++", "-O2", "-c", "a.cpp"]}]'

# (kind of file, command); {bad} is the damaged file, {good} a trace, {fleet} the folder of a fleet, {out} an output.
COMMANDS = [("trace", line) for line in (
    "report {bad}", "report {good} {bad}", "report --format json {bad}", "report --by stack --lines {bad}", "dump {bad}",
    "dump --events --offsets {bad}", "merge -o {out} {good} {bad}", "diff {good} {bad}", "diff --old {bad} --new {good}",
    "html -o {out} {bad}", "html --diff -o {out} {good} {bad}", "export --format pprof -o {out} {bad}",
    "export --format perfetto -o {out} {bad}", "flame -o {out} {bad}", "check --baseline {bad} {good}", "check --baseline {good} {bad}",
    "check --learn -o {out} {bad}", "optimize -o {out}.yaml {bad}", "symbolize {bad}", "top --once {bad}",
    "export --format parquet -o {out} {bad}", "doctor {bad}", "fix -p {database} {bad}",
    "verify-optimization {good} {bad}", "verify-optimization --trained {bad} {good} {good}", "heap {bad}", "import -o {out} {bad}")]
COMMANDS += [("budget", "check --budget {bad} {good}")]
COMMANDS += [(kind, "import -o {out} {bad}") for kind in ("dhat", "heaptrack", "massif", "pprof")]
COMMANDS += [("database", "fix -p {bad} {good}"), ("config", "fleet options --service web {bad}"),
             ("config", "export --format parquet --config {bad} -o {out} {good}")]
COMMANDS += [(kind, line) for kind in IN_FLEET for line in (
    "query top-types {fleet}", "query SELECT(count(*))from(types) {fleet}", "query --trace 0011 {fleet}", "fleet compact {fleet}",
    "fleet expire --older-than 1d {fleet}")]
COMMANDS += [("trace", line) for line in ("collect --settle 0s --killed-after 0s --spool ../spool --from . --to out", "serve --no-symbols .", "mcp")]
COMMANDS += [("heap", line) for line in ("heap {bad}", "serve --no-symbols .", "heap diff {bad} {bad}", "html --heap {bad} -o {out} {good}")]


def damages(data, chance, rounds):
    """(what it is, bytes): the same few for each file, then random ones."""
    yield "empty", b""
    yield "cut to a byte", data[:1]
    for part in (0.1, 0.5, 0.98):
        yield f"cut at {part}", data[: int(len(data) * part)]
    yield "zeros behind the start", data[: min(64, len(data) // 4)] + bytes(len(data))
    yield "doubled", data + data
    for number in range(2 + 8 * (rounds - 1)):
        damaged = bytearray(data)
        for _ in range(1 + number % 5):
            damaged[chance.randrange(len(damaged))] = chance.choice((0, 1, 0x7f, 0x80, 0xff, chance.randrange(256)))
        yield f"changed {number}", bytes(damaged)
        where, length = chance.randrange(len(data)), chance.randrange(1, 64)
        yield f"cut out {number}", data[:where] + data[where + length:]


def limited():
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))


def problem(command, bad, folder):
    """What a run did that it must not, or None."""
    before = set(os.listdir(folder))
    try:
        done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE,
                              preexec_fn=limited, env=ENVIRONMENT)
    except subprocess.TimeoutExpired:
        return "it hangs"
    error = done.stderr.decode(errors="replace").strip()
    if done.returncode not in (0, 1, 2, 3):
        return f"exit code {done.returncode}: {error[-300:]}"
    shown = any(words in error for words in ("left out", "checksum of the trace's header"))
    refused = done.returncode in (2, 3) and not shown
    left = [name for name in set(os.listdir(folder)) - before if refused or name.endswith(".tmp")]
    for name in set(os.listdir(folder)) - before:
        path = os.path.join(folder, name)
        shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)
    if left:
        return f"exit code {done.returncode}, and leaves {', '.join(left)}"
    if done.returncode == 3:
        lines = error.splitlines()
        if len([line for line in lines if not any(warning in line for warning in WARNINGS)]) > 1 or not lines:
            return f"{len(lines)} lines: {error[:300]}"
        if not any(os.path.basename(name) in error for name in ("good.inmem", FOLDER, bad)):
            return f"does not name the file: {error[:300]}"
    return None


def served(command, bad, folder):
    """What `inmem serve` did that it must not, or None: each address is answered, and Ctrl-C ends it. A damaged heap
    snapshot is beside a good trace of its name."""
    trace = pathlib.Path(bad).with_suffix(".inmem").name
    server = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=limited, env=ENVIRONMENT)
    try:
        url = urllib.parse.urlparse(server.stdout.readline().decode().strip())
        for path in ("/", f"/trace?file={trace}", f"/data?file={trace}", f"/diff?old={trace}&new={trace}"):
            connection = http.client.HTTPConnection("127.0.0.1", url.port, timeout=PATIENCE)
            with contextlib.closing(connection):
                connection.request("GET", f"{path}{'&' if '?' in path else '?'}{url.query}")
                if (status := connection.getresponse().status) not in (200, 422):
                    return f"{path} is answered by {status}"
    except (OSError, http.client.HTTPException) as fault:
        return f"it does not answer: {fault!r}"
    finally:
        server.send_signal(signal.SIGINT)
        try:
            error = server.communicate(timeout=PATIENCE)[1].decode(errors="replace")
        except subprocess.TimeoutExpired:
            server.kill()
            error = ""
    return None if server.returncode == 0 else f"exit code {server.returncode}: {error[-300:]}"


def asked(command, bad, folder):
    """What `inmem mcp` did that it must not, or None: each question has an answer, and standard input's end ends it."""
    calls = [("report", {"file": bad}), ("sites", {"file": bad}), ("findings", {"file": bad}), ("diff", {"old": bad, "new": bad}),
             ("propose_fix", {"file": bad, "database": "none.json"})]
    questions = "".join(json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": name, "arguments": arguments}}) + "\n"
                        for number, (name, arguments) in enumerate(calls))
    try:
        done = subprocess.run(command, cwd=folder, input=questions, capture_output=True, text=True, timeout=PATIENCE, preexec_fn=limited,
                              env=ENVIRONMENT)
    except subprocess.TimeoutExpired:
        return "it hangs"
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    if done.returncode != 0 or [answer["id"] for answer in answers] != list(range(len(calls))):
        return f"exit code {done.returncode}, {len(answers)} answers: {done.stderr[-300:]}"
    return next((f"to {calls[answer['id']]}: {answer}" for answer in answers if not answer.get("result", answer.get("error"))), None)


TALKS = {"serve": served, "mcp": asked}


def samples(options, folder):
    """A good trace, and {kind: bytes} of good files."""
    good = folder / "good.inmem"
    subprocess.run([options.assemble, "-o", good, ROOT / "tests/tools/transcripts/calls.trace"], check=True)
    files = {kind: ROOT / path for kind, path in SAMPLES.items()} | {"trace": good}
    files |= {kind: next(FLEET.glob(pattern)) for kind, pattern in IN_FLEET.items()}
    if options.heap:
        files["heap"] = options.heap
    return good, {kind: file.read_bytes() for kind, file in files.items()} | {"config": CONFIG, "database": DATABASE}


def place(kind, data, work, good):
    """Writes a damaged file to where the command expects it; its path."""
    if kind == "heap":
        shutil.copy(good, work / "bad.inmem")
        bad = work / "bad.heap"
    elif kind not in IN_FLEET:
        bad = work / "bad.inmem"
    else:
        shutil.rmtree(work / FOLDER, ignore_errors=True)
        shutil.copytree(FLEET, work / FOLDER)
        bad = next((work / FOLDER).glob(IN_FLEET[kind]))
    bad.write_bytes(data)
    return bad


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inmem", required=True)
    parser.add_argument("--assemble", required=True)
    parser.add_argument("--heap", type=pathlib.Path, help="a heap snapshot; without it, snapshots are left out")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only each Nth run; not 11, the damages of a file")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="commands that have this part")
    options = parser.parse_args()
    runs, passed_over, problems = 0, 0, []
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        good, kinds = samples(options, folder)
        database = folder / "compile_commands.json"
        database.write_bytes(DATABASE)
        work = folder / "work"
        work.mkdir()
        for kind, line in COMMANDS:
            if kind not in kinds or (options.only and options.only not in line):
                continue
            chance = random.Random(f"{options.seed} {line}")
            for what, data in damages(kinds[kind], chance, options.rounds):
                if (runs + passed_over) % options.every:
                    passed_over += 1
                    continue
                bad = place(kind, data, work, good)
                names = {"bad": bad.name, "good": good, "fleet": FOLDER, "database": database, "out": "out"}
                command = [options.inmem, *(word.format(**names) for word in line.split())]
                runs += 1
                if wrong := TALKS.get(command[1], problem)(command, bad.name, work):
                    kept = pathlib.Path.cwd() / f"damaged-{len(problems)}"
                    shutil.copy(bad, kept) if bad.exists() else kept.write_bytes(data)
                    problems.append(f"{line} ({kind}, {what}): {wrong}\n    {kept}")
    print("\n".join(problems) or "all as it should be", f"\n{runs} runs, {len(problems)} problems, seed {options.seed}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
