//===- CollectorTest.cpp - Traces to a store, and what kills leave --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fleet/ship/Collector.h"

#include "fleet/FleetFixture.h"
#include "trace/read/Reader.h"

#include <gmock/gmock.h>
#include <sys/resource.h>

namespace inmem::fleet {

using testing::HasSubstr;
using testing::SizeIs;
namespace fs = std::filesystem;

/// Fails for a number of times, then is a folder.
class FlakyStore final : public Store {
public:
  FlakyStore(const fs::path &Root, unsigned Failures, PutOutcome::Kind How)
      : Of(Root, 0), Failures(Failures), How(How) {}
  PutOutcome put(const std::string &Key, const fs::path &File) override {
    ++Puts;
    if (Puts <= Failures)
      return {How, "the network is away"};
    return Of.put(Key, File);
  }
  std::string name() const override { return "flaky"; }
  unsigned Puts = 0;

private:
  DirectoryStore Of;
  unsigned Failures;
  PutOutcome::Kind How;
};

class CollectorTest : public FleetTest {
protected:
  void SetUp() override {
    FleetTest::SetUp();
    makeSources();
  }
  void makeSources() {
    for (const char *Name : {"from", "store", "spool"})
      fs::remove_all(Folder / Name);
    fs::create_directories(from());
    for (unsigned Pid = 1; Pid <= 3; ++Pid)
      addSource(Pid);
  }
  void addSource(unsigned Pid) {
    writeTrace("from/" + std::to_string(Pid) + ".inmem",
               traceText(Pid, "service=web,build=1", 10 * Pid));
  }
  CollectOptions options() const {
    CollectOptions Out;
    Out.From = from();
    Out.Settle = std::chrono::seconds(0);
    Out.FirstWait = std::chrono::milliseconds(1);
    return Out;
  }
  trace::Status pass(Store &To, CollectOptions Options,
                     CollectCounts *Counts = nullptr) const {
    auto Own = Spool::open(spool());
    if (!Own)
      return Own.status();
    Collector C(std::move(*Own), To, std::move(Options));
    trace::Status Done = C.pass();
    if (Counts)
      *Counts = C.counts();
    return Done;
  }
  trace::Status pass(CollectCounts *Counts = nullptr) const {
    DirectoryStore To(Folder / "store", 0);
    return pass(To, options(), Counts);
  }
  fs::path from() const { return Folder / "from"; }
  fs::path spool() const { return Folder / "spool"; }
  /// The pids of the traces below a folder; each is read to its end.
  std::vector<uint64_t> pidsIn(const char *Name) const {
    std::vector<uint64_t> Out;
    std::error_code Error;
    for (const auto &File :
         fs::recursive_directory_iterator(Folder / Name, Error)) {
      const std::string Path = File.path().string();
      if (!Path.ends_with(".inmem") && !Path.ends_with(".inmem.zst"))
        continue;
      const auto Traces = trace::readTraces(Path);
      EXPECT_TRUE(Traces) << Traces.status().str();
      if (Traces && !Traces->empty()) {
        EXPECT_TRUE(Traces->front().complete()) << Path;
        Out.push_back(Traces->front().Header.Pid);
      }
    }
    std::ranges::sort(Out);
    return Out;
  }
  const std::vector<uint64_t> All = {1, 2, 3};
};

TEST_F(CollectorTest, TracesMoveToTheStoreOnce) {
  CollectCounts Counts;
  ASSERT_TRUE(pass(&Counts).ok());
  EXPECT_EQ(Counts.Added, 3u);
  EXPECT_EQ(pidsIn("store"), All);
  EXPECT_THAT(pidsIn("from"), SizeIs(0));
  EXPECT_THAT(pidsIn("spool"), SizeIs(0));
  const fs::path Day = Folder / "store/date=2026-11-24/service=web";
  EXPECT_EQ(std::distance(fs::directory_iterator(Day), {}), 3);
  // This trace again, from another host: its key is the same.
  addSource(2);
  ASSERT_TRUE(pass(&Counts).ok());
  EXPECT_EQ(Counts.Added, 0u);
  EXPECT_EQ(Counts.Present, 1u);
  EXPECT_EQ(pidsIn("store"), All);
}

TEST_F(CollectorTest, WhatHasNotEndedStays) {
  std::string Running = traceText(getpid(), "", 10);
  Running.replace(Running.find("state=complete"), 14, "state=running");
  const std::string Killed = writeTrace("from/killed.inmem", Running);
  char Host[65] = {};
  ASSERT_EQ(gethostname(Host, 64), 0);
  Running.replace(Running.find("\"box\""), 5, '"' + std::string(Host) + '"');
  const std::string Alive = writeTrace("from/alive.inmem", Running);
  fs::create_symlink(Alive, from() / "link.inmem");
  std::ofstream(from() / "notes.txt") << "x";
  CollectCounts Counts;
  ASSERT_TRUE(pass(&Counts).ok());
  EXPECT_EQ(Counts.Added, 3u);
  EXPECT_EQ(Counts.Running, 2u);
  // A day later: one process is on this host, the other was killed elsewhere.
  for (const std::string &File : {Killed, Alive})
    fs::last_write_time(File, fs::file_time_type::clock::now() -
                                  std::chrono::hours(25));
  ASSERT_TRUE(pass(&Counts).ok());
  EXPECT_EQ(Counts.Added, 1u);
  EXPECT_EQ(Counts.Running, 1u);
  EXPECT_TRUE(fs::exists(Alive));
  EXPECT_FALSE(fs::exists(Killed));
  EXPECT_TRUE(fs::exists(from() / "notes.txt"));
  EXPECT_TRUE(fs::is_symlink(from() / "link.inmem"));
}

TEST_F(CollectorTest, WhatChangedLatelyStays) {
  auto Options = options();
  Options.Settle = std::chrono::seconds(3600);
  DirectoryStore To(Folder / "store", 0);
  CollectCounts Counts;
  ASSERT_TRUE(pass(To, Options, &Counts).ok());
  EXPECT_EQ(Counts.Running, 3u);
  EXPECT_EQ(pidsIn("from"), All);
}

TEST_F(CollectorTest, WhatIsNoTraceIsSaidOnce) {
  std::ofstream(from() / "bad.inmem") << "text";
  DirectoryStore To(Folder / "store", 0);
  auto Own = Spool::open(spool());
  ASSERT_TRUE(Own);
  Collector C(std::move(*Own), To, options());
  ASSERT_TRUE(C.pass().ok());
  ASSERT_THAT(C.takeUnreadable(), SizeIs(1));
  ASSERT_TRUE(C.pass().ok());
  EXPECT_THAT(C.takeUnreadable(), SizeIs(0));
  EXPECT_TRUE(fs::exists(from() / "bad.inmem"));
  EXPECT_EQ(pidsIn("store"), All);
}

TEST_F(CollectorTest, AStoreThatComesBackGetsAll) {
  FlakyStore To(Folder / "store", 4, PutOutcome::Failed);
  CollectCounts Counts;
  const trace::Status Done = pass(To, options(), &Counts);
  EXPECT_TRUE(Done.ok()) << Done.str();
  EXPECT_EQ(pidsIn("store"), All);
  EXPECT_EQ(To.Puts, 7u);
}

TEST_F(CollectorTest, AStoreThatStaysAwayLosesNothing) {
  FlakyStore Away(Folder / "store", 1000, PutOutcome::Failed);
  CollectCounts Counts;
  trace::Status Done = pass(Away, options(), &Counts);
  EXPECT_THAT(Done.str(), HasSubstr("the network is away"));
  EXPECT_EQ(Away.Puts, 5u);
  EXPECT_EQ(Counts.Waiting, 3u);
  EXPECT_EQ(pidsIn("spool"), All);
  ASSERT_TRUE(pass().ok());
  EXPECT_EQ(pidsIn("store"), All);
  EXPECT_THAT(pidsIn("spool"), SizeIs(0));
}

TEST_F(CollectorTest, ARefusalIsNotRepeated) {
  FlakyStore Refusing(Folder / "store", 1000, PutOutcome::Refused);
  EXPECT_FALSE(pass(Refusing, options()).ok());
  EXPECT_EQ(Refusing.Puts, 1u);
  EXPECT_EQ(pidsIn("spool"), All);
}

TEST_F(CollectorTest, TheSpoolHasALimit) {
  FlakyStore Away(Folder / "store", 1000, PutOutcome::Failed);
  auto Options = options();
  const auto Size = fs::file_size(from() / "1.inmem");
  Options.SpoolBytes = 2 * Size + Size / 2;
  CollectCounts Counts;
  EXPECT_FALSE(pass(Away, Options, &Counts).ok());
  EXPECT_THAT(pidsIn("spool"), SizeIs(2));
  EXPECT_THAT(pidsIn("from"), SizeIs(1));
  EXPECT_EQ(Counts.Waiting, 3u);
  // In turns, all go through it; also what is larger than all of it.
  DirectoryStore Back(Folder / "store", 0);
  Options.SpoolBytes = 10;
  ASSERT_TRUE(pass(Back, Options, &Counts).ok());
  EXPECT_EQ(pidsIn("store"), All);
  EXPECT_THAT(pidsIn("from"), SizeIs(0));
}

TEST_F(CollectorTest, AFullDiskLosesNothing) {
  const pid_t Child = fork();
  if (Child == 0) {
    // As much as the disk has left: less than a compressed trace.
    signal(SIGXFSZ, SIG_IGN);
    const rlimit Limit{100, 100};
    setrlimit(RLIMIT_FSIZE, &Limit);
    const trace::Status Done = pass();
    _exit(!Done.ok() && Done.str().find("cannot be") != std::string::npos ? 0
                                                                          : 1);
  }
  int How = 0;
  ASSERT_EQ(waitpid(Child, &How, 0), Child);
  EXPECT_EQ(How, 0);
  EXPECT_EQ(pidsIn("from"), All);
  EXPECT_THAT(pidsIn("store"), SizeIs(0));
  ASSERT_TRUE(pass().ok());
  EXPECT_EQ(pidsIn("store"), All);
}

TEST_F(CollectorTest, AFullSpoolDiskIsPassedBy) {
  // Nothing can be made where the spool's folders would be.
  auto Own = Spool::open(spool());
  ASSERT_TRUE(Own);
  std::ofstream(spool() / "date=2026-11-24") << "x";
  DirectoryStore To(Folder / "store", 0);
  Collector C(std::move(*Own), To, options());
  const trace::Status Done = C.pass();
  ASSERT_TRUE(Done.ok()) << Done.str();
  EXPECT_EQ(pidsIn("store"), All);
  EXPECT_THAT(pidsIn("from"), SizeIs(0));
  // Their keys are the ones of the spool: what was killed
  // before it removed the sources stores them once.
  fs::remove(spool() / "date=2026-11-24");
  for (const unsigned Pid : {1, 2, 3})
    addSource(Pid);
  ASSERT_TRUE(C.pass().ok());
  EXPECT_EQ(C.counts().Present, 3u);
  EXPECT_EQ(pidsIn("store"), All);
}

TEST_F(CollectorTest, ASpoolIsOfOneProcess) {
  const auto Mine = Spool::open(spool());
  ASSERT_TRUE(Mine);
  const trace::Status Done = pass();
  EXPECT_THAT(Done.str(), HasSubstr("another process"));
  EXPECT_EQ(pidsIn("from"), All);
}

TEST_F(CollectorTest, BandwidthIsLimited) {
  Throttle Rate(1'000'000);
  const auto Before = std::chrono::steady_clock::now();
  for (int I = 0; I < 20; ++I)
    Rate.passed(10'000);
  const auto Took = std::chrono::steady_clock::now() - Before;
  EXPECT_GE(Took, std::chrono::milliseconds(180));
}

TEST_F(CollectorTest, KilledAtAnyStep) {
  int Steps = 0;
  for (bool Ended = false; !Ended; ++Steps) {
    ASSERT_LT(Steps, 200);
    makeSources();
    Ended = endsBefore(Steps, [&] { return pass().ok(); });
    std::vector<uint64_t> Somewhere;
    for (const char *Name : {"from", "spool", "store"})
      for (const uint64_t Pid : pidsIn(Name))
        Somewhere.push_back(Pid);
    for (const uint64_t Pid : All)
      EXPECT_THAT(Somewhere, testing::Contains(Pid)) << "at step " << Steps;
    ASSERT_TRUE(pass().ok()) << "at step " << Steps;
    EXPECT_EQ(pidsIn("store"), All) << "at step " << Steps;
    EXPECT_THAT(pidsIn("from"), SizeIs(0));
    // But for the lock, the spool is empty.
    EXPECT_EQ(std::distance(fs::directory_iterator(spool()), {}), 1);
  }
  // For each trace: write, sync, rename, sync folder, remove; write, link, sync
  // folder, remove.
  EXPECT_EQ(Steps, 3 * 9 + 1);
}

} // namespace inmem::fleet
