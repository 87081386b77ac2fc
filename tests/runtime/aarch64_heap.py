#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""aarch64_heap - heap snapshots that programs take on AArch64, in a whole machine, pass the tests of those taken here, and say the same.

    aarch64_heap.py --build FOLDER --prefix FOLDER --kernel FOLDER --init FILE --ctl FILE --unit FOLDER --llvm N --work FOLDER [TEST...]

PREFIX has inmem-clang++ with the runtime for AArch64. TESTS are of lit-tests/heap: their RUN lines are carried out with programs compiled for
AArch64, which guest.py runs under a kernel of KERNEL. The lines that make snapshots are carried out with programs of this machine, too,
and then what `inmem heap` says of each snapshot must be equal, but for addresses and what is left on stacks. The folder of --unit has unit
tests, of which the guest runs those of UNIT_TESTS.
Exit code 0: all are; 1: not.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys

from recorded import ROOT, Failed, finish

sys.path.insert(0, str(pathlib.Path(__file__).parent / "guest"))
from guest import REAL, WORKERS, Guest, run

TESTS = ["leaks.cpp", "collections.cpp", "lost.cpp", "made-by.cpp", "own-memory.cpp", "partial.cpp", "room.cpp", "snapshot.cpp", "threads.cpp", "variables.cpp",
         "writer-waited.c"]
# Compared with LeakSanitizer, which is enough.
NOT_COMPARED = ["leaks.cpp"]
# Snapshots in which calls have left pointers on the stack: another machine's calls leave others, on which depends what retains what.
WITH_OLD_STACKS = re.compile(r"^(lost|made-by|partial|room)\.|\.peak\.heap$")
# Loads a library, for which the loader of another machine takes other blocks.
WITH_OTHER_BLOCKS = ["threads.cpp"]
# Unit tests that depend on the kernel's address-space layout and page size. Tests of timing or of resident pages are left
# out: their results vary in a guest.
UNIT_TESTS = {"runtime_unit_test": "Image*:Unwind*:TraceFile*:Memory.Reads*-Unwind.IsWholeFrom*",
              "inmem_place_tests": "*Slab*"}
# Lines that only look at snapshots.
LOOKS = re.compile(r"%inmem heap|%FileCheck|%not|%python|ls ")


