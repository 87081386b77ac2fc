#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hand-chosen slips of the runtime or the plugin, all compiled in at once.

  chosen.py runtime|plugin [--tree FOLDER] [--llvm N] [--only N,N,...] [--show N]

A mutant of the plugin takes up to 20 s to compile and one of the runtime is
linked into every test, so a copy of the tree is built once with every slip of
NAME.slips behind a switch, and SLIP=N in the environment turns the Nth on. A
slip must be an expression or a statement; its line says what becomes of it.

Each test of the room runs once without a slip and leaves a map of the slips that
it passed, and at conditions, whether the slip would have decided otherwise. Only
tests that could notice a slip judge it, quickest first, up to the first that
fails. The map is kept: later, only new and changed tests run for it again.
--only 0 builds and maps, no more. Lists the slips that no test noticed; exit
code 1 if there are any.
"""
import argparse
import hashlib
import itertools
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

LIT = shutil.which("lit-22") or shutil.which("lit") or "lit"
HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent

DECLARATION = """#ifndef INMEM_SLIP
#define INMEM_SLIP
extern "C" __attribute__((visibility("hidden"))) int inmem_slip;
extern "C" __attribute__((visibility("hidden"))) unsigned char *inmem_slip_map;
[[maybe_unused]] static inline bool inmem_passed(int N) { return inmem_slip_map[N] |= 1; }
[[maybe_unused]] static inline bool inmem_decides(int N, bool Old, bool New) {
  inmem_slip_map[N] |= Old == New ? 1 : 2;
  return Old;
}
#endif
"""
# Where the switch is defined, and read from the environment: SLIP=N, or SLIP_MAP=FILE.
READER = """
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
static unsigned char NoMap[256];
int inmem_slip = 0;
unsigned char *inmem_slip_map = NoMap;
static const char *inmem_after(const char *At, const char *Name) {
  for (; *Name; ++At, ++Name)
    if (*At != *Name)
      return nullptr;
  return At;
}
extern "C" void inmem_read_slip() {
  for (char **E = environ; E && *E; ++E) {
    if (const char *At = inmem_after(*E, "SLIP=")) {
      inmem_slip = 0;
      for (; *At; ++At)
        inmem_slip = inmem_slip * 10 + (*At - '0');
    } else if (const char *File = inmem_after(*E, "SLIP_MAP=")) {
      const long Handle = syscall(SYS_openat, long{AT_FDCWD}, File, long{O_RDWR | O_CLOEXEC});
      if (Handle < 0)
        continue;
      const long Map = syscall(SYS_mmap, 0L, sizeof(NoMap), long{PROT_READ | PROT_WRITE}, long{MAP_SHARED}, Handle, 0L);
      syscall(SYS_close, Handle);
      if (Map > 0) {
        inmem_slip_map = reinterpret_cast<unsigned char *>(Map);
        inmem_slip = -1;
      }
    }
  }
}
namespace { __attribute__((constructor(101))) void readSlip() { inmem_read_slip(); } }
"""
ROOMS = {
    "runtime": {
        "home": "runtime/platform/Process.cpp",
        "targets": ["lib/libinmem_rt.so", "tests/runtime_unit_test", "tests/runtime_threads_test"],
        "units": {"runtime_unit_test": "*", "runtime_threads_test": "-*SixtyFour*:*LiveBytes*:*ComeAndGo*"},
        "folders": ["runtime", "scopes", "stacks", "safety", "objects", "tools", "ast", "types"],
    },
    "plugin": {
        "home": "plugin/PluginOptions.cpp",
        "targets": ["lib/libinmem.so", "lib/libinmem-ir.so"],
        "units": {},
        "folders": ["ast", "ir", "types", "objects", "filters", "scopes/handlers.cpp", "scopes/budgets.cpp", "runtime/lto.cpp"],
    },
}
# What may run before any constructor.
EARLY = {"runtime/process/Start.cpp": "void start() {", "runtime/allocator/Allocator.cpp": "void resolveAllocator() {"}
# These compile much and say nothing of the product that others do not.
TOO_LONG = {"scopes/gtest.cpp", "scopes/catch2.cpp", "scopes/doctest.cpp", "types/libcxx.cpp"}
# What a condition looks like; one with a side effect is not evaluated twice.
CONDITION = re.compile(r" (?:[=!<>]=|&&|\|\||[<>]) |^!|\b(?:is|has)[A-Z]\w*\([^()]*\)$")
SIDE_EFFECT = re.compile(r"\+\+|--|[^=!<>]=[^=]|\?|\b(?:bump|raise|walk|Create\w*|reserveEntry)\(")


def switched(number, old, new):
    """The source text that stands for both."""
    if new == "-":
        return f"(inmem_slip == {number} ? (void)0 : (inmem_passed({number}), (void)({old})))"
    if is_condition(" ".join(old.split()), new):
        return f"(inmem_slip == {number} ? bool({new}) : inmem_slip < 0 ? inmem_decides({number}, bool({old}), bool({new})) : bool({old}))"
    return f"(inmem_slip == {number} ? ({new}) : (inmem_passed({number}), ({old})))"


def is_condition(old, new):
    return bool((new in ("true", "false") or CONDITION.search(old)) and not SIDE_EFFECT.search(f"{old} {new}"))


# A test gets the switch, or a file for its map.
LIT_CONFIG = """
import mapped_tests
mapped_tests.install(config)
"""


def slips_of(room):
    """(path, anchor, old, new) of each line of the room's list."""
    slips = []
    for line in (HERE / f"{room}.slips").read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        where, change = line.split(" :: ", 1)
        old, new = change.rsplit(" => ", 1)
        path, _, anchor = where.partition(" @ ")
        slips.append((path.strip(), anchor.strip(), old.strip(), new.strip()))
    return slips


