//===- TraceFileTest.cpp --------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the mapped trace is created, grows and survives what a file system does.
#include "state/TraceFile.h"
#include "platform/Files.h"
#include "platform/Mappings.h"

#include "support/TemporaryFolder.h"
#include "trace/format/Checksum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace inmem::rt;
using namespace inmem::trace;

namespace {

class TraceFileTest : public testing::Test {
protected:
  void TearDown() override {
    if (File.header())
      unmapPages(File.header(),
                 roundUp(File.header()->FileBytes, size_t{1} << 20));
    File.abandon();
  }
  std::string path(const char *Name) const { return Folder + "/" + Name; }
  std::string bytesOnDisk() const {
    std::ifstream In(File.path(), std::ios::binary);
    return {std::istreambuf_iterator<char>(In), {}};
  }

  inmem::test::TemporaryFolder Temporary{"inmem-test"};
  const std::string Folder = Temporary.path().string();
  TraceFile File;
};

TEST_F(TraceFileTest, CreatesAPrivateFileWithAHeader) {
  ASSERT_TRUE(File.create(path("a.inmem").c_str()));
  struct stat Status;
  ASSERT_EQ(stat(path("a.inmem").c_str(), &Status), 0);
  EXPECT_EQ(Status.st_mode & 0777, 0600u);
  std::string Bytes = bytesOnDisk();
  ASSERT_GE(Bytes.size(), sizeof(FileHeader));
  auto *H = reinterpret_cast<const FileHeader *>(Bytes.data());
  EXPECT_EQ(memcmp(H->Magic, kMagic, sizeof kMagic), 0);
  EXPECT_EQ(H->Version, kVersion);
  EXPECT_EQ(H->Pid, static_cast<uint64_t>(getpid()));
  EXPECT_EQ(H->State, RunState::Running);
}

TEST_F(TraceFileTest, WhatIsWrittenIsInTheFileAtOnce) {
  ASSERT_TRUE(File.create(path("a.inmem").c_str()));
  ExtentHeader *E = File.addExtent(ExtentKind::Events, 3, 0, 10);
  ASSERT_NE(E, nullptr);
  memcpy(E + 1, "recorded", 8);
  EXPECT_NE(bytesOnDisk().find("recorded"), std::string::npos);
}

TEST_F(TraceFileTest, SmallTracesNeitherGrowNorShrink) {
  ASSERT_TRUE(File.create(path("a.inmem").c_str()));
  const size_t First = bytesOnDisk().size();
  EXPECT_GE(First, 200u * 1024);
  File.addExtent(ExtentKind::Rows, 1, 0, 200u * 1024);
  EXPECT_EQ(bytesOnDisk().size(), First);
  File.trim();
  EXPECT_EQ(bytesOnDisk().size(), First);
}

TEST_F(TraceFileTest, RoomIsMadeOnceAndCutAtTheEnd) {
  ASSERT_TRUE(File.create(path("a.inmem").c_str()));
  File.addExtent(ExtentKind::Rows, 1, 0, 100u * 1024);
  File.makeRoom(1u << 20);
  const size_t Made = bytesOnDisk().size();
  EXPECT_GE(Made, 1124u * 1024);
  for (unsigned I = 0; I < 15; ++I)
    File.addExtent(ExtentKind::Rows, 1, 0, 64u * 1024);
  File.makeRoom(16);
  EXPECT_EQ(bytesOnDisk().size(), Made);
  for (unsigned I = 0; I < 16; ++I)
    File.addExtent(ExtentKind::Rows, 1, 0, 64u * 1024);
  File.trim();
  EXPECT_EQ(bytesOnDisk().size(),
            roundUp(File.header()->FileBytes, pageSize()));
}

TEST_F(TraceFileTest, ExtentsFollowOneAnother) {
  ASSERT_TRUE(File.create(path("a.inmem").c_str()));
  uint64_t Expected = kHeaderBytes;
  for (uint64_t Payload : {1u, 4032u, 4033u, 3000000u, 100u}) {
    ExtentHeader *E = File.addExtent(ExtentKind::Rows, 1, 0, Payload);
    ASSERT_NE(E, nullptr);
    EXPECT_EQ(File.offsetOf(E), Expected);
    EXPECT_EQ(E->Bytes % kExtentAlign, 0u);
    EXPECT_GE(E->Bytes, Payload + sizeof(ExtentHeader));
    Expected += E->Bytes;
  }
  File.trim();
  EXPECT_EQ(File.header()->FileBytes, Expected);
  EXPECT_EQ(bytesOnDisk().size(), roundUp(Expected, pageSize()));
}

TEST_F(TraceFileTest, PatternsAreExpanded) {
  ASSERT_TRUE(File.create(path("%%-%p-%q.inmem").c_str()));
  EXPECT_EQ(std::string(File.path()),
            path(("%-" + std::to_string(getpid()) + "-%q.inmem").c_str()));
}

TEST_F(TraceFileTest, NeverWritesThroughASymbolicLink) {
  std::string Victim = path("victim");
  std::ofstream(Victim) << "precious";
  ASSERT_EQ(symlink(Victim.c_str(), path("a.inmem").c_str()), 0);
  ASSERT_TRUE(File.create(path("a.inmem").c_str()));
  EXPECT_NE(std::string(File.path()), path("a.inmem"));
  std::string Text;
  std::ifstream(Victim) >> Text;
  EXPECT_EQ(Text, "precious");
}

TEST_F(TraceFileTest, NeverReplacesAFileThatIsNoTrace) {
  std::ofstream(path("a.inmem")) << "somebody's thesis";
  ASSERT_TRUE(File.create(path("a.inmem").c_str()));
  EXPECT_EQ(std::string(File.path()),
            path(("a." + std::to_string(getpid()) + ".inmem").c_str()));
}

TEST_F(TraceFileTest, ReplacesAFinishedTraceOfAnEarlierRun) {
  FileHeader Old = {};
  memcpy(Old.Magic, kMagic, sizeof kMagic);
  Old.State = RunState::Complete;
  Old.Pid = 1;
  std::ofstream(path("a.inmem"), std::ios::binary)
      .write(reinterpret_cast<char *>(&Old), sizeof Old);
  ASSERT_TRUE(File.create(path("a.inmem").c_str()));
  EXPECT_EQ(std::string(File.path()), path("a.inmem"));
}

TEST_F(TraceFileTest, KeepsTheTraceOfTheSameProcessAfterAnExec) {
  FileHeader Old = {};
  memcpy(Old.Magic, kMagic, sizeof kMagic);
  Old.State = RunState::Running;
  Old.Pid = static_cast<uint64_t>(getpid());
  std::ofstream(path("a.inmem"), std::ios::binary)
      .write(reinterpret_cast<char *>(&Old), sizeof Old);
  ASSERT_TRUE(File.create(path("a.inmem").c_str()));
  EXPECT_NE(std::string(File.path()), path("a.inmem"));
  FileHeader Now = {};
  std::ifstream(path("a.inmem"), std::ios::binary)
      .read(reinterpret_cast<char *>(&Now), sizeof Now);
  EXPECT_EQ(Now.State, RunState::Execed);
}

TEST_F(TraceFileTest, AnotherProcessDoesNotReplaceATraceThatIsBeingWritten) {
  // Also where the writer's number says nothing, as in another namespace.
  ASSERT_TRUE(File.create(path("a.inmem").c_str()));
  File.header()->Pid = 1;
  File.header()->State = RunState::Complete;
  const pid_t Child = fork();
  if (Child == 0) {
    TraceFile Other;
    _exit(Other.create(path("a.inmem").c_str()) &&
                  std::string(Other.path()) ==
                      path(("a." + std::to_string(getpid()) + ".inmem").c_str())
              ? 0
              : 1);
  }
  int Status = 1;
  ASSERT_EQ(waitpid(Child, &Status, 0), Child);
  EXPECT_EQ(Status, 0);
}

TEST_F(TraceFileTest, AChildDoesNotReplaceTheTraceOfItsParentThatHasEnded) {
  ASSERT_TRUE(File.create(path("a.inmem").c_str()));
  File.header()->Pid = 1;
  File.header()->State = RunState::Complete;
  ASSERT_TRUE(File.create(path("a.inmem").c_str()));
  EXPECT_EQ(std::string(File.path()),
            path(("a." + std::to_string(getpid()) + ".inmem").c_str()));
}

TEST_F(TraceFileTest, AChildNumbersItsExtentsFromOne) {
  ASSERT_TRUE(File.create(path("a.inmem").c_str()));
  for (uint64_t Sequence : {1u, 2u, 3u})
    ASSERT_EQ(File.addExtent(ExtentKind::Rows, 1, 0, 10)->Sequence, Sequence);
  ASSERT_TRUE(File.create(path("b.inmem").c_str()));
  EXPECT_EQ(File.addExtent(ExtentKind::Rows, 1, 0, 10)->Sequence, 1u);
}

TEST_F(TraceFileTest, GoesOnInMemoryWhenTheFileMayNotGrow) {
  ASSERT_TRUE(File.create(path("a.inmem").c_str()));
  struct rlimit Old;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &Old), 0);
  struct rlimit Small = Old;
  Small.rlim_cur = 512 * 1024;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &Small), 0);
  testing::internal::CaptureStderr();
  ExtentHeader *E = File.addExtent(ExtentKind::Rows, 1, 0, 4 << 20);
  std::string Said = testing::internal::GetCapturedStderr();
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &Old), 0);
  ASSERT_NE(E, nullptr);
  memset(E + 1, 1, 4 << 20); // would be SIGBUS in a hole of a full disk
  EXPECT_TRUE(File.header()->Flags & kFlagFull);
  EXPECT_NE(Said.find("a.inmem"), std::string::npos);
}

