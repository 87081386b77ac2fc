# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""top.py PROGRAM TRACE: inmem top on a program, in a pseudo-terminal and as printed tables."""
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios

sys.path.insert(0, sys.argv[0].rsplit("/", 3)[0] + "/Inputs")
from patience import PATIENCE, until
from steps import INMEM, Program, check, inmem

program, trace = sys.argv[1:3]


def rows(text):
    """Names of types in a table, from the top."""
    return [line.split("  ")[0] for line in text.splitlines() if re.match(r"(Many|Large|Busy)  ", line)]


class Terminal:
    """`inmem top` with a terminal of its own."""

    def __init__(self, *words):
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
        self.process = subprocess.Popen([INMEM, "top", *words], stdin=slave, stdout=slave, stderr=slave,
                                        env=dict(os.environ, TERM="vt100", LC_ALL="C"), start_new_session=True)
        os.close(slave)
        self.seen = ""

    def expect(self, pattern, key=""):
        """Reads until what came since the last time matches. A key draws all again."""
        for _ in range(10 * PATIENCE):
            if key:
                self.press(key)
            if re.search(pattern, self.seen, re.DOTALL):
                break
            if select.select([self.master], [], [], 0.1)[0]:
                try:
                    self.seen += os.read(self.master, 65536).decode(errors="replace")
                except OSError:
                    break
        assert re.search(pattern, self.seen, re.DOTALL), f"no {pattern!r} in ...{self.seen[-2000:]!r}"
        self.seen = ""

    def press(self, key):
        os.write(self.master, key.encode())


p = Program([program], trace)
p.step("many 1000")   # many small blocks
p.step("large 3")     # the most bytes

once = inmem("top", "--once", "--interval", "0.05", p.pid)
check("by live bytes", rows(once), ["Large", "Many"])
assert re.search(r"\nLarge +12\.0 MiB +- +3 +0 B +0 +0 +12\.0 MiB\n", once), once
check("by blocks", rows(inmem("top", "--once", "--interval", "0.05", "--sort", "blocks", p.pid)), ["Many", "Large"])
check("by name", rows(inmem("top", "--once", "--interval", "0.05", "--sort", "name", p.pid)), ["Large", "Many"])
check("of a type", rows(inmem("top", "--once", "--interval", "0.05", "--type", "M*,Bus?", p.pid)), ["Many"])
check("of many bytes", rows(inmem("top", "--once", "--interval", "0.05", "--min-bytes", "1m", p.pid)), ["Large"])
check("of a site", rows(inmem("top", "--once", "--interval", "0.05", "--site", "small*", p.pid)), ["Many"])
check("of a thread", rows(inmem("top", "--once", "--interval", "0.05", "--thread", "1", p.pid)), ["Large", "Many"])
check("of no thread", rows(inmem("top", "--once", "--interval", "0.05", "--thread", "none", p.pid)), [])
check("of a file", rows(inmem("top", "--once", "--interval", "0.05", trace)), ["Large", "Many"])

# Growth is counted from the first look, and the curve has both looks.
top = Terminal("--interval", "0.1", "--sort", "growth", p.pid)
top.expect(r"12\.\d MiB\S*#.*0 B\S*#.*1 min ago.*now.*grown.*Large", "g")
p.step("many 500")
top.expect(r"Many\S+[\d.]+ KiB\S* *\+[\d.]+ KiB", "g")
top.press("l")
top.expect(r"sorted by live")
top.press("g")
top.expect(r"sorted by growth")
top.press("q")
check("quit", top.process.wait(PATIENCE), 0)

p.step("spin")


def spins():
    seen = rows(inmem("top", "--once", "--interval", "0.05", "--thread", "spinner", p.pid))
    assert seen in (["Busy"], []), seen
    return seen


def has_rate():
    churn = inmem("top", "--batch", "2", "--interval", "0.3", "--sort", "churn", p.pid)
    check("two tables", churn.count("all types"), 2)
    rate = re.split(" {2,}", [line for line in churn.splitlines() if line.startswith("Busy")][1])
    return rows(churn)[0] == "Busy" and rate[-1] != "0 B" and rate[4] != "0 B"


until(spins, "a thread 'spinner'")
until(has_rate, "a rate of Busy, which then comes first")  # as soon as the thread has run between two tables

top = Terminal("--interval", "0.1", p.pid)
top.expect(r"Large.*Many.*sorted by live")
top.press("b")
top.expect(r"sorted by blocks")
top.press("n")
top.expect(r"sorted by name")
top.press(" ")
top.expect(r"paused")
top.press(" ")
top.press("c")
top.expect(r"sorted by churn")
closed = Terminal("--interval", "0.1", p.pid)
closed.expect(r"sorted by live")
os.close(closed.master)
check("ends with its terminal", closed.process.wait(PATIENCE), 0)
p.step("halt")
p.end()
top.expect(r"the program has ended")
top.press("q")
check("quit", top.process.wait(PATIENCE), 0)

assert "expected a terminal" in inmem("top", trace, code=2)
assert "--sort: expected live" in inmem("top", "--once", "--sort", "size", trace, code=2)
assert "there is no process" in inmem("top", "--once", p.pid, code=3)
print("all as expected")
