#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds the compile time of generated code to being linear in its size.

  linear.py PLAIN INMEM OUT [-- CLANG-OPTION...]

Compiles functions of N and of 4 N statements of several kinds at -O0 with both compilers. What INMEM takes
beyond PLAIN may grow with the size: a fault where it grows more than twice as fast, and is more than
twice what PLAIN takes. CPU time of the user, the least of the runs, since other work on the machine only ever
adds: one run where it is far from a fault, else two, and up to ten more while it looks like one. Exit code 1:
something grows faster.
"""
import os
import sys

KINDS = {  # N, what comes first, one statement, what comes last
    "rows of an initialiser list": (300, "#include <string>\n#include <vector>\nstruct R { std::string n; int v; };\n"
                                         "std::vector<R> all(int i, void *p) { return {\n", '{{"n{0}", {0}}},\n', "}; }\n"),
    "aggregates as arguments": (400, "struct A { int x, y; ~A(); }; void g(A);\nvoid f(int i, void *p) {\n", "g(A{{i, 2}});\n", "}\n"),
    "new and constructors": (1000, "struct A { int x; A(int); ~A(); }; void g(A *); void h(A);\nvoid f(int i, void *p) {\n",
                             "g(new A(i)); h(A(i));\n", "}\n"),
    "returned objects": (800, "struct A { int x; A(int); ~A(); }; A make(int); void g(const A &);\nvoid f(int i, void *p) {\n",
                         "g(make(i));\n", "}\n"),
    "placed arrays": (800, "#include <new>\nstruct A { int x; ~A(); }; void g(void *);\nvoid f(int i, void *p) {\n",
                      "g(new (p) A[i]);\n", "}\n"),
    "malloc": (800, "#include <stdlib.h>\nstruct A { int x; }; void g(void *);\nvoid f(int i, void *p) {\n",
               "{{ A *a = (A *)malloc(sizeof(A)); g(a); void *v = malloc(i); g((A *)v); }}\n", "}\n"),
    "what is given and returned": (4000, "#include <stdlib.h>\nstruct A { int x; };\n"
                                         "__attribute__((noinline)) static void *same(void *p) { if (!p) abort(); return p; }\n"
                                         "A *f(A *p) {\n", "p = (A *)same(p);\n", "return p; }\n"),
    "a block given and returned": (4000, "#include <stdlib.h>\nstruct A { int x; }; void *other();\n"
                                         "__attribute__((noinline)) static void *same(void *p) { if (!p) abort(); return p; }\n"
                                         "A *f(A *p) {\n", "p = (A *)same(p);\n", "return p = (A *)other(); }\n"),
}


def cpu_seconds(command):
    pid = os.posix_spawnp(command[0], command, os.environ)
    _, status, usage = os.wait4(pid, 0)
    if status:
        sys.exit(f"failed: {' '.join(command)}")
    # The driver's children count too: wait4 sums what it has waited for.
    return usage.ru_utime


class Kind:
    """Least seconds of each compiler (plain, ours) for N and 4 N statements of a kind."""

    def __init__(self, compilers, out, options, kind):
        count, first, statement, last = KINDS[kind]
        self.sizes = (count, 4 * count)
        self.least = {}
        self.commands = {}
        for size in self.sizes:
            source = f"{out}.{size}.cpp"
            with open(source, "w") as file:
                file.write(first + "".join(statement.format(i) for i in range(size)) + last)
            for which, compiler in enumerate(compilers):
                self.commands[which, size] = [compiler, *options, "-O0", "-std=c++17", "-c", source, "-o", f"{out}.o"]

    def run(self):
        for key, command in self.commands.items():
            self.least[key] = min(self.least.get(key, float("inf")), cpu_seconds(command))

    def beyond(self, size):
        return max(self.least[1, size] - self.least[0, size], 0)

    def grows_faster(self, part=1):
        # Quadratic would be sixteen times, and several times the whole.
        small, large = self.sizes
        return self.beyond(large) > part * max(2 * self.least[0, large], 8 * self.beyond(small))


def main():
    plain, ours, out, *options = [word for word in sys.argv[1:] if word != "--"]
    failures = 0
    for name in KINDS:
        kind = Kind((plain, ours), out, options, name)
        runs = 0
        while runs == 0 or (runs == 1 and kind.grows_faster(1 / 2)) or (runs < 12 and kind.grows_faster()):
            kind.run()
            runs += 1
        small, large = kind.sizes
        print(f"{name}: {kind.beyond(small):.2f} s more for {small}, {kind.beyond(large):.2f} s for {large}; "
              f"{kind.least[0, large]:.2f} s without ({runs} run{'s' * (runs > 1)})")
        if kind.grows_faster():
            failures += 1
            print(f"{name}: compile time grows faster than the code")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
