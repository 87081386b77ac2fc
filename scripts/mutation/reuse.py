#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""reuse.py COMPILER ARGUMENT...: compiles unless what the last call of the
same words made is still there. For runs that differ in the shared runtime
alone; what is linked statically is compiled each time."""
import hashlib
import os
import pathlib
import subprocess
import sys

command = sys.argv[1:]
output = command[command.index("-o") + 1] if "-o" in command[:-1] else None
if not output or any("static" in word for word in command):
    sys.exit(subprocess.run(command).returncode)
seen = hashlib.sha256("\0".join([os.getcwd(), *command]).encode())
for word in command[1:]:
    if word != output and os.path.isfile(word):
        seen.update(pathlib.Path(word).read_bytes())
stamp = pathlib.Path(output + ".reuse")
now = seen.hexdigest()
if os.path.exists(output) and stamp.exists() and stamp.read_text().split() == [now, str(os.stat(output).st_mtime_ns)]:
    sys.exit(0)
status = subprocess.run(command).returncode
if status == 0 and os.path.isfile(output):
    stamp.write_text(f"{now} {os.stat(output).st_mtime_ns}")
sys.exit(status)
