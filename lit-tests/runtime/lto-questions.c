// REQUIRES: lld
// Intent: types that callers name of blocks from another unit's function are found
// where the linker inlines that function and optimises on.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clang -O2 -flto -DALLOCATOR -c %s -o %t.allocator.o
// RUN: %inmem-clang -O2 -flto -c %s -o %t.o
// RUN: %inmem-clang -O2 -flto -fuse-ld=lld %t.o %t.allocator.o -o %t
// RUN: %record %t.json -- %t && %expect %t.json 'types["Foo"].allocations == 10' \
// RUN:   'types["Bar"].allocations == 10' 'types["Baz"].allocations == 10'

#include <stdlib.h>

#ifdef ALLOCATOR
void *get(size_t n) { return malloc(n); }
#else
void *get(size_t n);
struct Foo { int a[4]; };
struct Bar { int b[12]; };
struct Baz { int b[20]; };
void *keep[30];

int main(void) {
  for (int i = 0; i < 10; ++i) {
    struct Foo *foo = get(sizeof(struct Foo));
    struct Bar *bar = get(sizeof(struct Bar));
    struct Baz *baz = get(sizeof(struct Baz));
    keep[3 * i] = foo;
    keep[3 * i + 1] = bar;
    keep[3 * i + 2] = baz;
  }
}
#endif