TEST_F(TraceFileTest, EndsWhereSomethingElseIsMapped) {
  ASSERT_TRUE(File.create(path("a.inmem").c_str()));
  const uint64_t Begin = File.header()->FileBytes;
  auto *Behind = reinterpret_cast<char *>(File.header()) + (1 << 20);
  ASSERT_TRUE(mapNewPagesAt(Behind, pageSize()));
  memcpy(Behind, "theirs", sizeof "theirs");
  testing::internal::CaptureStderr();
  EXPECT_EQ(File.addExtent(ExtentKind::Rows, 1, 0, 4 << 20), nullptr);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("ends here"),
            std::string::npos);
  EXPECT_EQ(memcmp(Behind, "theirs", 6), 0);
  EXPECT_TRUE(File.header()->Flags & kFlagFull);
  EXPECT_GE(File.header()->FileBytes, Begin);
  unmapPages(Behind, pageSize());
}

TEST_F(TraceFileTest, GrowsAgainAfterItWasTrimmed) {
  ASSERT_TRUE(File.create(path("a.inmem").c_str()));
  ASSERT_NE(File.addExtent(ExtentKind::Rows, 1, 0, 1 << 20), nullptr);
  File.trim();
  ExtentHeader *E = File.addExtent(ExtentKind::Events, 3, 0, 1 << 20);
  ASSERT_NE(E, nullptr);
  memcpy(E + 1, "recorded", 8);
  EXPECT_NE(bytesOnDisk().find("recorded"), std::string::npos);
  EXPECT_FALSE(File.header()->Flags & kFlagFull);
}

