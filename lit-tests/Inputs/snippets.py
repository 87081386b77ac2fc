# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""snippets.py --source ROOT --build BUILD --work DIR --clangxx CXX --cmake CMAKE

Every fenced block of README.md, the other pages of the root and docs/ names its
language, and holds what that language allows:

  cpp, c      compiles, by the wrapper of the build folder
  cmake       configures, with the installed package
  sh          is a script in which bash finds no error, and a part of a session
              (sessions.py), or has a marker with the reason why it is not run
  console     the same for the lines that begin with `$ `
  toml, json, python, yaml    is read without an error
  diff, text  anything

In sh and console blocks, and in `inmem ...` within the text, no subcommand, option,
key of INMEM_OPTIONS or plugin option may be unknown.

A comment in front of a block, which readers do not see, says what it needs:

  <!-- snippet: NAME -->          stands in Inputs/snippets/NAME in place of the line
                                  SNIPPET; `// flags: ...` there are for its compilation
  <!-- snippet: NAME run -->      is linked and run besides
  <!-- snippet: skip REASON -->   is not looked at

Blocks of C++ that name the same file are compiled as one. Exit code 1: a finding,
each as file:line: what.
"""
import argparse
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
PRELUDES = HERE / "snippets"
COMPILED = {"cpp": ".cpp", "c": ".c"}
LANGUAGES = {*COMPILED, "cmake", "sh", "console", "toml", "json", "python", "yaml", "diff", "text", "lua", "elisp"}


class Snippet:
    def __init__(self, path, line, language, lines, marker, session):
        self.path, self.line, self.language, self.lines, self.session = path, line, language, lines, session
        self.name, _, rest = (marker or "").partition(" ")
        self.run = rest.strip() == "run"

    @property
    def text(self):
        return "\n".join(self.lines) + "\n"

    @property
    def place(self):
        return f"{self.path}:{self.line}"


def snippets_of(path, text, complain):
    """The fenced blocks of a page; line is that of the first line inside."""
    found, marker, fence, session = [], None, None, False
    language, body, start = "", [], 0
    for number, line in enumerate(text.splitlines(), 1):
        if fence:
            if line.strip() == fence:
                found.append(Snippet(path, start, language, body, marker, session))
                fence, marker, session = None, None, False
            else:
                body.append(line)
        elif match := re.match(r"\s*(`{3,}|~{3,})\s*(\S*)", line):
            fence, language, body, start = match[1], match[2], [], number + 1
        elif match := re.match(r"<!-- snippet: (.*?) -->$", line):
            marker = match[1]
        elif match := re.match(r"<!-- session: (.*?) -->$", line):
            session = session or match[1] != "none"
        elif line.strip():
            if marker:
                complain(f"{path}:{number - 1}", "a marker that no block follows")
            marker, session = None, False
    if fence:
        complain(f"{path}:{start}", "a block without an end")
    return found


def has_output(lines):
    """True if a line of a console block is neither a command nor the rest of one."""
    return any(not line.startswith("$ ") and not before.endswith("\\") for before, line in zip(["", *lines], lines, strict=False))


def prelude(snippet):
    if not snippet.name:
        return ["SNIPPET"]
    return (PRELUDES / snippet.name).read_text().splitlines()


def source_of(group):
    """One file of all snippets of a group: what they include comes first, each of
    several is in a namespace of its own."""
    includes, rest = [], []
    for number, snippet in enumerate(group):
        if len(group) > 1:
            rest.append(f"namespace snippet_{number} {{")
        for line in prelude(snippet):
            if line.strip() != "SNIPPET":
                (includes if line.startswith("#include") else rest).append(line)
                continue
            rest.append(f'#line {snippet.line} "{snippet.path}"')
            for inner in snippet.lines:
                if inner.startswith("#include"):
                    includes.append(inner)
                    inner = ""
                rest.append(inner.replace("…", ""))
            rest.append('#line 1 "prelude"')
        if len(group) > 1:
            rest.append("}")
    return "\n".join([*dict.fromkeys(includes), *rest]) + "\n"


class Checker:
    def __init__(self, options):
        self.options, self.findings = options, []
        self.work = pathlib.Path(options.work)
        self.bin = pathlib.Path(options.build) / "bin"
        self.helps = {}

    def complain(self, place, what):
        self.findings.append(f"{place}: {what}")

    def run(self, *command, **more):
        return subprocess.run([str(word) for word in command], text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, **more)

    # --- Code ---------------------------------------------------------------

    def compile(self, group):
        suffix = COMPILED[group[0].language]
        source = self.work / f"{group[0].language}-{pathlib.Path(group[0].name).stem or 'whole'}-{id(group) % 10000}{suffix}"
        source.write_text(source_of(group))
        compiler = self.bin / ("inmem-clang++" if suffix == ".cpp" else "inmem-clang")
        standard = "-std=c++20" if suffix == ".cpp" else "-std=c11"
        flags = [word for snippet in group for line in prelude(snippet) if line.startswith("// flags: ")
                 for word in line[len("// flags: "):].split()]
        command = [compiler, standard, "-Wall", "-Wno-unused", source]
        if any(snippet.run for snippet in group):
            program = source.with_suffix(".exe")
            done = self.run(*command, "-o", program, *flags)
            if done.returncode == 0:
                done = self.run(program, env={**os.environ, "INMEM_OPTIONS": f"output={self.work}/run.inmem"})
                if done.returncode == 0 and "skipped" in done.stdout.lower():
                    done.returncode = 1
        else:
            done = self.run(*command, "-fsyntax-only")
        if done.returncode != 0 or "warning:" in done.stdout:
            self.complain(", ".join(snippet.place for snippet in group), "\n" + done.stdout)

    def compile_all(self, snippets):
        groups = {}
        for snippet in snippets:
            if snippet.language in COMPILED:
                groups.setdefault((snippet.language, snippet.name, snippet.place if snippet.run else ""), []).append(snippet)
        for group in groups.values():
            if not any(f"#include <{header}>" in source_of(group) for header in self.options.leave_out):
                self.compile(group)

    def configure(self, snippets):
        """One project, whose folders are the snippets."""
        folders = []
        for number, snippet in enumerate(s for s in snippets if s.language == "cmake"):
            folder = self.work / "project" / str(number)
            folder.mkdir(parents=True)
            lines = [inner for line in prelude(snippet)
                     for inner in ([snippet.text] if line.strip() == "SNIPPET" else [line])]
            (folder / "CMakeLists.txt").write_text("\n".join(lines) + "\n")
            (folder / "main.cpp").write_text("int main() {}\n")
            (folder / "budget.toml").touch()
            folders.append((snippet, folder))
        if not folders:
            return
        (self.work / "project" / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.20)\nproject(snippets LANGUAGES CXX)\nenable_testing()\n" +
            "".join(f"add_subdirectory({folder.name})\n" for _, folder in folders))
        prefix = self.work / "prefix"
        done = self.run(self.options.cmake, "--install", self.options.build, "--prefix", prefix)
        if done.returncode == 0:
            done = self.run(self.options.cmake, "-S", self.work / "project", "-B", self.work / "configured",
                            f"-DCMAKE_CXX_COMPILER={self.options.clangxx}", f"-DCMAKE_PREFIX_PATH={prefix}",
                            "-DCMAKE_CXX_COMPILER_WORKS=1")
        if done.returncode != 0:
            self.complain(", ".join(snippet.place for snippet, _ in folders), "\n" + done.stdout)

    def read(self, snippet):
        try:
            if snippet.language == "toml":
                tomllib.loads(snippet.text)
            elif snippet.language == "json":
                json.loads(snippet.text)
            elif snippet.language == "python":
                compile(snippet.text, snippet.place, "exec")
            elif snippet.language == "yaml":
                import yaml
                yaml.safe_load(snippet.text)
        except Exception as error:
            self.complain(snippet.place, str(error))

    # --- Commands -----------------------------------------------------------

    def help_of(self, *words):
        if words not in self.helps:
            self.helps[words] = self.run(self.bin / "inmem", *words, "--help").stdout
        return self.helps[words]

    def known_keys(self):
        if "keys" not in self.helps:
            # The loader splits LD_PRELOAD at blanks, but not folders.
            folder = pathlib.Path(self.options.build) / "lib"
            done = self.run(sys.executable, "-c", "0",
                            env={**os.environ, "LD_LIBRARY_PATH": str(folder), "LD_PRELOAD": "libinmem_rt.so", "INMEM_OPTIONS": "help=1:mode=off"})
            self.helps["keys"] = done.stdout
        return self.helps["keys"]

    def check_runtime_options(self, place, value):
        for pair in re.split(r":(?=[a-z_]+=)", value):
            key = pair.partition("=")[0]
            if not re.search(rf"^inmem:\s+{re.escape(key)}=", self.known_keys(), re.M) and key != "help":
                self.complain(place, f"INMEM_OPTIONS has no {key}")

    def check_inmem(self, place, words):
        """The words after `inmem`."""
        subcommands = re.findall(r"^  ([a-z]+) {2,}", self.help_of().partition("Subcommands:")[2], re.M)
        if not words or words[0].startswith("-"):
            return
        name, *rest = words
        if not re.fullmatch(r"[a-z]+", name):
            return
        if name not in subcommands:
            self.complain(place, f"inmem has no {name}")
            return
        known = set(re.findall(r"(?<![\w-])(--?[a-zA-Z][\w-]*)", self.help_of(name)))
        for word in rest:
            if word == "--":
                break
            option = re.match(r"--?[a-zA-Z][\w-]*", word)
            if option and option[0] not in known:
                self.complain(place, f"inmem {name} has no {option[0]}")

    def check_command(self, place, words):
        while words and re.match(r"\w+=", words[0]):
            key, _, value = words.pop(0).partition("=")
            if key == "INMEM_OPTIONS":
                self.check_runtime_options(place, value)
        if not words:
            return
        program = words[0].rsplit("/", 1)[-1]
        if program == "inmem":
            self.check_inmem(place, words[1:])
        elif re.search(r"\bscripts/[a-z]+$", words[0]):
            script = pathlib.Path(self.options.source) / "scripts" / program
            if not script.exists():
                self.complain(place, f"there is no {words[0]}")
            for word in words[1:]:
                if word.startswith("--") and word.partition("=")[0] not in script.read_text():
                    self.complain(place, f"{words[0]} has no {word}")
        for word in words:
            if match := re.match(r"-fplugin-arg-inmem-([\w-]+)", word):
                options = (pathlib.Path(self.options.source) / "docs" / "options.md").read_text()
                if f"`{match[1]}`" not in options:
                    self.complain(place, f"the plugin has no option {match[1]}")

    def commands_of(self, text):
        """Simple commands of a script, each as its words; what is quoted or
        substituted stays as it is written."""
        text = re.sub(r"\\\n", " ", text)
        for line in text.splitlines():
            lexer = shlex.shlex(line, posix=True, punctuation_chars=";&|()<>")
            lexer.whitespace_split, lexer.commenters = True, "#"
            words = []
            try:
                for word in lexer:
                    if set(word) <= set(";&|()<>"):
                        yield words
                        words = []
                    else:
                        words.append(word)
            except ValueError:
                continue  # a text of several lines
            yield words

    def check_shell(self, snippet):
        lines = snippet.lines
        if snippet.language == "console":
            lines = [line[2:] if line.startswith("$ ") else "" for line in lines]
            if not any(lines):
                self.complain(snippet.place, "no line begins with `$ `")
            if not snippet.session and has_output(snippet.lines):
                self.complain(snippet.place, "shows an output that no session compares")
        if not snippet.session:
            self.complain(snippet.place, "no session runs it, and no `session: none REASON` says why")
        script = "\n".join(line.replace("…", "X") for line in lines) + "\n"
        done = self.run("bash", "-n", input=re.sub(r"<(\w+)>", r"\1", script))
        if done.returncode != 0:
            self.complain(snippet.place, done.stdout)
        for words in self.commands_of(script):
            self.check_command(snippet.place, words)

    def check_prose(self, path, text):
        """`inmem ...` and `INMEM_OPTIONS=...` within the text."""
        fenced = False
        for number, line in enumerate(text.splitlines(), 1):
            if line.lstrip().startswith("```"):
                fenced = not fenced
            if fenced:
                continue
            for code in re.findall(r"(?<!`)`([^`]+)`(?!`)", line):
                if re.match(r"(INMEM_OPTIONS=|inmem )", code):
                    for words in self.commands_of(re.sub(r"<(\w+)>", r"\1", code.replace("…", "X"))):
                        self.check_command(f"{path}:{number}", words)

    def check(self, pages):
        snippets = []
        for path, text in pages:
            snippets += snippets_of(path, text, self.complain)
            self.check_prose(path, text)
        for snippet in snippets:
            if snippet.language not in LANGUAGES:
                self.complain(f"{snippet.path}:{snippet.line - 1}",
                              f"expected a language ({', '.join(sorted(LANGUAGES))}), found '{snippet.language}'")
        for snippet in snippets:
            if snippet.name == "skip" or snippet.language not in LANGUAGES:
                continue
            if snippet.name and not (PRELUDES / snippet.name).exists():
                self.complain(snippet.place, f"there is no Inputs/snippets/{snippet.name}")
                return snippets
        looked_at = [s for s in snippets if s.name != "skip"]
        for snippet in looked_at:
            if snippet.language in ("sh", "console"):
                self.check_shell(snippet)
            else:
                self.read(snippet)
        self.compile_all(looked_at)
        self.configure(looked_at)
        return snippets


def unlisted(pages, listed):
    """Pages with a session that scripts/site/sessions*.txt do not name."""
    for path, text in pages:
        if path not in listed and re.search("^<!-- session: (?!none )", text, re.M):
            yield path


def listed_pages(root):
    lists = sorted((pathlib.Path(root) / "scripts/site").glob("sessions*.txt"))
    return {line for file in lists for line in file.read_text().splitlines() if not line.startswith("#")}


def pages_of(root):
    root = pathlib.Path(root)
    for page in [*sorted(root.glob("*.md")), *sorted((root / "docs").rglob("*.md"))]:
        yield page.relative_to(root).as_posix(), page.read_text(encoding="utf-8")


def self_test():
    """What has to be found is found."""
    findings = []
    page = "```\na\n```\n<!-- snippet: x run -->\n```cpp\nb\n```\n<!-- snippet: y -->\ntext\n```sh\n"
    found = snippets_of("p.md", page, lambda place, what: findings.append(f"{place}: {what}"))
    assert [(s.language, s.name, s.run, s.line) for s in found] == [("", "", False, 2), ("cpp", "x", True, 6)], found
    assert findings == ["p.md:8: a marker that no block follows", "p.md:11: a block without an end"], findings
    page = "<!-- session: x -->\n```console\n$ a\nb\n```\n```console\n$ a \\\n  b\n$ c\n```\n```console\n$ a\nb\n```\n"
    found = [(s.session, has_output(s.lines)) for s in snippets_of("p.md", page, findings.append)]
    assert found == [(True, True), (False, False), (False, True)], found
    pages = [("a.md", "<!-- session: none x -->\n"), ("b.md", "\n<!-- session: x -->\n"), ("c.md", "<!-- session: x -->\n")]
    assert list(unlisted(pages, {"c.md"})) == ["b.md"], pages
    page = "<!-- session: none needs Bazel -->\n```sh\na\n```\n<!-- session: none -->\n```sh\na\n```\n```sh\na\n```\n<!-- session: x -->\n```sh\na\n```\n"
    checker = Checker(argparse.Namespace(work="/tmp", build="/nowhere", source="/nowhere"))
    for snippet in snippets_of("p.md", page, findings.append):
        checker.check_shell(snippet)
    assert [finding.partition(" ")[0] for finding in checker.findings] == ["p.md:7:", "p.md:10:"], checker.findings
    checker.findings = []
    checker.helps = {(): "Subcommands:\n  report   x\n", ("report",): "  -o,--output FILE\n  --by WHAT\n", "keys": "inmem:   output=x\ninmem:   stacks=y\n"}
    for command in ("inmem report --by site t", "A=1 build/bin/inmem report --b site", "inmem ropert t", "inmem report t | inmem report -x",
                    "INMEM_OPTIONS=stacks=16:output=a:b ./app", "INMEM_OPTIONS=stack=16 ./app"):
        for words in checker.commands_of(command):
            checker.check_command(command, words)
    assert checker.findings == ["A=1 build/bin/inmem report --b site: inmem report has no --b", "inmem ropert t: inmem has no ropert",
                                "inmem report t | inmem report -x: inmem report has no -x",
                                "INMEM_OPTIONS=stack=16 ./app: INMEM_OPTIONS has no stack"], checker.findings


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--self-test", action="store_true")
    for name in ("source", "build", "work", "clangxx", "cmake"):
        parser.add_argument(f"--{name}")
    parser.add_argument("--leave-out", action="append", default=[], metavar="HEADER", help="do not compile what includes it")
    options = parser.parse_args()
    if options.self_test:
        self_test()
        return 0
    shutil.rmtree(options.work, ignore_errors=True)
    os.makedirs(options.work)
    checker = Checker(options)
    pages = list(pages_of(options.source))
    for path in unlisted(pages, listed_pages(options.source)):
        checker.complain(path, "has a session, and no list in scripts/site names the page")
    snippets = checker.check(pages)
    if len(snippets) < 20:
        checker.complain(options.source, f"only {len(snippets)} blocks found")
    print("\n".join(checker.findings) or f"{len(snippets)} blocks are as they should be")
    return 1 if checker.findings else 0


if __name__ == "__main__":
    sys.exit(main())
