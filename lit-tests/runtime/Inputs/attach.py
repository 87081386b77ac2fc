# Attaches to attached.cpp and detaches, again and again, and holds what was recorded against what the program counts.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   attach.py INMEM PROGRAM LIBRARY FOLDER MODE THREADS ROUNDS
import json
import os
import subprocess
import sys

inmem, program, library, folder, mode = sys.argv[1:6]
threads, rounds = int(sys.argv[6]), int(sys.argv[7])
os.makedirs(folder, exist_ok=True)


def run(*words, expect=0):
    done = subprocess.run([inmem, *words], capture_output=True, text=True)
    assert done.returncode == expect, (words, done.returncode, done.stdout, done.stderr)
    return done.stdout + done.stderr


def handlers(pid):
    with open(f"/proc/{pid}/status") as status:
        return [line for line in status if line.startswith(("SigIgn", "SigCgt"))]


target = subprocess.Popen([program, mode, str(threads), library], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def ask(line, answer):
    target.stdin.write(line + "\n")
    target.stdin.flush()
    got = target.stdout.readline()
    assert got == answer + "\n", (line, got)


def worked():
    """CPU time of the main thread, which waits and so is the one that calls for us; in nanoseconds."""
    with open(f"/proc/{target.pid}/task/{target.pid}/schedstat") as stat:
        return int(stat.read().split()[0])


assert target.stdout.readline() == "ready\n"
pid = str(target.pid)
before = handlers(pid)
for number in range(rounds):
    trace = f"{folder}/{number}.inmem"
    if os.path.exists(trace):
        os.remove(trace)
    idle = worked()
    run("attach", pid, "--trace", trace)
    # The gap of that thread: loading, starting and redirecting, without what the machine does in between.
    assert mode == "busy" or worked() - idle <= 70_000_000, worked() - idle
    run("attach", pid, expect=3)
    count = 100 + number
    ask(f"count {count}", "counted")
    late = number % 2 == 1
    if late:
        ask("late", "late")
    if number == 0:
        assert "recording   on" in run("ctl", pid, "status") and run("top", pid, "--once")
    run("detach", pid)
    run("detach", pid, expect=3)
    assert handlers(pid) == before, (before, handlers(pid))
    with open(f"/proc/{pid}/maps") as maps:
        left = [line for line in maps if ".inmem" in line]
    assert not left, (number, left)
    report = json.loads(run("report", "--format", "json", trace))
    process = report["processes"][0]
    assert process["complete"] and process["pid"] == target.pid, process
    assert any("attached" in note for note in report["notes"]), report["notes"]
    types = {t["type"]: t for t in report["types"]}
    counted = types["Counted"]
    assert counted["allocations"] == counted["frees"] == count * threads, (number, counted)
    assert counted["allocated_bytes"] == 48 * count * threads, counted
    assert ("Late" in types) == late, (number, list(types))
    if late:
        assert types["Late"]["allocations"] == types["Late"]["frees"] == 50, types["Late"]
    # Blocks of the loops live for an instant: what is alive was made on a thread that was in the middle of one.
    loops = [t for t in report["types"] if t["type"] is None]
    made, freed = sum(t["allocations"] for t in loops), sum(t["frees"] for t in loops)
    assert made > 0 and 0 <= made - freed <= threads + 1, (number, made, freed)
target.stdin.write("end\n")
target.stdin.flush()
rest = target.stdout.read()
assert rest == "ended, 0 failed\n" and target.wait() == 0, (rest, target.returncode)
print(f"{mode}, {threads} threads: {rounds} rounds")
