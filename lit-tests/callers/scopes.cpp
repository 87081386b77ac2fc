// Intent: what scopes list, as tests print it when they fail, is the program's line where the C++ library or a wrapper made the
// block.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %if all-tiers %{ %inmem-clangxx -std=c++20 -O0 %s -o %t.exe %}
// RUN: %if all-tiers %{ env INMEM_OPTIONS=output=%t.inmem %t.exe | %FileCheck %s %}
// RUN: %inmem-clangxx -std=c++20 -O2 -fno-inline %s -o %t.exe
// RUN: env INMEM_OPTIONS=output=%t.inmem %t.exe | %FileCheck %s
#include <inmem/allocation_scope.h>
#include <inmem/annotate.h>

#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

static void *volatile Sink;
__attribute__((noinline)) INMEM_WRAPPER static void allocate(void **Into) { *Into = std::malloc(40); }
__attribute__((noinline)) static void library(std::vector<long> &Numbers, std::string &Text) {
  // CHECK: 1 800 1 long library callers/scopes.cpp:[[#@LINE+5]]
  // CHECK: 1 301 1 char library callers/scopes.cpp:[[#@LINE+5]]
  // CHECK: 1 40 1 {{.*}}wrapped callers/scopes.cpp:[[#@LINE+8]]
  // CHECK: again
  // CHECK: 1 800 1 long library callers/scopes.cpp:[[#@LINE+1]]
  Numbers.reserve(100);
  Text.resize(300);
}
__attribute__((noinline)) static void wrapped() {
  void *Made;
  allocate(&Made);
  Sink = Made;
}
__attribute__((noinline)) static inmem::Allocations counted(inmem::Follow How) {
  std::vector<long> Numbers;
  std::string Text;
  inmem::AllocationScope Scope(How);
  library(Numbers, Text);
  wrapped();
  return Scope.end();
}
int main() {
  std::cout << counted(inmem::Follow::Nothing) << "again\n" << counted(inmem::Follow::EachBlock);
}
