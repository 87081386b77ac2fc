# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cost.py INMEM FOLDER: instructions of answers on a long file, by callgrind, and the server's memory with a large trace."""
import os
import pathlib
import re
import subprocess
import sys

from lsp_client import Client, at, check, span

LINES, TYPES = 5000, 500
MOST = 150_000_000  # instructions of an answer
MOST_BYTES = 100_000_000
ROUNDS = 3  # that each question is asked
WHOLE = span((0, 0), (LINES, 0))


def size_of(type_number):
    return 8 + type_number % 40 * 4


def generate(folder, files):
    """A project of FILES sources, of which each line allocates, and its trace."""
    (folder / "src").mkdir(parents=True)
    meta = [' process "./app"\n', ' thread index=1 tid=70 start=5 name="main"\n']
    for t in range(TYPES):
        meta.append(f' type index={t + 1} id={t + 1} size={size_of(t)} align=4 flags=class name="records::Entry<{t}>"\n')
    rows = []
    for file in range(files):
        path = f"src/file{file}.cpp"
        (folder / path).write_text("".join(f"  Kept = new records::Entry<{line % TYPES}>;\n" for line in range(LINES)))
        for line in range(LINES):
            t, site = line % TYPES, len(rows) + 1
            meta.append(f' site id={site} type={t + 1} key={site} kind=new function="part{line // 100}" file="{path}" line={line + 1} column=10\n')
            rows.append(f" row site={site} type={t + 1} allocations=1 bytes={size_of(t)} frees=1 freed-bytes={size_of(t)}\n")
    # Recorded after the sources were written, and so of their text.
    head = "start-unix-ns=4000000000000000000 end-unix-ns=4000000000000001000 live-bytes=0 peak-live-bytes=0"
    text = folder / "trace.txt"
    text.write_text(
        f'header state=complete pid=7 clock=exact ticks-per-second=1000000000 {head} host="box" executable="/bin/app"\n'
        + f"extent meta\n{''.join(meta)}extent rows owner=1\n{''.join(rows)}"
    )
    done = os.spawnv(os.P_WAIT, os.environ["INMEM_ASSEMBLE"], ["inmem-assemble", "-o", str(folder / "app.inmem"), str(text)])
    check("the trace is assembled", done, 0)


class Session(Client):
    """A client that has the first file open, with hints for all lines that allocate."""

    def __init__(self, inmem, root, wrapper=()):
        program = root / "inmem"
        if not program.exists():
            program.write_text(f'#!/bin/sh\nexec {" ".join(wrapper)} {inmem} "$@"\n')
            program.chmod(0o755)
        super().__init__(str(program), root, "--trace", "app.inmem", options={"threshold": 0})
        self.file = root / "src" / "file0.cpp"
        self.open(self.file)
        self.until("inmem/changed", lambda said: said["trace"])
        check("lines with a hint", len(self.hints(self.file)), LINES)

    def hints_after_an_edit(self):
        self.change(self.file, {"range": span((10, 0), (10, 0)), "text": "\n"})
        self.document("inlayHint", self.file, range=WHOLE)


QUESTIONS = {
    "hints": lambda c: c.document("inlayHint", c.file, range=WHOLE),
    "hints after an edit": Session.hints_after_an_edit,
    "a screen of hints": lambda c: c.document("inlayHint", c.file, range=span((2500, 0), (2560, 0))),
    "heat": lambda c: c.ask("inmem/heat", textDocument={"uri": c.file.as_uri()}),
    "hover": lambda c: c.document("hover", c.file, position=at(2500, 4)),
    "actions": lambda c: c.document("codeAction", c.file, range=span((2500, 0), (2500, 9)), context={"diagnostics": []}),
}


class Counter:
    """Instructions of the server under callgrind, which writes those since the last time into a file when it is asked to."""

    def __init__(self, counts, pid):
        self.counts, self.pid, self.files = counts, pid, 0
        self.taken()

    def taken(self):
        subprocess.run(["callgrind_control", "--dump", str(self.pid)], check=True, capture_output=True)
        self.files += 1
        text = pathlib.Path(f"{self.counts}.{self.pid}.{self.files}").read_text()
        return int(re.search(r"^(?:summary|totals): (\d+)", text, re.MULTILINE)[1])


def instructions(inmem, root):
    """Of each answer, in one server."""
    counts = root / "callgrind.out"
    client = Session(inmem, root, ["valgrind", "-q", "--tool=callgrind", f"--callgrind-out-file={counts}.%p"])
    counter = Counter(counts, client.process.pid)
    out = {}
    for name, question in QUESTIONS.items():
        # The least of some: the server also looks for traces from time to time.
        each = []
        for _ in range(ROUNDS):
            counter.taken()
            question(client)
            each.append(counter.taken())
        out[name] = min(each)
    client.end()
    return out


def peak_bytes(inmem, root):
    """Resident memory of the server, as its kernel has it, after each question was answered."""
    client = Session(inmem, root)
    for question in QUESTIONS.values():
        question(client)
    status = pathlib.Path(f"/proc/{client.process.pid}/status").read_text()
    client.end()
    return int(re.search(r"^VmHWM:\s+(\d+) kB", status, re.MULTILINE)[1]) * 1024


def main():
    inmem, folder = os.path.realpath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    found = []
    for files in (1, 4):
        generate(folder / str(files), files)
        found.append(instructions(inmem, folder / str(files)))
    one, four = found
    for name, count in one.items():
        print(f"{name}: {count} instructions in a trace of {LINES} sites, {four[name]} in one of {4 * LINES}")
    slow = {name: count for name, count in four.items() if count > MOST or count > 1.1 * one[name] + 100_000}
    check("answers that take too much", slow, {})
    generate(folder / "20", 20)
    peak = peak_bytes(inmem, folder / "20")
    print(f"{peak / 1e6:.1f} MB resident with a trace of {20 * LINES} sites")
    check("memory", peak <= MOST_BYTES, True)


if __name__ == "__main__":
    main()
