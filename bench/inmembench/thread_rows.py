# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows on watchers of threads and on the sampling profiler: what they cost, and whether they are right."""
import bisect
import collections
import json
import os
import re
import subprocess

from .measure import Failed, below, interleave, ratios, row, single, summary


def number(name):
    def parse(text):
        found = re.search(rf"^{name} ([0-9.]+)", text, re.MULTILINE)
        if not found:
            raise Failed(f"no {name} in {text.strip()[:80]!r}")
        return float(found.group(1))
    return parse


def crowd(bench):
    return lambda kind: bench.builds.program("crowd", kind, ["threads/crowd.cpp"])


def own_share(bench, variant, threads, seconds):
    """The share of one processor that the runtime's own threads take, of a crowd that does little."""
    found = [number("own_share")(bench.run(variant, crowd(bench), [str(threads), "1", str(seconds)], False)["stdout"])
             for _ in range(3)]
    return summary(found)


def watching(bench):
    """watch=: what a pair costs meanwhile, and the watcher's own time."""
    program = lambda kind: bench.builds.program("lifo", kind, ["pairs/lifo.cpp"])
    pairs = "1000000" if bench.quick else "6000000"
    rounds = interleave(2 * bench.rounds, bench.variants(["default", "watched"], program, [pairs],
                                                         parse=number("ns_per_pair")))
    cells = {"default": ratios(rounds, "watched", "default")}
    yield row("watch=500ms: pair, over no watcher", "x", cells, "≤ 1.01", below(cells["default"], 1.01))
    share = own_share(bench, "watched", 1000, 3 if bench.quick else 10)
    yield row("watch=500ms, 1000 threads: the watcher, of one processor", "share", {"default": share}, "≤ 0.005",
              below(share, 0.005))


def profiling(bench):
    """Samples of 100 threads, half of which wait: CPU time while they are taken, over the same without, window by window."""
    program = lambda kind: bench.builds.program("sampled", kind, ["threads/sampled.cpp"])
    pairs = "10" if bench.quick else "150"
    for what, clock, interval_us, bar in (("profile=200ms", "wall", "200000", 1.01), ("profile=1ms:profile_clock=cpu", "cpu", "1000", 1.02)):
        done = bench.run("default", program, ["100", pairs, clock, interval_us], False)
        cells = {"default": summary([float(each) for each in re.findall(r"^ratio ([0-9.]+)$", done["stdout"], re.MULTILINE)])}
        yield row(f"{what}, 100 threads: CPU time over no samples", "x", cells, f"≤ {bar}",
                  below(cells["default"], bar))


def accuracy(bench):
    """Shares of CPU time by samples against what functions measured themselves, in points."""
    program = lambda kind: bench.builds.program("times", kind, ["threads/times.cpp"])
    seconds = "3" if bench.quick else "30"
    tool = os.path.join(bench.builds.inmem, "bin", "inmem")
    for variant in ("cpu", "wall"):
        done = bench.run(variant, program, [seconds], False)
        own = {name: float(value) for name, value in re.findall(r"^(burn<\d+>) ([0-9.]+)$", done["stdout"], re.MULTILINE)}
        report = bench.runner.run([tool, "report", "--format", "json", bench.trace()])
        profile = json.loads(report["stdout"])["profile"]
        total = sum(own.values())
        counted = {}
        for each in profile["functions"]:
            found = re.search(r"burn<\d+>", each["function"])
            if found:
                counted[found.group()] = counted.get(found.group(), 0) + each["self"]
        samples = sum(counted.values())
        if not samples:
            raise Failed("no samples in burn<>")
        top = sorted(own, key=own.get, reverse=True)[:10]
        off = [abs(counted.get(name, 0) / samples - own[name] / total) * 100 for name in top]
        yield row(f"samples, clock {variant}: top ten functions, furthest from their own times", "points",
                  {"default": single(max(off), len(top))}, "≤ 2", max(off) <= 2,
                  f"{samples} samples; mean {sum(off) / len(off):.2f} points")
    bench.clean()


OWN = "libinmem_rt.so"  # of which perf sees the handler too, and inmem does not


def symbols_of(executable, runner):
    """({symbol: address}, sorted addresses) of an executable's code."""
    found = {}
    for line in runner.run(["nm", "--defined-only", executable])["stdout"].splitlines():
        words = line.split()
        if len(words) == 3 and words[1] in "tTwWiuV":
            found[words[2]] = int(words[0], 16)
    return found, sorted(set(found.values()))


def place(path, executable, address, addresses):
    """What shares are compared by: a function of the program, or a library."""
    if os.path.basename(path) != os.path.basename(executable):
        return os.path.basename(os.path.realpath(path))  # perf knows a library by the name of its file
    at = bisect.bisect_right(addresses, address)
    return addresses[at - 1] if at else 0


