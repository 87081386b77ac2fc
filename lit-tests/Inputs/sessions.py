# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""sessions.py --source ROOT --build BUILD [--update] PAGE...

Runs what pages tell their readers to type, in order, and compares what is printed
with what the pages show. A comment in front of a fenced block, which readers do
not see, makes it a part of a session, whose blocks share a working folder. That is
a new one among the temporary files: what is printed may depend on how long a path is.

  <!-- session: NAME -->               a console block is run, a diff block is applied; an sh block
                                       is run as one script, whose output is neither shown nor
                                       compared
  <!-- session: NAME from FOLDER -->   the same, in a new copy of FOLDER of the source;
                                       build/… is in the build folder
  <!-- session: NAME in FOLDER -->     the same, in the copy that the session has, if it has one
  <!-- session: NAME setup COMMAND --> runs COMMAND; readers do not see it
  <!-- session: NAME with OLD=NEW -->  the block is run, or written, with NEW in place of the word OLD
  <!-- session: NAME output of COMMAND --> the text block is what COMMAND prints
  <!-- session: none REASON -->        the block is not run (snippets.py wants a marker for each)
  <!-- session: NAME file PATH -->     the block is written to PATH
  <!-- session: NAME append PATH -->   the block is added to PATH
  <!-- session: NAME lines=N -->       only the first N lines of each output are shown
  <!-- session: NAME section=TITLE --> only the section of a report below that title
  <!-- session: NAME quiet -->         output is neither shown nor compared
  <!-- session: NAME figures -->       only words are compared, no figures: of a program that runs on
  <!-- session: NAME picture PATH -->  the commands run on a terminal, and the picture at PATH,
                                       relative to the page, shows what they print there

Times, rates, process ids, addresses and bars of lifetimes are not compared; all else is.
A command may end with another exit code than 0 only if the page shows `exit N`
below its output, also with --update. --update writes what was printed into pages and
pictures (these need rich), where more differs than digits of times and the like.
Exit code 1: a difference.
"""
import argparse
import difflib
import fcntl
import html
import itertools
import os
import pathlib
import pty
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import termios

MARKER = re.compile(r"<!-- session: (\S+)\s*(.*?) -->$")
BARS = "▁▂▃▄▅▆▇█▏▎▍▌▋▊▉"


TIME = re.compile(r"[<≤>≥]?\b\d+(\.\d+)? ?(ns|µs|us|ms|s|min|h|sec)\b")


def masked(line, time="T"):
    """A line without what differs from run to run."""
    line = re.sub(r"inmem\.\d+\.", "inmem.N.", line)
    line = re.sub(r"\b([pt]id) \d+", r"\1 N", line)
    line = re.sub(r"\+0x[0-9a-f]+", "+0xN", line)
    line = re.sub(r"\b[\d.]+ ([KMG]i)?B/s", "RATE", line)
    line = re.sub(r", [\d.]+ ([KMG]i)?B resident at most", "", line)
    line = TIME.sub(time, line)
    line = re.sub(rf"[{BARS}][{BARS} ]*", "", line)
    return " ".join(line.split())


def of_any_machine(lines):
    """Lines without the one about features that the machine's kernel lacks."""
    return [line for line in lines if not line.startswith("  not on this kernel: ")]


def words_of(lines):
    """Lines without figures, which are of a moment."""
    kept = [re.sub(r"(?<![\w.:])[<≤>≥+-]?\d[\d.,]*( ?([KMG]i)?B| %| [kM])?(?![\w:])", "N", masked(line)) for line in lines]
    return kept[:-1] if kept[-1:] == ["…"] else kept


def forms(lines):
    """Lines as --update compares them: each word counts, and of a time how it is written."""
    return [masked(line, lambda time: re.sub(r"\d+", "N", time[0])) for line in lines]


def comparable(lines):
    """Lines without what differs from run to run. How many buckets a table's histogram has depends on how long the run
    took, and what room is left for names and further columns on them: of a row its first size is kept."""
    kept, in_table = [], False
    for line in map(masked, lines):
        if line.startswith("… not shown:"):
            continue
        if re.match(r"(type|place|allocated by) .*(bytes|allocated)", line):
            in_table, line = True, line.split()[0]
        elif in_table:
            size = re.search(r" (\d[\d.]* (?:[KMG]i)?B)\b", line)
            in_table = size is not None
            line = size[1] if size else line
        kept.append(line)
    return kept