TEST_F(TraceFileTest, AFileThatSomebodyCutsIsNotFilledWithZeros) {
  static int Losses;
  Losses = 0;
  ASSERT_TRUE(File.create(path("a.inmem").c_str()));
  File.whenLost([] { ++Losses; });
  ASSERT_NE(File.addExtent(ExtentKind::Rows, 1, 0, 1 << 20), nullptr);
  // Whole pages stay: qemu's larger ones are gone in part where the machine's
  // are.
  const size_t Left = pageSize();
  ASSERT_EQ(truncate(path("a.inmem").c_str(), static_cast<off_t>(Left)), 0);
  testing::internal::CaptureStderr();
  ExtentHeader *E = File.addExtent(ExtentKind::Rows, 1, 0, 4 << 20);
  std::string Said = testing::internal::GetCapturedStderr();
  ASSERT_NE(E, nullptr);
  memset(E + 1, 1, 4 << 20);
  EXPECT_EQ(Losses, 1);
  EXPECT_FALSE(File.isKept());
  EXPECT_NE(Said.find("a.inmem"), std::string::npos);
  EXPECT_EQ(bytesOnDisk().size(), Left);
}

TEST_F(TraceFileTest, SurvivesTheProgramClosingItsDescriptor) {
  ASSERT_TRUE(File.create(path("a.inmem").c_str()));
  for (int Fd = 3; Fd < 1100; ++Fd)
    close(Fd);
  // Whatever has our old number now must not be written to.
  std::ofstream(path("other")) << "mine";
  ExtentHeader *E = File.addExtent(ExtentKind::Rows, 1, 0, 4 << 20);
  ASSERT_NE(E, nullptr);
  EXPECT_FALSE(File.header()->Flags & kFlagFull);
  memcpy(E + 1, "after", 5);
  EXPECT_NE(bytesOnDisk().find("after"), std::string::npos);
}

