// Intent: a block that operator new gets only after a new-handler made room is its site's, with its type.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O1 -std=c++20 %s -o %t.exe
// RUN: %record %t.json -- %t.exe
// RUN: %expect %t.json 'types["Huge"].allocations == 2 == types["Huge"].frees' 'types["Huge"].allocated_bytes == 2 * (300 << 20)' \
// RUN:   'types["Wide"].allocations == 1' 'types["Note"].allocations == 3'

#include <cstdlib>
#include <new>
#include <sys/resource.h>

struct Huge {
  char Bytes[300 << 20];
};
struct alignas(128) Wide {
  char Bytes[300 << 20];
};
struct Note {
  long Values[3];
};

static rlimit Unlimited;
static void *volatile Sink;

static void forbidMore() {
  getrlimit(RLIMIT_AS, &Unlimited);
  const rlimit None{1, Unlimited.rlim_max};
  if (setrlimit(RLIMIT_AS, &None) != 0)
    std::abort();
}

// Allocates on its own account, as one that logs would.
static void makeRoom() {
  setrlimit(RLIMIT_AS, &Unlimited);
  Sink = new Note;
}

template <class T> static void allocate() {
  forbidMore();
  Sink = new T;
  delete static_cast<T *>(Sink);
}

int main() {
  std::set_new_handler(makeRoom);
  allocate<Huge>();
  allocate<Huge>();
  allocate<Wide>();
  return 0;
}
