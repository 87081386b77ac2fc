// Intent: what the program's own allocators allocate is of the line that uses them: allocators of containers, memory resources, operators new of
// classes, and functions that only return a block of the size that they are asked for. Functions that make objects keep their own lines.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// DEFINE: %{level} = -O0
// DEFINE: %{lines} = %inmem-clangxx -std=c++17 %{level} %s -o %t.exe && rm -f %t.inmem && env INMEM_OPTIONS=output=%t.inmem %t.exe && \
// DEFINE:   %inmem report %t.inmem --format json > %t.json && %python %S/Inputs/lines.py %t.json class-allocators.cpp --types | %FileCheck %s
// RUN: %{lines}
// DEFINE: %{names} = %expect %t.json 'any(s["name"] == "std::vector<Order, Raw<Order>> buffer" and "fill<Raw" in s["caller"]["function"] for t in report["types"] for s in t["sites"])'
// RUN: %{names}
// REDEFINE: %{level} = -O2
// RUN: %if all-tiers %{ %{lines} %}
// REDEFINE: %{level} = -O2 -g
// RUN: %{lines}
// RUN: %{names}
// Without symbols the functions between have no names.
// REDEFINE: %{level} = -O0 -s
// RUN: %if all-tiers %{ %{lines} %}
#include <cstdlib>
#include <memory_resource>
#include <new>
#include <vector>

#define APART __attribute__((noinline))
void *volatile Sink;
struct Order {
  int Items[7];
};

// An allocator that calls operator new; one that counts; one whose pointers are a class.
template <class T> struct Raw {
  using value_type = T;
  Raw() = default;
  template <class U> Raw(const Raw<U> &) {}
  APART T *allocate(std::size_t N) { return static_cast<T *>(::operator new(N * sizeof(T))); }
  void deallocate(T *P, std::size_t) { ::operator delete(P); }
  friend bool operator==(Raw, Raw) { return true; }
  friend bool operator!=(Raw, Raw) { return false; }
};
std::size_t Total;
struct Base {
  APART static void *get(std::size_t Bytes) {
    void *P = std::malloc(Bytes);
    if (!P)
      throw std::bad_alloc();
    Total += Bytes;
    return P;
  }
};
template <class T> struct Checked {
  using value_type = T;
  Checked() = default;
  template <class U> Checked(const Checked<U> &) {}
  APART T *allocate(std::size_t N) {
    T *P = static_cast<T *>(Base::get(N * sizeof(T)));
    Total += N; // more than to return it
    return P;
  }
  void deallocate(T *P, std::size_t) { std::free(P); }
  friend bool operator==(Checked, Checked) { return true; }
  friend bool operator!=(Checked, Checked) { return false; }
};
struct Counting : std::pmr::memory_resource {
  void *do_allocate(std::size_t Bytes, std::size_t Align) override {
    void *P = ::operator new(Bytes, std::align_val_t(Align));
    Sink = P;
    return P;
  }
  void do_deallocate(void *P, std::size_t, std::size_t Align) override { ::operator delete(P, std::align_val_t(Align)); }
  bool do_is_equal(const std::pmr::memory_resource &Other) const noexcept override { return this == &Other; }
};
// As asio's: the operator writes what it needs into the block.
struct Marked {
  long Values[3];
  APART static void *operator new(std::size_t Bytes) {
    auto *P = static_cast<char *>(std::malloc(Bytes + 1));
    P[Bytes] = 1;
    return P;
  }
  APART static void *operator new[](std::size_t Bytes) {
    auto *P = static_cast<char *>(std::malloc(Bytes + 1));
    P[Bytes] = 1;
    return P;
  }
  static void operator delete(void *P) { std::free(P); }
  static void operator delete[](void *P) { std::free(P); }
};
// It returns what was freed, too, and asks for a byte more.
struct Recycled {
  long Values[5];
  static inline void *Free = nullptr;
  APART static void *take(std::size_t Bytes) {
    if (void *P = Free) {
      Free = nullptr;
      return P;
    }
    auto *P = static_cast<char *>(std::malloc(Bytes + 1));
    P[Bytes] = 1;
    return P;
  }
  static void *operator new(std::size_t Bytes) { return take(Bytes); }
  static void operator delete(void *P) { Free = P; }
};
// As Eigen's and abseil's.
template <class T> APART T *room(std::size_t N) {
  if (N > 1000000)
    throw std::bad_alloc();
  return static_cast<T *>(std::malloc(sizeof(T) * N));
}
template <class T> APART T *deeper(std::size_t N) { return room<T>(N + 1); }

// CHECK: whole
// Not wrappers: a size of its own, an object, a block with something in it.
APART Order *fixed() {
  // CHECK-NEXT: line [[#@LINE+1]]: 3 Order
  return static_cast<Order *>(std::malloc(sizeof(Order)));
}
APART Order *object() {
  // CHECK-NEXT: line [[#@LINE+1]]: 3 Order
  return new Order;
}
APART Order *filled(std::size_t N) {
  // CHECK-NEXT: line [[#@LINE+1]]: 3 Order
  auto *P = static_cast<Order *>(std::malloc(N * sizeof(Order)));
  P->Items[0] = 1;
  return P;
}

template <class A> APART std::size_t fill(int N) {
  std::vector<Order, A> V;
  for (int I = 0; I < N; ++I)
    // CHECK-NEXT: line [[#@LINE+1]]: 6 Order
    V.push_back(Order{{I}});
  return V.size();
}
APART void resource(std::pmr::memory_resource &R) {
  std::pmr::vector<Order> V(&R);
  // CHECK-NEXT: line [[#@LINE+1]]: 1 Order
  V.reserve(3);
}
APART void classes() {
  // CHECK-NEXT: line [[#@LINE+1]]: 1 Marked
  auto *One = new Marked;
  // CHECK-NEXT: line [[#@LINE+1]]: 1 Marked
  auto *Many = new Marked[4];
  Sink = One, Sink = Many;
  for (int I = 0; I < 4; ++I) {
    // CHECK-NEXT: line [[#@LINE+1]]: 2 Recycled
    auto *Other = new Recycled;
    Sink = Other;
    if (I % 3 != 0)
      delete Other;
  }
  delete One;
  delete[] Many;
}
APART void functions() {
  // CHECK-NEXT: line [[#@LINE+1]]: 1 Order
  Sink = room<Order>(2);
  // CHECK-NEXT: line [[#@LINE+1]]: 1 Order
  Sink = deeper<Order>(2);
}

int main() {
  Counting R;
  fill<Raw<Order>>(4);
  fill<Checked<Order>>(4);
  resource(R);
  classes();
  functions();
  for (int I = 0; I < 3; ++I) {
    Sink = fixed();
    Sink = object();
    Sink = filled(2);
  }
  return Total == 0;
}
