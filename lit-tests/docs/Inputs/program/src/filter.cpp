// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A function that must not allocate, and does.
#include <inmem/scope.h>

void logLine();

__attribute__((noinline)) void process(const float *, int) {
  INMEM_NO_ALLOCATION;
  logLine();
}

int main() { process(nullptr, 0); }
