# The tools on an attached process, and what detaching leaves.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   attachtools.py INMEM PROGRAM FOLDER
import hashlib
import json
import os
import shutil
import subprocess
import sys

inmem, program, folder = sys.argv[1:]
shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)


def run(*words, expect=0):
    done = subprocess.run([inmem, *words], capture_output=True, text=True, cwd=folder)
    assert done.returncode == expect, (words, done.returncode, done.stdout, done.stderr)
    return done.stdout + done.stderr


def unwritable(pid):
    """Digests of the code and the constant data of all files: with bound functions, all words that lead to other files. glibc's loader keeps a
    list of files in data that it protects."""
    out = {}
    with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb") as memory:
        for line in maps:
            span, access, _, _, inode, *path = line.split(maxsplit=5)
            if inode != "0" and access in ("r-xp", "r--p") and "libinmem_rt" not in path[0] and "libgcc_s" not in path[0] and "/ld-" not in path[0]:
                begin, end = (int(part, 16) for part in span.split("-"))
                memory.seek(begin)
                out[span] = (path[0].strip(), hashlib.sha256(memory.read(end - begin)).hexdigest())
    return out


def status(pid):
    """Without glibc's own handlers: the first thread of a process installs one for good (SIGSETXID, bit 32)."""
    with open(f"/proc/{pid}/status") as of:
        found = dict(line.split(":", 1) for line in of)
    signals = {name: int(found[name], 16) & ~(3 << 31) for name in ("SigIgn", "SigCgt", "SigBlk")}
    return signals, found["Threads"], found["TracerPid"]


target = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={**os.environ, "LD_BIND_NOW": "1"})


def ask(letter, answer):
    target.stdin.write(letter)
    target.stdin.flush()
    assert target.stdout.readline() == answer + "\n"


assert target.stdout.readline() == "ready\n"
pid = str(target.pid)
before = unwritable(pid), status(pid)
assert len(before[0]) > 5, before
for again in range(2):
    trace = f"{folder}/{again}.inmem"
    # With a thread of inmem's own, commands need no event of the program.
    run("attach", pid, "--trace", trace, *(["--options", "periodic=0.05"] if again else []))
    assert unwritable(pid) != before[0]  # or else nothing is redirected, and the comparison below is worthless
    with open(f"/proc/{pid}/maps") as maps:
        assert [line for line in maps if folder in line and line.split()[1].endswith("s")]
    ask("m", "made")
    live = run("top", pid, "--once")
    row = next(line.split() for line in live.splitlines() if line.startswith("Order "))
    assert "500" in row, live
    report = json.loads(run("report", "--format", "json", trace))
    order = {t["type"]: t for t in report["types"]}["Order"]
    assert (order["allocations"], order["allocated_bytes"], order["allocations"] - order["frees"]) == (500, 32000, 500), order
    if again:
        resident = run("resident", pid)
        assert "live blocks, asked for" in resident and "inmem's own" in resident and "Order" in resident, resident
        said = run("ctl", pid, "snapshot")
        heap = said.split("written to ")[1].strip()
    else:
        # Idle, it takes the snapshot at its next event, the first free.
        heap = f"{folder}/{again}.heap"
        assert f"as {heap}" in run("ctl", pid, "snapshot") and "is idle" in run("resident", pid, expect=3)
    ask("d", "deleted")
    snapshot = json.loads(run("heap", "--format", "json", heap))
    orders = {t["type"].lstrip("~"): t["objects"] for t in snapshot["types"]}["Order"]
    assert orders == 500 if again else orders in (499, 500), snapshot["types"]
    # Shelves are not in it, and so nothing says which orders are reachable.
    assert snapshot["partial"] == ["attached to the running program"] and not snapshot["leaks"], snapshot["leaks"]
    state = run("ctl", pid, "status")
    assert "recording   on" in state and "freed       320 B in 5" in state, state
    run("detach", pid)
    after = unwritable(pid), status(pid)
    assert after[1] == before[1], (before[1], after[1])
    assert after[0] == before[0], [(span, before[0].get(span), of) for span, of in after[0].items() if before[0].get(span) != of]
    # Linked by its name after it was opened, the trace has another in here. What stays of it is a private copy.
    with open(f"/proc/{pid}/maps") as maps:
        assert not [line for line in maps if folder in line and line.split()[1].endswith("s")]
    for words in (("ctl", pid, "status"), ("top", pid, "--once"), ("resident", pid)):
        assert run(*words, expect=3) == f"inmem: process {pid} ({os.path.basename(program)[:15]}): is detached: `inmem attach {pid}` records again\n"
    # What the program does now is in no trace.
    ask("m", "made")
    ask("d", "deleted")
    order = {t["type"]: t for t in json.loads(run("report", "--format", "json", trace))["types"]}["Order"]
    assert (order["allocations"], order["frees"]) == (500, 5), order
target.stdin.write("e")
target.stdin.flush()
assert target.stdout.read() == "ended, 0 failed\n" and target.wait() == 0
print("tools")
