#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""until.py TRACE CONDITION... -- PROGRAM [ARGUMENT...]: runs a program, whose standard input ends as soon as the report on its trace
meets all conditions. They are written as for expect.py. Exit code: that of the program; 1 if it ends before."""
import json
import os
import subprocess
import sys

import expect
from patience import until

words = sys.argv[1:]
trace, conditions, command = words[0], words[1:words.index("--")], words[words.index("--") + 1:]
INMEM = os.path.join(os.environ["INMEM_BUILD"], "bin", "inmem")


def holds():
    if program.poll() is not None:
        sys.exit(f"the program ended with {program.returncode} before {conditions}")
    done = subprocess.run([INMEM, "report", "--format", "json", trace], capture_output=True, text=True)
    # It may not have begun its trace, or not have what a condition speaks of.
    return done.returncode == 0 and not expect.failures(json.loads(done.stdout, object_hook=expect.Row), conditions)


if os.path.exists(trace):
    os.remove(trace)
program = subprocess.Popen(command, stdin=subprocess.PIPE)
until(holds, conditions)
program.stdin.close()
sys.exit(program.wait())
