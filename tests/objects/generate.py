#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts objects by a second route: random class hierarchies whose classes count themselves.

  generate.py [--programs N] [--seed S] [--batch B] [--level -O0]... [--objects lifetime] --build BUILD --work FOLDER

Each program is a few classes (bases, virtual bases, members, arrays of members, delegating,
inherited and throwing constructors, implicit and defaulted ones, aggregates' members) and
a function that makes, copies, moves, returns, throws and destroys objects of them. Every
constructor says to its class's own counters that an object of exactly this class exists: a
base subobject takes back what its constructor counted. B programs, each in a namespace of its
own, become one source; the report of its run must have the same numbers, constructed,
destroyed, copied and moved, for every class. Exit code 1: a difference, with the seed of the
program.
"""
import argparse
import json
import os
import random
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
import sizes

PRELUDE = r"""
#include <cstdio>
#include <new>
#include <utility>
#include <optional>
#include <vector>
#include <memory>
struct Tally {
  long made = 0, gone = 0, copied = 0, moved = 0;
  const char *name;
  Tally *next;
  static inline Tally *all = nullptr;
  Tally(const char *n) : name(n), next(all) { all = this; }
};
[[noreturn]] void fail() { throw 1; }
static void print() {
  for (Tally *t = Tally::all; t; t = t->next)
    std::printf("%s %ld %ld %ld %ld\n", t->name, t->made, t->gone, t->copied, t->moved);
}
"""


class Class:
    """One class of a generated program. Its counters are changed by code alone that the
    class itself contains, never by what the compiler generates for its users."""

    def __init__(self, rng, index, earlier):
        self.name = f"C{index}"
        self.virtual_bases = []
        self.bases = []
        candidates = [c for c in earlier if not c.implicit]
        rng.shuffle(candidates)
        for base in candidates[:rng.choice([0, 0, 1, 1, 2, 3])]:
            virtual = rng.random() < 0.4
            # No ambiguous bases: a class may only come twice if it is virtual both times.
            new_virtual = set(base.all_virtual()) | ({base} if virtual else set())
            twice = self.ancestors() & (base.ancestors() | {base})
            if twice <= new_virtual & set(self.all_virtual()):
                (self.virtual_bases if virtual else self.bases).append(base)
        self.members = [(rng.choice(earlier), rng.choice([0, 0, 0, 2, 3])) for _ in range(rng.choice([0, 0, 1, 2]))] if earlier else []
        self.polymorphic = rng.random() < 0.3 or any(b.polymorphic for b in self.bases + self.virtual_bases)
        # Constructors that the compiler writes: the counting is done by a first member.
        self.implicit = rng.random() < 0.25 and not self.polymorphic
        self.delegates = rng.random() < 0.4
        self.noexcept_move = rng.random() < 0.7
        self.out_of_line = rng.random() < 0.4
        if self.implicit:
            self.bases, self.virtual_bases = [], []

    def ancestors(self):
        found = set()
        for base in self.bases + self.virtual_bases:
            found |= {base} | base.ancestors()
        return found

    def all_virtual(self):
        found = []
        for base in self.bases + self.virtual_bases:
            for each in base.all_virtual() + ([base] if base in self.virtual_bases else []):
                if each not in found:
                    found.append(each)
        return found

    def declaration(self):
        n = self.name
        heads = [f"virtual {b.name}" for b in self.virtual_bases] + [b.name for b in self.bases]
        members = "".join(f"  {c.name} m{i}{f'[{k}]' if k else ''};\n" for i, (c, k) in enumerate(self.members))
        tally = f"static inline Tally tally_{n}(SPACE \"{n}\");\n"
        if self.implicit:
            # Count<> is a member of its own and says what happens to the whole.
            return (tally + f"struct Count{n} {{\n"
                    f"  Count{n}() {{ tally_{n}.made++; }}\n"
                    f"  Count{n}(const Count{n} &) {{ tally_{n}.made++; tally_{n}.copied++; }}\n"
                    f"  Count{n}(Count{n} &&) noexcept {{ tally_{n}.made++; tally_{n}.moved++; }}\n"
                    f"  Count{n} &operator=(const Count{n} &) {{ return *this; }}\n"
                    f"  ~Count{n}() {{ tally_{n}.gone++; }}\n}};\n"
                    f"struct {n} {{\n{members}  Count{n} count;\n}};\n")
        inits = lambda source: [f"{b.name}({source(b)})" for b in self.all_virtual() + self.bases
                                if not (b in self.all_virtual() and b in self.bases)]
        # The tag constructor is what derived classes call for their bases: not counted.
        tagged = inits(lambda b: "Base()")
        undo = ""
        virtual = "virtual " if self.polymorphic else ""
        body = (f"struct {n}{' : ' + ', '.join(heads) if heads else ''} {{\n{members}"
                f"  bool whole;\n"
                f"  explicit {n}(Base) : {', '.join(tagged + ['whole(false)'])} {{{undo}}}\n")
        default_inits = ", ".join(tagged + ["whole(true)"])
        counted = f"tally_{n}.made++;"
        if self.delegates:
            body += f"  {n}() : {n}(false) {{ }}\n"
        else:
            body += f"  {n}() : {default_inits} {{ {counted} }}\n"
        if self.out_of_line:
            body += f"  {n}(bool bad);\n"
        else:
            body += f"  {n}(bool bad) : {default_inits} {{ if (bad) fail(); {counted} }}\n"
        copy = ", ".join(tagged + [f"m{i}(o.m{i})" for i, (c, k) in enumerate(self.members) if not k] + ["whole(true)"])
        move = ", ".join(tagged + [f"m{i}(std::move(o.m{i}))" for i, (c, k) in enumerate(self.members) if not k] + ["whole(true)"])
        noexcept = "noexcept " if self.noexcept_move else ""
        body += (f"  {n}(const {n} &o) : {copy} {{ {counted} tally_{n}.copied++; }}\n"
                 f"  {n}({n} &&o) {noexcept}: {move} {{ {counted} tally_{n}.moved++; }}\n"
                 f"  {n} &operator=(const {n} &) {{ return *this; }}\n"
                 f"  {virtual}~{n}() {{ if (whole) tally_{n}.gone++; }}\n}};\n")
        if self.out_of_line:
            body += f"{n}::{n}(bool bad) : {default_inits} {{ if (bad) fail(); {counted} }}\n"
        return tally + body


def statements(rng, classes, depth=0):
    lines = []
    for number in range(rng.randint(3, 8)):
        c = rng.choice(classes)
        n, v = c.name, f"v{depth}_{number}"
        bad = "" if c.implicit else "(true)"
        choices = [
            f"{{ {n} {v}; }}",
            f"{n} {v}; {{ {n} b({v}); (void)b; }}",
            f"{n} {v}; {{ {n} b = std::move({v}); (void)b; }}",
            f"delete new {n};",
            f"{{ {n} *p = new {n}[{rng.randint(0, 4)}]; delete[] p; }}",
            f"{n} {v}[{rng.randint(1, 3)}]; (void){v};",
            f"{n} {v} = make_{n}(); (void){v};",
            f"{n} {v} = named_{n}({rng.choice(['true', 'false'])}); (void){v};",
            f"take_{n}({n}());",
            f"{{ {n} b; take_{n}(b); }}",
            f"const {n} &{v} = {n}(); (void){v};",
            f"{{ static {n} {v}; (void){v}; }}",
            f"{{ alignas({n}) char raw[sizeof({n})]; {n} *p = new (raw) {n}; p->~{n}(); }}",
            f"{{ std::optional<{n}> o; o.emplace(); if (o) {{ {n} b(*o); (void)b; }} }}",
            f"{{ std::vector<{n}> w; w.emplace_back(); w.emplace_back(); w.push_back(w[0]); }}",
            f"{{ auto p = std::make_unique<{n}>(); auto q = std::make_shared<{n}>(*p); (void)q; }}",
            f"try {{ throw {n}(); }} catch (const {n} &) {{ }}",
            f"try {{ throw {n}(); }} catch ({n} b) {{ (void)b; }}",
            f"leaked = new {n};",
        ]
        if not c.implicit:
            choices += [
                f"try {{ {n} b{bad}; }} catch (int) {{ }}",
                f"try {{ delete new {n}{bad}; }} catch (int) {{ }}",
                f"try {{ {n} a[] = {{ {n}(false), {n}(false), {n}{bad} }}; (void)a; }} catch (int) {{ }}",
            ]
        if c.polymorphic:
            derived = [d for d in classes if c in d.bases and d.polymorphic] or [c]
            choices.append(f"{{ {n} *p = new {rng.choice(derived).name}; delete p; }}")
        lines.append("  " * (depth + 1) + rng.choice(choices))
        if depth < 2 and rng.random() < 0.2:
            lines.append("  " * (depth + 1) + f"for (int i{depth} = 0; i{depth} < {rng.randint(0, 3)}; ++i{depth}) {{")
            lines += statements(rng, classes, depth + 1)
            lines.append("  " * (depth + 1) + "}")
    return lines


def program(seed):
    rng = random.Random(seed)
    classes = []
    for index in range(rng.randint(2, 6)):
        classes.append(Class(rng, index, list(classes)))
    space = f"p{seed}"
    out = [f'#undef SPACE\n#define SPACE "{space}::"', f"namespace {space} {{", "struct Base {};", "static void *leaked;"]
    for c in classes:
        n = c.name
        out.append(c.declaration())
        out.append(f"{n} make_{n}() {{ return {n}(); }}\n"
                   f"{n} named_{n}(bool b) {{ {n} one; if (b) return make_{n}(); return one; }}\n"
                   f"void take_{n}({n}) {{ }}")
    if rng.random() < 0.5:
        out.append(f"static {rng.choice(classes).name} global;")
    if rng.random() < 0.3:
        out.append(f"static thread_local {rng.choice(classes).name} per_thread; inline void *touch() {{ return &per_thread; }}")
    out.append("void run() {\n" + "\n".join(statements(rng, classes)) + "\n  (void)leaked;\n}")
    out.append("}")
    return "\n".join(out)


def source(seeds):
    # Tallies are constants to the compiler, so that they outlive everything; print runs
    # last because its registration comes first.
    calls = "\n".join(f"  p{seed}::run();" for seed in seeds)
    first = "static struct Last { ~Last() { print(); } } last;\n"
    return PRELUDE + first + "\n".join(program(seed) for seed in seeds) + f"\nint main() {{\n{calls}\n}}\n"


def run(seeds, level, options):
    name = os.path.join(options.work, f"p{seeds[0]}{level}")
    with open(name + ".cpp", "w") as file:
        file.write(source(seeds))
    tools = os.path.join(options.build, "bin")
    subprocess.run([os.path.join(tools, "inmem-clang++"), "-std=c++20", "-w", level,
                    f"-fplugin-arg-inmem-objects={options.objects}", name + ".cpp", "-o", name], check=True)
    trace = name + ".inmem"
    if os.path.exists(trace):
        os.remove(trace)
    environment = dict(os.environ, INMEM_OPTIONS=f"output={trace}")
    out = subprocess.run([name], env=environment, check=True, capture_output=True, text=True).stdout
    report = subprocess.run([os.path.join(tools, "inmem"), "report", "--format", "json", trace],
                            check=True, capture_output=True, text=True).stdout
    rows = {row["type"]: row["objects"] for row in json.loads(report)["types"] if row["objects"]}
    differences, classes, objects = [], 0, 0
    for line in out.splitlines():
        who, *numbers = line.split()
        want = [int(number) for number in numbers]
        row = rows.get(who)
        have = [sum(row["constructed"].values()), row["destroyed"] or 0, row["copied"], row["moved"]] if row else [0] * 4
        classes += 1
        objects += want[0]
        if options.objects == "lifetime" and row and row["lifetime"]:
            have[1] = row["lifetime"]["count"]
        if have != want:
            differences.append(f"{level} {who}: made, gone, copied, moved are {have} in the report, {want} by the class itself")
    if not differences and not options.keep:
        for end in ("", ".cpp", ".inmem"):
            os.remove(name + end)
    return differences, classes, objects


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--programs", type=int, default=sizes.sizes()["INMEM_OBJECT_PROGRAMS"])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--batch", type=int, default=25)
    parser.add_argument("--level", action="append")
    parser.add_argument("--objects", choices=["count", "lifetime"], default="count",
                        help="with lifetime, all that were destroyed must have been followed")
    parser.add_argument("--build", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--keep", action="store_true", help="leave the sources and traces")
    options = parser.parse_args()
    os.makedirs(options.work, exist_ok=True)
    seeds = list(range(options.seed, options.seed + options.programs))
    failures, classes, objects = [], 0, 0
    for start in range(0, len(seeds), options.batch):
        for level in options.level or ["-O0", "-O2"]:
            found, some, made = run(seeds[start:start + options.batch], level, options)
            failures += found
            classes += some
            objects += made
    for failure in failures:
        print(failure)
    print(f"{len(seeds)} programs, {classes} classes, {objects} objects compared, {len(failures)} classes differ")
    return 1 if failures or not objects else 0


if __name__ == "__main__":
    sys.exit(main())
