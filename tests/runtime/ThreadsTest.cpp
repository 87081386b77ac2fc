//===- ThreadsTest.cpp - The recorder under many threads ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The recorder with its threads, cells, registry and index, but without the
// interposed functions: tests call it as the hooks do, with made-up addresses.
// Built a second time with ThreadSanitizer (CMakeLists.txt), whose findings
// make a test fail.
//
//===----------------------------------------------------------------------===//
#include "hot/Threads.h"
#include "FakeBlocks.h"
#include "allocator/Allocator.h"
#include "commands/Snapshots.h"
#include "hot/Cells.h"
#include "hot/Recorder.h"
#include "registry/RecordBuilder.h"
#include "registry/SiteRegistry.h"
#include "scopes/Scopes.h"
#include "state/Runtime.h"
#include "threads/ThreadLifetimes.h"
#include "workers/OwnThread.h"

#define INMEM_NO_MACROS
#include "inmem/inmem.h"
#include "inmem/scope_api.h"
#include "inmem/threads_api.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <memory>
#include <pthread.h>
#include <thread>
#include <vector>

// Stand in for Allocator.cpp and ThreadStart.cpp: nothing is replaced here.
namespace inmem::rt {
void redirectImports() {}
void adoptReferences(const struct inmem_module &) {}
void resolveAllocator() {}
void releaseAllocatorLock() {}
RealAllocator Real;
void noteInstrumentedTls(const void *) {}
bool canRefuse(bool, const char *&) { return false; }
void refuse(void *) {}
uint32_t countLibraryThreads() { return 0; } // as before glibc 2.34
} // namespace inmem::rt

using namespace inmem::rt;
using namespace inmem::test;

namespace {

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif
#else
constexpr bool kSanitized = false;
#endif

struct Exchange {
  struct Thing {
    char *Address;
    uint64_t Size;
    unsigned Which;
  };
  explicit Exchange(size_t Slots) : Slots(Slots) {
    for (auto &Each : this->Slots)
      Each = nullptr;
  }
  std::vector<std::atomic<Thing *>> Slots;
  Described Sites[2];
  std::atomic<int64_t> Live{0}, Peak{0}, LiveOf[2] = {0, 0}, PeakOf[2] = {0, 0};
  std::atomic<uint64_t> Blocks{0}, Bytes{0};

  static void raise(std::atomic<int64_t> &Peak, int64_t Now) {
    for (int64_t High = Peak; Now > High;)
      if (Peak.compare_exchange_weak(High, Now))
        break;
  }
  /// Peaks are those from now on.
  void beginPhase() {
    Peak = Live.load();
    for (unsigned I = 0; I < 2; ++I)
      PeakOf[I] = LiveOf[I].load();
  }

