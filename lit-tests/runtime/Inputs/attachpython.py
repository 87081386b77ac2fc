# Attaches to python, which allocates on three threads and loads modules, and compares its output.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   attachpython.py INMEM FOLDER ROUNDS
import json
import os
import subprocess
import sys

inmem, folder, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
os.makedirs(folder, exist_ok=True)
PROGRAM = """
import ctypes, sys, threading
ends = False
def work():
    total = 0
    while not ends:
        total += sum(len(bytes(n)) for n in range(1000, 2000))
threads = [threading.Thread(target=work) for _ in range(3)]
for one in threads: one.start()
print("ready", flush=True)
for line in sys.stdin:
    module = __import__(line.strip())
    print("loaded", module.__name__, flush=True)
ends = True
for one in threads: one.join()
print("ended", flush=True)
"""
MODULES = ["json", "decimal", "sqlite3", "ssl", "lzma", "bz2", "zlib", "csv", "array", "curses"]
target = subprocess.Popen(
    [sys.executable, "-c", PROGRAM],
    stdin=subprocess.PIPE,
    stdout=subprocess.PIPE,
    stderr=subprocess.PIPE,
    text=True,
    env={**os.environ, "PYTHONMALLOC": "malloc"},
)
assert target.stdout.readline() == "ready\n"
for number in range(rounds):
    trace = f"{folder}/python{number}.inmem"
    if os.path.exists(trace):
        os.remove(trace)
    subprocess.run([inmem, "attach", str(target.pid), "--trace", trace, "-q"], check=True)
    module = MODULES[number % len(MODULES)]
    target.stdin.write(module + "\n")
    target.stdin.flush()
    assert target.stdout.readline() == f"loaded {module}\n"
    subprocess.run([inmem, "detach", str(target.pid), "-q"], check=True)
    text = subprocess.run([inmem, "report", "--format", "json", trace], check=True, capture_output=True, text=True)
    totals = json.loads(text.stdout)["totals"]
    assert totals["allocations"] > 100 and totals["frees"] <= totals["allocations"], totals
target.stdin.close()
assert target.stdout.read() == "ended\n" and target.wait() == 0
assert target.stderr.read() == ""
print(f"python: {rounds} rounds")
