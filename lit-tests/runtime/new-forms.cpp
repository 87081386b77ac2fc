// Intent: every form of new and delete is one block of the right type.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O0 -std=c++20 %s -o %t.O0
// RUN: %record %t.O0.json -- %t.O0
// RUN: %expect %t.O0.json \
// RUN:   'types["Plain"].allocations == 10' \
// RUN:   'types["Plain"].frees == 10' \
// RUN:   'types["Plain"].size == 24' \
// RUN:   'types["Wide"].allocations == 4' \
// RUN:   'types["Wide"].align == 128' \
// RUN:   'types["Owner"].allocations == 2' \
// RUN:   'types["Owner"].elements == 6' \
// RUN:   'types["Self"].allocations == 1' \
// RUN:   'types["Self"].live_allocations == 0' \
// RUN:   'types["int"].allocations == 2' \
// RUN:   'types["int"].elements == 7' \
// RUN:   '{site["kind"] for site in types["Plain"].sites} == {"new", "new[]"}'
// RUN: %inmem-clangxx -O2 -std=c++20 %s -o %t.O2
// RUN: %record %t.O2.json -- %t.O2
// RUN: %expect %t.O2.json \
// RUN:   'types["Plain"].allocations == 10' \
// RUN:   'types["Plain"].frees == 10' \
// RUN:   'types["Plain"].size == 24' \
// RUN:   'types["Wide"].allocations == 4' \
// RUN:   'types["Wide"].align == 128' \
// RUN:   'types["Owner"].allocations == 2' \
// RUN:   'types["Owner"].elements == 6' \
// RUN:   'types["Self"].allocations == 1' \
// RUN:   'types["Self"].live_allocations == 0' \
// RUN:   'types["int"].allocations == 2' \
// RUN:   'types["int"].elements == 7' \
// RUN:   '{site["kind"] for site in types["Plain"].sites} == {"new", "new[]"}'

#include <cstdlib>
#include <new>

struct Plain {
  long a = 1, b = 2, c = 3;
};
struct alignas(128) Wide {
  char bytes[100];
};
struct Owner {
  int *value = nullptr;
  ~Owner() { std::free(value); }
};
struct Self {
  int n[5];
  static void *operator new(std::size_t size) { return std::malloc(size); }
  static void operator delete(Self *self, std::destroying_delete_t) { std::free(self); }
};
template <typename T> T *keep(T *pointer) {
  static void *volatile Sink;
  Sink = pointer;
  return static_cast<T *>(Sink);
}

int main() {
  for (int i = 0; i < 2; ++i) {
    delete keep(new Plain);
    delete keep(new Plain());
    delete keep(new Plain{1, 2, 3});
    delete keep(new (std::nothrow) Plain);
    delete[] keep(new Plain[4]);
    delete keep(new Wide);
    delete[] keep(new Wide[2]);
    delete[] keep(new Owner[3]);
    alignas(Plain) char place[sizeof(Plain)];
    keep(new (place) Plain); // no block
  }
  delete keep(new Self);
  delete keep(new int(5));
  delete[] keep(new int[6]);
}