  void put(Thing *New, size_t Where) {
    if (New) {
      Blocks.fetch_add(1, std::memory_order_relaxed);
      Bytes.fetch_add(New->Size, std::memory_order_relaxed);
      const auto Size = static_cast<int64_t>(New->Size);
      raise(PeakOf[New->Which], LiveOf[New->Which] += Size);
      raise(Peak, Live += Size);
      recordSite(New->Address, New->Size, &Sites[New->Which].Site);
    }
    Thing *Old = Slots[Where].exchange(New);
    if (!Old)
      return;
    recordFreeAt(Old->Address);
    Live -= static_cast<int64_t>(Old->Size);
    LiveOf[Old->Which] -= static_cast<int64_t>(Old->Size);
    delete Old;
  }
  void run(unsigned Seed, size_t Times) { run(Seed, Times, Slots.size()); }
  void run(unsigned Seed, size_t Times, size_t Within) {
    for (size_t I = 0; I < Times; ++I) {
      Seed = Seed * 1664525u + 1013904223u;
      put(new Thing{nextAddress(), 64 + (Seed >> 8 & 2047), Seed >> 30 & 1},
          (Seed >> 4) % Within);
    }
  }
};

inmem_counters counted() {
  inmem_counters Result{};
  inmem_process_counters(&Result);
  return Result;
}

inmem_counters operator-(inmem_counters A, const inmem_counters &B) {
  return {A.allocations - B.allocations, A.allocated_bytes - B.allocated_bytes,
          A.frees - B.frees, A.freed_bytes - B.freed_bytes};
}

TEST(Threads, SixtyFourExchangeBlocksAndNoneIsMiscounted) {
  constexpr size_t kSlots = kSanitized ? 1 << 12 : 1 << 19;
  auto All = std::make_unique<Exchange>(kSlots);
  const inmem_counters Before = counted();
  onThreads(64, [&](unsigned I) { All->run(I, kSlots * 4 / 64); });
  for (size_t I = 0; I < kSlots; ++I)
    All->put(nullptr, I);
  const inmem_counters Sum = counted() - Before;
  EXPECT_EQ(Sum.allocations, All->Blocks);
  EXPECT_EQ(Sum.allocated_bytes, All->Bytes);
  EXPECT_EQ(Sum.frees, All->Blocks);
  EXPECT_EQ(Sum.freed_bytes, All->Bytes);
  EXPECT_EQ(All->Live, 0);
  if (!kSanitized) {
    const auto Peak =
        static_cast<double>(Process.Trace.header()->PeakLiveBytes);
    const auto Exact = static_cast<double>(All->Peak.load());
    EXPECT_NEAR(Peak / Exact, 1, 0.002) << Peak << " and " << Exact;
  }
}

TEST(Threads, HoldBackLittleOfAPeakThatAllHaveAPartIn) {
  constexpr unsigned kThreads = 32;
  constexpr uint64_t kBlocks = kSanitized ? 100 : 2500, kSize = 130;
  Described Here;
  std::barrier Together(kThreads);
  {
    Guarded G(Thread);
    Locked L(Process.Mutex);
    beginPeaksAnew(
        [](uint32_t, int64_t) {}); // with what this thread holds back
  }
  onThreads(kThreads, [&](unsigned) {
    for (int I = 0; I < 3000; ++I) { // the first flushes come with every event
      char *P = nextAddress();
      recordSite(P, 3000, &Here.Site);
      recordFreeAt(P);
    }
    Together.arrive_and_wait();
    std::vector<char *> Mine;
    for (uint64_t I = 0; I < kBlocks; ++I) {
      Mine.push_back(nextAddress());
      recordSite(Mine.back(), kSize, &Here.Site);
    }
    Together.arrive_and_wait();
    for (char *P : Mine)
      recordFreeAt(P);
  });
  constexpr double kExact = kThreads * kBlocks * kSize;
  if (!kSanitized) {
    EXPECT_NEAR(static_cast<double>(Process.Trace.header()->PeakLiveBytes) /
                    kExact,
                1, 0.002);
  }
}

TEST(Threads, LiveBytesOfATypeAreKnownWhileThreadsRun) {
  constexpr size_t kSlots = kSanitized ? 1 << 10 : 1 << 18;
  auto All = std::make_unique<Exchange>(kSlots);
  constexpr unsigned kThreads = 8;
  pthread_barrier_t Stop, Go;
  pthread_barrier_init(&Stop, nullptr, kThreads + 1);
  pthread_barrier_init(&Go, nullptr, kThreads + 1);
  std::vector<std::thread> Threads;
  for (unsigned I = 0; I < kThreads; ++I)
    Threads.emplace_back([&, I] {
      All->run(I, kSlots);
      pthread_barrier_wait(&Stop);
      pthread_barrier_wait(&Go);
    });
  pthread_barrier_wait(&Stop); // they live on, with what they have not flushed
  for (unsigned I = 0; I < 2; ++I) {
    const auto *Total = typeTotal(typeOfSite(All->Sites[I].Site.id));
    const auto Live =
        static_cast<double>(__atomic_load_n(&Total->Live, __ATOMIC_RELAXED));
    // A small heap cannot show it: a thread may hold back 4 KiB.
    if (!kSanitized) {
      EXPECT_NEAR(Live / static_cast<double>(All->LiveOf[I].load()), 1, 0.01);
    }
  }
  pthread_barrier_wait(&Go);
  for (std::thread &Each : Threads)
    Each.join();
  for (unsigned I = 0; I < 2; ++I)
    EXPECT_EQ(typeTotal(typeOfSite(All->Sites[I].Site.id))->Live,
              All->LiveOf[I]);
  for (size_t I = 0; I < kSlots; ++I)
    All->put(nullptr, I);
}

TEST(Threads, PeaksOfPhasesAgreeWithAnExactCounter) {
  constexpr size_t kSlots = kSanitized ? 1 << 10 : 1 << 18;
  constexpr unsigned kThreads = 8, kPhases = 4;
  auto All = std::make_unique<Exchange>(kSlots);
  pthread_barrier_t Stop, Go;
  pthread_barrier_init(&Stop, nullptr, kThreads + 1);
  pthread_barrier_init(&Go, nullptr, kThreads + 1);
  // Much, little, much, and nothing new: each thread frees some.
  const size_t Within[kPhases] = {kSlots, kSlots / 32, kSlots / 2, 0};
  std::vector<std::thread> Threads;
  for (unsigned I = 0; I < kThreads; ++I)
    Threads.emplace_back([&, I] {
      for (const size_t Room : Within) {
        pthread_barrier_wait(&Go);
        if (Room > 0)
          All->run(I, 2 * kSlots / kThreads, Room);
        for (size_t At = I; At < kSlots; At += kThreads)
          if (At % 32 != 0)
            All->put(nullptr, At);
        pthread_barrier_wait(&Stop);
      }
    });
  const auto EndPhase = [&](int64_t (&Of)[2]) {
    Guarded G(Thread);
    Locked L(Process.Mutex);
    return beginPeaksAnew([&](uint32_t Type, int64_t Peak) {
      for (unsigned I = 0; I < 2; ++I)
        if (const uint32_t Id = All->Sites[I].Site.id;
            Id && typeOfSite(Id) == Type)
          Of[I] = Peak;
    });
  };
  int64_t Of[2] = {0, 0}, Highest = 0;
  EndPhase(Of);
  for (unsigned Phase = 0; Phase < kPhases; ++Phase) {
    All->beginPhase();
    pthread_barrier_wait(&Go);
    pthread_barrier_wait(&Stop); // what threads have not flushed is theirs
    const int64_t Peak = EndPhase(Of);
    if (kSanitized)
      continue;
    const auto Near = [&](int64_t Found, int64_t Exact) {
      EXPECT_NEAR(static_cast<double>(Found) / static_cast<double>(Exact), 1,
                  0.002)
          << Found << " and " << Exact << " in phase " << Phase;
    };
    Near(Peak, All->Peak);
    for (unsigned I = 0; I < 2; ++I)
      Near(Of[I], All->PeakOf[I]);
    Highest = std::max(Highest, Peak);
  }
  for (std::thread &Each : Threads)
    Each.join();
  if (!kSanitized) {
    EXPECT_GE(Process.Trace.header()->EarlierPeakLiveBytes, Highest);
  }
  for (size_t I = 0; I < kSlots; ++I)
    All->put(nullptr, I);
}

TEST(Threads, ComeAndGoByTheHundredThousandInFewBlocks) {
  constexpr unsigned kRounds = kSanitized ? 100 : 12500, kAtOnce = 8;
  Described Here;
  const inmem_counters Before = counted();
  for (unsigned Round = 0; Round < kRounds; ++Round)
    onThreads(kAtOnce, [&](unsigned) {
      char *P = nextAddress();
      recordSite(P, 100, &Here.Site);
      recordFreeAt(P);
    });
  const inmem_counters Sum = counted() - Before;
  EXPECT_EQ(Sum.allocations, kRounds * kAtOnce);
  EXPECT_EQ(Sum.frees, kRounds * kAtOnce);
  unsigned Blocks = 0;
  for (ThreadRows *B = AllThreadRows; B; B = B->Next)
    ++Blocks;
  EXPECT_LE(Blocks, kKeptApart + 2 * 64);
}

TEST(Threads, RecordingIsSwitchedWhileTheyRun) {
  auto All = std::make_unique<Exchange>(1 << 10);
  const inmem_counters Before = counted();
  std::atomic<bool> Stop{false};
  std::thread Switch([&] {
    while (!Stop) {
      inmem_stop();
      inmem_start();
    }
  });
  onThreads(4, [&](unsigned I) { All->run(I, 20000); });
  Stop = true;
  Switch.join();
  // It is on now, and maybe for the first time on a busy machine.
  onThreads(1, [&](unsigned) { All->run(4, 20000); });
  for (size_t I = 0; I < All->Slots.size(); ++I)
    All->put(nullptr, I);
  const inmem_counters Sum = counted() - Before;
  // Whatever was recorded was followed to its end.
  EXPECT_EQ(Sum.allocations, Sum.frees);
  EXPECT_EQ(Sum.allocated_bytes, Sum.freed_bytes);
  EXPECT_GT(Sum.allocations, 0u);
  EXPECT_LE(Sum.allocations, All->Blocks);
}

/// The destructor of an object of the thread, after which it is really over.
struct FreesLate {
  Described *Of;
  char *P;
  ~FreesLate() {
    recordFreeAt(P);
    char *Late = nextAddress();
    recordSite(Late, 10, &Of->Site);
    recordFreeAt(Late);
  }
};

// Locks trap without it (INMEM_CHECK_LOCKS).
TEST(Threads, TheRuntimesOwnTakeLocksWithTheGuard) {
  OwnThread Own = {};
  {
    Guarded G(Thread);
    ASSERT_TRUE(ensureStarted());
    const auto Body = [](void *) {
      {
        Guarded G(Thread);
        Locked L(Process.Mutex);
        addOwnThread(); // as our pthread_create() does, which is not here
      }
      executeForIdle();
    };
    ASSERT_TRUE(Own.start("own", 0, Body, nullptr));
  }
  EXPECT_TRUE(Own.join(Own.run()));
}

// A watcher lists the threads again only if there are others than it knows of.
TEST(Threads, TheRuntimesOwnAreKnown) {
  std::thread([] {
    Guarded G(Thread);
    ASSERT_TRUE(ensureStarted());
    Locked L(Process.Mutex);
    const uint32_t Before = knownThreadCount();
    expectOwnThread(true);
    addOwnThread();
    EXPECT_EQ(knownThreadCount(), Before + 1);
  }).join();
}

// The profiler lists the threads without the mutex: one may have started since.
TEST(Threads, AnOldListEndsNone) {
  std::atomic<bool> IsListed{false};
  std::atomic<uint32_t> OwnTid{0}, OtherTid{0};
  std::thread Own([&] {
    Guarded G(Thread);
    ASSERT_TRUE(ensureStarted());
    {
      Locked L(Process.Mutex);
      expectOwnThread(true);
      addOwnThread();
    }
    OwnTid = threadId();
    IsListed.wait(false);
  });
  std::thread Other([&] {
    OtherTid = threadId();
    IsListed.wait(false);
  });
  while (OwnTid == 0 || OtherTid == 0)
    std::this_thread::yield();
  {
    Guarded G(Thread);
    Locked L(Process.Mutex);
    const uint32_t Listed = OtherTid;
    noteOtherThreads(&Listed, 1);
    const uint32_t Count = livedThreadCount(), Known = knownThreadCount();
    EXPECT_NE(livedThreadWithTid(OtherTid), 0u);
    noteOtherThreads(nullptr, 0);
    EXPECT_TRUE(isOwnThread(OwnTid));
    EXPECT_NE(livedThreadWithTid(OtherTid), 0u);
    EXPECT_EQ(knownThreadCount(), Known);
    uint32_t Both[] = {OwnTid, OtherTid};
    std::sort(std::begin(Both), std::end(Both));
    noteOtherThreads(Both, 2);
    EXPECT_EQ(livedThreadCount(), Count);
  }
  IsListed = true;
  IsListed.notify_all();
  Own.join();
  Other.join();
  Guarded G(Thread);
  Locked L(Process.Mutex);
  noteOtherThreads(nullptr, 0);
  EXPECT_FALSE(isOwnThread(OwnTid));
  EXPECT_EQ(livedThreadWithTid(OtherTid), 0u);
}

TEST(Threads, AThreadOfTheRuntimesIsStartedAndStoppedByEight) {
  static OwnThread Own;
  static std::atomic<unsigned> Runs{0}, Running{0};
  onThreads(8, [](unsigned) {
    for (int I = 0; I < (kSanitized ? 30 : 300); ++I) {
      Guarded G(Thread);
      ASSERT_TRUE(ensureStarted());
      ASSERT_TRUE(Own.start(
          "own", 0,
          [](void *) {
            Thread.Inside.Guard = kGuardedForever;
            EXPECT_EQ(Running++, 0u);
            ++Runs;
            while (!Own.isStopped())
              Own.sleepUntil(monotonicNs() + 1000000000);
            --Running;
          },
          nullptr));
      EXPECT_TRUE(Own.join(Own.stop()));
    }
  });
  EXPECT_FALSE(Own.exists());
  EXPECT_EQ(Running, 0u);
  EXPECT_GT(Runs, 0u);
}

TEST(Threads, EightUseTheControlsAndAWatcherAtOnce) {
  inmem_watch_options Often = {1000000, 1, 1};
  static std::atomic<unsigned> Told{0};
  inmem_watch *Watch = inmem_watch_new(
      &Often,
      [](void *, const inmem_thread_event *, const inmem_thread_info *) {
        ++Told;
      },
      nullptr, nullptr);
  ASSERT_NE(Watch, nullptr);
  Described Here;
  onThreads(8, [&](unsigned Which) {
    for (unsigned I = 0; I < (kSanitized ? 40 : 200); ++I) {
      if (!kSanitized) { // rows are read while their threads count
        char *P = nextAddress();
        recordSite(P, 30, &Here.Site);
        recordFreeAt(P);
      }
      switch ((Which + I) % 9) {
      case 0:
        inmem_watch_start(Watch);
        break;
      case 1:
        inmem_watch_stop(Watch);
        break;
      case 2:
        inmem_watch_reset(Watch, I % 2);
        break;
      case 3: {
        std::vector<inmem_thread_info> Threads(4);
        inmem_watch_threads(Watch, Threads.data(), Threads.size());
        break;
      }
      case 4:
        inmem_reset();
        break;
      case 5:
        inmem_flush();
        break;
      case 6:
        inmem_phase("a phase");
        break;
      case 7:
        inmem_snapshot("a snapshot");
        break;
      default:
        inmem_recording();
      }
    }
  });
  EXPECT_TRUE(inmem_watch_start(Watch));
  inmem_watch_delete(Watch);
}

TEST(Threads, EightReadAndEndAScopeOfAll) {
  Described Here;
  for (const int Kind : {INMEM_SCOPE_COUNT, INMEM_SCOPE_OBSERVE}) {
    if (kSanitized && Kind == INMEM_SCOPE_COUNT)
      continue; // as above
    inmem_scope *Scope = inmem_scope_begin(Kind, INMEM_ALL_THREADS);
    ASSERT_NE(Scope, nullptr);
    std::atomic<uint64_t> Made{0};
    std::barrier Together(8);
    onThreads(8, [&](unsigned) {
      for (int I = 0; I < (kSanitized ? 30 : 1000); ++I) {
        char *P = nextAddress();
        recordSite(P, 30, &Here.Site);
        recordFreeAt(P);
        ++Made;
        const uint64_t Least = Made;
        inmem_scope_counts Totals;
        ASSERT_EQ(inmem_scope_read(Scope, &Totals), INMEM_SCOPE_OK);
        EXPECT_GE(Totals.allocations, Least);
        EXPECT_LE(Totals.allocations, 16000u);
        if (kSanitized) // it does not see that pages are unmapped and reused
          continue;
        uint64_t Sum = 0;
        inmem_scope_types(
            Scope,
            [](const inmem_scope_type *T, void *To) {
              *static_cast<uint64_t *>(To) += T->counts.allocations;
            },
            &Sum);
        EXPECT_GE(Sum, Least);
      }
      Together.arrive_and_wait();
      inmem_scope_end(Scope);
    });
    EXPECT_EQ(SharedObservers, 0u);
    inmem_scope_counts Totals;
    EXPECT_EQ(inmem_scope_read(Scope, &Totals), INMEM_SCOPE_OK);
    EXPECT_EQ(Totals.allocations, Made);
    inmem_scope_free(Scope);
  }
}

// A file that was cut has zeros for its extents.
TEST(Threads, AListWhoseExtentWasLostBeginsANewOne) {
  using namespace inmem::trace;
  Guarded G(Thread);
  ASSERT_TRUE(ensureStarted());
  Locked L(Process.Mutex);
  ExtentHeader Lost = {}, *Extent = &Lost;
  auto *First =
      addElement<Octave>(Extent, ExtentKind::Octaves, 0, kPage, 2 * kPage);
  ASSERT_NE(First, nullptr);
  ASSERT_NE(Extent, &Lost);
  EXPECT_EQ(Extent->Bytes, kPage);
  const ExtentHeader *Next =
      Process.Trace.addExtent(ExtentKind::Octaves, 0, 0, sizeof(Octave));
  ASSERT_NE(Next, nullptr);
  EXPECT_GE(reinterpret_cast<const char *>(Next),
            reinterpret_cast<const char *>(First + 1));
}

TEST(Threads, DestructorsOfThreadLocalObjectsCount) {
  Described Here;
  const inmem_counters Before = counted();
  onThreads(16, [&](unsigned) {
    char *P = nextAddress();
    recordSite(P, 30, &Here.Site);
    thread_local FreesLate Late{&Here, P};
    (void)&Late;
  });
  const inmem_counters Sum = counted() - Before;
  EXPECT_EQ(Sum.allocations, 32u);
  EXPECT_EQ(Sum.frees, 32u);
  EXPECT_EQ(Sum.freed_bytes, 16u * 40);
}

} // namespace
