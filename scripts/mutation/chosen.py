#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hand-chosen slips of the runtime or the plugin, all compiled in at once.

  chosen.py runtime|plugin [--tree FOLDER] [--llvm N] [--only N,N,...] [--show N]

A mutant of the plugin takes up to 20 s to compile and one of the runtime is
linked into every test, so a copy of the tree is built once with every slip of
NAME.slips behind a switch, and SLIP=N in the environment turns the Nth on. A
slip must be an expression or a statement; its line says what becomes of it.
For each slip: the unit tests and the lit tests nearest to the file, until one
fails. --only 0 builds, no more. Lists those that none noticed; exit code 1 if there are any.
"""
import argparse
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

# Where the switch is defined, and read from the environment.
READER = """
extern "C" char **environ;
extern "C" void inmem_read_slip() {
  for (char **E = environ; E && *E; ++E) {
    const char *At = *E;
    for (const char *Name = "SLIP="; *Name && *At == *Name; ++Name)
      ++At;
    if (At != *E + 5)
      continue;
    inmem_slip = 0;
    for (; *At; ++At)
      inmem_slip = inmem_slip * 10 + (*At - '0');
  }
}
namespace { __attribute__((constructor(101))) void readSlip() { inmem_read_slip(); } }
"""
DECLARATION = 'extern "C" __attribute__((visibility("hidden"))) int inmem_slip; '
LIT_TESTS = "lit-tests"
ROOMS = {
    "runtime": {
        "home": "runtime/platform/Platform.cpp",
        "targets": ["lib/libinmem_rt.so", "tests/runtime_unit_test", "tests/runtime_threads_test"],
        "units": [["tests/runtime_unit_test"], ["tests/runtime_threads_test", "--gtest_filter=-*SixtyFour*:*LiveBytes*:*ComeAndGo*"]],
        "folders": ["runtime", "scopes", "stacks", "safety", "objects", "tools"],
    },
    "plugin": {
        "home": "plugin/Options.cpp",
        "targets": ["lib/libinmem.so", "lib/libinmem-ir.so"],
        "units": [],
        "folders": ["ast", "ir", "table", "objects", "filters", "scopes"],
    },
}
# The lit tests that say most about a file, by its name. The others come last.
NEAREST = {
    "runtime": {
        "Allocator": "runtime/other-allocators.cpp",
        "Control": "tools/phases.cpp scopes/counts.cpp",
        "EventLives": "runtime/events-clock.cpp",
        "Exec": "safety/ends.cpp safety/handing-on.cpp",
        "Fork": "runtime/events-clock.cpp safety/fork-inherits.cpp safety/fork-ways.c",
        "Frees": "stacks/frees.cpp stacks/blame.cpp",
        "Hooks": "runtime/malloc-family.c runtime/realloc.c runtime/behaviour.cpp runtime/new-forms.cpp "
            "runtime/other-allocators.cpp safety/packed.cpp safety/plugins.c",
        "LiveIndex": "runtime/index-returned.cpp safety/packed.cpp objects/placed.cpp objects/lifetime.cpp safety/fork-inherits.cpp",
        "Modules": "runtime/nothing.c stacks/names.cpp tools/run-uninstrumented.test",
        "ObjectLives": "objects/lifetime.cpp objects/placed.cpp objects/peak.cpp",
        "Objects": "runtime/dlopened.cpp objects/manners.cpp tools/phases.cpp tools/reset.cpp safety/plugins.c",
        "Options": "runtime/options.cpp runtime/periodic.c",
        "Orders": "runtime/signals.c tools/ctl.cpp safety/signals.cpp",
        "Recorder": "runtime/malloc-family.c runtime/realloc.c runtime/sampling.cpp runtime/every.cpp runtime/lifetimes.cpp "
            "runtime/events.cpp runtime/index-returned.cpp runtime/container-types.cpp ast/questions.c ast/owned-strings.c "
            "objects/lifetime.cpp objects/placed.cpp scopes/counts.cpp",
        "Runtime": "safety/ends.cpp runtime/thread-ends.cpp runtime/checksums.cpp",
        "Scopes": "scopes",
        "SiteRegistry": "runtime/dlopened.cpp safety/plugins.c table/flow.c ast/malloc.c objects/placed.cpp ast/questions.c",
        "Snapshots": "runtime/periodic.c tools/reset.cpp tools/phases.cpp tools/ctl.cpp runtime/signals.c stacks/counted.cpp",
        "Stacks": "stacks/counted.cpp stacks/odd-stacks.cpp stacks/parts.cpp",
        "ThreadStart": "safety/plugins.c safety/reopened.cpp runtime/dlopened.cpp",
        "Threads": "runtime/threads.cpp runtime/thread-ends.cpp runtime/sampling.cpp scopes/threads.cpp scopes/counts.cpp "
            "tools/reset.cpp tools/phases.cpp tools/ctl.cpp",
        "TraceFile": "runtime/output-name.cpp safety/files.c safety/limits.cpp",
        "Unwind": "stacks/counted.cpp stacks/odd-stacks.cpp safety/fibers.cpp",
    },
    "plugin": {
        "MarkHandlers": "scopes/handlers.cpp scopes/budgets.cpp runtime/lto.cpp",
        "Options": "filters ast/options.test ast/excluded.cpp",
        "InstrumentObjects": "ast/objects.cpp objects",
        "ConstructionMarker": "objects",
        "DescriptorEmitter": "ir runtime/lto.cpp ast/names.cpp table/names.cpp",
        "TypeName": "table/names.cpp ast/names.cpp",
        "TypeLayout": "ast/fields.cpp",
        "SiteTable": "ast table objects/storages.cpp",
        "AllocationFunctions": "ast/owned-strings.c ir/owned-memory.ll table/strings.c table/strings.cpp",
        "InstrumentAllocations": "ast ir table",
        "TagAllocations": "table ir ast",
        "AllocTypeInference": "table/malloc.c table/malloc.cpp table/doubts.c table",
        "RawPointers": "table/placed.cpp table/flow.c table",
        "SiteCollector": "table/malloc.c table/malloc.cpp table/new.cpp table/flow.c table/placed.cpp table/wrappers.c ast/objects.cpp "
            "objects ast table",
    },
}


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
        old = text[begin:end]
        if new == "-":
            put = f"(inmem_slip == {number} ? (void)0 : (void)({old}))"
        else:
            put = f"(inmem_slip == {number} ? ({new}) : ({old}))"
        changes.setdefault(path, []).append((begin, end, put))
    home = ROOMS[room]["home"]
    for path in {*changes, home}:
        text = texts.setdefault(path, (ROOT / path).read_text())
        for begin, end, put in sorted(changes.get(path, []), reverse=True):
            text = text[:begin] + put + text[end:]
        text = DECLARATION + text
        if path == home:
            text = text.replace(DECLARATION, 'extern "C" { __attribute__((visibility("hidden"))) int inmem_slip = 0; } ', 1)
            text += READER
        if path.endswith("runtime/Runtime.cpp"):  # before any constructor
            text = text.replace("void start() {", "void start() { inmem_read_slip();", 1)
            text = 'extern "C" void inmem_read_slip(); ' + text
        target = tree / path
        if not target.exists() or target.read_text() != text:
            target.write_text(text)
    config = tree / "lit-tests" / "lit.cfg.py"
    text = (ROOT / "lit-tests" / "lit.cfg.py").read_text()
    text += '\nif "SLIP" in os.environ:\n    config.environment["SLIP"] = os.environ["SLIP"]\n'
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
    for name in ("bin/inmem", "bin/inmem-clang", "bin/inmem-clang++", "lib/libinmem.so", "lib/libinmem-ir.so", "lib/libinmem_rt.so", "lib/libinmem_rt.a"):
        if name in ROOMS[room]["targets"]:
            continue
        if not (ROOT / "build" / name).exists():
            sys.exit(f"build/{name} is missing: build the tree first")
        (build / name).parent.mkdir(exist_ok=True)
        (build / name).unlink(missing_ok=True)  # a test may still run it
        shutil.copy2(ROOT / "build" / name, build / name)
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


def failed_lit(build, tests, environment):
    status, output = run([LIT, "-j2", "-q", "--max-failures=1", *(str(build / LIT_TESTS / test) for test in tests)], environment, 900)
    if status is None:
        return "a test that does not end"
    if status == 0:
        return None
    if failed := re.findall(r"^\s+\S+ :: (\S+)", output, re.MULTILINE):
        return failed[0]
    sys.exit(f"lit failed:\n{output}")


def noticed_by(room, build, number, path, rest, units=False):
    """The first test that fails with the slip; None if none does. With rest: of those that are not near."""
    environment = dict(os.environ, SLIP=str(number), INMEM_OPTIONS=f"output={build}/unit.%p.inmem")
    if rest:
        for folder in ROOMS[room]["folders"]:
            if test := failed_lit(build, [folder], environment):
                return test
        return None
    for unit in ROOMS[room]["units"] if pathlib.Path(path).stem not in ("Allocator", "Exec", "Hooks", "ThreadStart") else ():
        status, output = run([str(build / unit[0]), *unit[1:], "--gtest_fail_fast"], environment, 300)
        if status != 0:
            return (re.findall(r"\[  FAILED  \] (\S+)", output) or unit)[0]
    near = [] if units else NEAREST[room].get(pathlib.Path(path).stem, "").split()
    return failed_lit(build, near, environment) if near else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("room", choices=ROOMS)
    parser.add_argument("--tree", type=pathlib.Path, default=ROOT / "build" / "slips", help="the copy; kept for the next time")
    parser.add_argument("--llvm", default="22")
    parser.add_argument("--only", default="", help="numbers of slips, separated by commas")
    parser.add_argument("--shard", default="", help="a name: lit works in a folder of its own, beside another run")
    parser.add_argument("--units", action="store_true", help="unit tests alone")
    parser.add_argument("--all", action="store_true", help="what the nearest tests do not notice goes through all folders of the room")
    parser.add_argument("--baseline", action="store_true", help="first see that the tests pass without a slip")
    parser.add_argument("--show", type=int, help="prints one slip and ends")
    options = parser.parse_args()
    slips = slips_of(options.room)
    if options.show:
        return print(*slips[options.show - 1], sep="\n")
    build = prepare(options.room, options.tree / options.room, options.llvm)
    if options.shard:
        global LIT_TESTS
        LIT_TESTS += "-" + options.shard
        (build / LIT_TESTS).mkdir(exist_ok=True)
        site = (build / "lit-tests" / "lit.site.cfg.py").read_text()
        (build / LIT_TESTS / "lit.site.cfg.py").write_text(site.replace('build/lit-tests"', f'build/{LIT_TESTS}"'))
    if options.only == "0":
        return print("built")
    wanted = [int(one) for one in options.only.split(",") if one] or list(range(1, len(slips) + 1))
    if options.baseline:
        tests = sorted({test for names in NEAREST[options.room].values() for test in names.split()})
        if test := failed_lit(build, tests, dict(os.environ, SLIP="0")):
            sys.exit(f"fails without a slip: {test}")
    left = wanted
    for rest in (False, True) if options.all else (False,):
        survivors = []
        for number in left:
            path, anchor, old, new = slips[number - 1]
            start = time.monotonic()
            test = noticed_by(options.room, build, number, path, rest, options.units)
            if not test:
                survivors.append(number)
            print(f"{number:3} {path}: {old} => {new}: {'noticed by ' + test if test else 'not noticed'} ({time.monotonic() - start:.0f} s)", flush=True)
        left = survivors
    count = len(wanted)
    print(f"{count - len(survivors)} of {count} noticed; not: {', '.join(map(str, survivors)) or 'none'}")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
