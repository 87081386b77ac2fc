#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs with an allocator of their own, in every way to have one, built plain and instrumented: output and exit code are the
same, also with mode=off, and the report has the blocks and bytes that the allocator counted itself.

Axes: way, own unit plain or instrumented, optimisation, LTO, linker, language, form of the program. By default --cells of them, chosen
so that as many pairs of values as possible occur; --cells 0 takes all. What does not build plain, or has no linker here, is left out.
"""
import argparse
import itertools
import json
import os
import random
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
C_NAMES = ["malloc", "calloc", "realloc", "aligned_alloc", "posix_memalign", "memalign", "free"]
CXX_NAMES = ["_Znwm", "_Znam", "_ZnwmRKSt9nothrow_t", "_ZnamRKSt9nothrow_t", "_ZnwmSt11align_val_t", "_ZnamSt11align_val_t", "_ZdlPv",
             "_ZdaPv", "_ZdlPvm", "_ZdaPvm", "_ZdlPvSt11align_val_t", "_ZdlPvmSt11align_val_t", "_ZdaPvSt11align_val_t",
             "_ZdaPvmSt11align_val_t"]
AXES = {
    "way": ["exported", "hidden", "script", "archive", "wrap", "defsym", "redefined", "localised", "gc", "relro", "excluded", "symbolic",
            "deepbind"],
    "own": ["plain", "instrumented", "layered"],  # layered: instrumented, and its calloc calls its malloc
    "opt": ["-O0", "-O2"],
    "lto": ["", "full", "thin"],
    "linker": ["bfd", "lld", "gold", "mold"],
    "language": ["c", "c++"],
    "form": ["pie", "no-pie", "static", "static-pie"],
    "when": ["main", "early"],  # early: in .preinit_array, too
}
LIBRARIES = {"excluded", "symbolic", "deepbind"}
STATIC = {"static", "static-pie"}


def valid(cell):
    if cell["way"] in LIBRARIES and (cell["form"], cell["when"]) != ("pie", "main"):
        return False
    # objcopy changes no bitcode; a static program exports nothing.
    if cell["way"] in {"redefined", "localised"} and cell["lto"]:
        return False
    # gold discards what libstdc++.a's notes refer to, and crashes.
    if cell["linker"] == "gold" and cell["way"] == "gc" and (cell["form"] in STATIC or cell["lto"]):
        return False
    return not (cell["form"] in STATIC and cell["way"] in {"script", "relro"})


def every_cell(linkers):
    axes = {**AXES, "linker": [x for x in AXES["linker"] if x in linkers]}
    cells = [dict(zip(axes, values, strict=True)) for values in itertools.product(*axes.values())]
    return [cell for cell in cells if valid(cell)]


def chosen(cells, count):
    """The same cells in each run: each the one of some that has most pairs of values that none had before."""
    source = random.Random(57)
    pool, seen, result = cells[:], set(), []
    while pool and len(result) < count:
        some = source.sample(pool, min(40, len(pool)))
        best = max(some, key=lambda cell: len(set(itertools.combinations(cell.items(), 2)) - seen))
        seen |= set(itertools.combinations(best.items(), 2))
        pool.remove(best)
        result.append(best)
    return result


class Failed(Exception):
    pass


class Matrix:
    def __init__(self, options):
        self.options = options
        self.folder = options.folder
        os.makedirs(self.folder, exist_ok=True)
        self.host = self.path("host")
        self.run([options.clang, "-w", os.path.join(HERE, "host.c"), "-o", self.host])

    def path(self, name):
        return os.path.join(self.folder, name)

    def run(self, command, **settings):
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False, **settings)
        if done.returncode:
            raise Failed(f"{' '.join(command)}\n{done.stderr[-1500:]}")

    def compiler(self, instrumented, language):
        names = (self.options.inmem_clang, self.options.clang)
        return (names[0] if instrumented else names[1]) + ("++" if language == "c++" else "")

    def compile(self, cell, source, instrumented, flags):
        """An object, made once for equal commands."""
        form = ["-fPIC"] if cell["form"] in {"pie", "static-pie"} else ["-fno-pie"]
        if cell["lto"]:
            form.append("-flto=" + cell["lto"])
        flags = ["-w", cell["opt"], *form, *flags, *(["-std=c++20", "-fsized-deallocation"] if cell["language"] == "c++" else [])]
        name = "_".join([source, str(instrumented), cell["language"], *flags])
        out = self.path("".join(c if c.isalnum() else "_" for c in name) + ".o")
        if not os.path.exists(out):
            self.run([self.compiler(instrumented, cell["language"]), "-x", cell["language"], *flags, "-c",
                      os.path.join(HERE, source + ".cpp"), "-o", out])
        return out

    def build(self, cell, instrumented, out):
        way, names = cell["way"], C_NAMES + (CXX_NAMES if cell["language"] == "c++" else [])
        own = {"hidden": ['-DVISIBILITY=__attribute__((visibility("hidden")))'], "wrap": ["-DM(X)=__wrap_##X"],
               "defsym": ["-DM(X)=my_##X"], "redefined": ["-DM(X)=my_##X"]}.get(way, [])
        if cell["own"] == "layered":
            own.append("-DOVER_MALLOC")
        work = self.compile(cell, "work", instrumented, ["-DLIBRARY"] if way in LIBRARIES else ["-DEARLY"] if cell["when"] == "early" else [])
        own = self.compile(cell, "own", instrumented and cell["own"] != "plain", own)
        link = [self.compiler(instrumented, cell["language"]), "-w", cell["opt"], "-fuse-ld=" + cell["linker"]]
        if cell["lto"]:
            link.append("-flto=" + cell["lto"])
        link.append("-shared" if way in LIBRARIES else {"no-pie": "-no-pie", "pie": "-pie"}.get(cell["form"], "-" + cell["form"]))
        script = "-Wl,--version-script=" + os.path.join(HERE, "local.map")
        if way in {"archive", "excluded"}:
            archive = out + ".a"
            if os.path.exists(archive):
                os.remove(archive)
            self.run(["ar", "rc", archive, own])
            own = archive
        inputs = [work, own]
        if way == "redefined":
            shutil.copy(work, out + ".o")
            self.run(["objcopy", *(f"--redefine-sym={n}=my_{n}" for n in names), out + ".o"])
            inputs[0] = out + ".o"
        elif way == "localised":
            self.run(["ld", "-r", *inputs, "-o", out + ".o"])
            self.run(["objcopy", *(f"--localize-symbol={n}" for n in names), out + ".o"])
            inputs = [out + ".o"]
        inputs += {"script": [script], "gc": ["-Wl,--gc-sections", *([] if cell["form"] in STATIC else [script])],
                   "relro": ["-Wl,-z,relro,-z,now", script], "excluded": ["-Wl,--exclude-libs,ALL"], "symbolic": ["-Wl,-Bsymbolic"],
                   "wrap": [f"-Wl,--wrap={n}" for n in names], "defsym": [f"-Wl,--defsym={n}=my_{n}" for n in names]}.get(way, [])
        self.run([*link, *inputs, "-o", out])

    def execute(self, cell, program, options):
        command = [program]
        if cell["way"] in LIBRARIES:
            command = [self.host, program] + (["deep"] if cell["way"] == "deepbind" else [])
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False, timeout=60,
                              env={**os.environ, "INMEM_OPTIONS": options})
        return f"exit {done.returncode}: {done.stdout}{done.stderr}"

    def counted(self, trace):
        """Blocks, bytes and live bytes of the sites in work.cpp, but for strdup's."""
        text = subprocess.run([self.options.inmem, "report", "--format", "json", trace], capture_output=True, text=True, check=True).stdout
        sites = [site for each in json.loads(text)["types"] for site in each["sites"]
                 if (site.get("file") or "").endswith("work.cpp") and site["kind"] != "string"]
        return tuple(sum(site[name] for site in sites) for name in ("allocations", "allocated_bytes", "live_bytes"))

    def check(self, cell):
        """None if the plain build fails, else what differs, or an empty text."""
        plain, ours, trace = self.path("plain"), self.path("ours"), self.path("t.inmem")
        try:
            self.build(cell, False, plain)
        except Failed:
            return None
        try:
            self.build(cell, True, ours)
        except Failed as error:
            return f"does not build: {error}"
        if os.path.exists(trace):
            os.remove(trace)
        expected = self.execute(cell, plain, "")
        for options in (f"output={trace}:quiet=1", "mode=off"):
            got = self.execute(cell, ours, options)
            if got != expected:
                return f"plain: {expected!r}, {options[:8]}: {got!r}"
        rounds = re.findall(r"own: (\d+) blocks, (\d+) bytes, .*others: (\d+)", expected)
        own, own_bytes, others = sum(int(r[0]) for r in rounds), sum(int(r[1]) for r in rounds), int(rounds[-1][2])
        blocks, total, alive = self.counted(trace)
        if blocks != own + others or (others == 0 and total != own_bytes) or alive:
            return f"own: {own} blocks of {own_bytes} bytes, others: {others}; report: {blocks} of {total}, {alive} bytes alive"
        return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("clang", "inmem-clang", "inmem", "folder"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--cells", type=int, default=0, help="how many; 0: all")
    parser.add_argument("--only", default="", help="NAME=VALUE,...: only these cells")
    options = parser.parse_args()
    linkers = {name for name in AXES["linker"] if name == "lld" or shutil.which("ld." + name) or shutil.which(name)}
    cells = every_cell(linkers)
    wanted = dict(pair.split("=", 1) for pair in options.only.split(",") if pair)
    cells = [cell for cell in cells if all(cell[name] == value for name, value in wanted.items())]
    matrix, tried, failed = Matrix(options), 0, 0
    for cell in chosen(cells, options.cells or len(cells)):
        verdict = matrix.check(cell)
        tried += verdict is not None
        if verdict:
            failed += 1
            print("FAILED", *(f"{name}={value}" for name, value in cell.items()), verdict)
    print(f"{tried} programs, {failed} failed")
    return 1 if failed or not tried else 0


if __name__ == "__main__":
    sys.exit(main())
