// Intent: of a C++ program without instrumentation, blocks of containers, operators and own libraries belong to the program's line.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// DEFINE: %{run} = %inmem run -q --options callers=on --trace
// DEFINE: %{lines} = %python %S/Inputs/program-lines.py
// RUN: %if all-tiers %{ g++ -O0 -g %s -o %t.gcc0 && %{run} %t.gcc0.inmem -- %t.gcc0 && %{lines} %s %t.gcc0.inmem %inmem %}
// RUN: g++ -O2 -g %s -o %t.gcc2 && %{run} %t.gcc2.inmem -- %t.gcc2 && %{lines} %s %t.gcc2.inmem %inmem
// RUN: %clangxx -O0 -g %s -o %t.clang0 && %{run} %t.clang0.inmem -- %t.clang0 && %{lines} %s %t.clang0.inmem %inmem
// RUN: %if all-tiers %{ %clangxx -O2 -g %s -o %t.clang2 && %{run} %t.clang2.inmem -- %t.clang2 && %{lines} %s %t.clang2.inmem %inmem %}
// Functions in a library that comes with the program are the program's.
// RUN: rm -rf %t.dir && mkdir %t.dir
// RUN: g++ -O1 -g -shared -fPIC -DLIBRARY %s -o %t.dir/libcalled.so && g++ -O1 -g -DPROGRAM %s -o %t.two %t.dir/libcalled.so
// RUN: %{run} %t.two.inmem -- %t.two && %{lines} %s %t.two.inmem %inmem
#include <cstdlib>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <vector>

#define APART __attribute__((noinline))
void useNode(void *);

#if !defined(PROGRAM)
APART void useNode(void *Node) { __asm__ volatile("" : : "r"(Node) : "memory"); }

struct Pooled {
  long Words[6];
  static APART void *operator new(std::size_t Bytes) {
    void *P = std::malloc(Bytes);
    if (!P)
      throw std::bad_alloc();
    return P;
  }
  static void operator delete(void *P) { std::free(P); }
};

APART void grow(std::vector<long> &Into, long Up) {
  for (long I = 0; I < Up; ++I)
    Into.push_back(I); // 5 + 4
}
APART void fill(std::map<int, std::string> &Into) {
  for (int I = 0; I < 7; ++I)
    Into[I]; // 7
}
APART std::shared_ptr<std::string> shared() {
  return std::make_shared<std::string>("short"); // 3
}
APART void append(std::string &To) {
  To.append(100, 'x'); // 1
  useNode(&To);
  __asm__ volatile("");
}
APART void pooled() {
  Pooled *P = new Pooled; // 4
  useNode(P);
  __asm__ volatile("");
}

void run() {
  std::vector<long> A, B;
  grow(A, 9), grow(B, 8);
  std::map<int, std::string> Map;
  fill(Map);
  for (int I = 0; I < 3; ++I)
    useNode(shared().get());
  std::string Text;
  append(Text);
  for (int I = 0; I < 4; ++I)
    pooled();
}
#else
void run();
#endif

#if !defined(LIBRARY)
int main() { run(); }
#endif
