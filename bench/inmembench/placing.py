# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs placed by their lifetimes (inmem optimize), and what they use with each allocator."""
import dataclasses
import json
import os
import pathlib
import re
import resource
import statistics
import subprocess
import tempfile
import time

from .builds import HERE
from .measure import Failed

PRELOADS = {"jemalloc": "libjemalloc.so.2", "mimalloc": "libmimalloc.so.2"}
FLAGS = ["-O2"]
FIGURES = ("peak", "steady", "faults", "cpu")
LIVE = "live blocks"  #: the row that no allocator can be below


@dataclasses.dataclass
class Program:
    train: list  #: arguments on which it is recorded
    test: list  #: and on which it is measured
    sources: list
    flags: list = dataclasses.field(default_factory=list)
    libraries: list = dataclasses.field(default_factory=list)
    standard: str = "c++20"  #: or that of C
    prints_times: bool = False  #: so that no two runs print the same


def leveldb(fetched, work):
    """LevelDB's own benchmark: random writes, which compact in the background, then reads."""
    folder = pathlib.Path(fetched.source("leveldb"))
    config = (folder / "port/port_config.h.in").read_text()
    (folder / "port/port_config.h").write_text(re.sub(r"#cmakedefine01 (\w+)", r"#define \1 0", config))
    sources = [each for part in ("db", "table", "util") for each in sorted((folder / part).glob("*.cc"))
               if not each.name.endswith("_test.cc") and each.name not in ("leveldbutil.cc", "env_windows.cc")]
    sources += [folder / "helpers/memenv/memenv.cc", folder / "benchmarks/db_bench.cc"]
    flags = ["-w", f"-I{folder}", f"-I{folder}/include", "-DLEVELDB_PLATFORM_POSIX=1", "-pthread"]

    def run(count, size):
        return [f"--db={work / 'db'}", "--benchmarks=fillrandom,overwrite,readrandom,readseq", f"--num={count}", f"--value_size={size}",
                "--cache_size=16777216", "--bloom_bits=10"]
    return Program(run(60000, 120), run(200000, 100), sources, flags, ["-lgtest", "-lgmock", "-pthread"], prints_times=True, standard="c++17")


def lua(fetched, work):
    script = os.path.join(HERE, "programs", "script.lua")
    return Program([script, "3"], [script, "12"], *fetched.lua_parts(), standard="gnu11")


def own(name, train, test):
    return lambda fetched, work: Program(train, test, [os.path.join(HERE, "programs", f"{name}.cpp")])


PROGRAMS = {
    "cache": own("cache", ["20", "60000", "1"], ["40", "80000", "7"]),
    "compiler": own("compiler", ["2000", "1"], ["5000", "7"]),
    "json": own("json", ["20000"], ["60000"]),
    "lsm": own("lsm", ["40000"], ["120000"]),
    "leveldb": leveldb,
    "lua": lua,
}


def build(fetched, name, program, folder, say):
    """The program as it is, and optimised by a profile of its training input."""
    plain, recorded, placed = (folder / f"{name}-{kind}" for kind in ("plain", "recorded", "placed"))
    is_cxx = program.standard.startswith("c++")
    trace, profile = folder / f"{name}.inmem", folder / f"{name}.memprofdata"
    wrapper = fetched.compiler("inmem", is_cxx)
    clang = os.environ.get("CLANGXX", "/usr/lib/llvm-22/bin/clang++").removesuffix("" if is_cxx else "++")

    def compile_to(target, *compiler):
        fetched.compile([*map(str, [*compiler, *FLAGS, f"-std={program.standard}", *program.flags, *program.sources, *program.libraries]),
                         "-o", str(target)])
    # The same link as ours, so that only the profile differs.
    compile_to(plain, clang, "-flto=thin", "-fuse-ld=lld")
    compile_to(recorded, *wrapper, "-g")
    output_of([recorded, *program.train], dict(os.environ, INMEM_OPTIONS=f"stacks=24:output={trace}"))
    said = output_of([os.path.join(fetched.inmem, "bin", "inmem"), "optimize", "-o", profile, trace])
    say(f"{name}: {said.splitlines()[0].partition(': ')[2]}")
    compile_to(placed, *wrapper, f"-fplugin-arg-inmem-optimize={profile}")
    return plain, placed


