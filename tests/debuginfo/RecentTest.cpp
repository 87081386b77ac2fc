//===- RecentTest.cpp - Memory of files and of what was read of them ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "debuginfo/Recent.h"
#include "debuginfo/FilePages.h"

#include <algorithm>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <gelf.h>
#include <gtest/gtest.h>
#include <span>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

using namespace inmem::debuginfo;

namespace {

TEST(Recent, KeepsWhatWasUsedLast) {
  Recent<int, std::string> Cache;
  for (int I = 0; I < 8; ++I)
    EXPECT_TRUE(Cache.get(I, std::to_string(I)).second);
  EXPECT_EQ(*Cache.find(0), "0"); // now the newest
  EXPECT_FALSE(Cache.get(1, "other").second);
  Cache.trim(8); // no more than that
  EXPECT_EQ(Cache.size(), 8U);
  Cache.get(8, "8");
  Cache.trim(8);
  EXPECT_EQ(Cache.size(), 4U);
  for (const int Kept : {0, 1, 7, 8})
    EXPECT_NE(Cache.find(Kept), nullptr) << Kept;
  for (const int Gone : {2, 3, 4, 5, 6})
    EXPECT_EQ(Cache.find(Gone), nullptr) << Gone;
  EXPECT_EQ(Cache.get(1, "other").first, "1");
}

/// Resident kilobytes of this process's mappings of \p Path.
long residentOf(const std::string &Path) {
  std::ifstream Maps("/proc/self/smaps");
  long Sum = 0;
  bool Of = false;
  for (std::string Line; std::getline(Maps, Line);) {
    if (Line.find('-') < Line.find(' '))
      Of = Line.ends_with(Path);
    else if (Of && Line.starts_with("Rss:"))
      Sum += std::strtol(Line.c_str() + 4, nullptr, 10);
  }
  return Sum;
}

TEST(FilePages, OfPrivateMappingsAreGivenBackAndReadAgain) {
  char Path[] = "/tmp/inmem pages XXXXXX";
  const int Fd = mkstemp(Path);
  ASSERT_GE(Fd, 0);
  constexpr size_t kBytes = 1 << 20, kPage = 4096;
  const std::string Text(kBytes, 'x');
  ASSERT_EQ(write(Fd, Text.data(), kBytes), static_cast<ssize_t>(kBytes));
  void *At = mmap(nullptr, kBytes, PROT_READ, MAP_PRIVATE, Fd, 0);
  // As the loader maps the data of a library.
  void *Loaded =
      mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE, Fd, 2 * kPage);
  ASSERT_NE(At, MAP_FAILED);
  ASSERT_NE(Loaded, MAP_FAILED);
  const std::span Mapped(static_cast<const char *>(At), kBytes);
  const std::span Data(static_cast<char *>(Loaded), kPage);
  Data[0] = 'y';
  EXPECT_EQ(std::ranges::count(Mapped, 'x'), 1 << 20);
  EXPECT_GE(residentOf(Path), 1024);
  EXPECT_FALSE(releasePages(Mapped.subspan(kPage)));
  EXPECT_FALSE(releasePages(Data));
  EXPECT_GE(residentOf(Path), 1024);
  EXPECT_TRUE(releasePages(Mapped));
  EXPECT_EQ(residentOf(Path), 4); // the page that was written to
  EXPECT_EQ(Data[0], 'y');
  EXPECT_EQ(std::ranges::count(Mapped, 'x'), 1 << 20);
  munmap(At, kBytes);
  munmap(Loaded, kPage);
  close(Fd);
  unlink(Path);
}

TEST(FilePages, OfMemoryStay) {
  void *At = mmap(nullptr, 4096, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(At, MAP_FAILED);
  const std::span Memory(static_cast<char *>(At), 4096);
  Memory[7] = 'x';
  EXPECT_FALSE(releasePages(Memory));
  EXPECT_EQ(Memory[7], 'x');
  munmap(At, 4096);
}

TEST(FilePages, OfChangedSectionHeadersStay) {
  const int Fd = open(INMEM_FUNCTIONS, O_RDONLY | O_CLOEXEC);
  ASSERT_GE(Fd, 0);
  elf_version(EV_CURRENT);
  Elf *File = elf_begin(Fd, ELF_C_READ_MMAP_PRIVATE, nullptr);
  unsigned Changed = 0;
  for (Elf_Scn *S = nullptr; (S = elf_nextscn(File, S));) {
    GElf_Shdr Before, After;
    if (!gelf_getshdr(S, &Before) || Before.sh_type != SHT_PROGBITS ||
        (Before.sh_flags & (SHF_ALLOC | SHF_COMPRESSED)) ||
        elf_compress(S, ELFCOMPRESS_ZLIB, ELF_CHF_FORCE) != 1)
      continue;
    ++Changed;
    releasePagesOf(File);
    ASSERT_TRUE(gelf_getshdr(S, &After));
    EXPECT_TRUE(After.sh_flags & SHF_COMPRESSED);
    EXPECT_NE(After.sh_size, Before.sh_size);
  }
  EXPECT_GT(Changed, 0U);
  elf_end(File);
  close(Fd);
}

} // namespace
