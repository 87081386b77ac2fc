// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Containers of types of one size, in functions that gcc makes one before it
// inlines them, for found_types.py: each block's type is its container's.
#include <list>
#include <map>
#include <memory>
#include <vector>

struct First {
  long Value;
};
struct Second {
  double Value;
};
struct Third {
  unsigned long Value;
};
First A{1};
Second B{2};
Third C{3};
std::vector<First *> Firsts;
std::vector<Second *> Seconds;
std::vector<const char *> Names;
std::map<int, First> FirstOf;
std::map<int, Second> SecondOf;
std::list<Third> Thirds;

__attribute__((noinline)) void addFirst() {
  Firsts.push_back(&A);
}
__attribute__((noinline)) void addSecond() {
  Seconds.push_back(&B);
}
__attribute__((noinline)) void addName() {
  Names.push_back("name");
}
__attribute__((noinline)) void mapFirst(int Key) {
  FirstOf[Key] = A;
}
__attribute__((noinline)) void mapSecond(int Key) {
  SecondOf[Key] = B;
}
__attribute__((noinline)) void addThird() {
  Thirds.push_back(C);
}
__attribute__((noinline)) void make() {
  auto Map = std::make_unique<std::map<int, First>>();
  (*Map)[1] = A;
}

int main() {
  for (int I = 0; I < 20; ++I) {
    addFirst();
    addSecond();
    addName();
    mapFirst(I);
    mapSecond(I);
    addThird();
    make();
  }
  return Firsts.size() != Seconds.size();
}
