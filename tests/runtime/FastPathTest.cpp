//===- FastPathTest.cpp ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which events may take the fast path, by what holds for a thread.
#include "hot/FastPath.h"

#include "hot/CallerPaths.h"

#include <gtest/gtest.h>

using namespace inmem::rt;

// In place of CallerPaths.cpp.
constinit CallerPaths inmem::rt::ClosedPaths = {};

namespace {

const Conditions kUsual = [] {
  Conditions C = {};
  C.Counts = C.Recording = true;
  return C;
}();

/// The options that \p Set makes of the defaults.
template <class Setter> Options options(Setter Set) {
  Options O = {};
  O.Every = 1;
  Set(O);
  return O;
}
const Options kDefault = options([](Options &) {});

TEST(FastPath, IsForEverythingByDefault) {
  const FastPath F = decideFastPath(kUsual, kDefault);
  EXPECT_TRUE(F.Allocations);
  EXPECT_TRUE(F.Frees);
  EXPECT_FALSE(F.NotesFrees);
  EXPECT_EQ(F.Lifetimes, LifetimePolicy::Thinned);
}

TEST(FastPath, IsClosedWithoutABlock) {
  Conditions C = kUsual;
  C.Counts = false;
  const FastPath F = decideFastPath(C, kDefault);
  EXPECT_FALSE(F.Allocations);
  EXPECT_FALSE(F.Frees);
  EXPECT_EQ(F.Mode, RecordMode::StepByStep);
}

TEST(FastPath, FreesGoOnWhereAllocationsAreNotRecorded) {
  for (bool Conditions::*What :
       {&Conditions::InCopy, &Conditions::Suspended, &Conditions::Watched}) {
    Conditions C = kUsual;
    C.*What = true;
    const FastPath F = decideFastPath(C, kDefault);
    EXPECT_FALSE(F.Allocations);
    EXPECT_EQ(F.Mode, RecordMode::StepByStep);
    EXPECT_TRUE(F.Frees);
  }
  Conditions Stopped = kUsual;
  Stopped.Recording = false;
  EXPECT_FALSE(decideFastPath(Stopped, kDefault).Allocations);
  EXPECT_TRUE(decideFastPath(Stopped, kDefault).Frees);
}

TEST(FastPath, AnObserverSeesFrees) {
  Conditions C = kUsual;
  C.Watched = C.WatchesFrees = true;
  EXPECT_FALSE(decideFastPath(C, kDefault).Frees);
}

TEST(FastPath, TracedEventsHaveAWayOfTheirOwn) {
  Conditions C = kUsual;
  C.WritesEvents = true;
  FastPath F = decideFastPath(C, kDefault);
  EXPECT_FALSE(F.Allocations);
  EXPECT_FALSE(F.Frees);
  EXPECT_EQ(F.Mode, RecordMode::Traced);
  // Not if something else is unusual, too.
  EXPECT_EQ(decideFastPath(C, options([](Options &O) { O.Stacks = 8; })).Mode,
            RecordMode::StepByStep);
  EXPECT_EQ(decideFastPath(C, options([](Options &O) { O.MinSize = 8; })).Mode,
            RecordMode::StepByStep);
  EXPECT_EQ(decideFastPath(C, options([](Options &O) {
                             O.Clock.Index = Options::ClockEvents;
                           }))
                .Mode,
            RecordMode::StepByStep);
}

TEST(FastPath, StacksNeedMemory) {
  const Options O = options([](Options &Set) { Set.Stacks = 8; });
  Conditions C = kUsual;
  EXPECT_EQ(decideFastPath(C, O).Mode, RecordMode::StepByStep);
  C.HasStacks = true;
  EXPECT_EQ(decideFastPath(C, O).Mode, RecordMode::Stacked);
  EXPECT_FALSE(decideFastPath(C, O).Allocations);
  EXPECT_TRUE(decideFastPath(C, O).Frees);
}

TEST(FastPath, FreesThatAreNotedAreNotPlain) {
  Conditions C = kUsual;
  C.HasStacks = true;
  const FastPath F = decideFastPath(
      C, options([](Options &O) { O.Frees.Index = Options::FreesOn; }));
  EXPECT_TRUE(F.NotesFrees);
  EXPECT_FALSE(F.Frees);
  EXPECT_EQ(F.Mode, RecordMode::Stacked);
}

TEST(FastPath, OneKindOfSamplingSkips) {
  FastPath F =
      decideFastPath(kUsual, options([](Options &O) { O.Every = 10; }));
  EXPECT_EQ(F.Mode, RecordMode::SkipsBlocks);
  EXPECT_EQ(F.Lifetimes, LifetimePolicy::All);
  EXPECT_TRUE(F.Frees);
  F = decideFastPath(kUsual, options([](Options &O) { O.SampleBytes = 10; }));
  EXPECT_EQ(F.Mode, RecordMode::SkipsBytes);
  EXPECT_FALSE(F.Frees); // they have weights
  F = decideFastPath(kUsual, options([](Options &O) {
                       O.SampleBytes = 10;
                       O.Every = 10;
                     }));
  EXPECT_EQ(F.Mode, RecordMode::StepByStep);
}

TEST(FastPath, ClocksDecideWhichLivesAreTimed) {
  EXPECT_EQ(decideFastPath(kUsual, options([](Options &O) {
                             O.Clock.Index = Options::ClockExact;
                           }))
                .Lifetimes,
            LifetimePolicy::All);
  const FastPath Events = decideFastPath(kUsual, options([](Options &O) {
                                           O.Clock.Index = Options::ClockEvents;
                                         }));
  EXPECT_EQ(Events.Lifetimes, LifetimePolicy::InEvents);
  EXPECT_TRUE(Events.Allocations);
  EXPECT_TRUE(Events.Frees);
  Conditions C = kUsual;
  C.HasNoClock = true;
  EXPECT_EQ(decideFastPath(C, kDefault).Lifetimes, LifetimePolicy::None);
}

} // namespace
