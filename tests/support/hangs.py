# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which process hangs, however slow or busy the machine is."""
import os
import pathlib
import signal
import subprocess


def group_cpu_seconds(group):
    """CPU time of a process group: of its processes, and of their children that have ended."""
    ticks = 0
    for each in pathlib.Path("/proc").iterdir():
        if each.name.isdigit():
            try:
                members = (each / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(members[2]) == group:
                ticks += sum(map(int, members[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def wait_or_kill(process, seconds):
    """(exit code, None), or (None, why) after killing a process group that hangs. It may take any time while it gets on: it
    hangs if it has no CPU time within SECONDS, or takes more CPU time than that, which a busy machine does not change."""
    spent = 0.0
    while True:
        try:
            return process.wait(seconds), None
        except subprocess.TimeoutExpired:
            before, spent = spent, group_cpu_seconds(process.pid)
        if spent == before or spent > seconds:
            why = f"took more than {seconds:g} seconds of CPU time" if spent > seconds else f"did nothing for {seconds:g} seconds"
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return None, why
