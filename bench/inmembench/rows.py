# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every row of the table: what is run, what is stated, what the bar is.

A row function yields dictionaries: row (its name), unit, cells ({variant:
figure}), bar (text), met (True, False, or None where there is no bar or no
figure), note. A figure is what measure.summary() gives, for a program's time
the CPU seconds of user and system, as a ratio to the bare program in the same
round unless the unit says otherwise.
"""
import array
import bisect
import collections
import glob
import json
import math
import os
import re
import subprocess
import tempfile

from .bench import PEERS, Bench  # noqa: F401  (bench/run makes it)
from . import run_rows, template_rows, thread_rows
from .measure import Failed, below, geometric_mean, interleave, ratios, row, single, summary, values

PATTERNS = {  # name: pairs in a run (a tenth of it for peers, less for DHAT)
    "new/delete in turn": ("lifo", 3_000_000),
    "64 k live, random": ("random", 2_000_000),
    "vector of 8 strings": ("vector", 3_000_000),
    "map<int, string>": ("map", 1_000_000),
    "two threads, in turn": ("threads", 2_000_000),
}
PROGRAMS = {  # name: (arguments, several threads, bar)
    "json": ([], False, 1.08),
    "cfrac": (["17545186520507317056371138836327483792789528", "3000"], False, 1.22),
    "espresso": ([], False, 1.06),
    "sqlite": ([], False, None),
    "lua": ([], False, None),
    "lsm": ([], False, None),
    "messages": ([], True, None),
}


def ns_per_pair(text):
    found = re.search(r"ns_per_pair ([0-9.]+)", text)
    if not found:
        raise Failed(f"a pair program printed {text.strip()[:80]!r}")
    return float(found.group(1))


# --- Pairs ---------------------------------------------------------------------

def pair_program(bench, name):
    return lambda kind: bench.builds.program(name, kind, [f"pairs/{name}.cpp"])


def measure_pairs(bench):
    """{pattern: rounds}; measured once, used by several rows."""
    if bench.pairs is None:
        bench.pairs = {}
        names = ["bare", "default", "preloaded", "readings", "exact", "events", "trace", "heaptrack", "memprof"] + (
            [] if bench.quick else ["dhat"])
        for pattern, (name, pairs) in PATTERNS.items():
            if bench.quick:
                pairs //= 3
            share = {"heaptrack": 10, "memprof": 5, "dhat": 50, "trace": 3}
            variants = bench.variants(names, pair_program(bench, name),
                                      lambda variant, pairs=pairs, share=share: [str(pairs // share.get(variant, 1))],
                                      pinned=name != "threads", parse=ns_per_pair)
            bench.pairs[pattern] = interleave(2 * bench.rounds, variants)
    return bench.pairs


def pairs(bench):
    measured = measure_pairs(bench)
    shown = ("bare", "default", "exact", *PEERS)
    for pattern, rounds in measured.items():
        yield row(f"pair: {pattern}", "ns", {v: values(rounds, v, "cpu") for v in shown})
    for pattern, rounds in measured.items():
        yield row(f"pair ratio: {pattern}", "x", {v: ratios(rounds, v) for v in shown[1:]})
    means = {}
    for variant in (*shown[1:], "readings", "preloaded", "events"):
        each = [ratios(rounds, variant) for rounds in measured.values()]
        if all(each):
            means[variant] = {key: geometric_mean([e[key] for e in each]) for key in ("median", "low", "high")}
            means[variant]["n"] = min(e["n"] for e in each)
    yield row("pairs, geometric mean", "x", {k: means.get(k) for k in ("default", *PEERS)},
              "default ≤ 1.4", below(means.get("default"), 1.4))
    for variant, what, bar in (("preloaded", "not instrumented", 1.5), ("events", "clock=events", 2.5)):
        yield row(f"pairs, geometric mean, {what}", "x", {"default": means.get(variant)}, f"≤ {bar}",
                  below(means.get(variant), bar))
    yield row("pairs, geometric mean, clock=exact", "x", {"exact": means.get("exact")})
    yield row("pairs, geometric mean, bare program that reads the clock twice a pair", "x",
              {"exact": means.get("readings")}, note="the machine's share of clock=exact")
    over = [ratios(rounds, "exact", "readings") for rounds in measured.values()]
    if all(over):
        mean = {key: geometric_mean([e[key] for e in over]) for key in ("median", "low", "high")}
        yield row("pairs, geometric mean, clock=exact over that program", "x",
                  {"exact": mean | {"n": min(e["n"] for e in over)}}, "exact ≤ 1.25", below(mean, 1.25))
    shares = [added_share(rounds) for rounds in measured.values()]
    share = geometric_mean(shares)
    yield row("pairs: added time, over the faster peer's", "x", {"default": single(share, len(measured))},
              "default ≤ 0.125", None if share is None else share <= 0.125,
              "geometric mean over patterns; worst " + (f"{max(s for s in shares if s):.3f}" if share else "unknown"))


def clock(bench):
    """Not a bar: the floor under clock=exact, which is the machine's."""
    program = lambda kind: bench.builds.program("clock", kind, ["probes/clock.c"])
    found = [ns_per_pair(bench.run("bare", program, [])["stdout"]) for _ in range(2 * bench.rounds)]
    yield row("two readings of the TSC", "ns", {"exact": summary(found)},
              note="the least that clock=exact adds to a pair")


