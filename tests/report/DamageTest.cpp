//===- DamageTest.cpp - Reports of traces that were tampered with ---------===//
//
// The reader lets figures through that no program can have. Reports must
// neither crash nor lose an invariant over them.
//
//===----------------------------------------------------------------------===//
#include "support/SampleTrace.h"

#include "report/CsvReport.h"
#include "report/JsonReport.h"
#include "report/TextReport.h"

#include <cstring>
#include <random>

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
      EXPECT_EQ(T.Life.Lives.count(), T.Sum.Frees);
    }
    for (const Bucket &B : T.Life.Lives.buckets())
      EXPECT_LT(B.From, B.To);
  }
}

TEST(DamagedReport, AnyByteMayBeWrong) {
  const auto Whole = assembled(kSample);
  const auto Extents = (*readBytes(Whole))[0].Extents;
  std::vector<size_t> Places;
  for (size_t I = 0; I < sizeof(trace::FileHeader); I += 3)
    Places.push_back(I);
  for (const trace::Extent &E : Extents)
    for (size_t I = 0; I < 1100; I += 3)
      Places.push_back(E.Offset + I);
  std::mt19937 Random(5);
  for (const size_t At : Places) {
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

} // namespace
