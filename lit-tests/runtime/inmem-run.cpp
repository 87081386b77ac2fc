// Intent: `inmem run` records programs that were not instrumented, and passes their exit code on.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %clangxx -O1 %s -o %t.plain
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: sh -c '%inmem run -- %t.plain; echo "exit code $?"' > %t.out 2>&1
// RUN: %FileCheck %s < %t.out
// CHECK: program output
// CHECK: 100
// CHECK: exit code 5
// --trace names the trace; output= would be lost without a word.
// RUN: sh -c 'INMEM_OPTIONS=quiet=1:output=other.inmem %inmem run --options output=third.inmem -- %t.plain; echo "exit code $?"' 2>&1 | %FileCheck %s --check-prefix=OUTPUT
// OUTPUT: inmem: output= in INMEM_OPTIONS has no effect on inmem run: --trace FILE keeps the trace
// OUTPUT-NEXT: inmem: output= in --options has no effect on inmem run: --trace FILE keeps the trace
// OUTPUT: exit code 5
// RUN: sh -c 'INMEM_OPTIONS=output=other.inmem %inmem run --trace kept.inmem -- %t.plain; ls *.inmem' 2>&1 | %FileCheck %s --check-prefix=KEPT
// KEPT-NOT: output=
// KEPT: {{^}}kept.inmem
// KEPT-NOT: other.inmem
// Programs that cannot load the runtime: one line, and no exit code 0.
// RUN: %clangxx -O1 -DOK -static %s -o %t.static
// RUN: sh -c '%inmem run -- %t.static; echo "exit code $?"' 2>&1 | %FileCheck %s --check-prefix=STATIC
// STATIC: program output
// STATIC-NEXT: no trace: {{.*}}.static is a static executable, which cannot load the runtime; compile it with inmem-clang
// STATIC-NEXT: exit code 3
// RUN: %clangxx -O1 -DOK %s -Wl,--dynamic-linker=/lib/ld-musl-x86_64.so.1 -o %t.musl
// RUN: sh -c '%inmem run -- %t.musl; echo "exit code $?"' 2>&1 | %FileCheck %s --check-prefix=MUSL
// MUSL: {{^(inmem: )?}}{{.*}}.musl: its C library is not glibc (/lib/ld-musl-x86_64.so.1), so it cannot load the runtime; nothing was run; compile it with inmem-clang --target=x86_64-linux-musl{{$}}
// MUSL-NEXT: exit code 126

#include <cstdio>
#include <cstdlib>

static void *volatile Sink;

int main() {
  for (int i = 0; i < 100; ++i)
    Sink = std::malloc(1000);
  std::puts("program output");
  std::fflush(stdout);
#ifndef OK
  return 5;
#endif
}
