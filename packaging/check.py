#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check - installs what scripts/package made where people would, and does what README says.

    check.py --packages FOLDER --work FOLDER [--only REGEX] [--write docs/platforms.md]
    check.py --prefix FOLDER --work FOLDER

The first form needs root: Debian roots by mmdebstrap, kept in --work, have nothing but clang and the package. The second
tries an installed or unpacked folder on this machine. Each line: package, root, LLVM, what passed, seconds, megabytes.
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
import time

PROGRAM = """\
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>
struct Order { std::string Name; int Count; };
int main() {
  std::map<int, std::unique_ptr<Order>> Orders;
  for (int I = 0; I < 100; ++I)
    Orders[I] = std::make_unique<Order>(Order{"a name that needs a buffer of its own", I});
  for (int Round = 0; Round < 100; ++Round) {
    std::vector<long> Totals;
    for (int I = 0; I < 1000; ++I)
      Totals.push_back(I);
    if (Totals.back() != 999)
      return 1;
  }
  std::printf("%zu orders\\n", Orders.size());
}
"""
# The steps of README, and a program that was not compiled with inmem.
STEPS = {
    "compiled": "INMEM_COMPILE_COMMANDS=compile_commands.json {bin}inmem-clang++ -O2 -g -std=c++20 app.cpp -o app &&"
                " {bin}inmem-clang++ --inmem-help | grep -q 'compiling adds' && {bin}inmem doctor app",
    "recorded": "./app | grep -q '100 orders' && ls inmem.*.inmem",
    "reported": "{bin}inmem report | grep Order && {bin}inmem report --format json >report.json",
    "fixed": "{bin}inmem fix inmem.*.inmem -p . --root . --list | grep 'fix: Totals'",
    # DuckDB's library is not in the packages: a line says how to have it.
    "queried": "rm -rf store; if {bin}inmem export --format parquet -o store inmem.*.inmem 2>export.log; then"
               " {bin}inmem query top-types store | grep Order; else"
               " grep 'take libduckdb.so from .* put it into .*/inmem or name it in INMEM_DUCKDB' export.log; fi",
    "linked": "{clang} -O1 -fplugin={lib}/libinmem.so -c app.cpp -o flag.o && {clang} flag.o -o flag -L{lib} -linmem_rt -Wl,-rpath,{lib} &&"
              " INMEM_OPTIONS=output=flag.inmem ./flag && {bin}inmem report flag.inmem | grep Order",
    "configured": "{clang} --config={share}/inmem.cfg -O1 app.cpp -o cfg && INMEM_OPTIONS=output=cfg.inmem ./cfg && {bin}inmem report cfg.inmem | grep Order",
    "preloaded": "{clang} -O1 app.cpp -o bare && {bin}inmem run -- ./bare 2>&1 | grep blocks",
}
# Root, its suite, the versions of clang to install there.
ROWS = [
    ("deb", "bookworm", ["22", "19", "16"]),
    ("deb", "trixie", ["22", "19"]),
    ("tarball", "bookworm", ["22", "19", "16"]),
    ("tarball", "trixie", ["22"]),
    ("wheel", "bookworm", ["22", "19", "16"]),
]


class Failed(Exception):
    pass


def run(command, log, **options):
    with open(log, "a") as file:
        print("+", command if isinstance(command, str) else " ".join(map(str, command)), file=file, flush=True)
        status = subprocess.run(command, stdout=file, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, **options).returncode
    if status != 0:
        raise Failed(f"see {log}")


class Root:
    """A bare Debian: commands run inside, with /proc and nothing else of this machine."""

    def __init__(self, suite, work):
        self.log = work / f"{suite}.log"
        self.folder = work / suite
        tar = work / f"{suite}.tar"
        if not tar.exists():
            run(["mmdebstrap", "--variant=minbase", "--include=ca-certificates", suite, tar], self.log)
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        run(["tar", "-C", self.folder, "-xf", tar], self.log)
        for name in ("resolv.conf", "hosts"):
            shutil.copy(f"/etc/{name}", self.folder / "etc" / name)

    def run(self, command):
        run(["unshare", "--mount", "--pid", "--fork", f"--root={self.folder}", "--mount-proc", "env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
             "HOME=/root", "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C.UTF-8", "sh", "-c", command], self.log)

    def install(self, *names):
        self.run("apt-get -q update && apt-get -q -y --no-install-recommends install " + " ".join(names))


def check_steps(runner, names, bin_, lib, share, clang):
    """Runs the steps, those of some names alone if there are any; the first that fails ends them."""
    for name, step in STEPS.items():
        if not names or name in names:
            runner(step.format(bin=bin_, lib=lib, share=share, clang=clang))


def check_report(path):
    """The numbers of the report are the program's."""
    report = json.loads(path.read_text())
    types = {row["type"]: row for row in report["types"]}
    if types.get("Order", {}).get("allocations") != 100:
        raise Failed(f"{path}: expected 100 blocks of Order")


