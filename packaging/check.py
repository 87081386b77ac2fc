#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check - installs what scripts/package made where people would, and does what README says.

    check.py --packages FOLDER --work FOLDER [--only REGEX] [--write docs/platforms.md]
    check.py --prefix FOLDER --work FOLDER

The first form needs root: Debian roots by mmdebstrap, kept in --work, have nothing but clang and the package. Those of AArch64
run under qemu-user, and each tool reports a trace of the other architecture with the same numbers, if there are packages for
both. The tarball for musl is tried in a root of its own kind (check_musl.py). The second form tries an installed or unpacked
folder on this machine. Each line: package, root, architecture, LLVM, what passed, seconds, megabytes. --write keeps the table's
rows of what was not tried.
"""

import argparse
import json
import os
import pathlib
import platform
import re
import shlex
import shutil
import subprocess
import sys
import time

import check_musl
import emulated

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
# Those of README alone: on this machine, and under qemu, where a compilation takes minutes, for all but one kind of package.
README_STEPS = ["compiled", "recorded", "reported", "fixed", "queried"]
# Of an architecture, what Linux and Debian call it.
ARCHITECTURES = {"x86-64": ("x86_64", "amd64"), "AArch64": ("aarch64", "arm64")}
# Package, suite of the root, architecture, the versions of clang to install there.
ROWS = [
    ("deb", "bookworm", "x86-64", ["22", "19", "16"]),
    ("deb", "bookworm", "AArch64", ["22", "19", "16"]),
    ("deb", "trixie", "x86-64", ["22", "19"]),
    ("tarball", "bookworm", "x86-64", ["22", "19", "16"]),
    ("tarball", "bookworm", "AArch64", ["22", "19", "16"]),
    ("tarball", "trixie", "x86-64", ["22"]),
    ("wheel", "bookworm", "x86-64", ["22", "19", "16"]),
    ("wheel", "bookworm", "AArch64", ["22", "19", "16"]),
]


class Failed(Exception):
    pass


def run(command, log, how=subprocess.call, **options):
    with open(log, "a") as file:
        print("+", command if isinstance(command, str) else " ".join(map(str, command)), file=file, flush=True)
        if how is subprocess.call:
            options["stdin"] = subprocess.DEVNULL
        status = how(command, stdout=file, stderr=subprocess.STDOUT, **options)
    if status != 0:
        raise Failed(f"see {log}")


class Root:
    """A bare Debian with some clangs: commands run inside, with /proc and nothing else of this machine."""

    def __init__(self, suite, architecture, versions, work):
        machine, debian = ARCHITECTURES[architecture]
        self.foreign = machine != platform.machine()
        name = f"{suite}-{debian}" if self.foreign else suite
        self.log = work / f"{name}.log"
        self.folder = work / name
        tar = work / f"{name}.tar"
        if not tar.exists():
            # Certificates take minutes to set up under qemu, and Debian's archive needs none.
            more = ["--mode=root", "--skip=check/qemu", f"--architectures={debian}"] if self.foreign else ["--include=ca-certificates"]
            run(["mmdebstrap", "--variant=minbase", *more, suite, tar], self.log, emulated.run if self.foreign else subprocess.call)
        clangs = [f"clang-{version}" for version in versions]
        # Under qemu their installation takes minutes: it is kept, too.
        ready = work / f"{name}-{'-'.join(clangs)}.tar"
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        run(["tar", "-C", self.folder, "-xf", ready if ready.exists() else tar], self.log)
        for name in ("resolv.conf", "hosts"):
            shutil.copy(f"/etc/{name}", self.folder / "etc" / name)
        if not ready.exists():
            self.install(*clangs)
            if self.foreign:
                run(["tar", "-C", self.folder, "-cf", ready, "."], self.log)

    def run(self, command):
        inside = ["env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C.UTF-8"]
        if self.foreign:
            run([*inside, emulated.RESERVED, "sh", "-c", command], self.log, emulated.run, root=self.folder)
        else:
            run(["unshare", "--mount", "--pid", "--fork", f"--root={self.folder}", "--mount-proc", *inside, "sh", "-c", command], self.log)

    def install(self, *names):
        if names:
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


def packages_of(kind, architecture, packages):
    machine, debian = ARCHITECTURES[architecture]
    return sorted(packages.glob({"deb": f"*_{debian}.deb", "tarball": f"*-linux-{machine}.tar.xz", "wheel": f"*_{machine}.whl"}[kind]))


def check_debian_policy(packages, work):
    """lintian finds nothing in the Debian packages but what packaging/debian/ explains. \\returns their number"""
    found = sorted(packages.glob("*.deb"))
    if found:
        log = work / "lintian.log"
        log.unlink(missing_ok=True)
        run(["lintian", "--allow-root", "--fail-on", "error,warning", "--tag-display-limit", "0", *found], log)
    return len(found)


def install_package(kind, architecture, root):
    """Installs what is in /packages; the folders of its programs, libraries and files."""
    if kind == "deb":
        root.run("apt-get -q -y --no-install-recommends install /packages/*.deb")
        return "/usr/bin/", f"/usr/lib/{ARCHITECTURES[architecture][0]}-linux-gnu", "/usr/share/inmem"
    if kind == "tarball":
        root.run("mkdir -p '/srv/an odd, path/x' && tar -C '/srv/an odd, path/x' --strip-components=1 -xf /packages/*.tar.xz &&"
                 " ln -s '/srv/an odd, path/x' /odd")
        return "/odd/bin/", "/odd/lib", "/odd/share/inmem"
    root.run("python3 -m venv /venv && /venv/bin/pip install --no-index /packages/*.whl")
    return "/venv/bin/", "/venv/lib", "/venv/share/inmem"


def numbers(path):
    """What a report says of a trace, but for names of functions, which depend on the libraries that are here."""
    report = json.loads(path.read_text())
    return report["totals"], [{name: value for name, value in row.items() if name != "sites"} for row in report["types"]]


def exchange(root, bin_, packages, work):
    """Each tool reports the other's trace as the one of its own architecture does; False: no tarball for this machine."""
    own = packages_of("tarball", next(name for name, (machine, _) in ARCHITECTURES.items() if machine == platform.machine()), packages)
    if not own:
        return False
    here, there = work / "exchange", root.folder / "exchange"
    shutil.rmtree(here, ignore_errors=True)
    for folder in (here, there):
        folder.mkdir()
    run(["tar", "-C", here, "--strip-components=1", "-xf", own[0]], root.log)
    (here / "app.cpp").write_text(PROGRAM)
    tool = here / "bin/inmem"
    run([f"{tool}-clang++", "-O1", "app.cpp", "-o", "app"], root.log, cwd=here)
    run(["env", "INMEM_OPTIONS=output=own.inmem", "./app"], root.log, cwd=here)
    root.run("cd /exchange && INMEM_OPTIONS=output=other.inmem /try/app")
    shutil.copy(here / "own.inmem", there)
    shutil.copy(there / "other.inmem", here)
    for trace in ("own", "other"):
        run([tool, "report", "--format", "json", "-o", f"{trace}.json", f"{trace}.inmem"], root.log, cwd=here)
        root.run(f"cd /exchange && {bin_}inmem report --format json -o {trace}.json {trace}.inmem")
        check_report(there / f"{trace}.json")
        if numbers(here / f"{trace}.json") != numbers(there / f"{trace}.json"):
            raise Failed(f"{here}/{trace}.json and {there}/{trace}.json differ")
    return True


