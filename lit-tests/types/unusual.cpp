// Intent: where C++ hides a type: raw memory that serves two classes or has room for more than one object, and names
// of an anonymous namespace that is inline.
// RUN: %table %s
// MODES: c++17
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdlib>
#include <new>

struct First { int n[3]; First() { n[0] = 1; } };
struct Second { int n[3]; Second() { n[0] = 2; } };
struct Roomy { int n[5]; Roomy() { n[0] = 3; } };
inline namespace {
struct Hidden { int n[7]; };
}
static void *volatile Sink;
volatile int One = 1;

// Either of two: neither.
__attribute__((noinline)) static void either() {
  void *raw = ::operator new(12);
  if (One)
    Sink = new (raw) First;
  else
    Sink = new (raw) Second;
}

int main() {
  either();
  // An arena stays what it is.
  Sink = new (new char[1000]) Roomy;
  Sink = new Hidden;
}
// EXPECT: {row.type: row.allocations for row in typed if row.allocations} == {"char": 1, "(anonymous namespace)::Hidden": 1}
// EXPECT: types["char"].allocated_bytes == 1000
