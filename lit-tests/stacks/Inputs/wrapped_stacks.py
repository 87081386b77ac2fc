# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs whose stacks are known, because they are generated.

  wrapped_stacks.py write FILE SEED           a program of kChains chains of calls, each to its own allocation
  wrapped_stacks.py check FOLDED SEED [cut]   holds `inmem flame --format folded` of a run against the chains

A chain is main, functions of the program, some recursive, then wrappers of malloc, 0 to 40 deep. Each function may be inlined, and a
wrapper may end in a jump. Every frame that is shown must be on the stack, in that order. Functions that are never inlined
must be shown, unless there is a jump, or frames were cut.
"""
import random
import sys

kChains = 25


class Function:
    def __init__(self, name, pick, wrapper):
        self.name, self.wrapper = name, wrapper
        self.inlined = pick.random() < 0.3
        self.jumps = wrapper and not self.inlined and pick.random() < 0.1
        self.times = pick.randint(2, 4) if not wrapper and not self.inlined and pick.random() < 0.2 else 1


def chains(seed):
    pick = random.Random(seed)
    for number in range(kChains):
        depth = pick.choice([0, 1, 2, 7, 8, 9, 20, 40]) if number % 3 else pick.randint(0, 40)
        outer = [Function(f"c{number}_user{i}", pick, False) for i in range(pick.randint(1, 6))]
        yield number, outer, [Function(f"c{number}_wrap{i}", pick, True) for i in range(depth)]


def define(function, inner, number, last):
    """The function, which calls `inner`, or malloc if there is none."""
    how = "inline __attribute__((always_inline))" if function.inlined else "__attribute__((noinline))"
    if function.wrapper:
        call = f"{inner or 'malloc'}(n)"
        if function.jumps:
            return f"static {how} void *{function.name}(size_t n) {{ return {call}; }}\n"
        return f"static {how} void *{function.name}(size_t n) {{ void *p = {call}; if (!p) abort(); return p; }}\n"
    call = f"{inner}(1)" if not last else f"Sink = (struct s{number} *){inner or 'malloc'}(sizeof(struct s{number}))"
    again = f"if (n < {function.times}) {function.name}(n + 1); else " if function.times > 1 else ""
    return f"static {how} void {function.name}(int n) {{ (void)n; {again}{call}; After++; }}\n"


def write(path, seed):
    with open(path, "w") as out:
        out.write("#include <stdlib.h>\nstatic void *volatile Sink;\nstatic volatile int After;\n")
        for number, outer, wrappers in chains(seed):
            out.write(f"struct s{number} {{ long a[{number + 1}]; }};\n")
            inner = None
            for function in reversed(wrappers):
                out.write(define(function, inner, number, False))
                inner = function.name
            for function in reversed(outer):
                out.write(define(function, inner, number, function is outer[-1]))
                inner = function.name
        out.write("int main(void) {\n")
        for _, outer, _ in chains(seed):
            out.write(f"  {outer[0].name}(1);\n")
        out.write("  return 0;\n}\n")


def wrong(shown, all_frames, needed):
    """What is wrong with the frames that are shown; None: nothing."""
    at = 0
    for name in shown:
        while at < len(all_frames) and all_frames[at] != name:
            at += 1
        if at == len(all_frames):
            return f"{name} is not there"
        at += 1
    missing = [name for name in needed if name not in shown]
    return f"without {', '.join(missing)}" if missing else None


def check(path, seed, cut):
    shown = {}
    with open(path) as file:
        for line in file:
            *frames, kind = line.rsplit(" ", 1)[0].split(";")
            shown.setdefault(kind, []).append([f for f in frames if f != "(more callers)"])
    failures = 0
    for number, outer, wrappers in chains(seed):
        functions = outer + wrappers
        frames = ["main"] + [f.name for f in functions for _ in range(f.times)]
        jumps = any(f.jumps for f in functions)
        needed = [] if cut or jumps else [f.name for f in functions if not f.inlined]
        stacks = shown.get(f"s{number}", [])
        faults = [f"{len(stacks)} stacks"] if len(stacks) != 1 else [wrong(stacks[0], frames, needed)]
        for fault in filter(None, faults):
            failures += 1
            print(f"chain {number}: {fault}\n  of {';'.join(frames)}\n  in {stacks}")
    print(f"{kChains - failures} of {kChains} chains")
    return failures


if sys.argv[1] == "write":
    write(sys.argv[2], int(sys.argv[3]))
else:
    sys.exit(min(check(sys.argv[2], int(sys.argv[3]), sys.argv[4:] == ["cut"]), 1))
