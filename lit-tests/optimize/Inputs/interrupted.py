#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""FOLDER COMMAND...: ends an `inmem optimize` that writes to FOLDER by each signal while its llvm-profdata runs. Fails if a
file is left, or if that llvm-profdata goes on."""

import os
import pathlib
import shlex
import shutil
import signal
import subprocess
import sys

sys.path.insert(0, sys.argv[0].rsplit("/", 3)[0] + "/Inputs")
from patience import until

folder = pathlib.Path(sys.argv[1])
tools = folder.with_name(folder.name + ".tool")
for each in folder, tools:
    shutil.rmtree(each, ignore_errors=True)
    each.mkdir(parents=True)
number = tools / "pid"
tool = tools / "llvm-profdata"
word = shlex.quote(str(number))
tool.write_text(f"#!/bin/sh\necho $$ > {word}.new\nmv {word}.new {word}\nexec sleep 100000\n")
tool.chmod(0o755)


def is_running(pid):
    try:
        return "Z" not in pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False


for sent in signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL:
    number.unlink(missing_ok=True)
    command = subprocess.Popen(
        sys.argv[2:],
        env=os.environ | {"INMEM_LLVM_PROFDATA": str(tool)},
        preexec_fn=lambda sent=sent: sent != signal.SIGKILL and signal.signal(sent, signal.SIG_DFL),
    )
    until(number.exists, f"{sent.name}: llvm-profdata that is started")
    command.send_signal(sent)
    if command.wait() != -sent:
        sys.exit(f"{sent.name}: exit code {command.returncode}")
    left = os.listdir(folder)
    if left:
        sys.exit(f"{sent.name} leaves {left}")
    pid = int(number.read_text())
    until(lambda pid=pid: not is_running(pid), f"{sent.name}: llvm-profdata that ends")
