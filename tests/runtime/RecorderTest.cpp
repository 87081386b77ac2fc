//===- RecorderTest.cpp - Results of one thread's events ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The recorder on one thread, called as the hooks do (ThreadsTest.cpp).
//
//===----------------------------------------------------------------------===//
#include "hot/Recorder.h"
#include "FakeBlocks.h"
#include "hot/Cells.h"
#include "hot/EventLifetimes.h"
#include "hot/Threads.h"
#include "registry/SiteRegistry.h"
#include "state/Runtime.h"

#define INMEM_NO_MACROS
#include "inmem/scope_api.h"

#include <gtest/gtest.h>

#include <barrier>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

using namespace inmem::rt;
using namespace inmem::test;

// A deprecated name means the type that replaces it.
static_assert(std::is_same_v<struct inmem_place, struct inmem_source_location>);

namespace {

const inmem::trace::Row &rowOf(const Described &D) {
  return *Thread.Fast.Slots[D.Site.id].R;
}

const inmem::trace::TypeTotal &totalOf(const Described &D) {
  return *typeTotal(typeOfSite(D.Site.id));
}

void allocateAndFree(Described &D, uint64_t Size) {
  char *P = nextAddress();
  recordSite(P, Size, &D.Site);
  recordFreeAt(P);
}

/// Past this the cell of a type waits for some bytes before it flushes.
constexpr int kManyFlushes = 2000;

TEST(Recorder, APeakThatNoFlushHasSeenIsKeptByTheCell) {
  Described Here;
  onThreads(1, [&](unsigned) {
    for (int I = 0; I < kManyFlushes; ++I)
      allocateAndFree(Here, 8);
    char *Much = nextAddress(), *Little = nextAddress();
    recordSite(Much, 100000, &Here.Site);
    ASSERT_EQ(totalOf(Here).Live, 100000);
    recordSite(Little, 500, &Here.Site); // too little for a flush
    ASSERT_EQ(totalOf(Here).Live, 100000);
    recordFreeAt(Much); // flushes, far below what was live in between
    EXPECT_EQ(totalOf(Here).Live, 500);
    EXPECT_EQ(totalOf(Here).Peak, 100500);
    recordFreeAt(Little);
  });
}

TEST(Recorder, AThinnedLifeStandsForThirtyTwo) {
  Described Here;
  onThreads(1, [&](unsigned) {
    constexpr uint64_t kLifetimes = kExactLifetimes + 100 * kThinBy;
    for (uint64_t I = 0; I < kLifetimes; ++I)
      allocateAndFree(Here, 48);
    const inmem::trace::Row &R = rowOf(Here);
    EXPECT_EQ(R.Frees, kLifetimes);
    EXPECT_NEAR(static_cast<double>(R.Timed), kExactLifetimes + 100, 3);
    EXPECT_EQ(R.WeightedTimed,
              kExactLifetimes + kThinBy * (R.Timed - kExactLifetimes));
    uint64_t Count = 0, Bytes = 0;
    for (const uint32_t Offset : R.Octaves) {
      if (!Offset)
        continue;
      const auto *O = reinterpret_cast<const inmem::trace::Octave *>(
          TraceBase + uint64_t{Offset} * 64);
      for (const auto &Bucket : O->Buckets) {
        Count += Bucket.Count;
        Bytes += Bucket.Bytes;
      }
    }
    EXPECT_EQ(Count, R.WeightedTimed);
    EXPECT_EQ(Bytes, R.WeightedTimed * 48);
  });
}

TEST(Recorder, ARequestOfNoBytesCountsAsOne) {
  Described Here;
  onThreads(1, [&](unsigned) {
    for (int I = 0; I < 2; ++I) // the first of a site takes the slow path
      allocateAndFree(Here, 0);
    EXPECT_EQ(rowOf(Here).Allocations, 2u);
    EXPECT_EQ(rowOf(Here).Bytes, 2u);
    EXPECT_EQ(rowOf(Here).FreedBytes, 2u);
  });
}

TEST(Recorder, OnlyAReallocOfABlockIsAReallocation) {
  Described Here;
  onThreads(1, [&](unsigned) {
    for (int I = 0; I < 2; ++I) {
      char *P = nextAddress(), *Q = nextAddress();
      recordSiteAgain(P, 10, &Here.Site, uint32_t{0});
      recordFreeAt(P);
      recordSiteAgain(Q, 20, &Here.Site, Here.Site.id);
      recordFreeAt(Q);
    }
    EXPECT_EQ(rowOf(Here).Allocations, 4u);
    EXPECT_EQ(rowOf(Here).Reallocations, 2u);
  });
}

TEST(Recorder, ALifeIsEnteredWithItsWeight) {
  Described Here;
  onThreads(1, [&](unsigned) {
    recordSite(nextAddress(), 8, &Here.Site);
    inmem::trace::Row R = {};
    enterLifetime(&R, 6, 1, 100);
    enterLifetime(&R, 5, 32, 100);
    enterLifetime(&R, 7, 1, 100);
    EXPECT_EQ(R.Timed, 3u);
    EXPECT_EQ(R.WeightedTimed, 34u);
    EXPECT_EQ(R.MinTicks, 5u);
    EXPECT_EQ(R.MaxTicks, 7u);
    EXPECT_EQ(R.SumTicks, 6u + 32 * 5 + 7);
    const auto *O = reinterpret_cast<const inmem::trace::Octave *>(
        TraceBase + uint64_t{R.Octaves[inmem::trace::octaveOf(5)]} * 64);
    const auto &Bucket = O->Buckets[inmem::trace::bucketInOctave(5)];
    EXPECT_EQ(Bucket.Count, 32u);
    EXPECT_EQ(Bucket.Bytes, 3200u);
  });
}

// Blocks of the side table may share a granule, and so a birth: those have no
// lifetime in allocations. All others do, while there are such blocks too.
TEST(Recorder, ALifetimeInAllocationsIsThatOfABlockWithAGranuleOfItsOwn) {
  Described Here;
  onThreads(1, [&](unsigned) {
    allocateAndFree(Here, 8);
    inmem::trace::Row &R = *Thread.Fast.Slots[Here.Site.id].R;
    const auto Lived = [&](char *P) {
      const IndexEntry Value = eventEntry(&R, P, 8);
      for (int I = 0; I < 3; ++I)
        eventEntry(&R, nextAddress(), 8);
      return Block{Value, 8};
    };
    char *P = nextAddress();
    countEventLifetime(P, &R, Lived(P));
    const auto &Lifetimes = *reinterpret_cast<const inmem::trace::Row *>(
        TraceBase + uint64_t{R.AllocationLifetimes} * 64);
    EXPECT_EQ(Lifetimes.Frees, 1u);
    EXPECT_EQ(Lifetimes.SumTicks, 3u);
    char *InTable = nextAddress() + 8;
    ASSERT_TRUE(addForeign(InTable, {Here.Site.id, false, 1, 8}));
    countEventLifetime(P, &R, Lived(P));
    EXPECT_EQ(Lifetimes.Frees, 2u);
    EXPECT_EQ(Lifetimes.SumTicks, 6u);
    const Block Shared = Lived(P);
    recordSite(P, 8, &Here.Site); // another block of this granule
    countEventLifetime(P, &R, Shared);
    EXPECT_EQ(Lifetimes.Frees, 2u);
    recordFreeAt(P);
    EXPECT_TRUE(takeForeign(InTable));
  });
}

TEST(Recorder, ARequestExplainsWhatItsNumbersCouldAskFor) {
  EXPECT_TRUE((Request{24, 0, 0}).explains(24));
  EXPECT_TRUE((Request{24, 48, 0}).explains(48));
  EXPECT_TRUE((Request{24, 2, 24}).explains(48));
  EXPECT_TRUE((Request{1, 48, 0}).explains(63)); // a header in front
  EXPECT_FALSE((Request{1, 48, 0}).explains(64));
  EXPECT_FALSE((Request{24, 49, 0}).explains(49));
  EXPECT_FALSE((Request{1, 48, 0}).explains(8)); // 0 asks for nothing
  EXPECT_FALSE((Request{0, 48, 0}).explains(48));
}

TEST(Recorder, StacksLeaveIdsForSites) {
  Described Stacked, New;
  onThreads(1, [&](unsigned) {
    allocateAndFree(Stacked, 8);
    uint32_t Stacks = 0;
    {
      Guarded G(Thread);
      Locked L(Process.Mutex);
      while (Stacks <= kMaxSites &&
             registerStackedSite(Stacked.Site.id, Stacks + 1))
        ++Stacks;
      EXPECT_FALSE(registerStackedSite(Stacked.Site.id, Stacks + 1));
    }
    EXPECT_GT(Stacks, 500000u);
    EXPECT_LT(Stacks, kMaxSites - 200000u);
    allocateAndFree(New, 8);
    ASSERT_NE(New.Site.id, 0u);
    EXPECT_EQ(rowOf(New).Allocations, 1u);
  });
}

TEST(Recorder, ARetaggedBlockIsTheNewSitesAlone) {
  Described Raw, Typed;
  Raw.Site.type = 0;
  onThreads(1, [&](unsigned) {
    for (int I = 0; I < 2; ++I) {
      char *P = nextAddress();
      recordSite(P, 40, &Raw.Site);
      retag(P, &Typed.Site);
    }
    EXPECT_EQ(rowOf(Raw).Allocations - rowOf(Raw).MovedOut, 0u);
    EXPECT_EQ(rowOf(Raw).Bytes - rowOf(Raw).MovedOutBytes, 0u);
    EXPECT_EQ(rowOf(Typed).Bytes, 80u);
    EXPECT_EQ(totalOf(Typed).Live, 80);
    EXPECT_EQ(totalOf(Typed).Peak, 80);
  });
}

TEST(Recorder, AQuestionOfBytesTakesNoBlockOfBytes) {
  Described Bytes, Others, Raw;
  Raw.Site.type = 0;
  onThreads(1, [&](unsigned) {
    for (int I = 0; I < 2; ++I) {
      char *P = nextAddress(), *Q = nextAddress();
      recordSite(P, 40, &Bytes.Site);
      retagSized(P, &Others.Site, 1, 40, 0);
      recordSite(Q, 40, &Raw.Site);
      retagSized(Q, &Others.Site, 1, 40, 0);
    }
    EXPECT_EQ(rowOf(Bytes).MovedOut, 0u);
    EXPECT_EQ(rowOf(Raw).MovedOut, 2u);
    EXPECT_EQ(rowOf(Others).Allocations, 2u);
  });
}

TEST(Recorder, ABlockKeepsItsWeightWhenAnotherSiteTakesIt) {
  Described Raw, Typed;
  Raw.Site.type = 0;
  onThreads(1, [&](unsigned) {
    char *P;
    do {
      P = nextAddress();
      recordSite(P, 40, &Raw.Site);
    } while (!peekBlock(P).thinned());
    retag(P, &Typed.Site); // its first event: the slow path
    EXPECT_EQ(peekBlock(P).site(), Typed.Site.id);
    EXPECT_TRUE(peekBlock(P).thinned());
  });
}

TEST(Recorder, ABlockThatAnObjectFillsIsOneOfItsType) {
  Described Raw, Typed;
  Raw.Site.type = 0;
  Typed.Type.size = 48;
  onThreads(1, [&](unsigned) {
    char *Filled = nextAddress(), *Larger = nextAddress();
    recordSite(Filled, 48 + 15, &Raw.Site);
    recordSite(Larger, 48 + 16, &Raw.Site);
    const uint32_t Site = peekBlock(Larger).site();
    SlowPath Inside(Thread); // as in its only caller
    becomeObject(Larger, &Typed.Type);
    EXPECT_EQ(peekBlock(Larger).site(), Site);
    becomeObject(Filled, &Typed.Type);
    EXPECT_EQ(nameOfType(typeOfSite(peekBlock(Filled).site())),
              std::string("Thing"));
  });
}

TEST(Recorder, NoBytesOfAnUnknownCallerCountAsOne) {
  onThreads(1, [](unsigned) {
    for (int I = 0; I < 2; ++I) {
      char *P = nextAddress();
      recordCaller(P, 0, reinterpret_cast<uintptr_t>(&rowOf), nullptr, 0);
      EXPECT_EQ(peekBlock(P).Size, 1u);
      recordFreeAt(P);
    }
  });
}

TEST(Recorder, WhatAThreadHoldsBackIsAddedWhenItEnds) {
  Described Here;
  onThreads(1, [&](unsigned) {
    for (int I = 0; I < kManyFlushes; ++I)
      allocateAndFree(Here, 8);
    recordSite(nextAddress(), 500, &Here.Site);
    EXPECT_LT(totalOf(Here).Live, 500);
  });
  EXPECT_EQ(totalOf(Here).Live, 500);
}

TEST(Recorder, AScopeSubtractsWhatEachOfManySitesHadBefore) {
  constexpr unsigned kSites = 120; // more than an extent has rows
  std::vector<Described> Sites(kSites);
  onThreads(1, [&](unsigned) {
    for (unsigned I = 0; I < kSites; ++I)
      for (unsigned J = 0; J <= I; ++J)
        allocateAndFree(Sites[I], 10);
    inmem_scope *Scope = inmem_scope_begin(INMEM_SCOPE_COUNT, 0);
    ASSERT_TRUE(Scope);
    for (Described &Each : Sites)
      allocateAndFree(Each, 10);
    inmem_scope_counts Counts;
    EXPECT_EQ(inmem_scope_read(Scope, &Counts), INMEM_SCOPE_OK);
    EXPECT_EQ(Counts.allocations, kSites);
    EXPECT_EQ(Counts.frees, kSites);
    EXPECT_EQ(Counts.allocated_bytes, kSites * 10u);
    EXPECT_EQ(Counts.peak_bytes, 10);
    inmem_scope_free(Scope);
  });
}

TEST(Recorder, AScopeCountsARetaggedBlockOnce) {
  Described Raw, Typed;
  Raw.Site.type = 0;
  onThreads(1, [&](unsigned) {
    const auto Make = [&] {
      char *P = nextAddress();
      recordSite(P, 40, &Raw.Site);
      retag(P, &Typed.Site);
    };
    Make(); // before it begins
    inmem_scope *Scope = inmem_scope_begin(INMEM_SCOPE_COUNT, 0);
    ASSERT_TRUE(Scope);
    Make();
    Make();
    inmem_scope_counts Counts;
    EXPECT_EQ(inmem_scope_read(Scope, &Counts), INMEM_SCOPE_OK);
    EXPECT_EQ(Counts.allocations, 2u);
    EXPECT_EQ(Counts.allocated_bytes, 80u);
    inmem_scope_free(Scope);
  });
}

TEST(Recorder, AScopesPeakAddsUpWhatIsFlushedMeanwhile) {
  Described Here;
  onThreads(1, [&](unsigned) { // its first events are flushed one by one
    inmem_scope *Scope = inmem_scope_begin(INMEM_SCOPE_COUNT, 0);
    ASSERT_TRUE(Scope);
    char *First = nextAddress(), *Second = nextAddress();
    recordSite(First, 100, &Here.Site);
    recordSite(Second, 50, &Here.Site);
    recordFreeAt(First);
    recordFreeAt(Second);
    inmem_scope_counts Counts;
    EXPECT_EQ(inmem_scope_read(Scope, &Counts), INMEM_SCOPE_OK);
    EXPECT_EQ(Counts.peak_bytes, 150);
    inmem_scope_free(Scope);
  });
}

TEST(Recorder, APeakBesideAScopeHasWhatAThreadHoldsBackOnce) {
  Described Here;
  std::barrier Together(2);
  std::thread Holding([&] {
    for (int I = 0; I < kManyFlushes; ++I)
      allocateAndFree(Here, 8);
    inmem_scope *Scope = inmem_scope_begin(INMEM_SCOPE_COUNT, 0);
    char *P = nextAddress();
    recordSite(P, 500, &Here.Site);
    Together.arrive_and_wait();
    Together.arrive_and_wait();
    recordFreeAt(P);
    inmem_scope_free(Scope);
  });
  Together.arrive_and_wait();
  int64_t Peak = 0;
  for (int Phase = 0; Phase < 3; ++Phase) {
    Guarded G(Thread);
    Locked L(Process.Mutex);
    beginPeaksAnew([&](uint32_t Type, int64_t Of) {
      if (Type == typeOfSite(Here.Site.id))
        Peak = Of;
    });
    EXPECT_EQ(Peak, 500) << Phase;
  }
  Together.arrive_and_wait();
  Holding.join();
}

TEST(Recorder, WhatACopyAllocatesIsAddedUp) {
  Described Copied, Inner;
  onThreads(1, [&](unsigned) {
    const inmem_tally Begin = __inmem_copy_begin();
    char *First = nextAddress(), *Second = nextAddress();
    recordSite(First, 40, &Inner.Site);
    recordSite(Second, 2, &Inner.Site);
    __inmem_copy_end(&Copied.Site, Begin.allocations, Begin.bytes);
    EXPECT_EQ(rowOf(Copied).InnerAllocations, 2u);
    EXPECT_EQ(rowOf(Copied).InnerBytes, 42u);
    recordFreeAt(First);
    recordFreeAt(Second);
  });
}

__attribute__((noinline)) void copyWithin(Described &Copied, Described &Inner) {
  volatile char Frame[256]; // further down the stack than its caller
  Frame[0] = 0;
  const inmem_tally Begin = __inmem_copy_begin();
  allocateAndFree(Inner, 1 + static_cast<uint64_t>(Frame[0]));
  __inmem_copy_end(&Copied.Site, Begin.allocations, Begin.bytes);
  Frame[0] = 1; // so that the call above is not the last act
}

TEST(Recorder, ACopyWithinACopyDoesNotEndIt) {
  Described Outer, Member, Inner;
  onThreads(1, [&](unsigned) {
    const inmem_tally Begin = __inmem_copy_begin();
    copyWithin(Member, Inner);
    allocateAndFree(Inner, 40);
    __inmem_copy_end(&Outer.Site, Begin.allocations, Begin.bytes);
    EXPECT_EQ(rowOf(Member).InnerBytes, 1u);
    EXPECT_EQ(rowOf(Outer).InnerBytes, 41u);
  });
}

TEST(Recorder, EveryObjectIsFoundAgain) {
  Described Here;
  onThreads(1, [&](unsigned) {
    constexpr unsigned kObjects = 20000;
    std::vector<char *> Objects;
    for (unsigned I = 0; I < kObjects; ++I) {
      Objects.push_back(nextAddress());
      __inmem_object_constructed(Objects.back(), &Here.Site);
    }
    for (unsigned I = 0; I < kObjects; ++I) // in another order
      __inmem_object_destroyed(Objects[I * 7919u % kObjects], &Here.Type);
    EXPECT_EQ(rowOf(Here).Allocations, kObjects);
    EXPECT_EQ(rowOf(Here).Frees, kObjects);
  });
}

TEST(Recorder, SlowPathsRestoreErrno) {
  onThreads(1, [](unsigned) {
    errno = 77;
    {
      SlowPath S(Thread);
      EXPECT_NE(Thread.Inside.Guard, 0u);
      errno = ENOMEM;
    }
    EXPECT_EQ(errno, 77);
    EXPECT_EQ(Thread.Inside.Guard, 0u);
  });
}

} // namespace
