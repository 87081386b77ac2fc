// Intent: an exception that a library makes, to throw or to keep, is of the program's line that called it: two lines, a thread,
// recursion in the library. What the program itself throws has its own line.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: rm -rf %t.d && mkdir -p %t.d/third_party && cp %s %t.d/third_party/failing.h
// DEFINE: %{level} = -O0
// DEFINE: %{lines} = %inmem-clangxx -std=c++17 -pthread %{level} -I %t.d/third_party %s -o %t.exe && rm -f %t.inmem && \
// DEFINE:   env INMEM_OPTIONS=output=%t.inmem %t.exe && %inmem report %t.inmem --format json > %t.json && \
// DEFINE:   %python %S/Inputs/lines.py %t.json exceptions.cpp --types | %FileCheck %s
// RUN: %{lines}
// REDEFINE: %{level} = -O2
// RUN: %{lines}
#if __INCLUDE_LEVEL__ > 0 // third_party/failing.h
#include <exception>
#include <stdexcept>
#include <system_error>
struct Failure {
  long Codes[5];
};
namespace failing {
struct Frame {
  std::exception_ptr Kept;
  __attribute__((noinline)) void keep() { Kept = std::make_exception_ptr(Failure()); }
  __attribute__((noinline)) void fail(int Depth) {
    if (Depth)
      fail(Depth - 1);
    else
      throw Failure();
    asm volatile("" ::"r"(this) : "memory"); // no tail call
  }
};
} // namespace failing
#else
#include "failing.h"
#include <thread>
static failing::Frame First;
static int Caught;
static void attempt(failing::Frame &F, int Depth) {
  try {
    F.fail(Depth); // CHECK-DAG: line [[@LINE]]: 14 Failure
  } catch (const Failure &) {
    ++Caught;
  }
}
int main() {
  for (int I = 0; I < 3; ++I)
    First.keep(); // CHECK-DAG: line [[@LINE]]: 3 Failure
  First.keep(); // CHECK-DAG: line [[@LINE]]: 1 Failure
  for (int I = 0; I < 7; ++I)
    attempt(First, I % 4);
  std::thread([] {
    failing::Frame Mine;
    for (int I = 0; I < 7; ++I)
      attempt(Mine, I % 4);
    Mine.keep(); // CHECK-DAG: line [[@LINE]]: 1 Failure
  }).join();
  try {
    throw Failure(); // CHECK-DAG: line [[@LINE]]: 1 Failure
  } catch (const Failure &) {
    ++Caught;
  }
  return Caught == 15 ? 0 : 1;
}
#endif
