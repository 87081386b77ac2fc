# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""linear.py INMEM VALGRIND - counts the instructions of the children that write snapshots of linear.cpp's heap, of two sizes."""

import json
import os
import pathlib
import subprocess
import sys

INMEM, VALGRIND = sys.argv[1:]
FEW, MANY = 10000, 40000


def counted(name, blocks, words=(), options=()):
    """Starts the program under callgrind, which writes a file for each process."""
    environment = {**os.environ, "INMEM_OPTIONS": f"output={name}.inmem"}
    command = [VALGRIND, "-q", "--tool=callgrind", f"--callgrind-out-file={name}.%p.calls", *options, "./app", str(blocks), *words]
    return subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def totals_of(name):
    """The instructions of each process."""
    totals = {}
    for file in pathlib.Path().glob(f"{name}.*.calls"):
        for line in file.read_text(encoding="utf-8").splitlines():
            if line.startswith(("totals:", "summary:")):
                totals[int(file.name.split(".")[1])] = int(line.split()[1])
    return totals


def of_child(name, app):
    """The instructions of the child alone: its count begins with the program's."""
    totals = totals_of(name)
    return max(totals.values()) - totals[app.pid]


def pause(blocks):
    """The instructions of inmem_snapshot() in the program itself."""
    name = f"pause{blocks}"
    with counted(name, blocks, options=["--toggle-collect=inmem_snapshot"]) as app:
        app.wait()
    return totals_of(name)[app.pid]


def graph(blocks):
    name = f"graph{blocks}"
    with counted(name, blocks) as app:
        app.wait()
    return of_child(name, app)


def resident(blocks):
    name = "resident"
    for old in pathlib.Path().glob("resident.*"):
        old.unlink()
    with counted(name, blocks, ["serve"]) as app:
        app.stdout.readline()
        text = subprocess.run([INMEM, "resident", "--format", "json", str(app.pid)], check=True, capture_output=True, text=True).stdout
        app.stdin.close()
        app.wait()
    found = json.loads(text)
    parts = {part["part"]: part["bytes"] for part in found["parts"]}
    assert sum(parts.values()) == found["rss_bytes"], parts
    assert parts["live"] > blocks * 9 // 10 * 216, parts
    return of_child(name, app)


# The program itself forks, and does nothing for each block.
few, many = pause(FEW), pause(MANY)
print(f"pause: {few} and {many}")
assert 1000 < many < few * 1.1 + 5000, (few, many)

# Instructions a block, of which a graph reads each word.
for kind, most in ((graph, 5000), (resident, 800)):
    few, many = kind(FEW), kind(MANY)
    each = (many - few) / (MANY - FEW)
    print(f"{kind.__name__}: {few} for {FEW} blocks, {many} for {MANY}: {each:.0f} each")
    assert each <= most, each
    assert many <= few / FEW * MANY * 1.03, (few, many)