def pattern(text):
    """Matches the text however it is laid out."""
    return r"\s+".join(re.escape(word) for word in text.split())


def span(text, anchor, old, path):
    begin = 0
    if anchor:
        found = re.search(pattern(anchor), text)
        if not found:
            sys.exit(f"{path}: no '{anchor}'")
        begin = found.end()
    found = re.compile(pattern(old)).search(text, begin)
    if not found:
        sys.exit(f"{path}: no '{old}' behind '{anchor}'")
    if not anchor and re.compile(pattern(old)).search(text, found.end()):
        sys.exit(f"{path}: '{old}' more than once; say in which function")
    return found.span()


def build_in(room, tree):
    """Writes every slip of the room into the tree's sources."""
    texts, changes = {}, {}
    for number, (path, anchor, old, new) in enumerate(slips_of(room), 1):
        text = texts.setdefault(path, (ROOT / path).read_text())
        begin, end = span(text, anchor, old, path)
        changes.setdefault(path, []).append((begin, end, switched(number, text[begin:end], new)))
    home = ROOMS[room]["home"]
    for path in {*changes, home}:
        text = texts.setdefault(path, (ROOT / path).read_text())
        for begin, end, put in sorted(changes.get(path, []), reverse=True):
            text = text[:begin] + put + text[end:]
        text = DECLARATION + text
        if path == home:
            text += READER
        if early := EARLY.get(path):
            text = 'extern "C" void inmem_read_slip();\n' + text.replace(early, f"{early} inmem_read_slip();", 1)
        target = tree / path
        if not target.exists() or target.read_text() != text:
            target.write_text(text)
    config = tree / "lit-tests" / "lit.cfg.py"
    text = (ROOT / "lit-tests" / "lit.cfg.py").read_text() + LIT_CONFIG
    if room == "runtime":  # the programs stay what they are: one compile for all slips
        text += (f'config.substitutions = [(name, f"%python {HERE / "reuse.py"} " + text if name in ("%inmem-clang", "%inmem-clangxx") else text)'
                 ' for name, text in config.substitutions]\n'
                 'config.substitutions.sort(key=lambda one: (one[0] == "%python", -len(one[0])))\n')
    if config.read_text() != text:
        config.write_text(text)


