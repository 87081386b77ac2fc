// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program that allocates, and has the faults that other tools find.
#ifdef PRELOAD
#include <stdio.h>
__attribute__((destructor)) static void tell(void) { puts("preloaded"); }
int getppid(void) { return 1; }
#else
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <inmem/budget.h>
#include <vector>

struct Item {
  int value, other;
};
struct Counted {
  int value = 0;
  ~Counted() { value = 1; }
};
static Item *volatile Sink;
#if __has_feature(realtime_sanitizer)
__attribute__((noinline)) static void notBlocking() noexcept [[clang::nonblocking]] { Sink = new Item; }
#else
static void notBlocking() {}
#endif
__attribute__((noinline)) static void growStrings() {
  std::map<std::string, std::vector<long>> lists;
  for (int i = 0; i < 50; ++i) {
    std::string name;
    for (int j = 0; j < i; ++j)
      name.append("longer and longer");
    lists[name].resize(i);
  }
}
struct alignas(64) Wide {
  int value;
};
static Wide *volatile WideSink;
template <class Work> static void refuse(Work work) {
  inmem::AllocationBudget budget{1};
  try {
    work();
    std::fputs("not refused\n", stderr);
  } catch (const inmem::budget_exceeded &) {
  }
}
static void refuseAll() {
  refuse([] { delete (Sink = new Item); });
  refuse([] { delete[] (Sink = new Item[9]); });
  refuse([] { delete (WideSink = new Wide); });
  refuse([] { delete[] (WideSink = new Wide[9]); });
}
__attribute__((noinline)) static int last(Item *item) { return item->value == 42 ? 0 : 1; }

int main(int argc, char **argv) {
  for (int i = 0; i < 99; ++i) {
    Sink = new Item;
    delete Sink;
    Counted one;
  }
  Counted lastOne;
  Item *item = new Item{42, 0};
  int result = last(item);
  if (argc > 1 && !std::strcmp(argv[1], "uninitialised")) {
    Sink = new Item;
    if (Sink->value == 7)
      result = 2;
  }
  if (argc > 1 && !std::strcmp(argv[1], "overflow")) {
    char *volatile four = static_cast<char *>(std::malloc(4));
    four[4] = 1;
  }
  if (argc > 1 && !std::strcmp(argv[1], "leak")) {
    for (int i = 0; i < 10; ++i)
      Sink = new Item;
    Sink = nullptr;
  }
  if (argc > 1 && !std::strcmp(argv[1], "strings"))
    growStrings(), refuseAll();
  if (argc > 1 && !std::strcmp(argv[1], "blocking"))
    notBlocking();
  delete item;
  return result;
}
#endif