def faster_peer_adds(rounds):
    """What the faster of the two peers adds, as a share of bare; None without one."""
    peers = [p["median"] - 1 for p in (ratios(rounds, "heaptrack"), ratios(rounds, "memprof")) if p]
    return min(peers) if peers and min(peers) > 0 else None


def added_share(rounds):
    """What the default adds to bare over what the faster of the two peers adds."""
    ours, peer = ratios(rounds, "default"), faster_peer_adds(rounds)
    return max(ours["median"] - 1, 0.001) / peer if ours and peer else None


def scaling(bench):
    program = pair_program(bench, "threads")
    pairs = 700_000 if bench.quick else 2_000_000
    variants = {}
    for variant in ("bare", "default", "events"):
        for threads in (1, 2):
            one = bench.variants([variant], program, [str(pairs), str(threads)], False, ns_per_pair)
            variants[f"{variant}{threads}"] = one[variant]
    rounds = interleave(2 * bench.rounds, variants)
    cells = {v: ratios(rounds, f"{v}2", f"{v}1") for v in ("bare", "default", "events")}
    events = {"default": cells.pop("events")}
    yield row("pair on 2 threads over 1", "x", cells, "default ≤ 1.1", below(cells["default"], 1.1))
    yield row("pair on 2 threads over 1, clock=events", "x", events, "≤ 1.1", below(events["default"], 1.1))


def trace_mode(bench):
    measured = measure_pairs(bench)
    each = [ratios(rounds, "trace") for rounds in measured.values()]
    mean = None
    if all(each):
        mean = {key: geometric_mean([e[key] for e in each]) for key in ("median", "low", "high")}
        mean["n"] = min(e["n"] for e in each)
    yield row("mode=trace: pairs, geometric mean", "x", {"default": mean}, "≤ 2.5", below(mean, 2.5))
    found = {}
    for name, program, arguments in (("cfrac", whole_program(bench, "cfrac"), PROGRAMS["cfrac"][0]),
                                     ("lifo", pair_program(bench, "lifo"), ["1000000"]),
                                     ("events", event_program(bench), ["1000000"])):
        bench.run("default", program, arguments)
        without = os.stat(bench.trace()).st_blocks
        bench.run("trace", program, arguments)
        found[name] = (os.stat(bench.trace()).st_blocks - without) * 512 / events_in(bench)
    mean = sum(found.values()) / len(found)
    yield row("mode=trace: bytes an event on disk", "bytes",
              {"default": {"median": mean, "low": min(found.values()), "high": max(found.values()), "n": len(found)}},
              "≤ 2.5", mean <= 2.5, "mean; " + ", ".join(f"{name} {size:.2f}" for name, size in found.items()))
    bench.clean()


