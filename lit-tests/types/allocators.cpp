// Intent: std::allocator, pmr over the heap and over buffers and pools, and a class of the program's own
// that meets the Allocator requirements: the type is T for every block that was made for it.
// RUN: %table %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdlib>
#include <list>
#include <map>
#include <memory>
#include <memory_resource>
#include <string>
#include <vector>

struct A1 { int n[3]; };
struct A2 { int n[5]; };
struct A3 { int n[7]; };
struct A4 { int n[9]; };
struct A5 { int n[11]; };
struct A6 { int n[13]; };
struct A7 { int n[15]; };

template <typename T> struct Mallocator {
  using value_type = T;
  Mallocator() = default;
  template <typename U> Mallocator(const Mallocator<U> &) {}
  T *allocate(std::size_t n) { return static_cast<T *>(std::malloc(n * sizeof(T))); }
  void deallocate(T *p, std::size_t) { std::free(p); }
  bool operator==(const Mallocator &) const { return true; }
  bool operator!=(const Mallocator &) const { return false; }
};
// Allocates behind a function of another kind, and throws.
__attribute__((noinline)) void *checked(std::size_t bytes) {
  void *p = std::malloc(bytes);
  if (!p)
    throw std::bad_alloc();
  return p;
}
template <typename T> struct Checking : Mallocator<T> {
  template <typename U> struct rebind { using other = Checking<U>; };
  Checking() = default;
  template <typename U> Checking(const Checking<U> &) {}
  T *allocate(std::size_t n) { return static_cast<T *>(checked(n * sizeof(T))); }
};
// A resource of the program's own: its blocks are T's all the same.
struct Counting : std::pmr::memory_resource {
  int blocks = 0;
  void *do_allocate(std::size_t bytes, std::size_t) override { ++blocks; return std::malloc(bytes); }
  void do_deallocate(void *p, std::size_t, std::size_t) override { std::free(p); }
  bool do_is_equal(const memory_resource &other) const noexcept override { return this == &other; }
};
static void *volatile Sink;
volatile int N = 4;

int main() {
  std::allocator<A1> plain;
  Sink = plain.allocate(N);
  std::vector<A2, Mallocator<A2>> own(N);
  std::vector<A3, Checking<A3>> checking(N);
  std::list<A3, Checking<A3>> list(N);
  Sink = list.empty() ? nullptr : &list.front();

  std::pmr::vector<A4> heap(N);
  Sink = heap.data();
  std::pmr::map<int, A4> map;
  map[3];
  Counting counting;
  std::pmr::vector<A5> counted(N, &counting);
  Sink = counted.data();

  // Pieces of a pool are no blocks: what they lie in are chunks, whatever resource they come from.
  std::pmr::monotonic_buffer_resource arena(1024);
  std::pmr::vector<A6> in_arena(N, &arena);
  std::pmr::vector<A6> more_in_arena(2 * N, &arena);
  Sink = in_arena.data();
  std::pmr::unsynchronized_pool_resource pool;
  std::pmr::vector<A7> in_pool(N, &pool);
  Sink = in_pool.data();
  std::pmr::unsynchronized_pool_resource over_own(&counting);
  std::pmr::vector<A7> in_own_pool(N, &over_own);
  Sink = in_own_pool.data();
  std::pmr::monotonic_buffer_resource over_own_too(1024, &counting);
  std::pmr::vector<A7> in_own_buffer(N, &over_own_too);
  Sink = in_own_buffer.data();
}
// EXPECT: types["A1"].elements == 4 and types["A1"].allocations == 1
// EXPECT: types["A2"].elements == 4 and types["A2"].allocations == 1
// EXPECT: types["A3"].elements == 4 and types["A3"].allocations == 1
// EXPECT: types["std::_List_node<A3>"].allocations == 4
// EXPECT: types["A4"].elements == 4 and types["A4"].allocations == 1
// EXPECT: types["std::_Rb_tree_node<std::pair<const int, A4>>"].allocations == 1
// EXPECT: types["A5"].elements == 4 and types["A5"].allocations == 1
// EXPECT: not [row.type for row in typed if row.type in ("A6", "A7")] and not untyped
// EXPECT: types["chunk of std::pmr::monotonic_buffer_resource"].allocations == 2
// EXPECT: types["chunk of std::pmr::unsynchronized_pool_resource"].allocations >= 4
// ALONE: not [row.type for row in typed if row.type in ("A4", "A5", "A6", "A7")] and types["A1"].allocations == 1