def output_of(command, environment=None, expected=(0,)):
    """What a program prints; Failed where it ends otherwise than expected."""
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", env=environment)
    if done.returncode not in expected:
        raise Failed(f"{os.path.basename(command[0])} ended with {done.returncode}: {done.stderr.strip()[-200:]}")
    return done.stdout


def resident(pid):
    """Resident bytes of a process, now and at most; zeros once it is gone."""
    try:
        status = pathlib.Path(f"/proc/{pid}/status").read_text()
        return tuple(int(re.search(rf"^{name}:\s+(\d+) kB", status, re.MULTILINE)[1]) * 1024 for name in ("VmRSS", "VmHWM"))
    except (OSError, TypeError):
        return 0, 0


def measure(command, environment):
    """One run: its figures, and what it printed."""
    with tempfile.TemporaryFile() as output:
        child = subprocess.Popen(command, stdout=output, stderr=subprocess.DEVNULL, env=environment)
        readings = []
        while True:
            pid, status, used = os.wait4(child.pid, os.WNOHANG)
            if pid:
                break
            readings.append(resident(child.pid))
            time.sleep(0.005)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            raise Failed(f"{os.path.basename(command[0])} ended with {child.returncode}")
        output.seek(0)
        printed = output.read()
    # The kernel counts our own peak as one of what we start.
    peak = used.ru_maxrss * 1024
    if used.ru_maxrss <= resource.getrusage(resource.RUSAGE_SELF).ru_maxrss:
        peak = max((most for _, most in readings), default=0) or peak
    late = [now for now, _ in readings[len(readings) // 2:] if now] or [peak]
    return {"peak": peak, "steady": statistics.mean(late), "faults": used.ru_minflt + used.ru_majflt,
            "cpu": used.ru_utime + used.ru_stime}, printed


def live_bytes(inmem, command):
    """Peak and steady bytes of the blocks that a program has allocated."""
    # Exit code 1: one run of the program was worse than another one of it.
    said = output_of([os.path.join(inmem, "bin", "inmem"), "verify-optimization", "--runs", "1", "--format", "json",
                      command[0], command[0], "--", *command[1:]], expected=(0, 1))
    live = json.loads(said)["live_bytes"]
    if live is None:
        raise Failed(f"{os.path.basename(command[0])} could not be recorded")
    return {key: live[key] for key in ("peak", "steady")}


def compare(name, program, plain, placed, runs):
    """Median figures of each variant on the test input."""
    variants = {"glibc": (plain, {}), "inmem": (placed, {})}
    variants.update((name, (plain, {"LD_PRELOAD": library})) for name, library in PRELOADS.items())
    rounds, printed = {name: [] for name in variants}, set()
    for _ in range(runs):
        for variant, (path, more) in variants.items():
            figures, said = measure([path, *program.test], dict(os.environ, **more))
            rounds[variant].append(figures)
            printed.add(said)
    if len(printed) > 1 and not program.prints_times:
        raise Failed(f"{name} prints different things")
    # Of CPU time the least: other programs only add to it.
    return {variant: {key: (min if key == "cpu" else statistics.median)([each[key] for each in all]) for key in FIGURES}
            for variant, all in rounds.items()}


def figures_of(fetched, name, folder, runs, say):
    """All figures of a program: {row: {figure: value}}."""
    program = PROGRAMS[name](fetched, folder)
    plain, placed = build(fetched, name, program, folder, say)
    live = live_bytes(fetched.inmem, [plain, *program.test])
    return {LIVE: live, **compare(name, program, plain, placed, runs)}


def cell(figures, base, key):
    """A figure, and how much more it is than glibc's."""
    if key not in figures:
        return ""
    value = figures[key]
    text = f"{value / 2**20:.1f} MiB" if key in ("peak", "steady") else f"{value:.2f} s" if key == "cpu" else f"{value:.0f}"
    return text if base is None else f"{text} ({(value / base[key] - 1) * 100:+.1f} %)"


HEAD = ("| program | allocator | peak RSS | steady RSS | page faults | CPU time |\n"
        "| --- | --- | ---: | ---: | ---: | ---: |")


def lines(program, variants):
    """A program's rows of the table."""
    for name, figures in variants.items():
        base = None if name in (LIVE, "glibc") else variants["glibc"]
        yield f"| {program} | {name} | " + " | ".join(cell(figures, base, key) for key in FIGURES) + " |"
