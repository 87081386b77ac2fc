# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""terminal.py --inmem PROGRAM --golden DIR --work DIR: runs commands in tmux of
several widths and compares what stands on the screen."""
import os
import shlex
import shutil
import subprocess
import sys

sys.path.insert(0, sys.argv[0].rsplit("/", 3)[0] + "/Inputs")
import patience
from common import HERE, Goldens, arguments, assemble

WIDTHS = (40, 80, 120, 200)
COMMANDS = {
    "screen": "report --no-symbols new.inmem",
    "report": "report --no-symbols --full new.inmem",
    "by-site": "report --no-symbols --by site new.inmem",
    "by-thread": "report --no-symbols --by thread new.inmem",
    "by-stack": "report --no-symbols --by stack new.inmem",
    "by-stack-bottom-up": "report --no-symbols --by stack --bottom-up new.inmem",
    "by-phase": "report --no-symbols --by phase new.inmem",
    "by-time": "report --no-symbols --by time new.inmem",
    "blame": "report --no-symbols --blame new.inmem",
    "frees": "report --no-symbols --frees new.inmem",
    "buckets": "report --no-symbols --details 0 --buckets 1us,10us,100us old.inmem new.inmem",
    "diff": "diff old.inmem new.inmem",
    "diff-stacks": "diff --by stack old.inmem new.inmem",
    "check": "check --budget budget.toml new.inmem",
    "top-once": "top --once --interval 0.01 live.inmem",
}
# The line below a command's output.
END = "end of output"
# What `inmem top` draws last, as far as there is room.
TOP_FOOT = "sorted by live   q quit  l live  g grown  b blocks  a bytes/s  c freed/s  t allocated  n name  space pause"


class Terminal:
    """A tmux server of its own, whose terminal has as many columns as asked for."""

    def __init__(self, work):
        self.work, self.socket = work, os.path.join(work, "tmux")
        with open(os.path.join(work, "tmux.conf"), "w", encoding="ascii") as conf:
            conf.write("set -g history-limit 20000\nset -g status off\nset -g remain-on-exit on\n")
        self.environment = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "NO_COLOR", "TMUX")}

    def tmux(self, *words):
        return subprocess.run(["tmux", "-u", "-S", self.socket, "-f", os.path.join(self.work, "tmux.conf"), *words],
                              check=True, stdout=subprocess.PIPE, text=True, cwd=self.work, env=self.environment).stdout

    def start(self, width, command, height=50):
        self.tmux("new-session", "-d", "-s", "look", "-x", str(width), "-y", str(height), command)

    def screen(self, *more):
        return self.tmux("capture-pane", "-p", "-t", "look", *more)

    def stop(self):
        self.tmux("kill-session", "-t", "look")

    def output_of(self, width, command):
        """All that a command prints, and whether a line of it wrapped."""
        # tmux drops what it has not read when a pane's program ends, so the pane goes on. Its text is whole once the
        # last line is there.
        self.start(width, f"{command} 2>&1; echo {END}; exec sleep 100000")
        text = patience.until(lambda: (text := self.screen("-S", "-").rstrip()).endswith(f"\n{END}") and text, f"the end of {command}")
        lines = text.splitlines()
        joined = self.screen("-S", "-", "-J").rstrip().splitlines()
        self.stop()
        lines = [line.rstrip() for line in lines[:-1]]
        joined = [line.rstrip() for line in joined[:-1]]
        wrapped = [line for line in joined if line not in lines and len(line) > width]
        return "\n".join(lines).rstrip() + "\n", wrapped

    def shown_by(self, width, command, until):
        """The screen of a command that goes on, as soon as it shows a text, which it draws last."""
        self.start(width, command, 20)
        text = patience.until(lambda: until in (text := self.screen()) and text, until)
        self.tmux("send-keys", "-t", "look", "q")
        self.stop()
        return "\n".join(line.rstrip() for line in text.rstrip().splitlines()) + "\n"


def main():
    options = arguments()
    assemble(options.work)
    shutil.copy(HERE / "budget.toml", options.work)
    goldens = Goldens(options.golden)
    terminal = Terminal(options.work)
    wraps = []
    try:
        # The server lives as long as this session.
        terminal.tmux("new-session", "-d", "-s", "keep", "sleep 100000")
        program = shlex.quote(options.inmem)
        for name, command in COMMANDS.items():
            page = ""
            for width in WIDTHS:
                text, wrapped = terminal.output_of(width, f"{program} {command}")
                page += f"=== {width} columns: inmem {command}\n{text}"
                if name == "screen" and width >= 80 and text.count("\n") > 49:
                    sys.exit(f"one screen: {text.count(chr(10))} lines at {width} columns")
                wraps += [f"{name}, {width} columns: {line}" for line in wrapped]
            goldens.compare(f"{name}.golden", page)
        page = ""
        for width in WIDTHS:
            page += f"=== {width} columns: inmem top live.inmem\n" + terminal.shown_by(width, f"{program} top live.inmem", TOP_FOOT[:width].rstrip())
        goldens.compare("top.golden", page)
    finally:
        terminal.tmux("kill-server")
    if wraps:
        sys.exit("lines that wrap:\n" + "\n".join(wraps))
    goldens.finish()


if __name__ == "__main__":
    main()
