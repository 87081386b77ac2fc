// Intent: a module of a plugin that knew no string copies, or no source files, says so by its size, and nothing behind its last
// member is read; one that knows them has them in the trace.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clang %s -o %t && env INMEM_OPTIONS=output=%t.inmem %t
// RUN: %inmem dump %t.inmem | %FileCheck %s
#include "inmem/abi.h"

static const struct inmem_string_copy Old[] = {{.line = 1, .flags = INMEM_COPY_VIEW}};
static const struct inmem_string_copy New[] = {{.line = 2, .kind = INMEM_COPY_ARGUMENT, .key = 7},
                                               {.line = 3, .flags = INMEM_COPY_VIEW | INMEM_COPY_ALONE}};
static const struct inmem_source Source[] = {{.hash = 9}};
static struct inmem_module Modules[] = {
    {.abi_version = INMEM_ABI_VERSION, .copies_begin = Old, .copies_end = Old + 1},
    {.abi_version = INMEM_ABI_VERSION,
     .bytes = offsetof(struct inmem_module, sources_begin),
     .sources_begin = Source,
     .sources_end = Source + 1},
    {.abi_version = INMEM_ABI_VERSION, .bytes = sizeof(struct inmem_module), .copies_begin = New, .copies_end = New + 2},
    {.abi_version = INMEM_ABI_VERSION, .bytes = sizeof(struct inmem_module), .sources_begin = Source, .sources_end = Source + 1},
};

int main(void) {
  for (int I = 0; I < 4; ++I)
    __inmem_register_module(&Modules[I]);
}
// CHECK-NOT: string-copy
// CHECK-NOT: hash=0x9
// CHECK: string-copy kind=argument key=0x7 line=2
// CHECK-NEXT: string-copy kind=variable flags=view,alone line=3
// CHECK-NOT: string-copy
// CHECK: source hash=0x9
// CHECK-NOT: hash=0x9