TEST_F(TraceFileTest, WhatIsPreparedIsInMemoryAndAsItWasOtherwise) {
  ASSERT_TRUE(File.create(path("a.inmem").c_str()));
  ASSERT_NE(File.addExtent(ExtentKind::Rows, 1, 0, 1 << 20), nullptr);
  const uint64_t Before = File.header()->FileBytes;
  constexpr size_t kPayload = 400000;
  File.prepare(kPayload);
  EXPECT_EQ(File.header()->FileBytes, Before);
  char *Begin = TraceBase + roundUp(Before, pageSize());
  const size_t Length =
      (TraceBase + Before + kPayload - Begin) / pageSize() * pageSize();
  // qemu answers for pages of its host, which may be smaller.
  std::vector<unsigned char> Resident(Length / kPage, 1);
  ASSERT_TRUE(findResident(Begin, Length, Resident.data()));
  EXPECT_TRUE(std::ranges::all_of(Resident, [](auto R) { return R & 1; }));
  ExtentHeader *E = File.addExtent(ExtentKind::Events, 1, 0, kPayload);
  ASSERT_NE(E, nullptr);
  EXPECT_EQ(File.offsetOf(E), Before);
  EXPECT_EQ(reinterpret_cast<char *>(E + 1)[kPayload - 1], 0);
  memcpy(E + 1, "recorded", 8);
  EXPECT_NE(bytesOnDisk().find("recorded"), std::string::npos);
}

TEST_F(TraceFileTest, AFileThatSomebodyCutsIsNotPrepared) {
  static int Losses;
  Losses = 0;
  ASSERT_TRUE(File.create(path("a.inmem").c_str()));
  File.whenLost([] { ++Losses; });
  // The file is longer than its extents: nothing need be added to it.
  for (int I = 0; I < 2; ++I)
    ASSERT_NE(File.addExtent(ExtentKind::Rows, 1, 0, 1 << 20), nullptr);
  ASSERT_GT(bytesOnDisk().size(), File.header()->FileBytes + 200000);
  const size_t Left = pageSize();
  ASSERT_EQ(truncate(path("a.inmem").c_str(), static_cast<off_t>(Left)), 0);
  testing::internal::CaptureStderr();
  File.prepare(100000);
  std::string Said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(Losses, 1);
  EXPECT_NE(Said.find("a.inmem"), std::string::npos);
  EXPECT_EQ(bytesOnDisk().size(), Left);
}

TEST_F(TraceFileTest, NothingIsPreparedInAFileOfTheProgram) {
  ASSERT_TRUE(File.create(path("a.inmem").c_str()));
  for (int I = 0; I < 2; ++I)
    ASSERT_NE(File.addExtent(ExtentKind::Rows, 1, 0, 1 << 20), nullptr);
  // All numbers are taken by a file of the program's, and the trace is gone.
  const std::string Other = path("other");
  int First = open(Other.c_str(), O_RDWR | O_CREAT, 0600);
  ASSERT_GE(First, 0);
  for (int Fd = 3; Fd < 1100; ++Fd)
    if (Fd != First)
      dup2(First, Fd);
  ASSERT_EQ(unlink(path("a.inmem").c_str()), 0);
  File.prepare(100000);
  struct stat Status;
  EXPECT_EQ(stat(Other.c_str(), &Status), 0);
  EXPECT_EQ(Status.st_size, 0);
  for (int Fd = 3; Fd < 1100; ++Fd)
    close(Fd);
}

TEST_F(TraceFileTest, NoSignalWherePreparingWouldPassALimit) {
  ASSERT_TRUE(File.create(path("a.inmem").c_str()));
  for (int I = 0; I < 2; ++I)
    ASSERT_NE(File.addExtent(ExtentKind::Rows, 1, 0, 1 << 20), nullptr);
  struct rlimit Old;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &Old), 0);
  struct rlimit Small = Old;
  Small.rlim_cur = 512 * 1024; // less than there is already
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &Small), 0);
  File.prepare(100000);
  ExtentHeader *E = File.addExtent(ExtentKind::Events, 1, 0, 100000);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &Old), 0);
  ASSERT_NE(E, nullptr);
  memcpy(E + 1, "recorded", 8);
  EXPECT_TRUE(File.isKept());
  EXPECT_NE(bytesOnDisk().find("recorded"), std::string::npos);
}

TEST_F(TraceFileTest, AMissingFolderIsSaidInOneLine) {
  testing::internal::CaptureStderr();
  EXPECT_TRUE(File.create(path("no/such/a.inmem").c_str()));
  std::string Said = testing::internal::GetCapturedStderr();
  EXPECT_NE(Said.find("no/such"), std::string::npos);
  EXPECT_EQ(std::count(Said.begin(), Said.end(), '\n'), 1);
  EXPECT_FALSE(File.onDisk());
}