def prepare(room, tree, llvm):
    if not (tree / ".git").exists():
        subprocess.run(["git", "worktree", "add", "--detach", "--force", str(tree)], cwd=ROOT, check=True, capture_output=True)
    # What is not yet committed is judged too.
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    mutated = {path for path, *_ in slips_of(room)} | {ROOMS[room]["home"], "lit-tests/lit.cfg.py"}
    for name in listed.splitlines():
        source, target = ROOT / name, tree / name
        if name in mutated or not source.is_file():
            continue
        if not target.exists() or target.read_bytes() != source.read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(source.read_bytes())
            target.chmod(source.stat().st_mode)
    build_in(room, tree)
    build = tree / "build"
    if not (build / "build.ninja").exists():
        subprocess.run(["cmake", "-S", str(tree), "-B", str(build), "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                        "-DINMEM_BUILD_TESTS=ON", f"-DLLVM_VERSION={llvm}"], check=True, capture_output=True)
    # What no slip is in comes from the usual build.
    for name in ("bin/inmem", "bin/inmem-clang", "bin/inmem-clang++", "lib/libinmem.so", "lib/libinmem-ir.so", "lib/libinmem_rt.so",
                 "lib/libinmem_rt.so.0", "lib/libinmem_rt.a"):
        if name in ROOMS[room]["targets"]:
            continue
        if not (ROOT / "build" / name).exists():
            sys.exit(f"build/{name} is missing: build the tree first")
        (build / name).parent.mkdir(exist_ok=True)
        (build / name).unlink(missing_ok=True)  # a test may still run it
        shutil.copy2(ROOT / "build" / name, build / name)
    shutil.copy2(HERE / "mapped_tests.py", tree / "tests" / "support" / "mapped_tests.py")
    made = subprocess.run(["ninja", "-C", str(build), "-j2", "-k", "0", *ROOMS[room]["targets"]], capture_output=True, text=True)
    if made.returncode:
        sys.exit(made.stdout[-4000:])
    return build


def run(command, environment, seconds):
    """(exit code, or None after that time; output)"""
    started = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                               errors="replace", start_new_session=True)
    try:
        output, _ = started.communicate(timeout=seconds)
        return started.returncode, output
    except subprocess.TimeoutExpired:
        return None, ""
    finally:
        try:
            os.killpg(started.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


class Judge:
    """The tests of a room, and which slips each of them could notice."""

    def __init__(self, room, build):
        self.room, self.build = room, build
        self.count = len(slips_of(room))
        self.file = build / "slips.json"
        self.features = ""
        shown = self.lit("--show-suites", str(build / "lit-tests"), seconds=300)[1]
        if match := re.search(r"Available Features: *(.*)", shown):
            self.features = ",".join(match.group(1).split())
        self.read_map()

    def lit(self, *words, seconds=1800, **environment):
        known = ["--param", f"features={self.features}"] if self.features else []
        return run([LIT, "-j2", *known, *words], dict(os.environ, **environment), seconds)

    def unit(self, name, **environment):
        command = [str(self.build / "tests" / name), f"--gtest_filter={ROOMS[self.room]['units'][name]}", "--gtest_fail_fast", "--gtest_brief=1"]
        status, output = run(command, dict(os.environ, INMEM_OPTIONS=f"output={self.build}/unit.%p.inmem", **environment), 300)
        for left in self.build.glob("unit.*.inmem"):
            left.unlink()
        failed = re.search(r"\[  FAILED  \] (\S+?),? ", output)
        return None if status == 0 else failed.group(1) if failed else name

    def tests(self):
        """{test: its digest}"""
        found = dict.fromkeys(ROOMS[self.room]["units"], "")
        for name in found:
            found[name] = hashlib.sha256((self.build / "tests" / name).read_bytes()).hexdigest()
        for folder in ROOMS[self.room]["folders"]:
            place = ROOT / "lit-tests" / folder
            for path in sorted(place.iterdir()) if place.is_dir() else [place]:
                name = str(path.relative_to(ROOT / "lit-tests"))
                if path.suffix in (".c", ".cpp", ".ll", ".test") and name not in TOO_LONG:
                    found[name] = hashlib.sha256(path.read_bytes()).hexdigest()
        return found

    def read_map(self):
        """Runs what the map does not hold: {test: [digest, seconds, passed?, map]}."""
        key = hashlib.sha256(repr(slips_of(self.room)).encode()).hexdigest()
        kept = json.loads(self.file.read_text()) if self.file.exists() else {}
        self.map = kept.get("map", {}) if kept.get("key") == key else {}
        now = self.tests()
        self.map = {test: entry for test, entry in self.map.items() if now.get(test) == entry[0]}
        missing = [test for test in now if test not in self.map]
        if missing:
            print(f"running {len(missing)} tests for the map", flush=True)
        folder = self.build / "slip-maps"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for name in [test for test in missing if test in ROOMS[self.room]["units"]]:
            (folder / name).write_bytes(bytes(256))
            start = time.monotonic()
            failed = self.unit(name, SLIP_MAP=str(folder / name))
            self.map[name] = [now[name], time.monotonic() - start, not failed, list((folder / name).read_bytes()[:self.count + 1])]
        lits = [test for test in missing if test not in self.map]
        if lits:
            result = folder / "result.json"
            self.lit("-q", "-o", str(result), *(str(self.build / "lit-tests" / test) for test in lits), seconds=None, SLIP_MAPS=str(folder))
            for each in json.loads(result.read_text())["tests"]:
                test = each["name"].split(" :: ", 1)[1]
                file = folder / test.replace("/", ",")
                seen = list(file.read_bytes()[:self.count + 1]) if file.exists() else [0] * (self.count + 1)
                self.map[test] = [now[test], each["elapsed"], each["code"] == "PASS", seen]
                if each["code"] not in ("PASS", "UNSUPPORTED"):
                    print(f"fails without a slip, so judges none: {test}", flush=True)
        self.file.write_text(json.dumps({"key": key, "map": self.map}))

    def noticed_by(self, number, old, new, most):
        """(the first test that fails with the slip or None, what was tried), by tests of at most so many seconds together"""
        needed = 2 if is_condition(old, new) else 1
        able = [(seconds, test) for test, (_, seconds, passed, seen) in self.map.items() if passed and seen[number] & needed]
        units = [test for _, test in able if test in ROOMS[self.room]["units"]]
        for name in units:
            if test := self.unit(name, SLIP=str(number)):
                return test, ""
        lits = [test for _, test in sorted(able) if test not in units]
        if most:
            needed = list(itertools.accumulate(seconds for seconds, test in sorted(able) if test not in units))
            lits = lits[:sum(seconds <= most for seconds in needed) or 1]
        tried = f"{len(lits) + len(units)} tests of {len(able)}"
        if not able:
            tried = "no test where it decides otherwise" if any(entry[3][number] for entry in self.map.values()) else "no test passes it"
        size = 2
        while lits:
            batch, lits = lits[:size], lits[size:]
            size = min(2 * size, 8)
            status, output = self.lit("-q", "--max-failures=1", *(str(self.build / "lit-tests" / test) for test in batch), SLIP=str(number))
            if status is None:
                return "a test that does not end", ""
            if status:
                failed = re.findall(r"^\s+\S+ :: (\S+)", output, re.MULTILINE)
                if not failed:
                    sys.exit(f"lit failed:\n{output}")
                return failed[0], ""
        return None, tried


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("room", choices=ROOMS)
    parser.add_argument("--tree", type=pathlib.Path, default=ROOT / "build" / "slips", help="the copy; kept for the next time")
    parser.add_argument("--llvm", default="22")
    parser.add_argument("--only", default="", help="numbers of slips, separated by commas")
    parser.add_argument("--seconds", type=int, default=0, help="tests for a slip, quickest first, that take so long together without it; 0: all")
    parser.add_argument("--show", type=int, help="prints one slip and ends")
    options = parser.parse_args()
    slips = slips_of(options.room)
    if options.show:
        return print(*slips[options.show - 1], sep="\n")
    judge = Judge(options.room, prepare(options.room, options.tree / options.room, options.llvm))
    if options.only == "0":
        return print("built")
    wanted = [int(one) for one in options.only.split(",") if one] or list(range(1, len(slips) + 1))
    survivors = []
    for number in wanted:
        path, _, old, new = slips[number - 1]
        start = time.monotonic()
        test, tried = judge.noticed_by(number, old, new, options.seconds)
        if not test:
            survivors.append(number)
        print(f"{number:3} {path}: {old} => {new}: {'noticed by ' + test if test else f'not noticed ({tried})'} ({time.monotonic() - start:.0f} s)",
              flush=True)
    print(f"{len(wanted) - len(survivors)} of {len(wanted)} noticed; not: {', '.join(map(str, survivors)) or 'none'}")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
