# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""help_pages.py INMEM INMEM-CLANG FOLDER: holds manual pages and completions against --help."""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

INMEM, CLANG, FOLDER = sys.argv[1], sys.argv[2], Path(sys.argv[3])


def output(*words):
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def require(good, *said):
    if not good:
        sys.exit(" ".join(str(word) for word in said))


def plain(page):
    return re.sub(r"\\f[BIR]|\\&", "", page.read_text()).replace("\\-", "-").replace("\\e", "\\")


def squeezed(text):
    return " ".join(text.split())


def pages():
    man = FOLDER / "man"
    summaries = dict(re.findall(r"^  ([a-z][a-z-]+)  +(.+)$", output(INMEM, "--help"), re.M))
    require(len(summaries) > 15, summaries)
    program = plain(man / "man1/inmem.1")
    for command, summary in summaries.items():
        page = plain(man / f"man1/inmem-{command}.1")
        require(f"inmem-{command} - {summary}\n" in page, command)
        require(f"{command}\n{summary}\n" in program, command)
        for option in re.findall(r"^  (-[-a-z,]+)", output(INMEM, command, "--help"), re.M):
            if "--help" not in option:
                require(option.replace(",", ", ") in page, command, option)
        footer = output(INMEM, command, "--help").split("Examples:")
        require("Examples:" in page and squeezed(footer[1]) in squeezed(page), command)
    options = plain(man / "man7/INMEM_OPTIONS.7")
    for name in ("output", "stacks", "clock", "periodic"):
        require(f"{name}=\n" in options, name)
    wrapper = plain(man / "man1/inmem-clang.1")
    for line in output(CLANG, "--inmem-help").splitlines():
        title = line.split(":")[0].strip()
        if title not in ("inmem-clang", "becomes", "compiling adds") and not line.startswith("goes"):
            require(title in wrapper, line)
    if shutil.which("groff"):
        for page in sorted(man.rglob("*.[17]")):
            ran = subprocess.run(["groff", "-man", "-Tutf8", "-ww", page], capture_output=True, text=True, cwd=man)
            require(ran.returncode == 0 and ran.stderr == "", page, ran.stderr)
    print(len(list(man.rglob("*.[17]"))), "pages; every option of each command")


def widths():
    """Help fits the terminal, and says the same as in a pipe, where each option is one line."""
    commands = re.findall(r"^  ([a-z][a-z-]+)  ", output(INMEM, "--help"), re.M)
    for width, command in [(80, ""), (60, ""), *((80, command) for command in commands)]:
        words = [INMEM, *command.split(), "--help"]
        shown = subprocess.run(words, capture_output=True, text=True, check=True, env=dict(os.environ, COLUMNS=str(width))).stdout
        require(squeezed(shown) == squeezed(output(*words)), command, shown)
        for line in shown.split("Examples:")[0].splitlines():
            require(len(line) <= width or line.startswith("Usage:"), command, line)
    print("help fits")


def bash():
    script = FOLDER / "bash-completion/completions/inmem"

    def complete(*words):
        code = f"source '{script}'; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _inmem; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        return output("bash", "-c", code, "bash", *words).split()

    require(complete("inmem", "repo") == ["report"], complete("inmem", "repo"))
    require({"doctor", "diff", "help"} <= set(complete("inmem", "")))
    require(complete("inmem", "help", "mer") == ["merge"])
    require(complete("inmem", "report", "--min") == ["--min-bytes"])
    require("--frees" not in complete("inmem", "diff", "--"))
    require(complete("inmem", "heap", "--format", "heap") == ["heapsnapshot"])
    require({"type", "site", "stack", "time"} <= set(complete("inmem", "report", "--by", "")))
    require(complete("inmem", "report", "--by", "type,sta") == ["type,stack"])
    require("frees" not in complete("inmem", "diff", "--by", ""))
    require({"start", "snapshot", "periodic"} <= set(complete("inmem", "ctl", "1", "")))
    require(complete("inmem", "ctl", "1", "per") == ["periodic"])
    require(complete("inmem", "ctl", "") == [], "a process's id")
    require(complete("inmem", "report", "a") == [], "files are bash's own")
    require(output(INMEM, "completion", "bash") == script.read_text(), "the command prints another")
    for shell, file in (("zsh", "zsh/site-functions/_inmem"), ("fish", "fish/vendor_completions.d/inmem.fish")):
        require(output(INMEM, "completion", shell) == (FOLDER / file).read_text(), shell)
        if shutil.which(shell):
            subprocess.run([shell, "-n", FOLDER / file], check=True)
    print("bash: subcommands, options, words, files")


pages()
widths()
bash()
