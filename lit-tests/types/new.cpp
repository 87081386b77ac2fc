// Intent: new and new[] of trivial and other types, nothrow, aligned, and with operators of the class's
// own, inlined or not, even where their bodies call malloc.
// RUN: %table %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdlib>
#include <new>

struct Plain { long a = 1, b = 2; };
struct Trivial { int n[3]; };
struct Owner { int *value = nullptr; ~Owner() { std::free(value); } };
struct alignas(128) Wide { char bytes[100]; };
struct Inlined {
  int n[5];
  static void *operator new(std::size_t size) { return std::malloc(size); }
  static void *operator new[](std::size_t size) { return std::malloc(size); }
  static void operator delete(void *p) { std::free(p); }
  static void operator delete[](void *p) { std::free(p); }
};
struct Outlined {
  int n[7];
  static void *operator new(std::size_t size);
  static void operator delete(void *p);
};
struct Global {
  int n[9];
  __attribute__((noinline)) static void *operator new(std::size_t size) { return ::operator new(size); }
};
template <typename T> struct Counted {
  static void *operator new(std::size_t size) { void *p = std::malloc(size); if (!p) throw std::bad_alloc(); return p; }
  static void operator delete(void *p) { std::free(p); }
};
struct Derived : Counted<Derived> { int n[11]; };
template <typename T> T *keep(T *pointer) {
  static void *volatile Sink;
  Sink = pointer;
  return static_cast<T *>(Sink);
}
volatile int N = 4;

int main() {
  delete keep(new Plain);
  delete keep(new Plain{3, 4});
  delete keep(new (std::nothrow) Plain);
  delete[] keep(new Plain[N]);
  delete[] keep(new Trivial[3]);
  delete[] keep(new Owner[3]);
  delete keep(new Wide);
  delete[] keep(new Wide[2]);
  delete[] keep(new (std::nothrow) Wide[2]);
  delete keep(new (std::align_val_t(64)) Trivial);
  delete keep(new int(5));
  delete[] keep(new int *[6]);
  delete keep(new Inlined);
  delete[] keep(new Inlined[2]);
  delete keep(new Outlined);
  keep(new Global);
  delete keep(new Derived);
}
__attribute__((noinline)) void *Outlined::operator new(std::size_t size) { return std::malloc(size); }
void Outlined::operator delete(void *p) { std::free(p); }

// EXPECT: types["Plain"].allocations == 4 and types["Plain"].elements == 7 and types["Plain"].frees == 4
// EXPECT: types["Trivial"].allocations == 2 and types["Trivial"].elements == 4
// EXPECT: types["Owner"].allocations == 1 and types["Owner"].elements == 3 and types["Owner"].allocated_bytes == 32
// EXPECT: types["Wide"].allocations == 3 and types["Wide"].elements == 5 and types["Wide"].align == 128
// EXPECT: types["int"].allocations == 1 and types["int *"].elements == 6
// EXPECT: types["Inlined"].allocations == 2 and types["Inlined"].elements == 3
// EXPECT: types["Outlined"].allocations == 1 and types["Global"].allocations == 1 and types["Derived"].allocations == 1
// EXPECT: not untyped and all(site.kind in ("new", "new[]") for row in typed for site in row.sites)
// ALONE(no -g): not typed
// ALONE(-g): types["Plain"].allocations == 4 and types["Trivial"].allocations == 2 and types["int"].allocations == 1