def check_row(kind, suite, versions, packages, work):
    start = time.monotonic()
    root = Root(suite, work)
    here = root.folder / "try"
    here.mkdir()
    (here / "app.cpp").write_text(PROGRAM)
    root.install(*(f"clang-{version}" for version in versions), *(["python3-venv"] if kind == "wheel" else []),
                 *(["xz-utils"] if kind == "tarball" else []))
    began = time.monotonic()
    files = {"deb": "*.deb", "tarball": "*.tar.xz", "wheel": "*.whl"}[kind]
    found = sorted(packages.glob(files))
    if not found:
        raise Failed(f"{packages}: no {files}")
    (root.folder / "packages").mkdir()
    for each in found:
        wanted = re.match(r"inmem-llvm-(\d+)_", each.name)
        if not wanted or wanted[1] in versions:
            shutil.copy(each, root.folder / "packages")
    if kind == "deb":
        root.run("apt-get -q -y --no-install-recommends install /packages/*.deb")
        bin_, lib, share = "/usr/bin/", "/usr/lib/x86_64-linux-gnu", "/usr/share/inmem"
    elif kind == "tarball":
        root.run("mkdir -p '/srv/an odd, path/x' && tar -C '/srv/an odd, path/x' --strip-components=1 -xf /packages/*.tar.xz &&"
                 " ln -s '/srv/an odd, path/x' /odd")
        bin_, lib, share = "/odd/bin/", "/odd/lib", "/odd/share/inmem"
    else:
        root.run("python3 -m venv /venv && /venv/bin/pip install --no-index /packages/*.whl")
        bin_, lib, share = "/venv/bin/", "/venv/lib", "/venv/share/inmem"
    installed = time.monotonic() - began
    for version in versions:
        root.run("rm -f /try/*.inmem")
        environment = f"cd /try && export INMEM_CLANG=/usr/bin/clang-{version} && "
        check_steps(lambda step, first=environment: root.run(first + step), None, bin_, lib, share, f"clang++-{version}")
        check_report(here / "report.json")
    # And without a word on which clang.
    root.run(f"cd /try && rm -f *.inmem && {bin_}inmem-clang++ app.cpp -o app && ./app && {bin_}inmem report | grep Order")
    size = sum(each.stat().st_size for each in found if re.search(r"_\d|linux|manylinux", each.name)) / 1e6
    shutil.rmtree(root.folder)
    print(f"   {suite}: {time.monotonic() - start:.0f} s in all")
    return f"| {kind} | Debian {suite} | x86-64 | {', '.join(versions)} | yes | yes | yes | yes | {installed:.0f} | {size:.1f} |"


def check_prefix(prefix, work):
    """A folder on this machine, by the clang that the wrapper finds."""
    work.mkdir(parents=True, exist_ok=True)
    (work / "app.cpp").write_text(PROGRAM)
    for old in work.glob("*.inmem"):
        old.unlink()
    log = work / "log"
    log.unlink(missing_ok=True)
    check_steps(lambda step: run(step, log, cwd=work, shell=True), ["compiled", "recorded", "reported", "fixed", "queried"], shlex.quote(f"{prefix}/bin/"),
                shlex.quote(f"{prefix}/lib"), shlex.quote(f"{prefix}/share/inmem"), "clang++")
    check_report(work / "report.json")


def write_table(page, rows):
    text = page.read_text()
    begin, end = "<!-- scripts/package --check writes this -->\n", "<!-- end -->"
    head = ("| package | root | architecture | LLVM | installed | compiled | recorded | reported | seconds to install | MB |\n"
            "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n")
    before, rest = text.split(begin)
    page.write_text(before + begin + head + "\n".join(rows) + "\n" + end + rest.split(end, 1)[1])


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--packages", type=pathlib.Path)
    parser.add_argument("--prefix", type=pathlib.Path)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--write", type=pathlib.Path)
    given = parser.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    try:
        if given.prefix:
            check_prefix(given.prefix, given.work)
            print(f"{given.prefix}: compiled, recorded, reported, fixed, queried")
            return 0
    except Failed as fault:
        print(f"check: {given.prefix}: {fault}", file=sys.stderr)
        return 1
    if os.geteuid() != 0:
        print("check: needs root, for other systems' roots", file=sys.stderr)
        return 2
    rows, failed = [], 0
    made = {found[1] for each in given.packages.iterdir() if (found := re.match(r"inmem-llvm-(\d+)_", each.name))}
    for kind, suite, wanted in ROWS:
        versions = [version for version in wanted if version in made]
        if not versions or not re.search(given.only, f"{kind} {suite}"):
            continue
        try:
            rows.append(check_row(kind, suite, versions, given.packages.resolve(), given.work.resolve()))
        except Failed as fault:
            failed += 1
            rows.append(f"| {kind} | Debian {suite} | x86-64 | {', '.join(versions)} | failed | | | | | |")
            print(f"check: {kind} on {suite}: {fault}", file=sys.stderr)
        print(rows[-1], flush=True)
    if given.write:
        write_table(given.write, rows)
    print(f"{len(rows) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
