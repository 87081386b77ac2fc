//===- FakeBlocks.h - Sites and blocks for tests of the recorder ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_TESTS_RUNTIME_FAKEBLOCKS_H
#define INMEM_TESTS_RUNTIME_FAKEBLOCKS_H

#include "inmem/abi.h"

#include <atomic>
#include <cstdint>
#include <thread>
#include <utility>
#include <vector>

namespace inmem::test {

/// A site and its type, as the plugin would emit them.
struct Described {
  inmem_type Type{};
  inmem_site Site{};
  char Name[16] = "Thing";

  Described() {
    static std::atomic<uint64_t> Last{0};
    Type.id = Site.key = ++Last;
    Type.size = Type.align = 1;
    Type.name = distance(Type.name, Name);
    Site.type = distance(Site.type, &Type);
  }
  static int32_t distance(int32_t &From, void *To) {
    return static_cast<int32_t>(static_cast<char *>(To) -
                                reinterpret_cast<char *>(&From));
  }
};

/// Addresses that no block has had before; the index asks nothing more.
inline char *nextAddress() {
  static std::atomic<uintptr_t> Next{uintptr_t{1} << 40};
  thread_local uintptr_t At = 0, End = 0;
  constexpr uintptr_t kBlock = 64, kChunk = kBlock * 4096;
  if (At == End) {
    At = Next.fetch_add(kChunk);
    End = At + kChunk;
  }
  return reinterpret_cast<char *>(std::exchange(At, At + kBlock));
}

/// Runs \p Count threads to their ends.
template <class Function> void onThreads(unsigned Count, Function Run) {
  std::vector<std::thread> Threads;
  for (unsigned I = 0; I < Count; ++I)
    Threads.emplace_back(Run, I);
  for (std::thread &Each : Threads)
    Each.join();
}

} // namespace inmem::test

#endif
