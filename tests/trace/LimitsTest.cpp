//===- LimitsTest.cpp - The last right value, the first wrong one ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/SampleTrace.h"

#include "trace/read/Verifier.h"

#include <algorithm>
#include <gmock/gmock.h>

using namespace inmem::trace;
using namespace inmem::test;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

/// The reader's diagnostics.
std::vector<std::string> damages(const std::string &Text) {
  std::vector<std::string> Out;
  for (const Diagnostic &F : readText(Text).Diagnostics)
    Out.push_back(F.What);
  return Out;
}

std::vector<std::string> verified(const std::string &Text) {
  std::vector<std::string> Out;
  for (const Diagnostic &F : verify(readText(Text)))
    Out.push_back(F.What);
  return Out;
}

/// A thread, two waits and one session of the profiler.
std::string withSample(const std::string &Members) {
  return "header\nextent meta\n wait id=1 call=1\n wait id=2 call=2\n"
         " profile clock=cpu depth=8 interval=1000\n"
         "extent thread-lives\n thread-life block=1 tid=5 name=\"main\"\n"
         "extent profile-cells\n sample life=1 count=1 " +
         Members + "\n";
}

TEST(Limits, AStateOfASampleIsOneOfThoseRecorded) {
  EXPECT_THAT(damages(withSample("wait=2 session=1")), IsEmpty());
  EXPECT_THAT(damages(withSample("wait=3 session=1")),
              ElementsAre("state of a sample"));
}

TEST(Limits, ASessionOfASampleIsOneOfThoseRecorded) {
  EXPECT_THAT(damages(withSample("session=1")), IsEmpty());
  EXPECT_THAT(damages(withSample("session=2")),
              ElementsAre("session of a sample"));
}

std::string withLine(const std::string &Members) {
  return "header\nextent thread-lives\n"
         " thread-life block=1 tid=5 name=\"main\"\n"
         "extent thread-lines\n thread-line life=1 a-width=5 b-width=6 " +
         Members + "\n";
}

TEST(Limits, AThreadsTimeLineHasTwoForms) {
  for (const char *Form : {"active=0", "active=1"}) {
    EXPECT_THAT(damages(withLine(Form)), IsEmpty()) << Form;
    EXPECT_EQ(readText(withLine(Form)).ThreadLines.size(), 1u) << Form;
  }
  EXPECT_THAT(damages(withLine("active=2")),
              ElementsAre("form of a thread's time line"));
  EXPECT_THAT(readText(withLine("active=2")).ThreadLines, IsEmpty());
}

TEST(Limits, AThreadsNameMayFillItsPlace) {
  std::string Name(sizeof ThreadLifetime::Name - 1, 'n');
  std::vector<std::byte> Bytes =
      assembled("header\nextent thread-lives\n"
                " thread-life block=1 tid=5 name=\"" +
                Name + "\"\n");
  // The text form leaves room for the zero behind it.
  const auto At = std::search(
      Bytes.begin(), Bytes.end(), Name.begin(), Name.end(),
      [](std::byte A, char B) { return static_cast<char>(A) == B; });
  ASSERT_NE(At, Bytes.end());
  At[static_cast<ptrdiff_t>(Name.size())] = std::byte{'n'};
  Name += 'n';
  const auto Read = readSealed(Bytes);
  ASSERT_TRUE(Read);
  ASSERT_EQ((*Read)[0].LivedThreads.size(), 2u);
  EXPECT_EQ((*Read)[0].LivedThreads[1].Name, Name);
}

/// Frees of a site by its rows (2 blocks, 16 bytes), and as it is given by who
/// freed them.
std::string withFrees(const std::string &Members) {
  return "header\nextent meta\n site id=1\nextent rows owner=1\n"
         " row site=1 allocations=2 bytes=16 frees=2 freed-bytes=16\n"
         "extent frees owner=1\n freed site=1 " +
         Members + "\n";
}

TEST(Limits, WhoFreedFreesNoMoreBlocksOrBytesThanRows) {
  EXPECT_THAT(verified(withFrees("frees=2 bytes=16")), IsEmpty());
  for (const char *More : {"frees=3 bytes=16", "frees=2 bytes=17"})
    EXPECT_THAT(verified(withFrees(More)),
                ElementsAre("frees of site 1 by who freed"))
        << More;
}

TEST(Limits, ARowOfASnapshotWithoutATypeHasThatOfItsSite) {
  const std::string Text = "header\nextent meta\n"
                           " type index=1 id=1 size=8 name=\"A\"\n"
                           " site id=1 type=1\n"
                           "extent snapshot kind=periodic\n"
                           " row site=1 allocations=2 bytes=16\n"
                           "extent rows owner=1\n"
                           " row site=1 allocations=2 bytes=16\n";
  EXPECT_THAT(verified(Text), IsEmpty());
}

TEST(Limits, LiveBytesAgreeOnlyWhereEachBlockIsRecorded) {
  const std::string Rest = "\nextent meta\n site id=1\nextent rows owner=1\n"
                           " row site=1 allocations=2 bytes=16\n"
                           "extent types\n total live=9\n";
  EXPECT_FALSE(verified("header live-bytes=16" + Rest).empty());
  for (const char *Sampled : {"sampled-every", "sampled-bytes"})
    EXPECT_THAT(
        verified("header live-bytes=16 flags=" + std::string(Sampled) + Rest),
        IsEmpty())
        << Sampled;
}

} // namespace
