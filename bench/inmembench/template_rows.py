# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows on programs of many templates: compiling and linking them, what of them is loaded; memory of small programs."""
import os
import re
import shutil
import subprocess

from .builds import HERE
from .measure import Failed, below, interleave, ratios, row, single, summary

#: Programs of one unit that use others' headers, and their flags.
LIBRARIES = {"Eigen": ("eigen.cpp", ["-isystem", "/usr/include/eigen3"]), "asio": ("asio.cpp", ["-Wno-deprecated"]),
             "Catch2": ("catch2.cpp", [])}
TEMPLATES = 750


def loaded_bytes(path):
    """Bytes in memory of the segments that the loader maps."""
    headers = subprocess.run(["readelf", "-lW", path], check=True, capture_output=True, text=True).stdout
    return sum(int(line.split()[5], 16) for line in headers.splitlines() if line.split()[:1] == ["LOAD"])


def compiling(bench):
    """Compile time over plain, and the size of what is loaded."""
    for name, (source, flags) in LIBRARIES.items():
        path = os.path.join(HERE, "templates", source)

        def once(kind, path=path, flags=flags):
            command = [*bench.builds.compiler(kind, True), "-O2", "-std=c++20", *flags, "-c", path, "-o", os.devnull]
            return lambda: bench.runner.run(command, {"CCACHE_DISABLE": "1"})
        rounds = interleave(max(bench.rounds // 2, 3), {"bare": (once("bare"), 1), "default": (once("inmem"), 1)})
        cells = {"default": ratios(rounds, "default")}
        yield row(f"compile time, {name}", "x", cells, "≤ 1.10", below(cells["default"], 1.10))
        sizes = {kind: loaded_bytes(bench.builds.program(name, kind, [f"templates/{source}"], flags)) for kind in ("bare", "inmem")}
        yield row(f"loaded bytes, {name}", "x", {"default": single(sizes["inmem"] / sizes["bare"])}, "≤ 1.5",
                  sizes["inmem"] <= 1.5 * sizes["bare"], f"{sizes['bare'] // 1000} and {sizes['inmem'] // 1000} kB")


def class_templates(folder):
    """Writes a unit with instances of many class templates, each of which allocates."""
    path = os.path.join(folder, "instances.cpp")
    with open(path, "w") as out:
        out.write("#include <map>\n#include <memory>\n#include <string>\n#include <vector>\n")
        for number in range(TEMPLATES):
            out.write(f"template <class T> struct Holder{number} {{ T value; std::vector<T> all; std::unique_ptr<T> one;"
                      f" void fill() {{ all.push_back(value); one.reset(new T(value)); }} }};\n"
                      f"void use{number}(int i) {{ Holder{number}<std::pair<std::string, long[{number + 1}]>> *volatile held ="
                      f" new Holder{number}<std::pair<std::string, long[{number + 1}]>>(); (void)i; delete held; }}\n")
        out.write("int main(int count, char **) {\n" +
                  "".join(f"  if (count > {number}) use{number}(count);\n" for number in range(TEMPLATES)) + "}\n")
    return path


def linking(bench):
    """CPU time of the linker, over that for the plain objects."""
    source = class_templates(bench.work)
    objects = {}
    for kind in ("bare", "inmem"):
        objects[kind] = os.path.join(bench.work, f"instances.{kind}.o")
        bench.builds.compile([*bench.builds.compiler(kind, True), "-O1", "-std=c++20", "-ffunction-sections", "-c", source,
                              "-o", objects[kind]])
    for linker in ("bfd", "lld", "mold"):
        if not shutil.which(f"ld.{linker}") and not shutil.which(f"ld.{linker}-{bench.builds.version}"):
            continue

        def once(kind, linker=linker):
            return lambda: bench.runner.run([*bench.builds.compiler(kind, True), f"-fuse-ld={linker}", objects[kind], "-o",
                                             os.path.join(bench.work, f"instances.{kind}")], {"CCACHE_DISABLE": "1"})
        rounds = interleave(bench.rounds, {"bare": (once("bare"), 1), "default": (once("inmem"), 1)})
        cells = {"default": ratios(rounds, "default")}
        yield row(f"link of {TEMPLATES} class templates, {linker}", "x", cells, "≤ 1.2", below(cells["default"], 1.2))


def small_memory(bench):
    """Resident memory that recording adds to a small program."""
    program = lambda kind: bench.builds.program("small", kind, ["templates/small.cpp"])

    def resident(kind):
        def run():
            text = bench.runner.run([program(kind)], {"INMEM_OPTIONS": f"output={bench.work}/small.inmem"})["stdout"]
            found = re.search(r"^resident (\d+)", text, re.MULTILINE)
            if not found:
                raise Failed(f"no resident size in {text[:80]!r}")
            return {"kib": float(found.group(1))}
        return run
    rounds = interleave(max(bench.rounds, 5), {kind: (resident(kind), 1) for kind in ("bare", "inmem")})
    added = summary([(each["inmem"]["kib"] - each["bare"]["kib"]) / 1024 for each in rounds])
    yield row("a small program: resident memory added", "MiB", {"default": added}, "≤ 1", below(added, 1))


def templates(bench):
    yield from compiling(bench)
    yield from linking(bench)
    yield from small_memory(bench)