TEST_F(TraceFileTest, RecordsNeverSpanExtents) {
  ASSERT_TRUE(File.create(path("a.inmem").c_str()));
  std::vector<char> Buffer(1000);
  auto *R = reinterpret_cast<RecordHeader *>(Buffer.data());
  R->Kind = RecordKind::Note;
  R->Bytes = 1000;
  for (int I = 0; I < 1000; ++I)
    ASSERT_TRUE(File.appendRecord(R));
  File.trim();
  std::string Bytes = bytesOnDisk();
  uint64_t Found = 0;
  for (uint64_t At = kHeaderBytes; At < File.header()->FileBytes;) {
    ASSERT_LE(At + sizeof(ExtentHeader), Bytes.size());
    auto *E = reinterpret_cast<const ExtentHeader *>(&Bytes[At]);
    ASSERT_EQ(E->Magic, kExtentMagic);
    ASSERT_LE(E->Used, E->Bytes - sizeof(ExtentHeader));
    ASSERT_EQ(E->Used % 1000, 0u);
    Found += E->Used / 1000;
    At += E->Bytes;
  }
  EXPECT_EQ(Found, 1000u);
}

TEST_F(TraceFileTest, ASealedTraceHasChecksumsThatHold) {
  ASSERT_TRUE(File.create(path("a.inmem").c_str()));
  ExtentHeader *E = File.addExtent(ExtentKind::Rows, 1, 0, 2 * sizeof(Row));
  ASSERT_NE(E, nullptr);
  auto *R = reinterpret_cast<Row *>(E + 1);
  R->Allocations = 3;
  E->Used = 1;
  File.trim();
  File.seal();
  std::string Bytes = bytesOnDisk();
  uint64_t Seal;
  memcpy(&Seal, &Bytes[kSealOffset], sizeof Seal);
  EXPECT_NE(Seal, 0u);
  EXPECT_EQ(Seal, sealOf(Bytes.data()));
  ExtentHeader Found;
  memcpy(&Found, &Bytes[kHeaderBytes], sizeof Found);
  EXPECT_EQ(Found.Identity, identityOf(Found));
  const char *Payload = &Bytes[kHeaderBytes + sizeof Found];
  EXPECT_EQ(Found.Checksum, checksumOf(Found, Payload));
  R->Allocations = 4;
  EXPECT_NE(Found.Checksum, checksumOf(Found, reinterpret_cast<char *>(R)));
  File.seal(); // again, after more was counted
  EXPECT_EQ(E->Checksum, checksumOf(*E, R));
}

TEST_F(TraceFileTest, WhatIsAddedBreaksTheSeal) {
  ASSERT_TRUE(File.create(path("a.inmem").c_str()));
  uint64_t Seal = 0;
  auto ReadSeal = [&] {
    memcpy(&Seal, TraceBase + kSealOffset, sizeof Seal);
    return Seal;
  };
  EXPECT_EQ(ReadSeal(), 0u);
  File.seal();
  EXPECT_NE(ReadSeal(), 0u);
  ASSERT_NE(File.addExtent(ExtentKind::Rows, 1, 0, 100), nullptr);
  EXPECT_EQ(ReadSeal(), 0u);
  EXPECT_FALSE(File.isSealed());
  File.seal();
  RecordHeader R = {RecordKind::Note, 0, sizeof R};
  ASSERT_TRUE(File.appendRecord(&R));
  EXPECT_EQ(ReadSeal(), 0u);
}

TEST_F(TraceFileTest, AFullMetaExtentIsFinal) {
  ASSERT_TRUE(File.create(path("a.inmem").c_str()));
  std::vector<char> Buffer(40000);
  auto *R = reinterpret_cast<RecordHeader *>(Buffer.data());
  R->Kind = RecordKind::Note;
  R->Bytes = 40000;
  ASSERT_TRUE(File.appendRecord(R));
  auto *First = reinterpret_cast<ExtentHeader *>(TraceBase + kHeaderBytes);
  EXPECT_FALSE(First->Flags & kExtentFinal);
  ASSERT_TRUE(File.appendRecord(R)); // is put into the next
  EXPECT_TRUE(First->Flags & kExtentFinal);
  EXPECT_EQ(First->Checksum, checksumOf(*First, First + 1));
}

} // namespace
