#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random whole programs, which must do under inmem what they do without and count what inmem counts.

  whole.py [--programs N] [--seed S] [--batch B] [--all] --build BUILD --work FOLDER

Each program has classes that count themselves (plain, with hidden friends, templates, unions,
classes usable in constant expressions), aggregates (with members that count, or trivial ones that
the statement counts which makes them), and a function that uses them: designated initialisers,
lambdas, coroutines, exceptions, constant expressions, arrays, references, OpenMP regions and
tasks. B programs become one source. Compiled by clang and by inmem, it must print the same; the
report of its run must have the numbers that it printed. A batch is compiled with one level of
optimisation and one of objects=, the next with others; --all takes every one of them for each
batch. Exit code 1: a difference, with the seed of the program.
"""
import argparse
import itertools
import json
import os
import random
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
import sizes

PRELUDE = r"""
#include <atomic>
#include <coroutine>
#include <cstdio>
#include <initializer_list>
#include <new>
#include <type_traits>
#include <utility>
struct Tally {
  std::atomic<long> made{0}, gone{0}, copied{0}, moved{0};
  const char *name;
  Tally *next;
  static inline Tally *all = nullptr;
  Tally(const char *n) : name(n), next(all) { all = this; }
};
static std::atomic<long> sink;
static struct Last {
  ~Last() {
    for (Tally *t = Tally::all; t; t = t->next)
      std::printf("%s %ld %ld %ld %ld\n", t->name, t->made.load(), t->gone.load(), t->copied.load(), t->moved.load());
    std::printf("= %ld\n", sink.load());
  }
} last;
struct Sequence {
  struct promise_type {
    int value = 0;
    Sequence get_return_object() { return Sequence{std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(int v) noexcept { value = v; return {}; }
    void return_void() {}
    void unhandled_exception() { throw; }
  };
  std::coroutine_handle<promise_type> handle;
  ~Sequence() { handle.destroy(); }
  bool next() { handle.resume(); return !handle.done(); }
  int value() const { return handle.promise().value; }
};
"""

# What a class that counts itself does at each event; T stands for its tally.
COUNTED = """  {n}(const {n} &o){inits} {{ {T}.made++; {T}.copied++; }}
  {n}({n} &&o) noexcept{moves} {{ {T}.made++; {T}.moved++; }}
  {n} &operator=(const {n} &o) {{ v = o.v; return *this; }}
"""


class Program:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.space = f"w{seed}"
        self.out = [f"namespace {self.space} {{"]
        self.classes, self.aggregates, self.trivials = [], [], []
        self.number = 0
        for index in range(self.rng.randint(1, 3)):
            self.add_class(f"C{index}")
        for index in range(self.rng.randint(1, 2)):
            self.add_aggregate(f"G{index}")
        for index in range(self.rng.randint(1, 2)):
            self.add_trivial(f"T{index}")
        self.add_rest()
        self.out.append("static void run() {\n" + "\n".join(self.statements(0)) + "\n}\n}")

    def tally(self, name, variable=None):
        return f'static Tally {variable or "t" + name}("{self.space}::{name}");\n'

    def one_of(self, kinds):
        return self.rng.choice(kinds)

    def add_class(self, n):
        """Counts itself; converts from int; throws if asked to."""
        virtual = self.rng.random() < 0.3
        members = "".join(f"  {self.one_of(self.classes)} m{i}{self.one_of(['', '[2]', ' = 3'])};\n"
                          for i in range(self.rng.choice([0, 0, 1]))) if self.classes else ""
        head = " noexcept(false)" if self.rng.random() < 0.5 else ""
        friend = (f"  friend {n} operator+(const {n} &a, const {n} &b) {{ return {n}(a.v + b.v); }}\n"
                  f"  friend void churn({n} *p) {{ {n} x(*p); {n} y(std::move(x)); sink += y.v; }}\n")
        place = self.rng.random() < 0.3
        body = f" : v(v) {{ if (bad) throw 1; t{n}.made++; }}\n"
        self.out.append(
            self.tally(n) + f"struct {n} {{\n{members}  int v;\n"
            f"  {n}() : {n}(1) {{}}\n"
            f"  {n}(int v){head} : v(v) {{ t{n}.made++; }}\n"
            f"  {n}(int v, bool bad)" + (";\n" if place else body) +
            COUNTED.format(n=n, T=f"t{n}", inits=" : v(o.v)", moves=" : v(o.v)") +
            f"  {'virtual ' if virtual else ''}~{n}() {{ t{n}.gone++; }}\n"
            f"  explicit operator bool() const {{ return v > 0; }}\n{friend}}};\n" +
            (f"{n}::{n}(int v, bool bad){body}" if place else ""))
        self.classes.append(n)

    def add_aggregate(self, n):
        """Its last member counts for it."""
        c = self.one_of(self.classes)
        default = self.one_of(["", " = 5", "{6}"])
        self.out.append(
            self.tally(n) + f"struct Count{n} {{\n  Count{n}() {{ t{n}.made++; }}\n"
            f"  Count{n}(const Count{n} &) {{ t{n}.made++; t{n}.copied++; }}\n"
            f"  Count{n}(Count{n} &&) noexcept {{ t{n}.made++; t{n}.moved++; }}\n"
            f"  ~Count{n}() {{ t{n}.gone++; }}\n}};\n"
            f"struct {n} {{\n  int a{default};\n  {c} c;\n  int b = 7;\n  Count{n} count{{}};\n}};\n")
        self.aggregates.append((n, c))

    def add_trivial(self, n):
        self.out.append(self.tally(n) + f"struct {n} {{ int a; int b{self.one_of(['', ' = 4'])}; }};\n"
                        f"static {n} make_{n}(int a) {{ t{n}.made++; return {self.one_of([n, ''])}{{a, 2}}; }}\n"
                        f"static int use_{n}(const {n} &x) {{ return x.a + x.b; }}\n")
        self.trivials.append(n)

    def add_rest(self):
        c, (g, gc), t = self.one_of(self.classes), self.one_of(self.aggregates), self.one_of(self.trivials)
        both = COUNTED.format(n="Box", T="BoxTally<T>::t", inits=" : v(o.v)", moves=" : v(std::move(o.v))")
        self.out.append(
            "template <class T> struct BoxTally;\n" +
            "".join(f'template <> struct BoxTally<{x}> {{ static inline Tally t{{"{self.space}::Box<{y}>"}}; }};\n'
                    for x, y in ((c, f"{self.space}::{c}"), ("int", "int"))) +
            "template <class T> struct Box {\n  T v;\n  Box() : v() { BoxTally<T>::t.made++; }\n"
            "  template <class... A> explicit Box(std::in_place_t, A... a) : v(a...) { BoxTally<T>::t.made++; }\n" + both +
            "  ~Box() { BoxTally<T>::t.gone++; }\n};\n"
            "template <class T> static T twice(const T &x) { T y(x); return y; }\n"
            "template <class T> static int through(T x) { if constexpr (sizeof(T) > 4) { T z(x); (void)z; } return 1; }\n")
        self.box = [f"Box<{c}>", "Box<int>"]
        self.out.append(
            self.tally("U") + f"union U {{\n  {c} c;\n  int i;\n  U(int n) : i(n) {{ tU.made++; }}\n"
            f"  U({c} x, int) : c(x) {{ tU.made++; }}\n  U(const U &) = delete;\n  ~U() {{ tU.gone++; }}\n}};\n" +
            self.tally("V") + f"struct V {{\n  union {{ {c} c; int i; }};\n  bool has;\n"
            f"  V() : i(0), has(false) {{ tV.made++; }}\n  V(int n) : c(n), has(true) {{ tV.made++; }}\n"
            f"  V(const V &) = delete;\n  ~V() {{ if (has) c.~{c}(); tV.gone++; }}\n}};\n" +
            self.tally("K") + "struct K {\n  int v;\n"
            "  constexpr K(int v) : v(v) { if (!std::is_constant_evaluated()) tK.made++; }\n"
            "  constexpr K(const K &o) : v(o.v) { if (!std::is_constant_evaluated()) { tK.made++; tK.copied++; } }\n"
            "  constexpr ~K() { if (!std::is_constant_evaluated()) tK.gone++; }\n"
            "  constexpr int twice() const { K k(v); return k.v * 2; }\n};\n"
            "constexpr int sum(int n) { int s = 0; for (int i = 0; i < n; ++i) { K k(i); s += k.twice(); } return s; }\n"
            "consteval int cube(int n) { return K(n).v * n * n; }\n" +
            self.tally("D") + f"struct D {{\n  {c} c = {c}(3);\n  {g} g = {g}{{.a = 1, .c = 2}};\n  {gc} d = {gc}(1) + {gc}(2);\n"
            f"  D() {{ tD.made++; }}\n  D(int n) : c(n), g{{n, {gc}(n)}} {{ tD.made++; }}\n"
            f"  D(int, bool bad) try : c(9, bad) {{ tD.made++; }} catch (int) {{ sink += 1; throw; }}\n"
            f"  D(const D &o) : c(o.c), g(o.g), d(o.d) {{ tD.made++; tD.copied++; }}\n  ~D() {{ tD.gone++; }}\n}};\n"
            f"static {c} make(int n) {{ return {c}(n); }}\n"
            f"static {c} named(int n) {{ {c} x(n), y(n + 1); if (n % 2) return x; return y; }}\n"
            f"static {g} packed(int n) {{ return {{.a = n, .c = {gc}(n)}}; }}\n"
            f"static int defaulted({c} x = {c}(4), const {g} &y = {{.a = 2, .c = 3}}) {{ return x.v + y.b; }}\n"
            f"static int listed(std::initializer_list<{c}> l) {{ int s = 0; for (auto &x : l) s += x.v; return s; }}\n"
            f"static void unwind({c} x, int depth) {{ {c} l(depth); if (depth == 0) throw {c}(9); unwind(l, depth - 1); sink += x.v; }}\n"
            f"static Sequence count({c} x, int n) {{\n  {c} l(x);\n  for (int i = 0; i < n; ++i) {{ {c} e(i); co_yield e.v + l.v; }}\n}}\n"
            f"static Sequence wrap({g} x) {{ co_yield x.a; {t} y{{1, 2}}; t{t}.made++; co_yield y.b; }}\n")
        self.c, self.g, self.gc = c, g, gc
        if self.rng.random() < 0.5:
            self.out.append(f"static {self.one_of(self.classes)} global_class(5);\nstatic {g} global_aggregate{{1, 2}};\n")
        if self.rng.random() < 0.3:
            self.out.append(f"static thread_local {c} per_thread(2);\n")
            self.per_thread = True
        else:
            self.per_thread = False

    def of_classes(self):
        """Classes that count themselves."""
        self.number += 1
        v = f"v{self.number}"
        c = self.one_of(self.classes)
        n = self.rng.randint(0, 5)
        k = self.rng.randint(1, 4)
        return [
            f"{c} {v}({n}); sink += {v}.v;",
            f"{{ {c} a({n}), b = a, d(std::move(a)); b = d; sink += b.v + d.v; }}",
            f"{{ {c} a({n}); churn(&a); {c} s = a + {c}(2); sink += (s + s).v; }}",
            f"delete new {c}({n});",
            f"{{ {c} *p = new {c}[{k}]{{{n}, 2}}; sink += p[0].v; delete[] p; }}" if k >= 2 else f"delete[] new {c}[{k}];",
            f"try {{ {c} a(1), b({n}, {self.one_of(['true', 'false'])}); sink += b.v; }} catch (int) {{ sink += 5; }}",
            f"try {{ {c} a[] = {{1, {c}(2), {{3, {self.one_of(['true', 'false'])}}}}}; sink += a[1].v; }} catch (int) {{ sink += 6; }}",
            f"sink += make({n}).v + named({n}).v;",
            f"{{ const {self.c} &r = make({n}); auto &&q = {self.c}(r); sink += r.v + q.v; }}",
            f"for ({c} i({n}); i; i = {c}(i.v - 1)) sink += i.v;",
            f"if ({c} a({n} % 2); a) sink += 1; else sink += {c}(8).v;",
            f"{{ int i = {k}; while ({c} a = {c}(i--)) {{ if (a.v == 2) continue; sink += a.v; }} }}",
            f"sink += ({n} > 2 ? {c}({n}) : {c}(3)).v + ({c}(1), {c}(2)).v;",
            f"{{ static {c} s({n}); sink += s.v; }}",
            f"switch ({n}) {{ case 1: {{ {c} a(1); sink += a.v; break; }} case 2: sink += {c}(2).v; [[fallthrough]]; default: {c} b(3); sink += b.v; }}",
            f"sink += defaulted() + defaulted({self.c}({n}));",
            f"sink += listed({{{self.c}(1), 2, {self.c}({n})}});",
            f"try {{ unwind({self.c}(1), {n}); }} catch (const {self.c} &e) {{ sink += e.v; }}",
            f"try {{ try {{ unwind(1, {k}); }} catch ({self.c} e) {{ sink += e.v; throw; }} }} catch ({self.c} &e) {{ {self.c} d(e); sink += d.v; }}",
            f"{{ alignas({c}) char raw[sizeof({c})]; {c} *p = ::new (raw) {c}({n}); sink += p->v; p->~{c}(); }}",
        ]

    def of_aggregates(self):
        """Aggregates whose last member counts."""
        g, gc = self.one_of(self.aggregates)
        n = self.rng.randint(0, 5)
        k = self.rng.randint(1, 4)
        return [
            f"{{ {g} a{{.a = {n}, .c = {gc}({k})}}; sink += a.a + a.c.v + a.b; }}",
            f"{{ {g} a{{{n}, {k}, 3}}, b = a, d{{std::move(a)}}; sink += b.b + d.c.v; }}",
            f"{{ {g} a[] = {{{{1, 2}}, {{.c = {gc}(4)}}, {{}}}}; sink += a[1].c.v + a[2].b; }}",
            f"{{ auto *p = new {g}{{.a = {n}, .c = 2}}; sink += p->a; delete p; }}",
            f"{{ {g} *p = new {g}[{k}]{{}}; sink += p[0].b; delete[] p; }}",
            f"try {{ {g} a{{.a = 1, .c = {{2, {self.one_of(['true', 'false'])}}}, .b = {n}}}; sink += a.b; }} catch (int) {{ sink += 7; }}",
            f"{{ auto [x, y, z, w] = packed({n}); sink += x + y.v + z; (void)w; }}",
            f"sink += packed({n}).c.v + {g}{{.a = {n}, .c = 1}}.a;",
            f"{{ const {g} &r = {g}{{{n}, {gc}(2)}}; const {gc} &m = {g}{{1, 2}}.c; sink += r.a + m.v; }}",
            f"try {{ throw {g}{{.a = {n}, .c = 2}}; }} catch ({g} e) {{ sink += e.a; }}",
            f"{{ D d, e({n}), f(e); sink += d.c.v + e.g.a + f.d.v; }}",
            f"try {{ D d({n}, {self.one_of(['true', 'false'])}); sink += d.c.v; }} catch (int) {{ sink += 2; }}",
        ]

    def of_trivials(self):
        """Aggregates that the statement counts."""
        self.number += 1
        v = f"v{self.number}"
        t = self.one_of(self.trivials)
        n = self.rng.randint(0, 5)
        k = self.rng.randint(1, 4)
        made = lambda times=1: f"t{t}.made += {times};"
        return [
            f"{{ {t} a{{{n}, 1}}, b{{.a = 2, .b = {k}}}; {made(2)} sink += a.b + b.b; }}",
            f"{{ {t} a[{k + 1}] = {{{{{n}, 1}}, {{2, 3}}}}; {made(k + 1)} sink += a[1].b; }}",
            f"{{ auto *p = new {t}{{{n}, 5}}; {made()} sink += use_{t}(*p); delete p; }}",
            f"sink += use_{t}(make_{t}({n})) + use_{t}({t}{{1, 2}}); {made()}",
            f"sink += {t}{{{n}, 2}}.b; {made()}",
            f"{{ const {t} &r = {t}{{{n}, 3}}; {made()} sink += r.b; }}",
            f"for (int i{v} = 0; i{v} < {n}; ++i{v}) {{ {t} a{{i{v}, 1}}; {made()} sink += a.a; }}",
            f"sink += [](int n) {{ {t} a{{n, 2}}; {made()} return a.b; }}({n});",
        ]

    def of_rest(self):
        """Lambdas, templates, unions, constant expressions, coroutines."""
        self.number += 1
        v = f"v{self.number}"
        c = self.one_of(self.classes)
        g, gc = self.one_of(self.aggregates)
        n = self.rng.randint(0, 5)
        k = self.rng.randint(1, 4)
        box = self.one_of(self.box)
        return [
            f"{{ {c} a({n}); auto f = [a](int n) {{ {c} d(a); return d.v + n; }}; auto h = f; auto q = std::move(h); sink += f(2) + q(1); }}",
            f"sink += [x = {g}{{.a = {n}, .c = 2}}] {{ return x.a; }}();",
            f"sink += [](auto x) {{ decltype(x) y(x); return y.v; }}({c}({n}));",
            f"{{ {c} a({n}); auto f = [&a, b = a]() mutable {{ b = {c}(4); a = b; return {c}(a.v); }}; sink += f().v + f().v; }}",
            f"{{ {box} a, b(a), d(std::in_place, {n}), e(std::move(d)); through(a); (void)twice(b); (void)e; }}",
            f"sink += through({c}({n})) + through({n}) + through({g}{{1, 2}}) + twice({c}(3)).v;",
            f"{{ U u({n}); ::new (&u.c) {self.c}(4); sink += u.c.v; u.c.~{self.c}(); }}",
            f"{{ U u({self.c}({n}), 0); u.c.~{self.c}(); u.i = 3; sink += u.i; }}",
            f"{{ V a, b({n}); sink += a.i + b.c.v; }}",
            f"{{ K k({n}), l(k); constexpr int m = sum({k}) + K({n}).twice(); static_assert(cube(2) == 8); sink += k.twice() + l.v + m + cube({k}); }}",
            f"{{ int n{v} = {n}; sink += sum(n{v}) + K(n{v}).twice(); }}",
            f"{{ char room[K({k}).v + 1]; sink += sizeof room; if constexpr (sum(2) == 2) sink += 1; }}",
            f"for (auto s = count({self.c}({n}), {k}); s.next();) sink += s.value();",
            f"{{ auto s = count({n}, 5); s.next(); sink += s.value(); }}",
            f"{{ auto s = wrap(packed({n})); s.next(); sink += s.value(); if ({n} > 2) {{ s.next(); sink += s.value(); }} }}",
            "{ auto s = count(1, 2); }",
        ]

    def of_openmp(self):
        """Regions and tasks."""
        c = self.one_of(self.classes)
        g, gc = self.one_of(self.aggregates)
        t = self.one_of(self.trivials)
        n = self.rng.randint(0, 5)
        k = self.rng.randint(1, 4)
        made = lambda times=1: f"t{t}.made += {times};"
        single = "#pragma omp parallel num_threads(2)\n#pragma omp single"
        return [
            f"#pragma omp parallel num_threads(2)\n  {{ {c} a({n}); sink += a.v; }}",
            f"{{ {c} a({n});\n#pragma omp parallel for num_threads(2) firstprivate(a)\n  for (int i = 0; i < {k + 3}; ++i) {{ {c} b(a); sink += b.v + i; }} }}",
            f"{{ {c} a({n});\n{single}\n  for (int i = 0; i < {k}; ++i) {{\n#pragma omp task firstprivate(a)\n"
            f"  {{ {c} b(i); sink += a.v + b.v; }} }} }}",
            "#pragma omp parallel sections num_threads(2)\n  {\n"
            f"#pragma omp section\n  {{ {g} a{{.a = 1, .c = 2}}; sink += a.b; }}\n#pragma omp section\n  {{ sink += {c}({n}).v; }} }}",
            f"{single}\n  {{\n#pragma omp task\n  {{ {t} a{{{n}, 2}}; {made()} sink += a.b; }}\n#pragma omp taskwait\n  }}",
            f"{single}\n  {{\n#pragma omp task\n  {c}{{{n}}};\n  }}",
            f"{single}\n  {{\n#pragma omp task\n  {t}{{{n}, 1}};\n  {made()} }}",
            f"{{ {c} a({n});\n#pragma omp parallel for num_threads(2) private(a)\n  for (int i = 0; i < {k}; ++i) sink += a.v; }}",
            f"#pragma omp parallel\n#pragma omp master\n#pragma omp taskloop\n  for (int i = 0; i < {k}; ++i) {{ {c} b(i); sink += b.v; }}",
        ]

    def statement(self, depth):
        kinds = [*2 * [self.of_classes, self.of_aggregates, self.of_rest], self.of_trivials, self.of_openmp]
        text = self.rng.choice(self.rng.choice(kinds)())
        if self.per_thread and self.rng.random() < 0.1:
            text += " sink += per_thread.v;"
        return "  " * (depth + 1) + text

    def statements(self, depth):
        lines = []
        for _ in range(self.rng.randint(4, 9) if depth == 0 else self.rng.randint(1, 3)):
            lines.append(self.statement(depth))
            roll = self.rng.random()
            if depth < 2 and roll < 0.25:
                i = f"i{self.number}_{len(lines)}"
                inner = self.statements(depth + 1)
                opening, closing = self.one_of([
                    (f"for (int {i} = 0; {i} < {self.rng.randint(0, 3)}; ++{i}) {{", "}"),
                    ("try {", "} catch (int) { sink += 3; }"),
                    ("[&] {", "}();"),
                    ("if (sink.load() % 2 == 0) {", "}"),
                ])
                lines += [opening, *inner, closing]
        return lines


def source(seeds):
    calls = "\n".join(f"  w{seed}::run();" for seed in seeds)
    return PRELUDE + "\n".join("\n".join(Program(seed).out) for seed in seeds) + f"\nint main() {{\n{calls}\n}}\n"


class Batch:
    FLAGS = ["-std=c++20", "-w", "-fopenmp"]

    def __init__(self, seeds, options):
        self.options, self.name = options, os.path.join(options.work, f"w{seeds[0]}")
        self.files = [self.name + ".cpp"]
        with open(self.name + ".cpp", "w") as file:
            file.write(source(seeds))

    def compile(self, compiler, kind, *flags):
        out = self.name + kind
        subprocess.run([compiler, *self.FLAGS, *flags, self.name + ".cpp", "-o", out], check=True)
        self.files.append(out)
        return out

    @staticmethod
    def output(program, **environment):
        return subprocess.run([program], env={**os.environ, **environment}, check=True, capture_output=True, text=True).stdout

    def compare(self, choices):
        """Differences, and how many objects were compared."""
        tools, found, objects = os.path.join(self.options.build, "bin"), [], 0
        plain = self.output(self.compile(self.options.clang, ".plain", "-O1"))
        for level, counted in choices:
            kind, trace = f".{level[1:]}.{counted}", f"{self.name}.{level[1:]}.{counted}.inmem"
            ours = self.output(self.compile(os.path.join(tools, "inmem-clang++"), kind, level,
                                            f"-fplugin-arg-inmem-objects={counted}", "-fplugin-arg-inmem-trivial-objects=on"),
                               INMEM_OPTIONS=f"output={trace}")
            self.files.append(trace)
            if ours != plain:
                found.append(f"{level} {counted}: output differs: " +
                             "; ".join(sorted(set(ours.splitlines()) ^ set(plain.splitlines()))[:4]))
            report = subprocess.run([os.path.join(tools, "inmem"), "report", "--format", "json", trace],
                                    check=True, capture_output=True, text=True).stdout
            rows = {row["type"]: row["objects"] for row in json.loads(report)["types"] if row["objects"]}
            for line in ours.splitlines():
                who, *numbers = line.split()
                if who == "=":
                    continue
                want, row = [int(number) for number in numbers], rows.get(who)
                have = [sum(row["constructed"].values()), row["destroyed"] or 0, row["copied"], row["moved"]] if row else [0] * 4
                objects += want[0]
                if have != want:
                    found.append(f"{level} {counted} {who}: made, gone, copied, moved are {have} in the report, {want} by the program")
        if not found and not self.options.keep:
            for file in self.files:
                os.remove(file)
        return found, objects


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--programs", type=int, default=sizes.sizes()["INMEM_WHOLE_PROGRAMS"])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--batch", type=int, default=25)
    parser.add_argument("--all", action="store_true", help="every level of optimisation and of objects= for each batch")
    parser.add_argument("--clang", default="clang++-22", help="the compiler without inmem")
    parser.add_argument("--build", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--keep", action="store_true", help="leave sources, programs and traces")
    options = parser.parse_args()
    os.makedirs(options.work, exist_ok=True)
    every = list(itertools.product(["-O0", "-O2"], ["count", "lifetime"]))
    seeds = list(range(options.seed, options.seed + options.programs))
    differences, objects = [], 0
    for number, start in enumerate(range(0, len(seeds), options.batch)):
        # Two of the four for each batch, the other two for the next.
        choices = every if options.all else [every[0], every[3]] if number % 2 == 0 else [every[1], every[2]]
        found, made = Batch(seeds[start:start + options.batch], options).compare(choices)
        differences += found
        objects += made
    for difference in differences:
        print(difference)
    print(f"{len(seeds)} programs, {objects} objects compared, {len(differences)} differences")
    return 1 if differences or not objects else 0


if __name__ == "__main__":
    sys.exit(main())