def events_in(bench):
    tool = os.path.join(bench.builds.inmem, "bin", "inmem")
    done = bench.runner.run([tool, "report", "--format", "json", "--no-symbols", bench.trace()])
    totals = json.loads(done["stdout"])["totals"]
    return totals["allocations"] + totals["frees"]


def stacks(bench):
    name, pairs = PATTERNS["new/delete in turn"]
    program = pair_program(bench, name)
    try:
        probe = bench.run("stacks", program, ["1000"])
    except Failed as problem:
        yield row("stacks=16: pair", "x", {}, "≤ 6, and below heaptrack", None, str(problem))
        return
    if "stacks" in probe["stderr"]:
        yield row("stacks=16: pair", "x", {}, "≤ 6, and below heaptrack", None,
                  "not available: " + probe["stderr"].strip().splitlines()[0])
        return
    rounds = interleave(bench.rounds, bench.variants(
        ["bare", "stacks", "heaptrack"], program,
        lambda variant: [str(pairs // (10 if variant == "heaptrack" else 2))], parse=ns_per_pair))
    ours, theirs = ratios(rounds, "stacks"), ratios(rounds, "heaptrack")
    yield row("stacks=16: pair", "x", {"default": ours, "heaptrack": theirs}, "≤ 6, and below heaptrack",
              None if not ours else ours["median"] <= 6 and (not theirs or ours["median"] < theirs["median"]))
    bars = {"stacks": ("stacks=16: pair below 16 calls", None), "contexts": ("the same, contexts=on", 1.7),
            "frame-pointers": ("the same, frame pointers", 2.5)}
    rounds = interleave(bench.rounds, bench.variants(
        ["bare", *bars], pair_program(bench, "deep"), lambda variant: [str(pairs // 2)], parse=ns_per_pair))
    for variant, (name, bar) in bars.items():
        ours = ratios(rounds, variant)
        yield row(name, "x", {"default": ours}, f"≤ {bar}" if bar else "",
                  ours["median"] <= bar if ours and bar else None)


SCOPES = {  # kind of pairs/scopes.cpp: what is open meanwhile
    "count": "a scope",
    "follow": "a scope that follows each block",
    "follow-all": "the same, of all threads",
    "budget": "a budget",
}


def scopes(bench):
    include = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "include")
    program = lambda kind: bench.builds.program("scopes", kind, ["pairs/scopes.cpp"], ["-I", include])
    pairs = str(300_000 if bench.quick else 1_000_000)

    def once(kind):
        one = bench.variants(["default"], program, [pairs, kind], parse=ns_per_pair)
        return one["default"]
    rounds = interleave(2 * bench.rounds, {kind: once(kind) for kind in ("none", *SCOPES)})
    none = values(rounds, "none", "cpu")
    for kind, what in SCOPES.items():
        cells = {"default": ratios(rounds, kind, "none")}
        counts = kind == "count"
        yield row(f"pair in {what}, over none open", "x", cells, "≤ 1.05" if counts else "",
                  below(cells["default"], 1.05) if counts else None,
                  f"{values(rounds, kind, 'cpu')['median']:.0f} ns, none open {none['median']:.0f} ns")


# --- Whole programs ------------------------------------------------------------

def whole_program(bench, name):
    if name in ("sqlite", "lua"):
        return getattr(bench.builds, name)
    suffix = "c" if name in ("cfrac", "espresso") else "cpp"
    return lambda kind: bench.builds.program(name, kind, [f"programs/{name}.{suffix}"])


def programs(bench):
    shares, added = [], []
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    for name, (arguments, threaded, bar) in PROGRAMS.items():
        if name == "lua":
            arguments = [os.path.join(here, "programs", "script.lua"), *arguments]
        names = ["bare", "default", "readings", "exact", "heaptrack", "memprof"] + ([] if bench.quick else ["dhat"])
        try:
            rounds = interleave(bench.rounds, bench.variants(names, whole_program(bench, name), arguments,
                                                             pinned=not threaded))
        except Failed as problem:
            yield row(f"{name}: time", "x", {}, "", False, str(problem))
            continue
        outputs = {figures["stdout"] for each in rounds for figures in each.values()}
        note = "" if len(outputs) == 1 else "the program's output differs between variants"
        shown = [v for v in names[1:] if v != "readings"]
        cells = {v: ratios(rounds, v) for v in shown}
        met = below(cells["default"], bar) if bar else None
        bare, readings = values(rounds, "bare", "cpu"), ratios(rounds, "readings")
        yield row(f"{name}: time", "x", cells, f"default ≤ {bar}" if bar else "",
                  met if not note else False, note or f"bare {bare['median']:.2f} s; reading the clock at both ends of a block takes it "
                                              f"to {readings['median']:.2f} alone")
        memory = {v: ratios(rounds, v, key="peak_kib") for v in shown}
        bare = values(rounds, "bare", "peak_kib")
        yield row(f"{name}: peak memory", "x", memory, "default ≤ 1.23" if name == "json" else "",
                  below(memory["default"], 1.23) if name == "json" else None,
                  f"bare {bare['median'] / 1024:.1f} MiB")
        share = added_share(rounds)
        if share:
            shares.append(share)
            added.append((share, bare["median"] * faster_peer_adds(rounds)))
    mean = geometric_mean(shares)
    if mean:
        total = sum(share * peer for share, peer in added) / sum(peer for _, peer in added)
        yield row("programs: all added time, over all of the faster peers'", "x",
                  {"default": single(total, len(added))}, "default ≤ 0.125", total <= 0.125,
                  "sums of seconds: a program weighs as much as there is to record in it")
        yield row("programs: added time, over the faster peer's", "x", {"default": single(mean, len(shares))},
                  "default ≤ 0.125", mean <= 0.125, f"geometric mean over programs; worst {max(shares):.3f}")
    bench.clean()


def sampling(bench):
    """sample_bytes=524288: pairs and whole programs, beside bare and the default."""
    cases = [(f"pair: {pattern}", pair_program(bench, name), [str(pairs // (3 if bench.quick else 1))], name == "threads",
              ns_per_pair) for pattern, (name, pairs) in PATTERNS.items()]
    cases += [(name, whole_program(bench, name), PROGRAMS[name][0], PROGRAMS[name][1], None)
              for name in ("json", "cfrac", "espresso", "messages")]
    found = []
    for name, program, arguments, threaded, parse in cases:
        rounds = interleave(2 * bench.rounds if parse else bench.rounds,
                            bench.variants(["bare", "default", "sampled", "off"], program, arguments, not threaded, parse))
        sampled, default, off = (ratios(rounds, variant) for variant in ("sampled", "default", "off"))
        if parse:
            found.append((sampled["median"], off["median"]))
        yield row(f"sample_bytes=524288: {name}", "x", {"default": sampled},
                  note=f"every block recorded {default['median']:.2f}, mode=off {off['median']:.2f}")
    mean, off = (geometric_mean(each) for each in zip(*found, strict=True))
    yield row("mode=off: pairs, geometric mean", "x", {"default": single(off, len(found))}, "≤ 1.04", off <= 1.04)
    yield row("sample_bytes=524288: pairs, geometric mean", "x", {"default": single(mean, len(found))},
              "≤ mode=off + 0.02", mean <= off + 0.02)


def objects(bench):
    # name: (program, arguments for time, exit code, arguments for instructions, bar for those)
    programs = {
        "lsm": (whole_program(bench, "lsm"), [], 0, ["20000"], 1.03),
        "minisat": (bench.builds.minisat, [bench.builds.clauses(250)], 10, [bench.builds.clauses(180)], 1.05),  # satisfiable
        "bullet": (bench.builds.bullet, ["1200"], 0, ["300"], 1.05),
    }
    for name, (program, arguments, code, short, bar) in programs.items():
        what = f"objects counted over objects=off, {name}"
        try:
            rounds = interleave(2 * bench.rounds,
                                bench.variants(["bare", "nocount", "default"], program, arguments, expect=code))
            cells = {"default": ratios(rounds, "default", "nocount")}
            yield row(what, "x", cells, "≤ 1.05", below(cells["default"], 1.05), f"over bare {ratios(rounds, 'default')['median']:.2f}")
        except Failed as problem:
            yield row(what, "x", {}, "≤ 1.05", None, str(problem))
        what = f"instructions over objects=off, {name}"
        try:
            # Instructions do not drift with the machine's load.
            counted, off = (all_instructions(bench, variant, program, short) for variant in ("default", "nocount"))
            yield row(what, "x", {"default": single(counted / off)}, f"≤ {bar}", counted <= bar * off)
        except Failed as problem:
            yield row(what, "x", {}, f"≤ {bar}", None, str(problem))


def all_instructions(bench, variant, program, arguments):
    argv, env = bench.command(variant, program, arguments)
    bench.clean()
    done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *argv], env={**os.environ, **env},
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if not found:
        raise Failed(f"{os.path.basename(argv[0])}: {done.stderr.strip()[-200:]}")
    return int(found.group(1))


def loops(bench):
    source = bench.builds.probe("loops.cpp")

    def vectorised(kind):
        text = bench.builds.compile([*bench.builds.compiler(kind, True), "-O2", "-g", "-std=c++20", "-c",
                                     "-Rpass=loop-vectorize", source, "-o", "/dev/null"])
        return set(re.findall(r"^(\S+:\d+):\d+: remark: vectorized loop", text, re.M))
    bare, ours = vectorised("bare"), vectorised("inmem")
    lost = sorted(bare - ours)
    yield row("loops that vectorise", "loops", {"bare": single(len(bare)), "default": single(len(bare & ours))},
              "all of bare's", not lost, "lost: " + ", ".join(os.path.basename(loop) for loop in lost) if lost else "")


# --- Around the program --------------------------------------------------------

def nothing(bench):
    program = lambda kind: bench.builds.program("nothing", kind, ["probes/nothing.c"])
    rounds = interleave(12 * bench.rounds, bench.variants(["bare", "default"], program, []))
    more = summary([(r["default"]["wall"] - r["bare"]["wall"]) * 1e3 for r in rounds])
    yield row("start and end of a program that does nothing", "ms more, wall", {"default": more}, "≤ 3", below(more, 3),
              f"CPU {1e3 * (values(rounds, 'default', 'cpu')['median'] - values(rounds, 'bare', 'cpu')['median']):.2f} ms more")
    memory = summary([(r["default"]["peak_kib"] - r["bare"]["peak_kib"]) / 1024 for r in rounds])
    yield row("memory of a program that allocates nothing", "MiB more", {"default": memory}, "≤ 2", below(memory, 2))


def processes(bench):
    """What a process costs that records little: a short one, and a forked child.
    Traces go into memory: where many files were deleted in the last minutes,
    making one on ext4 takes several times as long as all of this."""
    program = lambda kind: bench.builds.program("forks", kind, ["probes/forks.cpp"])
    shared = "/dev/shm" if os.access("/dev/shm", os.W_OK) else bench.work
    with tempfile.TemporaryDirectory(dir=shared) as folder:
        def once(kind, forks, blocks):
            def run():
                figures = bench.runner.run([program(kind), str(forks), str(blocks)],
                                           {"INMEM_OPTIONS": f"output={folder}/%p.inmem"}, False)
                for name in os.listdir(folder):
                    os.unlink(os.path.join(folder, name))
                return figures
            return run
        rounds = interleave(4 * bench.rounds, {kind: (once(kind, 0, 1000), 1) for kind in ("bare", "inmem")})
        cells = {"bare": values(rounds, "bare", "cpu"), "default": values(rounds, "inmem", "cpu")}
        yield row("a short process of 1500 blocks", "ms CPU", {k: scaled(v, 1e3) for k, v in cells.items()})
        forks = 100 if bench.quick else 300
        for blocks, text in ((1000, "1000"), (1_000_000, "a million")):
            variants = {f"{kind}{count}": (once(kind, count, blocks), 1)
                        for kind in ("bare", "inmem") for count in (0, forks)}
            rounds = interleave(max(bench.rounds // 2, 3), variants)
            cells = {name: summary([(r[f"{kind}{forks}"]["cpu"] - r[f"{kind}0"]["cpu"]) / forks * 1e3 for r in rounds])
                     for name, kind in (("bare", "bare"), ("default", "inmem"))}
            yield row(f"a fork with {text} live blocks, its child records", "ms CPU", cells)


def scaled(figure, by):
    return figure and {key: value if key == "n" else value * by for key, value in figure.items()}


def compile_time(bench):
    def once(kind, flags):
        command = [*bench.builds.compiler(kind, True), *flags, "-std=c++20", "-c", "-o", "/dev/null"]
        return lambda: bench.runner.run(command, {"CCACHE_DISABLE": "1"})
    for what, flags, limit in (("template-heavy file", ["-O2", "-g", bench.builds.probe("templates.cpp")], 1.10),
                               ("20,000 rows of data", ["-O0", bench.builds.rows_of_data(20000)], 1.15),
                               ("20,000 counted aggregates", ["-O0", bench.builds.counted_aggregates(20000)], 1.15)):
        rounds = interleave(max(bench.rounds // 2, 3), {"bare": (once("bare", flags), 1), "default": (once("inmem", flags), 1)})
        cells = {"default": ratios(rounds, "default")}
        yield row(f"compile time, {what}", "x", cells, f"≤ {limit:.2f}", below(cells["default"], limit),
                  f"bare {values(rounds, 'bare', 'cpu')['median']:.1f} s")


def as_they_are(bench):
    yield from run_rows.pairs(bench, PATTERNS, pair_program, ns_per_pair)
    script = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "programs", "script.lua")
    yield from run_rows.programs(bench, lambda name: ([script] * (name == "lua") + PROGRAMS[name][0], PROGRAMS[name][1]), whole_program)


def text_size(bench):
    sizes = {}
    for name in PROGRAMS:
        try:
            program = whole_program(bench, name)
            sizes[name] = section_size(program("inmem")) / section_size(program("bare"))
        except Failed:
            continue
    worst = max(sizes, key=sizes.get)
    yield row("size of .text", "x", {"default": {"median": geometric_mean(sizes.values()), "low": min(sizes.values()),
                                                "high": max(sizes.values()), "n": len(sizes)}},
              "largest ≤ 1.25", sizes[worst] <= 1.25,
              ", ".join(f"{name} {size:.2f}" for name, size in sizes.items()))


def section_size(path):
    """Bytes of .text, read from the ELF section headers (64 bit, little endian)."""
    with open(path, "rb") as file:
        data = file.read()
    number = lambda at, size: int.from_bytes(data[at:at + size], "little")
    headers, entry, count, names = number(0x28, 8), number(0x3A, 2), number(0x3C, 2), number(0x3E, 2)
    strings = number(headers + names * entry + 0x18, 8)
    for index in range(count):
        at = headers + index * entry
        name = strings + number(at, 4)
        if data[name:data.index(b"\0", name)] == b".text":
            return number(at + 0x20, 8)
    raise Failed(f"{path} has no .text")


# --- What the tool makes of it -------------------------------------------------

def event_program(bench):
    return lambda kind: bench.builds.program("events", kind, ["probes/events.c"])


def report_speed(bench):
    tool = os.path.join(bench.builds.inmem, "bin", "inmem")
    # A share of the bar's 100 million events in a quick run.
    events = 10_000_000 if bench.quick else 100_000_000
    results = {}
    for share in (10, 1):
        bench.run("trace", event_program(bench), [str(events // share // 2)])
        size = os.stat(bench.trace()).st_blocks * 512
        rounds = interleave(1 if share > 1 else 2 if bench.quick else 3,
                            {"default": (lambda: bench.runner.run([tool, "report", "--no-symbols", "--diagnostics", bench.trace()]), 1)})
        results[share] = rounds
    speed = summary([events / r["default"]["cpu"] / 1e6 for r in results[1]])
    times = {share: values(results[share], "default", "cpu")["median"] for share in (10, 1)}
    # Ten times the events in less than twice the time: they were not looked at.
    events_read = times[1] > 2 * max(times[10], 0.01)
    yield row(f"inmem report, {events // 1_000_000} million events", "million/s", {"default": speed}, "≥ 20",
              speed["median"] >= 20 if speed and events_read else None,
              f"of a trace of {size / 2**20:.0f} MiB" +
              ("" if events_read else "; not judged: answered from aggregates, the events are not read"))
    memory = {share: values(results[share], "default", "peak_kib")["median"] / 1024 for share in (10, 1)}
    yield row("inmem report, memory over that for a tenth of the trace", "x",
              {"default": single(memory[1] / memory[10])}, "≤ 1.1", memory[1] <= 1.1 * memory[10],
              f"{memory[10]:.1f} and {memory[1]:.1f} MiB")
    bench.clean()


def thinning(bench):
    """What the default would have timed, against all lives of the same run: a trace of every life
    (mode=trace:clock=exact) has both (probes/thinning.cpp)."""
    for name in ("json", "cfrac", "messages"):
        bench.run("all-lives", whole_program(bench, name), PROGRAMS[name][0], pinned=not PROGRAMS[name][1])
        sites = []
        for line in bench.runner.run([bench.builds.trace_probe("thinning"), bench.trace()])["stdout"].splitlines():
            words = line.split()
            if words[0] == "unmatched":
                left_out = int(words[1])
            else:
                sites.append((int(words[1]), float(words[4]), float(words[5])))
        lives = sum(each[0] for each in sites)
        mean, chance = (sum(each[0] * each[i] for each in sites) / lives for i in (1, 2))
        distances = [distance for _, distance, _ in sites]
        large = [distance for count, distance, _ in sites if count >= 10_000]
        worst = max(large, default=0)
        yield row(f"lifetimes ≥ 1 µs, distance from exact in the same run, {name}", "",
                  {"default": {"median": mean, "low": min(distances), "high": max(distances), "n": len(sites)}},
                  "default ≤ 0.006, ≤ 0.03 at every site of 10,000 lifetimes", mean <= 0.006 and worst <= 0.03,
                  f"mean over sites by lifetimes, lowest and highest site. By chance alone {chance:.4f} for {lives} lifetimes. "
                  f"Highest of the {len(large)} sites of 10,000 lifetimes: {worst:.4f}."
                  + (f" {left_out} lifetimes left out." if left_out else ""))
    bench.clean()


def lifetimes(bench):
    """Histograms against lives that the program itself kept: what else than thinning there is between
    a report and the truth. The bar is for thinning alone, above: on a busy machine the two readings of
    the clock lie apart, which exact shows."""
    program = lambda kind: bench.builds.program("lifetimes", kind, ["probes/lifetimes.cpp"])
    blocks = 400_000 if bench.quick else 4_000_000
    kept = os.path.join(bench.work, "lives")
    for threads in (1, 2):
        cells, notes, offsets = {}, [], {}
        for variant in ("exact", "default"):  # the first measures how far the two readings lie apart
            bench.run(variant, program, [kept, str(blocks // threads), str(threads)], pinned=threads == 1)
            found, timed = lifetime_distances(bench, kept, offsets)
            weights = sum(lives for _, lives, _ in found)
            mean, chance = (sum(each[i] * each[1] for each in found) / weights for i in (0, 2))
            distances = [each[0] for each in found]
            cells[variant] = {"median": mean, "low": min(distances), "high": max(distances), "n": len(found)}
            worst = max(found)
            notes.append(f"{variant.capitalize()}: {timed:.0%} timed, by chance alone {chance:.4f}, "
                         f"at the worst site {worst[2]:.4f}.")
        yield row(f"lifetimes ≥ 1 µs, distance from the program's own, {threads} thread{'s' * (threads > 1)}", "",
                  cells, note="mean over sites by lifetimes, lowest and highest site. " + " ".join(notes))
    for name in glob.glob(kept + ".*"):
        os.unlink(name)
    bench.clean()


def lifetime_distances(bench, kept, offsets):
    """For each site (total-variation distance, lives, the distance expected of a
    perfect sample of as many lives as were timed), and the share timed.

    The runtime reads its clock a little before the program and ends a little
    after it. That constant is no error of the histogram: where all lives were
    timed, `offsets` gets the difference of the means; it is added to ours."""
    tool = os.path.join(bench.builds.inmem, "bin", "inmem")
    done = bench.runner.run([tool, "report", "--format", "json", "--top", "0", bench.trace()])
    result, timed, total = [], 0, 0
    for each in json.loads(done["stdout"])["types"]:
        kind = re.fullmatch(r".*\bLife<(\d+)>", each["type"] or "")
        if not kind:
            continue
        life = each["lifetime"]
        timed, total = timed + life["timed"], total + life["count"]
        buckets = [b for b in life["histogram"] if b["to"] > 1024]
        lives = array.array("I")
        with open(f"{kept}.{kind.group(1)}", "rb") as file:
            lives.frombytes(file.read())
        if life["timed"] == life["count"]:
            offsets[kind.group(1)] = life["mean"] - sum(lives) / max(len(lives), 1)
        offset = offsets.get(kind.group(1), 0)
        edges = sorted({b["from"] for b in buckets} | {b["to"] for b in buckets})
        if not edges:
            continue
        own = {}
        long_enough = 0
        for life_ns, count in collections.Counter(lives).items():
            life_ns += offset
            if life_ns >= edges[0]:
                long_enough += count
                index = bisect.bisect_right(edges, life_ns) - 1
                own[index] = own.get(index, 0) + count
        theirs = {edges.index(b["from"]): b["count"] for b in buckets}
        reported = sum(theirs.values())
        if long_enough < 1000 or not reported:
            continue
        distance = 0.5 * sum(abs(own.get(i, 0) / long_enough - theirs.get(i, 0) / reported)
                             for i in own.keys() | theirs.keys())
        sample = life["timed"] * long_enough / life["count"]
        shares = [count / long_enough for count in own.values()]
        # Half the sum of the mean absolute errors of binomial counts; no error where all were timed.
        chance = 0.0 if life["timed"] == life["count"] else (
            0.5 * sum(math.sqrt(2 * p * (1 - p) / (math.pi * sample)) for p in shares))
        result.append((distance, long_enough, chance))
    if not result:
        raise Failed("the report has no lifetimes of Life<...>")
    return result, timed / total if total else math.nan


def instructions(bench):
    import check_instructions
    machine = check_instructions.Native(bench.builds.inmem)
    golden = check_instructions.read_golden(machine.golden) if os.path.exists(machine.golden) else {}
    for name, figure in check_instructions.measure(machine).items():
        limit = golden.get(name)
        limit = limit and limit * (1 + check_instructions.SLACK_SHARE) + check_instructions.SLACK
        yield row(f"instructions: {name}", "", {"default": single(figure)}, f"≤ {limit:.0f} (golden)" if limit else "",
                  figure <= limit if limit else None)


ROWS = {
    "clock": clock, "pairs": pairs, "scaling": scaling, "trace": trace_mode, "stacks": stacks, "scopes": scopes,
    "programs": programs, "run": as_they_are, "sampling": sampling, "objects": objects, "loops": loops, "nothing": nothing, "processes": processes,
    "compile": compile_time, "text": text_size, "templates": template_rows.templates,
    "report": report_speed, "thinning": thinning, "lifetimes": lifetimes, "instructions": instructions,
    "watching": thread_rows.watching, "profiling": thread_rows.profiling, "accuracy": thread_rows.accuracy,
    "perf": thread_rows.beside_perf,
}
