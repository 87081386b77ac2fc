# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""terminal.py FOLDER INMEM: runs FOLDER/app on a pseudo-terminal and compares what it prints there."""
import os
import pathlib
import pty
import re
import shlex
import subprocess
import sys


def on_terminal(command, folder, **variables):
    """What a command prints on a terminal that is its standard error."""
    master, slave = pty.openpty()
    environment = {name: value for name, value in os.environ.items() if name != "CI"} | variables
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=slave, cwd=folder, env=environment)
    os.close(slave)
    output = b""
    while True:
        try:
            some = os.read(master, 65536)
        except OSError:  # Linux's way to say that the other side is closed
            break
        if not some:
            break
        output += some
    os.close(master)
    assert child.wait() == 0, (command, child.returncode, output)
    return output.decode().replace("\r\n", "\n"), child.pid


def expect(what, found, pattern):
    if not re.fullmatch(pattern, found):
        sys.exit(f"{what}: expected {pattern!r}, found {found!r}")


def main():
    folder, inmem = pathlib.Path(sys.argv[1]), sys.argv[2]
    # A shell gets its own path as one word, whatever link or blank is in that of the checkout.
    app, tool = str(folder / "app"), re.escape(shlex.quote(os.path.realpath(inmem)))
    line = rf"inmem: trace in inmem\.(\d+)\.inmem; read it with: {tool} report inmem\.\1\.inmem\n"

    found, pid = on_terminal([app], folder)
    expect("on a terminal", found, line)
    assert f"inmem.{pid}.inmem" in found
    # The command that it names works as typed.
    typed = found.split("read it with: ")[1].strip()
    report = subprocess.run(typed, shell=True, cwd=folder, capture_output=True, text=True, check=True)
    assert f"pid {pid}" in report.stdout, report.stdout
    expect("by quick_exit", on_terminal([app, "quick"], folder)[0], line)
    expect("with a forked child", on_terminal([app, "fork"], folder)[0], line)
    here = re.escape(str(folder.resolve()))
    quote = "'" if shlex.quote(str(folder.resolve())) != str(folder.resolve()) else ""
    expect("after chdir", on_terminal([app, "away"], folder)[0],
           rf"inmem: trace in {here}/inmem\.(\d+)\.inmem; read it with: {tool} report {quote}{here}/inmem\.\1\.inmem{quote}\n")
    expect("a name with a blank", on_terminal([app], folder, INMEM_OPTIONS="output=a b.inmem")[0],
           rf"inmem: trace in a b\.inmem; read it with: {tool} report 'a b\.inmem'\n")
    path = os.path.dirname(inmem) + os.pathsep + os.environ["PATH"]
    expect("with inmem in PATH", on_terminal([app], folder, PATH=path)[0], line.replace(tool, "inmem"))
    expect("CI=false", on_terminal([app], folder, CI="false")[0], line)

    for name, variables in {"quiet=1": {"INMEM_OPTIONS": "quiet=1"}, "CI": {"CI": "true"}, "no trace": {"INMEM_OPTIONS": "output=none"},
                            "off": {"INMEM_OPTIONS": "mode=off"}}.items():
        expect(name, on_terminal([app], folder, **variables)[0], "")
    expect("in a sandbox", on_terminal([app, "sandbox"], folder)[0], "")
    expect("standard error is a file", on_terminal([app, "data"], folder)[0], "")
    assert (folder / "data").read_bytes() == b""
    expect("inmem run", on_terminal([inmem, "run", "-q", "--", app], folder)[0], "")
    piped = subprocess.run([app], cwd=folder, capture_output=True, text=True, check=True)
    expect("in a pipe", piped.stderr, "")


main()