class Test:
    """The lines of one, in a folder of its own for each machine."""

    def __init__(self, given, guest, name):
        self.given, self.guest = given, guest
        self.source = ROOT / "lit-tests/heap" / name
        self.lines = re.findall(r"^(?://|#)? ?RUN: (.*)$", self.source.read_text().replace("\\\n// RUN: ", ""), re.MULTILINE)

    def command(self, line, folder, prefix, flags):
        llvm = pathlib.Path(f"/usr/lib/llvm-{self.given.llvm}/bin")
        inputs = ROOT / "lit-tests/Inputs"
        wanted = {
            "%inmem-clangxx": f"{prefix}/bin/inmem-clang++ {flags}", "%inmem-clang": f"{prefix}/bin/inmem-clang {flags}",
            "%clangxx": llvm / "clang++", "%FileCheck": llvm / "FileCheck", "%not": llvm / "not", "%python": sys.executable, "%inputs": inputs,
            "%inmem": self.given.build / "bin/inmem", "%{t}": folder / "t", "%s": self.source, "%S": self.source.parent, "%t": folder / "t"}
        if flags:
            line = line.replace("INMEM=%inmem", f"INMEM={self.given.ctl}")
            line = re.sub(r"^strip -o (\S+) (\S+)$", rf"{llvm}/llvm-strip -o \1 \2{REAL}", line)
        return re.sub("|".join(sorted(map(re.escape, wanted), key=len, reverse=True)), lambda found: str(wanted[found[0]]), line)

    def carry_out(self, folder, lines, prefix, flags=""):
        folder.mkdir(parents=True, exist_ok=True)
        environment = {name: value for name, value in os.environ.items() if not name.startswith("INMEM_")}
        environment["INMEM_BUILD"] = str(self.given.build)
        environment["COLUMNS"] = "120"  # as in lit-tests/lit.cfg.py
        for line in lines:
            command = self.command(line, folder, prefix, flags)
            done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=folder, env=environment, capture_output=True, text=True)
            if done.returncode != 0:
                raise Failed(f"exit code {done.returncode} of {command}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
            if flags:
                for each in filter(is_program, folder.rglob("*")):
                    self.guest.wrap(each)

    def run(self):
        """\\returns how many snapshots are equal."""
        folders = [self.given.work / f"{self.source.stem}.{arch}" for arch in ("aarch64", "x86_64")]
        for folder in folders:
            subprocess.run(["rm", "-rf", folder], check=True)
        self.carry_out(folders[0], self.lines, self.given.prefix, "--target=aarch64-linux-gnu -fuse-ld=lld -Wno-unused-command-line-argument")
        if self.source.name in NOT_COMPARED:
            return "as LeakSanitizer has it"
        self.carry_out(folders[1], [line for line in self.lines if not LOOKS.match(line)], self.given.build)
        found, expected = ({str(each.relative_to(folder)): self.analysis(each) for each in folder.rglob("*.heap")}
                           for folder in folders)
        if not found or set(found) != set(expected):
            raise Failed(f"snapshots are {sorted(found)}, on x86-64 {sorted(expected)}")
        for name, what in found.items():
            for table, rows in what.items():
                if rows != expected[name][table]:
                    raise Failed(f"{name}: {table}\n{difference(rows, expected[name][table])}")
        return f"{len(found)} snapshots are the same"

    def analysis(self, snapshot):
        """What `inmem heap` says of it: of each table the rows, without what differs between machines."""
        done = subprocess.run([self.given.build / "bin/inmem", "heap", "--top", "0", "--format", "json", snapshot], capture_output=True, text=True)
        if done.returncode != 0:
            raise Failed(done.stderr.strip())
        tables, differs = json.loads(done.stdout), {"address", "column", "age_ns"}
        # Of threads, the stacks hold what calls have left there.
        tables["roots"] = [row for row in tables["roots"] if row["kind"] == "global" and not re.search(r"/ld-|/libc\.", row["where"])]
        del tables["process"]
        if WITH_OLD_STACKS.search(f"{self.source.name}/{snapshot.name}"):
            del tables["roots"], tables["largest"]
            differs |= {"retained_bytes", "edges", "reachable_bytes"}
        if self.source.name in WITH_OTHER_BLOCKS:
            del tables["totals"], tables["roots"], tables["largest"]
            unknown = None, "(unknown type)"
            tables = {name: [row for row in rows if row.get("type", "") not in unknown and row.get("name") not in unknown[1:]]
                      for name, rows in tables.items() if isinstance(rows, list)}
        return {name: sorted(json.dumps(common(row, differs)) for row in (rows if isinstance(rows, list) else [rows])) for name, rows in tables.items()}


def is_program(path):
    """Of AArch64, not a library, and not known as one."""
    if path.suffix in (".so", REAL, ".o") or not path.is_file():
        return False
    with open(path, "rb") as file:
        begin = file.read(20)
    return begin[:4] == b"\x7fELF" and begin[18:20] == b"\xb7\x00"


def common(value, differs):
    """Without what differs between machines, and without where files are and variables lie in them."""
    if isinstance(value, dict):
        return {name: common(each, differs) for name, each in value.items() if name not in differs}
    if not isinstance(value, str):
        return value
    value = re.sub(r"\bthread \d+", "thread N", re.sub(r"(?<=\.so)[.\d]+|\+0x[0-9a-f]{4,}", "", value))
    return value.rpartition("/")[2] if value.startswith("/") else value


def difference(found, expected):
    def only(where, rows, others):
        return [f"only on {where}: {row[:500]}" for row in rows if row not in others][:3]
    return "\n".join(only("AArch64", found, expected) + only("x86-64", expected, found))


def unit_tests(program, guest):
    status, out, errors = run(guest.folder, [program, "--gtest_brief=1", f"--gtest_filter={UNIT_TESTS[program.name]}"])
    if status != 0:
        raise Failed(f"exit code {status}\n{(out + errors).decode()[-3000:]}")
    return out.decode().strip().rpartition("\n")[2]


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    paths = ("build", "prefix", "kernel", "init", "ctl", "unit", "work")
    for option in paths:
        parser.add_argument(f"--{option}", type=pathlib.Path, required=True)
    parser.add_argument("--llvm", required=True)
    parser.add_argument("tests", nargs="*", default=[])
    given = parser.parse_args()
    for option in paths:
        setattr(given, option, getattr(given, option).resolve())
    runtime = (given.prefix / "lib/aarch64-linux-gnu").resolve() / "libinmem_rt.so.0"
    with Guest(given.work / "guest", given.kernel, given.init, [runtime, given.ctl]) as guest, concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        print(guest.about, flush=True)
        started = {name: pool.submit(Test(given, guest, name).run) for name in given.tests or TESTS}
        if not given.tests:
            started |= {name: pool.submit(unit_tests, given.unit / name, guest) for name in UNIT_TESTS}
        return finish([(f"{name}: {{}}", test) for name, test in started.items()])


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as fault:
        sys.exit(str(fault))
