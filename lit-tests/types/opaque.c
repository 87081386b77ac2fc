// Intent: what a library without instrumentation makes for itself has no type, but module and symbol;
// inmem report can be taught what it is.
// RUN: %table %s
// LIBRARY: types/library.c -fno-optimize-sibling-calls
// REPORT: --assume 'libtable0.so:lib_open=secret' --assume 'libc.so.6:nothing=wrong' --assume 'other.so:lib_*=wrong'
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stddef.h>
#include <stdio.h>

struct secret;
struct secret *lib_open(void);
struct secret *lib_open_other(int);
static void *volatile Sink;
int main(void) {
  Sink = lib_open();
  Sink = lib_open();
  Sink = lib_open_other(3);
}
// EXPECT: [(row.type, row.allocations, row.allocated_bytes, row.elements) for row in typed] == [("secret", 2, 48, None)]
// EXPECT: types["secret"].peak_live_bytes is None and types["secret"].sites[0].kind == "caller"
// EXPECT: [(site.function, site.allocations, site.module.endswith("libtable0.so")) for site in types[None].sites] == [("lib_open_other", 1, True)]
// ALONE: [row.type for row in typed] == ["secret"]
