// Intent: where there is no memory for what the runtime must remember of a block, the program runs on,
// errno is as without us, and the block is said to be missing.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O0 %s -o %t.exe
// RUN: %record %t.json -- %t.exe
// RUN: %expect %t.json 'types["Before"].allocations == 10' 'sum(t.allocations for t in types.values() if t.type == "Far") + processes[0].dropped_events == 60' 'processes[0].dropped_events >= 30'

#include <cerrno>
#include <cstddef>
#include <sys/mman.h>
#include <sys/resource.h>

// Blocks so far apart that each needs a page of its own of whatever index there may be.
static constexpr std::size_t kApart = std::size_t{64} << 20;
static char *Room;
static std::size_t Used;

__attribute__((noinline)) void *operator new(std::size_t) {
  if (!Room)
    Room = static_cast<char *>(mmap(nullptr, 80 * kApart, PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  std::size_t at = Used < 10 ? 64 * Used : kApart * (Used - 9);
  ++Used;
  return Room + at;
}
void operator delete(void *) noexcept {}
void operator delete(void *, std::size_t) noexcept {}

struct Before {
  long values[3];
};
struct Far {
  long values[5];
};
static void *volatile Sink;

int main() {
  for (int i = 0; i < 10; ++i)
    Sink = new Before;
  rlimit none = {1, 1};
  if (setrlimit(RLIMIT_AS, &none) != 0)
    return 1;
  for (int i = 0; i < 60; ++i) {
    errno = 0;
    Sink = new Far;
    if (errno != 0)
      return 2;
  }
}
