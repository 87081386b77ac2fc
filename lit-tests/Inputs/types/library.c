// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* A library that was not instrumented. */
#include <stdlib.h>
#include <string.h>

struct secret { int n[6]; };
void *lib_malloc(size_t size) { return malloc(size); }
void *lib_array(size_t count, size_t size) { return calloc(count, size); }
char *lib_name(void) { return strcpy(malloc(10), "a name"); }
struct secret *lib_open(void) { return calloc(1, sizeof(struct secret)); }
struct secret *lib_open_other(int n) { return calloc(n, sizeof(struct secret)); }
