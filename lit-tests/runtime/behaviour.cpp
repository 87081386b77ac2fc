// Intent: output, exit code, errno, alignment and signals of a program are what they are
// under plain clang.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %clangxx -O2 %s -o %t.plain
// RUN: %inmem-clangxx -O2 %s -o %t.exe
// RUN: sh -c '%t.plain > %t.plain.out 2> %t.plain.err; echo $? >> %t.plain.out'
// RUN: env INMEM_OPTIONS=output=%t.inmem sh -c '%t.exe > %t.out 2> %t.err; echo $? >> %t.out'
// RUN: diff %t.plain.out %t.out
// RUN: diff %t.plain.err %t.err
// RUN: %FileCheck %s < %t.out
// CHECK: errno kept: 1, set: 1
// CHECK-NEXT: misaligned: 0
// CHECK-NEXT: 43

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

static void *volatile Sink;

// Out of the optimiser's sight: it takes malloc for a function that leaves errno alone.
__attribute__((noinline)) static int errnoNow() {
  asm volatile("" ::: "memory");
  return errno;
}

int main() {
  errno = 77;
  for (int i = 0; i < 1000; ++i) {
    Sink = std::malloc(i);
    std::free(Sink);
    delete[] (Sink = new char[i + 1], static_cast<char *>(Sink));
  }
  int kept = errnoNow() == 77;
  volatile std::size_t huge = SIZE_MAX / 2;
  Sink = std::malloc(huge);
  int set = errnoNow() == ENOMEM && Sink == nullptr;
  int misaligned = 0;
  for (int i = 1; i < 300; ++i) {
    Sink = new char[i];
    misaligned += reinterpret_cast<std::uintptr_t>(Sink) % 16 != 0;
  }
  std::printf("errno kept: %d, set: %d\nmisaligned: %d\n", kept, set, misaligned);
  std::fprintf(stderr, "to stderr\n");
  return 43;
}
