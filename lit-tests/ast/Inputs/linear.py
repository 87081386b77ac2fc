#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds the compile time of generated code to being linear in its size.

  linear.py PLAIN INMEM OUT [-- CLANG-OPTION...]

Compiles functions of N and of 4 N statements of several kinds at -O0 with both compilers. What INMEM takes
beyond PLAIN may grow with the size: a fault where it grows more than twice as fast, and is more than
what PLAIN takes. CPU time of the user, the less of two. Exit code 1: something grows faster.
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
}


def cpu_seconds(command):
    def once():
        pid = os.posix_spawnp(command[0], command, os.environ)
        _, status, usage = os.wait4(pid, 0)
        if status:
            sys.exit(f"failed: {' '.join(command)}")
        return usage.ru_utime
    # The driver's children count too: wait4 sums what it has waited for.
    return min(once() for _ in range(2))


def beyond_plain(compilers, out, options, kind, size):
    _, first, statement, last = KINDS[kind]
    source = f"{out}.{size}.cpp"
    with open(source, "w") as file:
        file.write(first + "".join(statement.format(i) for i in range(size)) + last)
    plain, ours = (cpu_seconds([compiler, *options, "-O0", "-std=c++17", "-c", source, "-o", f"{out}.o"])
                   for compiler in compilers)
    return plain, max(ours - plain, 0)


def main():
    plain, ours, out, *options = [word for word in sys.argv[1:] if word != "--"]
    failures = 0
    for kind, (size, *_) in KINDS.items():
        _, small = beyond_plain((plain, ours), out, options, kind, size)
        whole, large = beyond_plain((plain, ours), out, options, kind, 4 * size)
        print(f"{kind}: {small:.2f} s more for {size}, {large:.2f} s for {4 * size}; {whole:.2f} s without")
        # Quadratic would be sixteen times, and several times the whole.
        if large > max(2 * whole, 8 * small):
            failures += 1
            print(f"{kind}: compile time grows faster than the code")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