def on_terminal(command, words):
    """What a command prints to a terminal, in colours, and its exit code."""
    ours, theirs = pty.openpty()
    columns = int(words["env"]["COLUMNS"])
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    environment = {key: value for key, value in words["env"].items() if key not in ("NO_COLOR", "COLUMNS")}
    with subprocess.Popen(command, **{**words, "env": {**environment, "TERM": "xterm-256color"}}, stdout=theirs, stderr=theirs) as running:
        os.close(theirs)
        text = b""
        try:
            while part := os.read(ours, 65536):
                text += part
        except OSError:  # EIO: nobody has the terminal open any more
            pass
    os.close(ours)
    # A line that says what takes long erases itself.
    return re.sub("\r[^\n\x1b]*\r\x1b\\[K", "", text.decode("utf-8").replace("\r\n", "\n")), running.returncode


class Page:
    def __init__(self, path):
        self.path, self.lines = path, path.read_text(encoding="utf-8").splitlines()

    def blocks(self):
        """(session, its words, language, first line, end) of each block and set-up, in order."""
        found, marker, number = [], None, 0
        while number < len(self.lines):
            line = self.lines[number]
            fence = re.match(r"(`{3,})(\w*)$", line)
            if match := MARKER.match(line):
                marker = match if match[1] != "none" else None
                if re.match(r"((from|in) \S+ )?setup ", match[2]):
                    found.append((match[1], match[2].split(), "setup", number, number))
                    marker = None
            elif fence:
                end = self.lines.index(fence[1], number + 1)
                if marker:
                    found.append((marker[1], marker[2].split(), fence[2], number + 1, end))
                marker, number = None, end
            elif line.strip() and not line.startswith("<!-- "):
                marker = None
            number += 1
        return found


