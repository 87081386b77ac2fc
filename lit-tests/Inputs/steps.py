# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program that goes on step by step, and `inmem` beside it.

The program prints a line and reads one after each step (lit-tests/tools/ctl.cpp), so that nothing depends on time.
"""
import json
import os
import subprocess

INMEM = os.path.join(os.environ["INMEM_BUILD"], "bin", "inmem")


class Program:
    def __init__(self, command, trace, options=""):
        self.trace = trace
        if os.path.exists(trace):
            os.remove(trace)
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1,
                                        env=dict(os.environ, INMEM_OPTIONS=f"output={trace}{options}"))
        self.wait()

    @property
    def pid(self):
        return str(self.process.pid)

    def wait(self):
        assert self.process.stdout.readline() == "ready\n"

    def step(self, what):
        """Has the program do a step, to its end."""
        self.process.stdin.write(what + "\n")
        self.wait()

    def end(self):
        self.process.stdin.close()
        assert self.process.wait() == 0

    def kill(self):
        self.process.kill()
        self.process.wait()


def inmem(*words, code=0):
    """Output of `inmem`, which must end with this exit code."""
    done = subprocess.run([INMEM, *words], capture_output=True, text=True)
    assert done.returncode == code, f"inmem {words}: exit code {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def report(trace, *options):
    return json.loads(inmem("report", "--format", "json", *options, trace))


def row(read, name):
    return next((one for one in read["types"] if one["type"] == name), None)


def check(what, found, expected):
    assert found == expected, f"{what}: expected {expected}, found {found}"
