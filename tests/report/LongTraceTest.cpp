//===- LongTraceTest.cpp - A long trace does not stay in memory -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ProfileOf.h"
#include "support/SampleTrace.h"

#include "trace/read/Reader.h"

#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <sys/mman.h>
#include <unistd.h>

using namespace inmem;
using namespace inmem::report;
using namespace inmem::test;

namespace {

/// Bytes of a file that this process has in memory by mappings of it.
uint64_t residentBytes(const std::string &Path) {
  std::ifstream Maps("/proc/self/smaps");
  uint64_t Sum = 0;
  bool OfFile = false;
  for (std::string Line; std::getline(Maps, Line);) {
    if (Line.find('-') < Line.find(' '))
      OfFile = Line.ends_with(Path);
    else if (OfFile && Line.starts_with("Rss:"))
      Sum += std::stoull(Line.substr(4)) * 1024;
  }
  return Sum;
}

/// Page by page, as the runtime does: of what is written in one step the kernel
/// shows the whole when a reader asks for a part.
void writeMapped(const std::string &Path, const std::vector<std::byte> &Bytes) {
  const int Fd = open(Path.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600);
  ASSERT_EQ(ftruncate(Fd, static_cast<off_t>(Bytes.size())), 0);
  void *To =
      mmap(nullptr, Bytes.size(), PROT_READ | PROT_WRITE, MAP_SHARED, Fd, 0);
  ASSERT_NE(To, MAP_FAILED);
  constexpr size_t kPage = 4096;
  const auto Copy = [&](size_t At) {
    std::memcpy(static_cast<char *>(To) + At, Bytes.data() + At,
                std::min(kPage, Bytes.size() - At));
  };
  // Not one behind the other, which would make large ones of them again.
  constexpr size_t kApart = 512 * kPage;
  for (size_t First = 0; First < kApart; First += kPage)
    for (size_t At = First; At < Bytes.size(); At += kApart)
      Copy(At);
  munmap(To, Bytes.size());
  close(Fd);
}

TEST(Memory, RowsThatWereReadAreGivenBack) {
  constexpr int kSites = 1320, kThreads = 100; // given back after 1310
  std::string Text = "header state=complete clock=exact "
                     "ticks-per-second=1000000000\nextent meta\n"
                     " type index=1 id=1 size=8 name=\"Foo\"\n";
  for (int S = 1; S <= kSites; ++S)
    Text += " site id=" + std::to_string(S) + " type=1 kind=new function=\"f" +
            std::to_string(S) + "\" file=\"a.cpp\" line=" + std::to_string(S) +
            "\n";
  std::string Rows;
  for (int S = 1; S <= kSites; ++S)
    Rows +=
        " row site=" + std::to_string(S) + " type=1 allocations=2 bytes=16\n";
  for (int T = 1; T <= kThreads; ++T)
    Text += "extent rows owner=" + std::to_string(T) + "\n" + Rows;
  const auto Bytes = assembled(Text);
  const std::string Path = testing::TempDir() + "rows.inmem";
  writeMapped(Path, Bytes);
  const auto Traces = trace::readTraces(Path);
  ASSERT_TRUE(Traces) << Traces.status().str();
  EXPECT_LT(residentBytes(Path), Bytes.size() / 4) << "of " << Bytes.size();
  const Profile P = profileOf((*Traces)[0], {});
  EXPECT_EQ(P.Totals.Allocations, 2u * kSites * kThreads);
  EXPECT_LT(residentBytes(Path), Bytes.size() / 2) << "of " << Bytes.size();
  std::remove(Path.c_str());
}

} // namespace
