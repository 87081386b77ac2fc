# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks what Google Benchmark wrote as JSON for benchmark.cpp."""
import json
import sys

FOO = 24
with open(sys.argv[1]) as file:
    results = {row["name"]: row for row in json.load(file)["benchmarks"]}


def expect(name, key, wanted):
    found = results[name].get(key)
    if found is None or abs(found - wanted) > 1e-9:
        sys.exit(f"{name}: {key}: expected {wanted}, found {found} in {results[name]}")


expect("none", "allocs_per_iter", 0)
expect("none", "max_bytes_used", 0)
expect("none", "Foo blocks", 0)
expect("two", "allocs_per_iter", 3)
expect("two", "max_bytes_used", FOO)
expect("two", "net_heap_growth", 0)
expect("two", "total_allocated_bytes", (2 * FOO + 4) * 16)  # it is run 16 times for the memory
expect("two", "Foo blocks", 2)
expect("two", "Foo bytes", 2 * FOO)
expect("two", "int blocks", 1)
expect("grows/iterations:100", "net_heap_growth", 10 * FOO)
