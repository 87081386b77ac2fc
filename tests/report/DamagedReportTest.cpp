//===- DamagedReportTest.cpp - Reports of traces that were tampered with --===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reader lets figures through that no program can have. Reports must
// neither crash nor lose an invariant over them.
//
//===----------------------------------------------------------------------===//
#include "support/SampleTrace.h"

#include "report/formats/Export.h"
#include "report/formats/FlameGraph.h"
#include "report/formats/Reports.h"
#include "report/model/OverTime.h"
#include "report/text/TextReport.h"
#include "trace/text/Names.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <random>
#include <set>

using namespace inmem;
using namespace inmem::report;
using namespace inmem::test;

namespace {

void reportAll(std::vector<std::byte> Bytes) {
  const auto Traces = readBytes(std::move(Bytes));
  if (!Traces)
    return;
  const auto P = buildProfile(*Traces);
  if (!P)
    return;
  View V;
  V.Tables = {By::Type, By::Site, By::Thread};
  printJson(*P, V);
  printCsv(*P, V);
  printText(*P, V, {});
  V.Edges = {10, 1000, 1'000'000};
  printText(*P, V, {});
  for (const TypeResult &T : P->Types) {
    EXPECT_EQ(T.Sum.Allocations + T.Sum.CarriedAllocations,
              T.Sum.Frees + T.Sum.LiveAllocations);
    if (T.Life.known()) {
      EXPECT_EQ(T.Life.Lifetimes.count(), T.Sum.Frees);
    }
    for (const Bucket &B : T.Life.Lifetimes.buckets())
      EXPECT_LT(B.From, B.To);
  }
}

/// One byte of how many is changed; the nightly run changes each.
size_t stride(size_t ByDefault) {
  const char *Given = std::getenv("INMEM_DAMAGE_STRIDE");
  return Given ? std::max<size_t>(std::stoul(Given), 1) : ByDefault;
}

TEST(DamagedReport, AnyByteMayBeWrong) {
  const size_t Step = stride(11);
  const auto Whole = assembled(kSample);
  const auto Extents = (*readBytes(Whole))[0].Extents;
  std::vector<size_t> Locations;
  for (size_t I = 0; I < sizeof(trace::FileHeader); I += Step)
    Locations.push_back(I);
  for (const trace::Extent &E : Extents)
    for (size_t I = 0; I < 1100; I += Step)
      Locations.push_back(E.Offset + I);
  std::mt19937 Random(5);
  for (const size_t At : Locations) {
    auto Bytes = Whole;
    Bytes[At] = static_cast<std::byte>(Random());
    trace::seal(Bytes);
    reportAll(std::move(Bytes));
  }
}

TEST(DamagedReport, HugeFiguresStayWithinTheirType) {
  const auto Whole = assembled(kSample);
  const auto Traces = readBytes(Whole);
  for (const trace::RowRef &Ref : (*Traces)[0].Rows)
    for (size_t Member = offsetof(trace::Row, Allocations);
         Member < offsetof(trace::Row, Octaves); Member += 8) {
      auto Bytes = Whole;
      const uint64_t Huge = ~uint64_t{0} >> (Member % 3);
      std::memcpy(&Bytes[Ref.Offset + Member], &Huge, sizeof Huge);
      trace::seal(Bytes);
      reportAll(std::move(Bytes));
    }
}

/// Each form in which a trace can be shown.
std::vector<std::string> allForms(const std::vector<trace::Trace> &Traces,
                                  Profile P) {
  if (auto Phases = phasesOf(Traces, {}, 50))
    P.Phases = std::move(*Phases);
  View V;
  V.Tables = {By::Type,  By::Site,  By::Thread, By::Stack,
              By::Blame, By::Phase, By::Time};
  V.Diagnostics = true;
  std::vector<std::string> Out{printText(P, V, {}), printJson(P, V)};
  for (const By What : {By::Type, By::Site, By::Thread, By::Phase, By::Time}) {
    V.Tables = {What};
    Out.push_back(printCsv(P, V));
  }
  for (const FlameMetricName &M : flameMetrics()) {
    FlameOptions Options;
    Options.Of = M.What;
    Out.push_back(foldedStacks(P, Options) + flameGraph(P, Options));
  }
  for (const ExportFormat &F : exportFormats())
    Out.push_back(F.Write(P));
  return Out;
}

bool isWhole(const Profile &P) {
  return std::all_of(
      P.Processes.begin(), P.Processes.end(),
      [](const ProcessResult &R) { return R.Verified && R.Complete; });
}

/// True if the user can see that not all is as it was: in a text or JSON report
/// with the notes; all other forms come with them on stderr.
bool isTold(const Profile &P) {
  return std::any_of(P.Notes.begin(), P.Notes.end(), [](const std::string &N) {
    return N.find("damaged") != N.npos || N.find("cut short") != N.npos ||
           N.find("no more room") != N.npos || N.find("checksums") != N.npos;
  });
}

TEST(DamagedReport, TheSampleHasEveryKindOfExtentAndRecord) {
  const auto All = readBytes(assembled(kEverything));
  ASSERT_TRUE(All);
  const trace::Trace &T = (*All)[0];
  EXPECT_TRUE(T.verified());
  std::set<uint64_t> Kinds;
  for (const trace::Extent &E : T.Extents)
    Kinds.insert(static_cast<uint64_t>(E.Header.Kind));
  for (const trace::Name &N : trace::kExtentNames)
    EXPECT_TRUE(Kinds.contains(N.Value)) << N.Text;
  const std::string Text = trace::dump(T, {true, true});
  for (const char *Record :
       {"process", "type", "field", "site", "frame", "module", "thread",
        "object", "note", "phase", "address", "stack", "stacked-site", "symbol",
        "name"})
    EXPECT_NE(Text.find("  " + std::string(Record) + " "), std::string::npos)
        << Record;
  const auto P = buildProfile(*All);
  ASSERT_TRUE(P);
  EXPECT_TRUE(isWhole(*P));
  EXPECT_FALSE(isTold(*P));
}

TEST(DamagedReport, NoFormShowsAChangedByteWithoutAWord) {
  const auto Whole = assembled(kEverything);
  const auto Traces = readBytes(Whole);
  const auto Forms = allForms(*Traces, *buildProfile(*Traces));
  auto Bytes = Whole;
  unsigned Changed = 0, Told = 0;
  const size_t Step = stride(3);
  for (size_t At = 0; At < Whole.size(); At += Step) {
    if (Whole[At] == std::byte{0} && At / Step % 23 != 0)
      continue; // most are room that nothing uses
    const auto Mask = static_cast<std::byte>(++Changed % 255 + 1);
    Bytes[At] ^= Mask;
    if (const auto After = readBytes(Bytes)) {
      const auto P = buildProfile(*After);
      if (P && isWhole(*P)) {
        EXPECT_EQ(allForms(*After, *P), Forms) << "byte " << At;
      } else if (P) {
        EXPECT_TRUE(isTold(*P)) << "byte " << At;
        if (++Told % 16 == 0) // all there is to fear is a crash
          allForms(*After, *P);
      } else {
        EXPECT_FALSE(P.status().str().empty());
      }
    } else {
      EXPECT_NE(After.status().str().find("test.inmem"), std::string::npos);
    }
    Bytes[At] ^= Mask;
  }
  EXPECT_GT(Told, 1000u / Step);
}

TEST(DamagedReport, NoFormShowsACutTraceWithoutAWord) {
  const auto Whole = assembled(kEverything);
  const auto Reference = buildProfile(*readBytes(Whole));
  const size_t Step = stride(1);
  for (size_t Length = 0; Length < Whole.size(); Length += Step) {
    if (Whole[Length] == std::byte{0} && Length % 23 != 0)
      continue; // as if cut before the zeros
    const auto All = readBytes(
        {Whole.begin(), Whole.begin() + static_cast<ptrdiff_t>(Length)});
    if (!All) {
      EXPECT_LT(Length, sizeof(trace::FileHeader));
      continue;
    }
    const auto P = buildProfile(*All);
    ASSERT_TRUE(P) << Length;
    EXPECT_FALSE(isWhole(*P)) << Length;
    EXPECT_TRUE(isTold(*P)) << Length;
    EXPECT_LE(P->Totals.Allocations, Reference->Totals.Allocations) << Length;
    if (Length % 8 == 0)
      allForms(*All, *P);
  }
}

} // namespace
