//===- ObjectMemoryTest.cpp -----------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the walks over objects believe to be mapped is mapped.
#include "graph/ObjectMemory.h"

#include <gtest/gtest.h>

#include <sys/mman.h>

using namespace inmem::rt;

namespace {

/// Mappings that the kernel cannot join.
class ManyMappings {
public:
  explicit ManyMappings(size_t Count) : Bytes(Count * pageSize()) {
    Base = static_cast<char *>(
        mmap(nullptr, Bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    for (size_t I = 0; I < Count; I += 2)
      mprotect(Base + I * pageSize(), pageSize(), PROT_READ | PROT_WRITE);
  }
  ~ManyMappings() { munmap(Base, Bytes); }
  ManyMappings(const ManyMappings &) = delete;
  ManyMappings &operator=(const ManyMappings &) = delete;

private:
  char *Base;
  size_t Bytes;
};

// The list itself grows while it is made, and what it gives back then must not
// be in it: a snapshot's writer died of that.
TEST(Memory, ListsNoMappingThatIsGone) {
  for (size_t Count : {0u, 10u, 60u, 200u, 1000u, 5000u}) {
    ManyMappings Many(Count);
    Mappings Maps;
    ASSERT_TRUE(Maps.read());
    EXPECT_GE(Maps.size(), Count);
    Memory ByKernel;
    for (size_t I = 0; I < Maps.size(); ++I) {
      const Mapping &In = Maps[I];
      if (!In.Readable || !In.Writable || In.IsFile)
        continue;
      for (uintptr_t At = In.Start; At < In.End; At += pageSize()) {
        uint64_t Word;
        EXPECT_TRUE(ByKernel.word(At, Word))
            << Count << " mappings: " << std::hex << At << " of " << In.Start
            << "-" << In.End << " " << Maps.nameOf(In);
      }
    }
  }
}

TEST(Memory, ReadsAcrossTwoMappingsDirectly) {
  auto *Base =
      static_cast<char *>(mmap(nullptr, 3 * pageSize(), PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  Base[pageSize() - 1] = 'a';
  Base[pageSize()] = 'b';
  mprotect(Base + pageSize(), pageSize(), PROT_READ);
  mprotect(Base + 2 * pageSize(), pageSize(), PROT_NONE);
  Memory M;
  ASSERT_TRUE(M.readDirectly());
  char Two[2] = {};
  EXPECT_TRUE(
      M.read(Two, reinterpret_cast<uintptr_t>(Base) + pageSize() - 1, 2));
  EXPECT_EQ(Two[0], 'a');
  EXPECT_EQ(Two[1], 'b');
  EXPECT_FALSE(
      M.read(Two, reinterpret_cast<uintptr_t>(Base) + 2 * pageSize() - 1, 2));
  munmap(Base, 3 * pageSize());
}

} // namespace