def check_row(kind, suite, architecture, versions, packages, work):
    start = time.monotonic()
    root = Root(suite, architecture, versions, work)
    here = root.folder / "try"
    here.mkdir()
    (here / "app.cpp").write_text(PROGRAM)
    root.install(*{"deb": [], "tarball": ["xz-utils"], "wheel": ["python3-venv"]}[kind])
    began = time.monotonic()
    found = packages_of(kind, architecture, packages)
    if not found:
        raise Failed(f"{packages}: no {kind} for {architecture}")
    (root.folder / "packages").mkdir()
    for each in found:
        wanted = re.match(r"inmem-llvm-(\d+)_", each.name)
        if not wanted or wanted[1] in versions:
            shutil.copy(each, root.folder / "packages")
    bin_, lib, share = install_package(kind, architecture, root)
    installed = time.monotonic() - began
    for version in versions:
        root.run("rm -f /try/*.inmem")
        environment = f"cd /try && export INMEM_CLANG=/usr/bin/clang-{version} && "
        names = README_STEPS if root.foreign and kind != "deb" else None
        check_steps(lambda step, first=environment: root.run(first + step), names, bin_, lib, share, f"clang++-{version}")
        check_report(here / "report.json")
    # And without a word on which clang.
    root.run(f"cd /try && rm -f *.inmem && {bin_}inmem-clang++ app.cpp -o app && ./app && {bin_}inmem report | grep Order")
    exchanged = "yes" if root.foreign and exchange(root, bin_, packages, work) else ""
    size = sum(each.stat().st_size for each in found if re.search(r"_\d|linux|manylinux", each.name)) / 1e6
    shutil.rmtree(root.folder)
    print(f"   {suite}: {time.monotonic() - start:.0f} s in all")
    return f"| {kind} | Debian {suite} | {architecture} | {', '.join(versions)} | yes | yes | yes | yes | {exchanged} | {installed:.0f} | {size:.1f} |"


