// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// oracle-flags: -fsized-deallocation
// nothrow forms, class operators, placement, destroying delete. (Requests that
// fail are a lit test: valgrind cannot throw bad_alloc.)
#include <cstdio>
#include <cstdlib>
#include <new>

struct Pooled {
  int value[8];
  static void *operator new(std::size_t size) { return std::malloc(size); }
  static void operator delete(void *pointer, std::size_t) {
    std::free(pointer);
  }
};
struct Destroying {
  int value = 1;
  static void operator delete(Destroying *self, std::destroying_delete_t) {
    self->~Destroying();
    ::operator delete(self);
  }
};
static void *volatile Sink;

int main() {
  int total = 0;
  for (int i = 0; i < 30; ++i) {
    int *a = new (std::nothrow) int(i);
    int *b = new (std::nothrow) int[i + 1]();
    Pooled *c = new Pooled;
    Destroying *d = new Destroying;
    Sink = a;
    Sink = b;
    Sink = c;
    Sink = d;
    alignas(int) char place[sizeof(int)];
    int *e = new (place) int(3);
    Sink = e;
    total += *e + d->value;
    delete a;
    delete[] b;
    delete c;
    delete d;
  }
  std::printf("%d\n", total);
}
