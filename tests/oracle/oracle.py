#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The end-to-end oracle: inmem's totals against those of valgrind's DHAT.

  oracle.py --build BUILD --llvm-bin DIR [--opt O0]... [--work DIR] [PROGRAM]...

Each program of programs/ is built by plain clang and run under DHAT, then built
by inmem-clang and run recorded. Blocks and bytes must be the same numbers, and
output and exit code must not change. A program may open with lines
`// oracle-flags: ...` (compiler flags), `// oracle-needs: NAME` (a library of that
name, without which it is skipped) and `// oracle-without: ARG` (what it allocates
when run with ARG is subtracted on both sides: for libraries that notice valgrind).

Exit code 0: all equal; 1: some differ; 2: wrong usage; 77: all were skipped.
"""
import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "lit-tests" / "Inputs"))
sys.path.insert(0, str(HERE.parent / "support"))
import expect  # the invariants of every report
import kept

TIMEOUT_SECONDS = 1800  # it hangs: a slow machine needs less


class Different(Exception):
    """The oracle does not hold; the text says how."""


class Skipped(Exception):
    """The program cannot be tried here."""


def directives(source, name):
    return " ".join(re.findall(rf"oracle-{name}:(.*)", source.read_text())).split()


def compile_program(compiler, source, output, opt):
    language = ["-std=gnu17"] if source.suffix == ".c" else ["-std=c++20"]
    command = [str(compiler), *language, f"-{opt}", "-w", str(source), "-o", str(output), *directives(source, "flags")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_SECONDS)
    if done.returncode != 0:
        raise Different(f"{compiler.name} failed: {done.stderr.strip()[:2000]}")


def run(command, folder, **environment):
    """Runs in `folder`, so that argv[0] is the same for both builds."""
    base = {"PATH": "/usr/bin:/bin", "HOME": "/", **environment}
    process = subprocess.Popen(command, cwd=folder, env=base, text=True,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        out, err = process.communicate(timeout=TIMEOUT_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise Different(f"{command[0]} did not end within {TIMEOUT_SECONDS} s") from None
    return process.pid, process.returncode, out, err


def dhat_totals(folder, arguments, plain):
    """(blocks, bytes) that DHAT counts for ./program, whose behaviour must be `plain`."""
    log = folder / "dhat.log"
    _, *behaviour = run(
        ["valgrind", "--tool=dhat", "--dhat-out-file=/dev/null", "--child-silent-after-fork=yes",
         f"--log-file={log}", "./program", *arguments], folder)
    found = re.search(r"Total:\s+([\d,]+) bytes in ([\d,]+) blocks", log.read_text())
    if not found or behaviour != plain:
        raise Different(f"the program does not run the same under DHAT: {behaviour}; {log.read_text()[-1000:]}")
    size, blocks = (int(group.replace(",", "")) for group in found.groups())
    return blocks, size


def inmem_totals(folder, inmem, arguments, plain):
    """The same two numbers of the recorded run, whose behaviour must be `plain`."""
    pid, *behaviour = run(["./program", *arguments], folder, INMEM_OPTIONS="output=%p.inmem")
    for name, ours, theirs in zip(("exit code", "stdout", "stderr"), behaviour, plain, strict=True):
        if ours != theirs:
            raise Different(f"{name} is {ours!r:.300}, without inmem {theirs!r:.300}")
    trace = folder / f"{pid}.inmem"
    if not trace.exists():
        raise Different(f"left no trace; the folder has {sorted(p.name for p in folder.iterdir())}")
    done = subprocess.run([inmem, "report", "--format", "json", trace], capture_output=True, text=True)
    if done.returncode != 0:
        raise Different(f"inmem report failed with {done.returncode}: {done.stderr.strip()}")
    report = json.loads(done.stdout, object_hook=expect.Row)
    broken = list(expect.broken_invariants(report))
    if broken:
        raise Different("; ".join(broken))
    return report.totals.allocations, report.totals.allocated_bytes


def reference(source, opt, options, work):
    """What the uninstrumented program does, and what DHAT counts: [exit code, stdout, stderr, blocks, bytes], with and,
    where asked for, without the ARG of `oracle-without`. Kept: nothing of inmem has a part in it."""
    if not shutil.which("valgrind"):
        raise Skipped("valgrind is not installed")
    folder = work / f"{source.stem}.{opt}.plain"
    compiler = options.llvm_bin / f"clang{'' if source.suffix == '.c' else '++'}"

    def make():
        new_folder(folder)
        try:
            compile_program(compiler, source, folder / "program", opt)
        except Different as failure:
            needs = directives(source, "needs")
            if needs:
                raise Skipped(f"needs {' '.join(needs)}") from failure
            raise
        results = []
        for arguments in runs(source):
            _, *plain = run(["./program", *arguments], folder)
            results.append([*plain, *dhat_totals(folder, arguments, plain)])
        if not options.work:
            shutil.rmtree(folder)
        return results

    return kept.kept(options.build, f"oracle.{source.stem}.{opt}", compiler, [source.read_text(), opt, str(folder)], make)


def new_folder(folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def runs(source):
    """The arguments of each run of a program."""
    without = directives(source, "without")
    return [[], without] if without else [[]]


def try_program(source, opt, options, work):
    """Returns (blocks, bytes) where both agree."""
    references = reference(source, opt, options, work)
    folder = new_folder(work / f"{source.stem}.{opt}.inmem")
    compile_program(options.build / "bin" / f"inmem-clang{'' if source.suffix == '.c' else '++'}", source, folder / "program", opt)
    both = []
    for arguments, (*plain, blocks, size) in zip(runs(source), references, strict=True):
        both.append(((blocks, size), inmem_totals(folder, options.build / "bin" / "inmem", arguments, plain)))
    theirs, ours = both[0]
    for less_theirs, less_ours in both[1:]:
        theirs = tuple(a - b for a, b in zip(theirs, less_theirs, strict=True))
        ours = tuple(a - b for a, b in zip(ours, less_ours, strict=True))
    if not options.work:
        shutil.rmtree(folder)
    if ours != theirs:
        raise Different("DHAT counts {} blocks, {} bytes; inmem {} ({:+}), {} ({:+})".format(
            *theirs, ours[0], ours[0] - theirs[0], ours[1], ours[1] - theirs[1]))
    return ours


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--llvm-bin", type=pathlib.Path, required=True)
    parser.add_argument("--opt", action="append", help="default: O0 and O2")
    parser.add_argument("--work", type=pathlib.Path, help="keep binaries and traces here (default: in BUILD, not kept)")
    parser.add_argument("programs", nargs="*")
    options = parser.parse_args()

    known = {source.stem: source for source in sorted((HERE / "programs").iterdir())}
    unknown = [name for name in options.programs if name not in known]
    if unknown:
        parser.error(f"no program {unknown[0]}; there are: {' '.join(known)}")

    results = []
    # Always the same folder: some programs allocate its name.
    work = (options.work or options.build / "oracle").resolve()
    print(f"{'program':<22}{'opt':<5}{'blocks':>10}{'bytes':>14}  result")
    for name in options.programs or known:
        for opt in options.opt or ["O0", "O2"]:
            try:
                blocks, size = try_program(known[name], opt, options, work)
                outcome, row = "equal", f"{blocks:>10}{size:>14}  equal"
            except Skipped as reason:
                outcome, row = "skipped", f"{'':24}  skipped: {reason}"
            except Different as reason:
                outcome, row = "different", f"{'':24}  DIFFERENT: {reason}"
            results.append(outcome)
            print(f"{name:<22}{opt:<5}{row}", flush=True)
    if "different" in results:
        return 1
    return 0 if "equal" in results else 77


if __name__ == "__main__":
    sys.exit(main())
