//===- RecorderTest.cpp - What one thread's events leave behind -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The recorder on one thread, called as the hooks do (ThreadsTest.cpp).
//
//===----------------------------------------------------------------------===//
#include "Recorder.h"
#include "FakeBlocks.h"
#include "Runtime.h"
#include "SiteRegistry.h"

#include <gtest/gtest.h>

using namespace inmem::rt;
using namespace inmem::test;

namespace {

const inmem::trace::Row &rowOf(const Described &D) {
  return *Thread.Slots[D.Site.id].R;
}

const inmem::trace::TypeTotal &totalOf(const Described &D) {
  return *typeTotal(typeOfSite(D.Site.id));
}

void allocateAndFree(Described &D, uint64_t Size) {
  char *P = nextAddress();
  allocated(P, Size, &D.Site);
  freed(P);
}

/// Past this the cell of a type waits for some bytes before it flushes.
constexpr int kManyFlushes = 2000;

TEST(Recorder, APeakThatNoFlushHasSeenIsKeptByTheCell) {
  Described Here;
  onThreads(1, [&](unsigned) {
    for (int I = 0; I < kManyFlushes; ++I)
      allocateAndFree(Here, 8);
    char *Much = nextAddress(), *Little = nextAddress();
    allocated(Much, 100000, &Here.Site);
    ASSERT_EQ(totalOf(Here).Live, 100000);
    allocated(Little, 500, &Here.Site); // too little for a flush
    ASSERT_EQ(totalOf(Here).Live, 100000);
    freed(Much); // flushes, far below what was live in between
    EXPECT_EQ(totalOf(Here).Live, 500);
    EXPECT_EQ(totalOf(Here).Peak, 100500);
    freed(Little);
  });
}

TEST(Recorder, AThinnedLifeStandsForThirtyTwo) {
  Described Here;
  onThreads(1, [&](unsigned) {
    constexpr uint64_t kLives = kExactLives + 100 * kThinBy;
    for (uint64_t I = 0; I < kLives; ++I)
      allocateAndFree(Here, 48);
    const inmem::trace::Row &R = rowOf(Here);
    EXPECT_EQ(R.Frees, kLives);
    EXPECT_NEAR(static_cast<double>(R.Timed), kExactLives + 100, 3);
    EXPECT_EQ(R.WeightedTimed, kExactLives + kThinBy * (R.Timed - kExactLives));
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

TEST(Recorder, SlowPathsRestoreErrno) {
  onThreads(1, [](unsigned) {
    errno = 77;
    {
      SlowPath S(Thread);
      EXPECT_EQ(Thread.Guard, 1u);
      errno = ENOMEM;
    }
    EXPECT_EQ(errno, 77);
    EXPECT_EQ(Thread.Guard, 0u);
  });
}

} // namespace
