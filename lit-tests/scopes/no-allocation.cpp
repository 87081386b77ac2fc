// Intent: INMEM_NO_ALLOCATION ends the program at the first allocation, says which and where, and shows the stack;
// so does a budget that is to abort; without a violation it costs and says nothing.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %if all-tiers %{ %inmem-clangxx -std=c++17 -O0 -fno-exceptions -fno-rtti -rdynamic %s -o %t.O0 %}
// RUN: %if all-tiers %{ env INMEM_OPTIONS=output=%t.inmem %t.O0 %}
// RUN: %if all-tiers %{ env INMEM_OPTIONS=output=%t.inmem %not --crash %t.O0 log 2>&1 | %FileCheck %s %}
// RUN: %inmem-clangxx -std=c++17 -O2 -rdynamic %s -o %t.O2
// RUN: env INMEM_OPTIONS=output=%t.inmem %t.O2 > %t.out 2>&1
// RUN: %FileCheck --check-prefix=QUIET --allow-empty %s < %t.out
// RUN: env INMEM_OPTIONS=output=%t.inmem %not --crash %t.O2 log 2>&1 | %FileCheck %s
// RUN: env INMEM_OPTIONS=output=%t.inmem %not --crash %t.O2 malloc 2>&1 | %FileCheck --check-prefix=MALLOC %s
// A budget that is to abort does so at the allocation that goes over, not before.
// RUN: env INMEM_OPTIONS=output=%t.inmem %not --crash %t.O2 budget 2>&1 | %FileCheck --check-prefix=BUDGET %s
// RUN: %if all-tiers %{ env INMEM_OPTIONS=output=%t.inmem %not --crash %t.O0 budget 2>&1 | %FileCheck --check-prefix=BUDGET %s %}
// Names that are not exported, and those of a static program, where the runtime is in the same file.
// RUN: %if all-tiers %{ %inmem-clangxx -std=c++17 -O1 %s -o %t.plain && env INMEM_OPTIONS=output=%t.inmem %not --crash %t.plain log 2>&1 | %FileCheck --check-prefixes=CHECK,LAST %s %}
// RUN: %inmem-clangxx -std=c++17 -O1 -static %s -o %t.static && env INMEM_OPTIONS=output=%t.inmem %not --crash %t.static log 2>&1 | %FileCheck --check-prefixes=CHECK,LAST %s
// RUN: %if all-tiers %{ %inmem-clangxx -std=c++17 -O1 -static -s %s -o %t.static && env INMEM_OPTIONS=output=%t.inmem %not --crash %t.static log 2>&1 | %FileCheck --check-prefix=STRIPPED %s %}
// STRIPPED: where none is allowed
// STRIPPED-NEXT: #0 ? (?+0x
// Without instrumentation, and without a runtime, there is no guard.
// RUN: %clangxx -I %include -std=c++17 %s -o %t.plain
// RUN: %t.plain && %t.plain log

// QUIET-NOT: inmem
// CHECK: inmem: an allocation of 10 bytes (LogLine) by logLine scopes/no-allocation.cpp:[[#]], where none is allowed (scopes/no-allocation.cpp:[[#]])
// CHECK: #0 {{.*}}logLine
// CHECK-NEXT: #1 {{.*}}process
// CHECK: {{#[0-9]}} main
// LAST: {{#[0-9]}} _start (
// LAST-NOT: #
// MALLOC: inmem: an allocation of 32 bytes (float) by process scopes/no-allocation.cpp:[[#]], where none is allowed
// BUDGET: within
// BUDGET-NEXT: inmem: an allocation of 10 bytes (LogLine) by logLine scopes/no-allocation.cpp:[[#]]: 3 blocks, the budget is 2 of type LogLine (scopes/no-allocation.cpp:[[#]])
// BUDGET-NEXT: #0 {{.*}}logLine
// BUDGET-NEXT: #1 {{.*}}spend
// BUDGET: {{#[0-9]}} main
// BUDGET-NOT: beyond

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <inmem/scope.h>

struct LogLine {
  char text[10];
};

extern "C" {
LogLine *volatile Last;

__attribute__((noinline)) void logLine() {
  Last = new LogLine;
  __asm__ volatile("");
}

__attribute__((noinline)) void spend() {
  inmem::AllocationBudget Budget{inmem::noLimit,
                                 inmem::noLimit,
                                 {inmem::limit<LogLine>(2)},
                                 inmem::OnExcess::Abort};
  logLine();
  logLine();
  std::fprintf(stderr, "within\n");
  logLine();
  std::fprintf(stderr, "beyond\n");
}

__attribute__((noinline)) float process(const float *Samples, int Count, const char *What) {
  INMEM_NO_ALLOCATION;
  float Sum = 0;
  for (int I = 0; I < Count; ++I)
    Sum += Samples[I];
  if (!std::strcmp(What, "log"))
    logLine();
  if (!std::strcmp(What, "malloc")) {
    float *volatile Copy = static_cast<float *>(std::malloc(8 * sizeof(float)));
    std::free(Copy);
  }
  return Sum;
}
}

int main(int Count, char **Arguments) {
  if (Count > 1 && !std::strcmp(Arguments[1], "budget"))
    spend();
  float *Samples = new float[16]();
  float Sum = process(Samples, 16, Count > 1 ? Arguments[1] : "");
  delete[] Samples;
  return Sum != 0;
}