def leaves(bench, executable, addresses):
    """Samples by place of the innermost frame, from the text of the trace."""
    tool = os.path.join(bench.builds.inmem, "bin", "inmem")
    modules, frames, stacks, samples = {}, {}, {}, []
    for line in bench.runner.run([tool, "dump", bench.trace()])["stdout"].splitlines():
        word, _, rest = line.strip().partition(" ")
        if word not in ("module", "address", "stack", "sample"):
            continue
        fields = dict(re.findall(r'([a-z-]+)=("[^"]*"|\S+)', rest))
        if word == "module":
            modules[fields["id"]] = fields.get("path", "").strip('"')
        elif word == "address":
            frames[fields["id"]] = (modules.get(fields.get("module"), "?"), int(fields.get("offset", "0"), 0))
        elif word == "stack":
            stacks[fields["id"]] = fields["address"]
        elif "stack" in fields:
            samples.append((fields["stack"], int(fields["count"])))
    counts = collections.Counter()
    for stack, count in samples:  # code may be told of after the stacks that it is in
        path, offset = frames[stacks[stack]]
        counts[place(path, executable, offset, addresses)] += count
    return counts


def perf_leaves(bench, data, executable, symbols):
    """The same of perf's: the first frame in user code, so that the kernel's time counts for who called it."""
    counts = collections.Counter()
    command = ["perf", "script", "-i", data, "--no-demangle", "--no-inline", "--max-stack", "1", "-F", "comm,ip,sym,dso"]
    for sample in bench.runner.run(command)["stdout"].split("\n\n"):
        thread, _, frames = sample.strip("\n").partition("\n")
        found = re.match(r"\s*[0-9a-f]+ (\S+).* \(([^()]*)\)", frames)
        if not found or thread.strip() in ("inmem-profile", "perf-exec"):
            continue
        name, path = found.groups()
        if name == "syscall":  # none of the programs calls it: the runtime's own, which is no part of either
            path = OWN
        known = os.path.basename(path) == os.path.basename(executable)
        library = OWN if os.path.basename(path).startswith(OWN) else os.path.basename(path)
        counts[symbols.get(name, name) if known else library] += 1
    return counts


def perf_problem(bench, data):
    """Why perf cannot take samples here; empty: it can."""
    command = ["perf", "record", "-q", "-e", "cpu-clock", "-g", "--user-callchains", "-o", data, "true"]
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except OSError:
        return "perf is not installed (Debian's linux-perf)"
    return " ".join(done.stderr.split())[:120] or "it failed" if done.returncode else ""


def beside_perf(bench):
    """Programs of others, sampled by inmem and by perf in the same runs: shares of the top ten, in points.

    The kernel looks at timers of CPU time at its ticks, so an interval of 1 ms gives a stack each 4 ms or so: 30 s
    of a program are what brings chance below a point."""
    builds = bench.builds
    script = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "programs", "script.lua")
    nlohmann = lambda kind: builds.program("json", kind, ["programs/json.cpp"])
    data = os.path.join(bench.work, "perf.data")
    problem = perf_problem(bench, data)
    if problem:
        yield row("samples beside perf record", "points", {}, "≤ 2", None,
                  f"perf cannot: {problem}; against functions that know their own times instead")
        yield from accuracy(bench)
        return
    enough, most = (1000, 5) if bench.quick else (30000, 120)
    for name, program, arguments in (
            ("sqlite", builds.sqlite, []), ("lua", builds.lua, [script]),
            ("minisat", builds.minisat, [builds.clauses(230), "/dev/null"]),
            ("bullet", builds.bullet, ["1000"]), ("json", nlohmann, [])):
        executable = program("inmem")
        symbols, addresses = symbols_of(executable, bench.runner)
        ours, theirs = collections.Counter(), collections.Counter()
        for _ in range(most):
            if sum(theirs.values()) >= enough:
                break
            argv, env = bench.command("cpu", program, arguments)
            # SAT solvers end with 10 or 20.
            bench.runner.run(["sh", "-c", '"$@"; true', "sh", "perf", "record", "-q", "-e", "cpu-clock", "-F", "997",
                              "-g", "--user-callchains", "-o", data, *argv], env)
            ours += leaves(bench, executable, addresses)
            theirs += perf_leaves(bench, data, executable, symbols)
        for each in ours, theirs:
            each.pop(OWN, None)
        mine, total = sum(ours.values()), sum(theirs.values())
        if not mine or not total:
            raise Failed(f"{name}: no samples")
        off = [abs(ours[each] / mine - count / total) * 100 for each, count in theirs.most_common(10)]
        yield row(f"samples beside perf record: {name}, top ten functions, furthest apart", "points",
                  {"default": single(max(off), len(off))}, "≤ 2", max(off) <= 2,
                  f"{mine} samples, perf {total}; mean {sum(off) / len(off):.2f} points")
    os.unlink(data)
    bench.clean()
