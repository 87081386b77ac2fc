// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Intent: what one variable costs is one finding, and the advice fits: a buffer declared in a loop is kept outside of it.
// Two variables, two functions of the same name and a recursive function have separate findings.
// RUN: %inmem-clangxx -std=c++17 -O2 %s -o %t.exe
// RUN: env INMEM_OPTIONS=output=%t.inmem:clock=events %t.exe
// RUN: %inmem report --format json %t.inmem > %t.json
// RUN: %expect %t.json \
// RUN:   '[(f["site"]["function"], f["site"]["line"], [each["line"] for each in f.get("lines", [])]) for f in sorted(report["findings"], key=lambda f: f["site"]["line"])] == [("oneString(int)", 34, []), ("oneVector(int)", 43, [43, 46]), ("twoVectors(int)", 55, []), ("twoVectors(int)", 57, []), ("(anonymous namespace)::fill(int)", 66, []), ("other::fill(int)", 75, []), ("recursion(int)", 83, [])]' \
// RUN:   'all("outside of the loop" in f["advice"] for f in report["findings"])'
//
// Without optimisation no function is inlined, and each of the program's has one finding for all of its lines.
// RUN: %inmem-clangxx -std=c++17 -O0 %s -o %t.debug.exe
// RUN: env INMEM_OPTIONS=output=%t.debug.inmem:clock=events %t.debug.exe
// RUN: %inmem report --format json %t.debug.inmem > %t.debug.json
// RUN: %expect %t.debug.json --in %s --prefix DEBUG
//
// If inmem knows who frees them, the loop is the function's own.
// RUN: env INMEM_OPTIONS=output=%t.frees.inmem:clock=events:frees=on %t.exe
// RUN: env COLUMNS=160 %inmem report --by finding %t.frees.inmem | %FileCheck %s
// CHECK: std::string buffer · oneString
// CHECK: → keep the string outside of the loop and assign to it
#include <string>
#include <vector>

static volatile unsigned long Sum;

__attribute__((noinline)) void oneString(int Lines) {
  for (int I = 0; I < Lines; ++I) {
    std::string Text;
    for (int J = 0; J < 30; ++J)
      Text += 'x';
    Text += " and more words that make it grow again";
    for (int J = 0; J < 60; ++J)
      Text.push_back('y');
    Sum = Sum + Text.size();
  }
}

__attribute__((noinline)) void oneVector(int Lines) {
  for (int I = 0; I < Lines; ++I) {
    std::vector<int> Numbers;
    for (int J = 0; J < 8; ++J)
      Numbers.push_back(J);
    Sum = Sum + Numbers.size();
    for (int J = 0; J < 100; ++J)
      Numbers.push_back(J);
    Sum = Sum + Numbers.size();
  }
}

__attribute__((noinline)) void twoVectors(int Lines) {
  for (int I = 0; I < Lines; ++I) {
    std::vector<long> First, Second;
    for (int J = 0; J < 20; ++J)
      First.push_back(J);
    for (int J = 0; J < 20; ++J)
      Second.push_back(J);
    Sum = Sum + First.size() + Second.size();
  }
}

namespace {
__attribute__((noinline)) void fill(int N) {
  std::vector<short> Numbers;
  for (int J = 0; J < 20; ++J)
    Numbers.push_back(J);
  Sum = Sum + Numbers.size() + N;
}
} // namespace

namespace other {
__attribute__((noinline)) void fill(int N) {
  std::vector<short> Numbers;
  for (int J = 0; J < 20; ++J)
    Numbers.push_back(J);
  Sum = Sum + Numbers.size() + N;
}
} // namespace other

__attribute__((noinline)) void recursion(int Depth) {
  std::vector<double> Numbers;
  for (int J = 0; J < 20; ++J)
    Numbers.push_back(J);
  Sum = Sum + Numbers.size();
  if (Depth > 0)
    recursion(Depth - 1);
  Sum = Sum + Numbers.capacity();
}

int main() {
  oneString(2000);
  oneVector(2000);
  twoVectors(2000);
  for (int I = 0; I < 2000; ++I) {
    fill(I);
    other::fill(I);
  }
  for (int I = 0; I < 100; ++I)
    recursion(20);
}

// DEBUG: sorted((f["rule"], f["site"]["function"], len(f.get("lines", [1]))) for f in report["findings"] if "regrowth" in f["rule"]) == [("vector-regrowth", "(anonymous namespace)::fill(int)", 1), ("vector-regrowth", "oneVector(int)", 2), ("vector-regrowth", "other::fill(int)", 1), ("vector-regrowth", "recursion(int)", 1), ("vector-regrowth", "twoVectors(int)", 2)]
