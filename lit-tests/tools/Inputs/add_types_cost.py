# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""add_types_cost.py source FILE: a program with 3400 lines that allocate, from 10,000 stacks: half of them inlined into one function.
add_types_cost.py count INMEM PROFILE: the instructions of add-types on its profile are bounded."""
import pathlib
import re
import subprocess
import sys

LINES, TYPES, STACKS = 3400, 60, 10000
# A second of a processor at 3 GHz with one instruction a cycle, six times over: builds for tests are not optimised. A look-up in
# proportion to the size of a function takes 300 billion.
MOST = 6 * 3_000_000_000


def source():
    yield "#include <memory>\n#include <vector>\nvoid *Kept[100000];\nint At;"
    yield "template <class T> static inline void keep(T *P) { Kept[At++] = P; }"
    for i in range(TYPES):
        yield f"struct T{i} {{ virtual ~T{i}() {{}} long Value[{i % 13 + 1}]; T{i} *Next; }};"
    for i in range(LINES):
        of = f"T{i % TYPES}"
        way = (f"auto *P = new {of}; keep(P);",
               f"auto *P = static_cast<{of} *>(__builtin_malloc(sizeof({of}))); keep(P);",
               f"auto &V = *new std::vector<{of} *>; V.push_back(nullptr); keep(&V);",
               f"auto &V = *new std::shared_ptr<{of}>(std::make_shared<{of}>()); keep(&V);")[i % 4]
        kind = "static inline __attribute__((always_inline))" if i < LINES / 2 else "static __attribute__((noinline))"
        yield f"{kind} void f{i}() {{ {way} }}"
    calls = [f"  f{i}();" for i in range(LINES)]
    yield "\n".join(["__attribute__((noinline)) static void large() {", *calls[:LINES // 2], "}"])
    yield "\n".join(["__attribute__((noinline)) static void many() {", *calls[LINES // 2:], "}"])
    yield '__attribute__((noinline)) static void other() { large(); many(); asm volatile(""); }'
    yield "int main() { large(); many(); other(); }"


def count(inmem, profile):
    out = pathlib.Path(profile).with_suffix(".callgrind")
    done = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", inmem, "add-types", profile, "-o", f"{profile}.pb"],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-1000:]
    typed, samples = map(int, re.search(r"types for (\d+) of (\d+) samples", done.stdout).groups())
    assert samples >= STACKS and typed >= 0.85 * samples, done.stdout
    instructions = int(re.search(r"^(?:summary|totals): (\d+)", out.read_text(), re.MULTILINE)[1])
    print(f"{instructions} instructions for {samples} stacks")
    assert instructions <= MOST, f"more than {MOST}"


if sys.argv[1] == "source":
    pathlib.Path(sys.argv[2]).write_text("\n".join(source()) + "\n")
else:
    count(*sys.argv[2:])
