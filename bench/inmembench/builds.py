# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiling the benchmark's programs bare, with inmem and with MemProf."""
import os
import random
import shlex
import subprocess

from .measure import Failed

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROOT = os.path.dirname(HERE)


def shell(text, log):
    """Runs a text in bash with the functions of setup.sh and packages.sh."""
    script = f'set -euo pipefail; ROOT={shlex.quote(ROOT)}; . "$ROOT/scripts/setup.sh"; . "$ROOT/bench/packages.sh"; {text}'
    with open(log, "w") as out:
        done = subprocess.run(["bash", "-c", script], stdout=out, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        with open(log) as file:
            raise Failed(f"{text.split()[0]} failed: {file.read().strip()[-300:]}")


class Builds:
    """Every program is a list of sources and flags; executables are made when
    first asked for and again when a source or the compiler is newer."""

    # DWARF 4: Debian 12's valgrind gives up on clang's DWARF 5.
    FLAGS = ["-O2", "-gdwarf-4", "-pthread"]

    def __init__(self, inmem, work, version):
        self.inmem, self.work, self.version = inmem, work, version
        self.bin = os.path.join(work, "bin")
        os.makedirs(self.bin, exist_ok=True)
        self.clang = f"clang-{version}"
        self.clangxx = f"clang++-{version}"

    def compiler(self, kind, cxx):
        if kind.startswith("inmem"):
            return [os.path.join(self.inmem, "bin", "inmem-clang++" if cxx else "inmem-clang")]
        return [self.clangxx if cxx else self.clang]

    def flags(self, kind):
        return {"memprof": ["-fmemory-profile"], "inmem-nocount": ["-fplugin-arg-inmem-objects=off"],
                "inmem-contexts": ["-fplugin-arg-inmem-contexts=on"], "inmem-fp": ["-fno-omit-frame-pointer"]}.get(kind, [])

    def newest_tool(self, kind):
        if not kind.startswith("inmem"):
            return 0
        parts = ("lib/libinmem.so", "lib/libinmem_rt.so")
        return max(os.path.getmtime(os.path.join(self.inmem, part)) for part in parts)

    def program(self, name, kind, sources, flags=(), libraries=()):
        """Path of the executable NAME.KIND; kind: bare, readings (bare and readings.c), inmem, memprof,
        inmem-nocount, inmem-contexts, inmem-fp (with frame pointers)."""
        sources = [source if os.path.isabs(source) else os.path.join(HERE, source) for source in sources]
        out = os.path.join(self.bin, f"{name}.{kind}")
        newest = max([self.newest_tool(kind)] + [os.path.getmtime(path) for path in libraries if os.path.isabs(path)] +
                     [os.path.getmtime(source) for source in sources] +
                     [os.path.getmtime(os.path.join(HERE, "pairs", "Pair.h"))])
        if os.path.exists(out) and os.path.getmtime(out) > newest:
            return out
        if kind == "readings":
            libraries = [*libraries, self.readings()]
        cxx = any(source.endswith((".cpp", ".cc")) for source in sources)
        standard = ["-std=c++20"] if cxx else []
        self.compile([*self.compiler(kind, cxx), *self.FLAGS, *standard, *self.flags(kind), *flags,
                      *sources, *libraries, "-o", out])
        return out

    def trace_probe(self, name):
        """A probe that reads traces with inmem's own reader."""
        return self.program(name, "bare", [f"probes/{name}.cpp"],
                            ["-I", ROOT, "-I", os.path.join(ROOT, "include"), "-w"],
                            [os.path.join(self.inmem, "lib", "libinmem_trace.a"), "-lz", "-lzstd"])

    def readings(self):
        out = os.path.join(self.bin, "readings.o")
        source = os.path.join(HERE, "probes", "readings.c")
        if not os.path.exists(out) or os.path.getmtime(out) < os.path.getmtime(source):
            self.compile([self.clang, "-O2", "-fno-builtin", "-c", source, "-o", out])
        return out

    @staticmethod
    def compile(command):
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            raise Failed(f"{' '.join(command[:2])} ...: {done.stdout.strip()[-400:]}")
        return done.stdout

    def launcher(self):
        out = os.path.join(self.bin, "launch")
        source = os.path.join(HERE, "launch.c")
        if not os.path.exists(out) or os.path.getmtime(out) < os.path.getmtime(source):
            self.compile([self.clang, "-O2", "-static", source, "-o", out])
        return out

    @staticmethod
    def probe(name):
        return os.path.join(HERE, "probes", name)

    def rows_of_data(self, count):
        """A source as a generator of tables writes it: a function that returns so many rows."""
        path = os.path.join(self.work, f"rows-{count}.cpp")
        with open(path, "w") as file:
            file.write("#include <string>\n#include <utility>\n#include <vector>\n"
                       "std::vector<std::pair<std::string, int>> table() {\n  return {\n")
            file.writelines(f'    {{"n{row}", {row}}},\n' for row in range(count))
            file.write("  };\n}\n")
        return path

    def counted_aggregates(self, count):
        """A source that makes so many objects without a constructor, of a class with a destructor."""
        path = os.path.join(self.work, f"aggregates-{count}.cpp")
        with open(path, "w") as file:
            file.write("struct A { int a; int b; ~A(); };\nvoid take(A);\nvoid all() {\n")
            file.writelines(f"  take(A{{{row}, 2}});\n" for row in range(count))
            file.write("}\n")
        return path

    def source(self, package):
        """Folder of a Debian source package, fetched when first asked for."""
        folder = os.path.join(self.work, "source")
        os.makedirs(folder, exist_ok=True)

        def unpacked():
            found = [name for name in os.listdir(folder)
                     if name.startswith(package + "-") and os.path.isdir(os.path.join(folder, name))]
            return os.path.join(folder, found[0]) if found else None

        if not unpacked():
            shell(f"fetch_source {shlex.quote(folder)} {package}", os.path.join(self.work, f"fetch-{package}.log"))
        if not unpacked():
            raise Failed(f"the source of {package} was not unpacked")
        return unpacked()

    def sqlite(self, kind):
        folder = self.source("sqlite3")
        made = os.path.join(folder, "amalgamation")
        if not os.path.exists(os.path.join(made, "sqlite3.c")):
            os.makedirs(made, exist_ok=True)
            shell(f"cd {shlex.quote(made)} && ../configure --disable-tcl --disable-readline && make sqlite3.c sqlite3.h",
                  os.path.join(self.work, "sqlite.log"))
        return self.program("sqlite", kind, ["programs/sqlite.c", os.path.join(made, "sqlite3.c")],
                            ["-w", "-I", made, "-DSQLITE_OMIT_LOAD_EXTENSION", "-DSQLITE_THREADSAFE=0"], ["-lm"])

    def lua_parts(self):
        """Sources, flags and libraries of the Lua interpreter."""
        folder = os.path.join(self.source("lua5.4"), "src")
        # Debian's build makes this header; it only serves the search path of modules.
        with open(os.path.join(self.work, "lua5.4-deb-multiarch.h"), "w") as file:
            file.write('#define DEB_HOST_MULTIARCH "none"\n')
        sources = [os.path.join(folder, name) for name in sorted(os.listdir(folder))
                   if name.endswith(".c") and name != "luac.c"]
        return sources, ["-w", "-DLUA_USE_POSIX", "-I", self.work], ["-lm"]

    def lua(self, kind):
        return self.program("lua", kind, *self.lua_parts())

    def minisat(self, kind):
        folder = os.path.join(self.source("minisat2"), "minisat")
        sources = [os.path.join(folder, name) for name in
                   ("core/Solver.cc", "core/Main.cc", "utils/Options.cc", "utils/System.cc")]
        return self.program("minisat", kind, sources, [
            "-w", "-std=gnu++98", "-D__STDC_LIMIT_MACROS", "-D__STDC_FORMAT_MACROS", "-I", os.path.dirname(folder)], ["-lz"])

    def clauses(self, variables):
        """A random 3-SAT problem near the threshold, in DIMACS form; always the same."""
        path = os.path.join(self.work, f"clauses-{variables}.cnf")
        chance, count = random.Random(7), int(variables * 4.26)
        with open(path, "w") as file:
            file.write(f"p cnf {variables} {count}\n")
            for _ in range(count):
                file.write(" ".join(str(v * chance.choice((1, -1))) for v in chance.sample(range(1, variables + 1), 3)) + " 0\n")
        return path

    def bullet(self, kind):
        folder = os.path.join(self.source("bullet"), "src")
        sources = [os.path.join(folder, f"bt{part}All.cpp") for part in ("LinearMath", "BulletCollision", "BulletDynamics")]
        return self.program("bullet", kind, ["programs/bullet.cpp", *sources], ["-w", "-I", folder])