def check_prefix(prefix, work):
    """A folder on this machine, by the clang that the wrapper finds."""
    work.mkdir(parents=True, exist_ok=True)
    (work / "app.cpp").write_text(PROGRAM)
    for old in work.glob("*.inmem"):
        old.unlink()
    log = work / "log"
    log.unlink(missing_ok=True)
    check_steps(lambda step: run(step, log, cwd=work, shell=True), README_STEPS, shlex.quote(f"{prefix}/bin/"),
                shlex.quote(f"{prefix}/lib"), shlex.quote(f"{prefix}/share/inmem"), "clang++")
    check_report(work / "report.json")


def write_table(page, rows):
    """Those of the same package, root and architecture are replaced."""
    text = page.read_text()
    begin, end = "<!-- scripts/package --check writes this -->\n", "<!-- end -->"
    head = ("| package | root | architecture | LLVM | installed | compiled | recorded | reported | traces exchanged | seconds to install | MB |\n"
            "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n")
    before, rest = text.split(begin)
    old, after = rest.split(end, 1)
    known = {tuple(row.split(" | ")[:3]): row for row in [*old.splitlines()[2:], *rows]}
    page.write_text(before + begin + head + "\n".join(known[key] for key in sorted(known)) + "\n" + end + after)


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
    rows, passed, failed = [], 0, 0
    try:
        print(f"{check_debian_policy(given.packages, given.work)} Debian packages: lintian finds nothing", flush=True)
        passed += 1
    except Failed as fault:
        failed += 1
        print(f"check: lintian: {fault}", file=sys.stderr)
    made = {found.groups() for each in given.packages.iterdir() if (found := re.match(r"inmem-llvm-(\d+)_.*_(\w+)\.deb", each.name))}
    for kind, suite, architecture, wanted in ROWS:
        versions = [version for version in wanted if (version, ARCHITECTURES[architecture][1]) in made]
        if not versions or not re.search(given.only, f"{kind} {suite} {architecture}"):
            continue
        try:
            rows.append(check_row(kind, suite, architecture, versions, given.packages.resolve(), given.work.resolve()))
            passed += 1
        except Failed as fault:
            failed += 1
            rows.append(f"| {kind} | Debian {suite} | {architecture} | {', '.join(versions)} | failed | | | | | | |")
            print(f"check: {kind} on {suite}, {architecture}: {fault}", file=sys.stderr)
        print(rows[-1], flush=True)
    if any(given.packages.glob("*_musl.tar.xz")) and re.search(given.only, "tarball musl x86-64"):
        try:
            rows.append(check_musl.check_row(sys.modules[__name__], given.packages.resolve(), given.work.resolve()))
            passed += 1
        except Failed as fault:
            failed += 1
            rows.append("| tarball | musl and busybox | x86-64 | 22 | failed | | | | | | |")
            print(f"check: tarball for musl: {fault}", file=sys.stderr)
        print(rows[-1], flush=True)
    if not rows:
        print(f"check: {given.packages}: no packages there", file=sys.stderr)
        return 2
    if given.write:
        write_table(given.write, rows)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
