# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""daemon.py INMEM PROGRAM FOLDER: many processes write traces to a folder that a daemon collects and that is killed again and again."""
import os
import random
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, sys.argv[0].rsplit("/", 3)[0] + "/Inputs")
from patience import until

inmem, program, folder = sys.argv[1], sys.argv[2], Path(sys.argv[3])
source, store = folder / "from", folder / "store"
source.mkdir(parents=True)
PROCESSES = 40


def daemon():
    return subprocess.Popen([inmem, "collect", "--from", source, "--to", store, "--daemon", "--interval", "50ms", "--settle", "0"],
                            stderr=subprocess.PIPE, text=True)


def shipped():
    return [file for file in store.rglob("*.inmem.zst") if not file.name.startswith("_")]


random.seed(7)
collector, kills, running = daemon(), 0, []
for number in range(PROCESSES):
    options = f"output={source}/%p.%t.inmem:labels=service=job,build={number % 3}"
    running.append(subprocess.Popen([program], env={**os.environ, "INMEM_OPTIONS": options}, stdout=subprocess.DEVNULL))
    if number % 4 == 3:
        for process in running:
            assert process.wait() == 0
        running = []
        time.sleep(random.random() / 10)  # any moment will do
        collector.kill()
        collector.wait()
        kills += 1
        collector = daemon()
# The last one has its handler of SIGTERM when it has shipped a trace.
subprocess.run([program], env={**os.environ, "INMEM_OPTIONS": f"output={source}/%p.%t.inmem:labels=service=job,build=0"},
               stdout=subprocess.DEVNULL, check=True)
until(lambda: len(shipped()) > PROCESSES and not list(source.glob("*.inmem")), "all traces in the store, and none left")
collector.terminate()
said = collector.communicate()[1]
assert collector.returncode == 0, said
assert not list(source.glob("*.inmem")), "traces are left"
print(len(shipped()), "traces after", kills, "kills")
print(said.splitlines()[-1])
