#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The bar of scripts/quickstart: it never goes back, and its estimate scales with the machine."""
import os
import pathlib
import pty
import re
import subprocess
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parent.parent.parent / "scripts" / "progress.sh"
# Each step takes a second by a clock of the test's own.
CLOCK = "unset EPOCHREALTIME; EPOCHREALTIME=1000.000000; tick() { EPOCHREALTIME=$((${EPOCHREALTIME%.*} + $1)).000000; }\n"


def lines(commands):
    ran = subprocess.run(["bash", "-euc", f'{CLOCK}. "$0"\n{commands}', SCRIPT], capture_output=True, text=True, check=True)
    return ran.stdout.splitlines()


class Progress(unittest.TestCase):
    def test_a_log_has_a_line_for_each_quarter(self):
        shown = lines("progress_begin 0 50 50; progress_phase none; progress_phase one\n"
                      "for at in 1 2 30 60 99 100; do tick 1; progress_at $at; done; progress_phase two; tick 1; progress_at 100; progress_end")
        self.assertEqual([line.split()[:3] for line in shown], [
            ["[1/3]", "none", "0"], ["[2/3]", "one", "0"], ["[2/3]", "one", "15"], ["[2/3]", "one", "30"], ["[2/3]", "one", "49"],
            ["[2/3]", "one", "50"], ["[3/3]", "two", "50"], ["[3/3]", "two", "100"]])

    def test_the_estimate_is_of_this_machine(self):
        """A quarter of the way took 60 s here, whatever the phases' lengths say: 180 s are left."""
        shown = lines("progress_begin 100 100; progress_phase one; tick 60; progress_at 50; tick 60; progress_at 100")
        self.assertEqual([line.partition("%")[2].strip() for line in shown], ["", "about 3 min left", "about 2 min left"])
        shown = lines("progress_begin 100 100; progress_phase one; tick 5; progress_at 50; tick 1; progress_at 100")
        self.assertEqual([line.partition("%")[2].strip() for line in shown], ["", "about 20 s left", "a few seconds left"])

    def test_it_never_goes_back(self):
        shown = lines("progress_begin 100; progress_phase one; progress_at 60; progress_at 20; progress_at 80")
        self.assertEqual([re.search(r"(\d+) %", line)[1] for line in shown], ["0", "60", "80"])

    def test_a_terminal_has_one_line(self):
        ours, theirs = pty.openpty()
        with subprocess.Popen(["bash", "-euc", f'{CLOCK}. "$0"\nprogress_begin 10; progress_phase one; progress_at 50; progress_end', SCRIPT],
                              stdout=theirs) as process:
            os.close(theirs)
            shown = b""
            try:
                while part := os.read(ours, 4096):
                    shown += part
            except OSError:  # the other end is closed
                pass
        os.close(ours)
        self.assertEqual(process.returncode, 0)
        self.assertNotIn(b"\n", shown)
        self.assertIn("█████████████░░░░░░░░░░░░  50 %".encode(), shown)
        self.assertTrue(shown.endswith(b"\r\x1b[K"))


if __name__ == "__main__":
    unittest.main()
