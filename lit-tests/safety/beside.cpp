// REQUIRES: asan, msan, valgrind
// Intent: beside other tools a program is counted as ever, they find what they find without us, and
// what cannot work is refused in one line.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O0 -fsanitize=memory %s -o %t.msan
// RUN: %record %t.json -- %t.msan
// RUN: %expect %t.json 'types["Item"].allocations == 100' 'types["Item"].frees == 100'
// RUN: %not env INMEM_OPTIONS=output=%t.bad.inmem %t.msan uninitialised 2>&1 | %FileCheck %s --check-prefix=MSAN
// MSAN: MemorySanitizer: use-of-uninitialized-value

// Small blocks keep their size: what lies just behind them is found.
// RUN: %inmem-clangxx -O0 -fsanitize=address %s -o %t.asan
// RUN: %not env INMEM_OPTIONS=output=%t.bad.inmem %t.asan overflow 2>&1 | %FileCheck %s --check-prefix=ASAN
// ASAN: AddressSanitizer: heap-buffer-overflow
// ASAN: located 0 bytes after 4-byte region
// RUN: %not env INMEM_OPTIONS=output=%t.bad.inmem %t.asan leak 2>&1 | %FileCheck %s --check-prefix=LEAK
// LEAK: Direct leak of {{(48 byte.s. in 6|56 byte.s. in 7|64 byte.s. in 8|72 byte.s. in 9|80 byte.s. in 10)}} object(s)

// What a function that must not block allocates is found, by its true name; the rest is counted. (Not in
// LLVM 19 and 16.)
// RUN: %if llvm-22 %{ %inmem-clangxx -O1 -fsanitize=realtime %s -o %t.rtsan %}
// RUN: %if llvm-22 %{ %record %t.json -- %t.rtsan %}
// RUN: %if llvm-22 %{ %expect %t.json 'types["Item"].allocations == 100' 'types["Item"].frees == 100' %}
// RUN: %if llvm-22 %{ %not env INMEM_OPTIONS=output=%t.bad.inmem %t.rtsan blocking 2>&1 | %FileCheck %s --check-prefix=REALTIME %}
// REALTIME: RealtimeSanitizer: unsafe-library-call
// REALTIME: `malloc` in real-time context
// REALTIME: notBlocking

// RUN: %inmem-clangxx -O0 -fprofile-instr-generate -fcoverage-mapping %s -o %t.cov
// RUN: env LLVM_PROFILE_FILE=%t.profraw %record %t.json -- %t.cov
// RUN: %expect %t.json 'types["Item"].allocations == 100'
// RUN: %llvm-profdata merge %t.profraw -o %t.profdata
// RUN: %llvm-cov report %t.cov -instr-profile=%t.profdata | %FileCheck %s --check-prefix=COVERAGE
// COVERAGE: beside.cpp {{ *[1-9]}}
// RUN: %inmem-clangxx -O2 -fprofile-use=%t.profdata -Wno-profile-instr-unprofiled -Wno-profile-instr-out-of-date %s -o %t.pgo
// RUN: %record %t.json -- %t.pgo
// RUN: %expect %t.json 'types["Item"].allocations == 100'

// RUN: %not %inmem-clangxx -fsanitize=hwaddress -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=HWASAN
// HWASAN: error: inmem does not work with -fsanitize=hwaddress
// HWASAN-NOT: error:
// RUN: %not %inmem-clangxx -fsanitize=dataflow -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=DFSAN
// DFSAN: error: inmem does not work with -fsanitize=dataflow
// DFSAN-NOT: error:

// Counters of objects are no access out of bounds.
// RUN: %inmem-clangxx -O1 -fsanitize=bounds,integer,nullability -fno-sanitize-recover=bounds %s -o %t.bounds
// RUN: %record %t.json -- %t.bounds
// RUN: %expect %t.json 'types["Item"].allocations == 100' 'types["Item"].frees == 100' 'types["Counted"].objects.destroyed == 100'

// Under valgrind, whose allocator takes the place of every other.
// RUN: %inmem-clangxx -O0 %s -o %t.exe
// RUN: %record %t.json -- valgrind -q --error-exitcode=9 %t.exe
// RUN: %expect %t.json 'types["Item"].allocations == 100' 'types["Item"].frees == 100'
// RUN: %not env INMEM_OPTIONS=output=%t.bad.inmem valgrind -q --error-exitcode=9 %t.exe overflow 2>&1 | %FileCheck %s --check-prefix=VALGRIND
// VALGRIND: Invalid write of size 1
// VALGRIND: 0 bytes after a block of size
// Strings that libstdc++ allocates and the program frees are no mismatch, nor do their callers read undefined words;
// what a budget refuses goes back to the delete that fits its new.
// RUN: %inmem-clangxx -O2 %s -o %t.exe
// RUN: %record %t.json -- valgrind -q --error-exitcode=9 %t.exe strings 2>&1 | %FileCheck %s --check-prefix=STRINGS --allow-empty
// STRINGS-NOT: {{Mismatched|uninitialised|unknown 'how'|not refused}}
// RUN: %expect %t.json 'types["Item"].allocations == 102' 'types["Item"].frees == 102' 'types["Wide"].frees == 2'
// In a static program valgrind replaces no allocator; its memory is probed like that all the same.
// RUN: %inmem-clangxx -O2 -static %s -o %t.static
// RUN: %record %t.json -- valgrind -q %t.static strings 2>&1 | %FileCheck %s --check-prefix=STATIC --allow-empty
// STATIC-NOT: {{rt_sigprocmask|unknown 'how'}}
// RUN: %expect %t.json 'types["Item"].frees == 102'

// In a debugger, and with another library before ours.
// RUN: %inmem-clangxx -O0 -g %s -o %t.exe
// RUN: env INMEM_OPTIONS=output=%t.gdb.inmem gdb -q -batch -ex "break last" -ex run -ex "print *item" -ex continue %t.exe 2>&1 | %FileCheck %s --check-prefix=GDB
// GDB: Breakpoint 1, last
// GDB: value = 42
// GDB: exited normally
// RUN: %inmem report --format json %t.gdb.inmem > %t.json && %expect %t.json 'types["Item"].allocations == 100'
// RUN: %clang -O1 -shared -fPIC -x c -DPRELOAD %s -o %t.preload.so
// RUN: %record %t.json -- env LD_PRELOAD=Output/%basename_t.tmp.preload.so %t.exe | %FileCheck %s --check-prefix=PRELOAD
// PRELOAD: preloaded
// RUN: %expect %t.json 'types["Item"].allocations == 100' 'types["Item"].frees == 100'

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