class Runner:
    def __init__(self, options, work):
        self.options, self.work, self.folders, self.failures = options, pathlib.Path(work), {}, []
        self.root = pathlib.Path(options.source)
        path = os.path.join(options.build, "bin")
        prefix = os.path.join(work, "prefix")
        self.environment = {**os.environ, "INMEM_PREFIX": prefix, "INMEM_BUILD": options.build, "INMEM_SOURCE": str(self.root.resolve()),
                            "PATH": path + os.pathsep + os.environ["PATH"], "COLUMNS": "96",
                            "NO_COLOR": "1", "LC_ALL": "C.UTF-8"}

    def folder(self, name, words):
        if words[:1] == ["from"] or words[:1] == ["in"] and name not in self.folders:
            start = words[1]
            start = pathlib.Path(self.options.build, start[6:]) if start.startswith("build/") else self.root / start
            self.folders[name] = self.work / name
            shutil.rmtree(self.folders[name], ignore_errors=True)
            shutil.copytree(start, self.folders[name])
        elif name not in self.folders:
            self.folders[name] = self.work / name
            self.folders[name].mkdir(parents=True, exist_ok=True)
        return self.folders[name]

    def run(self, command, folder, terminal=False):
        words = {"cwd": folder, "env": self.environment, "stdin": subprocess.DEVNULL}
        if terminal:
            text, code = on_terminal(["bash", "-c", command], words)
        else:
            done = subprocess.run(["bash", "-c", command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **words)
            text, code = done.stdout, done.returncode
        text = text.replace(str(folder), "~/" + folder.name)
        text = text.replace(os.path.join(self.options.build, "bin") + "/", "").replace(str(self.root), "~/inmem").rstrip("\n")
        lines = [line.rstrip() for line in text.split("\n")] if text else []
        return lines, code

    def console(self, body, run, folder, words, place):
        """The block as it should be. `run`: its lines with what `with` replaces in commands."""
        most = next((int(word[6:]) for word in words if word.startswith("lines=")), None)
        section = next((word[8:] for word in words if word.startswith("section=")), None)
        after, number = [], 0
        while number < len(body):
            first = number
            while body[number].endswith("\\"):
                number += 1
            number += 1
            command, to_run = ("\n".join(lines[first:number]) for lines in (body, run))
            shown = []
            while number < len(body) and not body[number].startswith("$ "):
                shown.append(body[number])
                number += 1
            after += command.split("\n")
            lines, code = self.run(to_run[2:], folder, "picture" in words)
            if code and f"exit {code}" not in shown:
                self.failures.append(f"{place}: `{command[2:]}` ends with {code}:\n" + "\n".join(lines[-30:]))
            if "quiet" in words:
                continue
            if section in lines:
                start = lines.index(section)
                end = lines.index("", start) if "" in lines[start:] else len(lines)
                lines = ["…", *lines[start:end], *(["…"] if end < len(lines) else [])]
            if most is not None and len(lines) > most:
                lines = lines[:most] + ["…"]
            after += lines + ([f"exit {code}"] if code else [])
        return after

    def hidden(self, command, folder, place):
        """Runs what prints nothing that readers see."""
        lines, code = self.run("set -e\n" + command, folder)
        if code:
            self.failures.append(f"{place}: `{command}` ends with {code}:\n" + "\n".join(lines[-30:]))
        return lines

    def block(self, page, name, words, language, start, end):
        place = f"{page.path}:{start}"
        body = page.lines[start:end]
        folder = self.folder(name, words)
        words = words[2:] if words[:1] in (["from"], ["in"]) else words
        if language == "setup":
            self.hidden(" ".join(words[1:]), folder, place)
            return None
        replaced = [word.partition("=") for before, word in itertools.pairwise(words) if before == "with"]
        run = "\n".join(body)
        for old, _, new in replaced:
            whole = (r"\b" if old[0].isalnum() else "") + re.escape(old) + (r"\b" if old[-1].isalnum() else "")
            run, count = re.subn(whole, lambda _, new=new: new, run)
            if not count:
                self.failures.append(f"{place}: there is no {old} to replace")
        if "file" in words or "append" in words:
            target = folder / words[words.index("file" if "file" in words else "append") + 1]
            target.parent.mkdir(parents=True, exist_ok=True)
            with open(target, "a" if "append" in words else "w") as file:
                file.write(run + "\n")
            return None
        if language == "diff":
            done = subprocess.run(["patch", "-p1", "--no-backup-if-mismatch"], cwd=folder, input="\n".join(body) + "\n", text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            if done.returncode:
                self.failures.append(f"{place}: the patch does not apply:\n{done.stdout}")
            return None
        if language == "sh":
            self.hidden(run, folder, place)
            return None
        if language == "text" and words[:2] == ["output", "of"]:
            after = self.hidden(" ".join(words[2:]), folder, place)
            self.compare(body, after, place)
            return after
        if language != "console":
            self.failures.append(f"{place}: a session has console, sh, diff and text blocks, found {language}")
            return None
        after = of_any_machine(self.console(body, run.split("\n"), folder, words, place))
        if "picture" in words:
            self.picture(page.path.parent / words[words.index("picture") + 1], after, place)
            return None
        if "figures" in words:
            self.compare(words_of(body), words_of(after), place)
            # What is shown is one moment: --update leaves it as long as its words hold.
            return after if words_of(body) != words_of(after) else body
        self.compare(body, after, place)
        return after

    def picture(self, path, after, place):
        """Compares, or draws, what a terminal shows."""
        before = re.search("<desc>(.*)</desc>", path.read_text(encoding="utf-8"), re.S) if path.exists() else None
        before = html.unescape(before[1]).split("\n") if before else []
        plain = [re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", line).rstrip() for line in after]
        self.compare(before, plain, f"{place}: {path}")
        if self.options.update and forms(before) != forms(plain):
            path.parent.mkdir(parents=True, exist_ok=True)
            drawn = subprocess.run([sys.executable, self.root / "scripts/site/terminal.py", "--columns", self.environment["COLUMNS"]],
                                   input="\n".join(after), text=True, encoding="utf-8", stdout=subprocess.PIPE, check=True)
            path.write_text(drawn.stdout, encoding="utf-8")

    def compare(self, shown, printed, place):
        before, printed = comparable(shown), comparable(printed)
        if before != printed and not self.options.update:
            diff = difflib.unified_diff(before, printed, "shown", "printed", lineterm="")
            self.failures.append(f"{place}: differs; scripts/docs --update writes it:\n" + "\n".join(diff))

    def page(self, page):
        changes = []
        for name, words, language, start, end in page.blocks():
            after = self.block(page, name, words, language, start, end)
            # Figures that differ from run to run stay as they are shown.
            if after is not None and forms(after) != forms(page.lines[start:end]):
                changes.append((start, end, after))
        if self.options.update and changes:
            for start, end, after in reversed(changes):
                page.lines[start:end] = after
            page.path.write_text("\n".join(page.lines) + "\n", encoding="utf-8")
        return len(page.blocks())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("source", "build"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("pages", nargs="+")
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    with tempfile.TemporaryDirectory(prefix="inmem-") as work:
        return run_pages(options, work)


def run_pages(options, work):
    runner = Runner(options, work)
    subprocess.run(["cmake", "--install", runner.options.build, "--prefix", runner.environment["INMEM_PREFIX"]], check=True,
                   stdout=subprocess.DEVNULL)
    count = sum(runner.page(Page(pathlib.Path(path))) for path in runner.options.pages)
    if not count:
        runner.failures.append("no page has a session")
    print("\n\n".join(runner.failures) or f"{count} blocks are as they should be")
    return 1 if runner.failures else 0


if __name__ == "__main__":
    sys.exit(main())
