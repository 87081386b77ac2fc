// Intent: objects made in raw memory, by placement new or construct_at, in arenas and in pmr buffers, are
// counted as objects and make no block.
// RUN: %table %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdlib>
#include <memory>
#include <memory_resource>
#include <new>
#include <vector>

struct Placed { int n; Placed(int n) : n(n) {} Placed(const Placed &other) : n(other.n) {} ~Placed() { n = 0; } };
static void *volatile Sink;
volatile std::size_t N = sizeof(Placed);
int main() {
  alignas(Placed) char raw[2 * sizeof(Placed)];
  Placed *first = new (raw) Placed(1);
#if __cplusplus >= 202002L
  Placed *second = std::construct_at(first + 1, 2);
#else
  Placed *second = new (first + 1) Placed(2);
#endif
  Sink = second;
  first->~Placed();
  second->~Placed();
  char storage[256];
  std::pmr::monotonic_buffer_resource arena(storage, sizeof storage);
  std::pmr::vector<Placed> placed(&arena);
  placed.reserve(4);
  for (int i = 0; i < 4; ++i)
    placed.emplace_back(i);
  Sink = placed.data();
  Placed *heap = static_cast<Placed *>(std::malloc(sizeof(Placed)));
  Sink = new (heap) Placed(3);
  Sink = new (std::malloc(N)) Placed(4);
  void *raw_block = ::operator new(sizeof(Placed));
  Sink = new (raw_block) Placed(5);
}
// EXPECT: types["Placed"].allocations == 3 and types["Placed"].allocated_bytes == 12
// EXPECT: types["Placed"].objects.constructed.placed == 9 and types["Placed"].objects.constructed.heap == 0
// EXPECT: not untyped
// ALONE: not typed
