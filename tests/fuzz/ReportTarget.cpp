//===- ReportTarget.cpp - Bytes of traces to reports of all formats -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Fuzz.h"
#include "ProfileInput.h"

#include "report/compare/Diff.h"
#include "report/formats/Reports.h"
#include "report/text/TextReport.h"

using namespace inmem;
using namespace inmem::report;

constexpr size_t kReportMultiple = 128;

static void checkSums(const Profile &P) {
  for (const TypeResult &T : P.Types) {
    fuzz::check(T.Sum.Allocations + T.Sum.CarriedAllocations ==
                    T.Sum.Frees + T.Sum.LiveAllocations,
                "allocations = frees + live");
    fuzz::check(!T.Life.known() || T.Life.Lifetimes.count() == T.Sum.Frees,
                "a histogram adds up to the frees");
  }
}

enum Part { AsJson, Text, Csv, Histograms, Differences, kParts };

static void printCsvTables(const Profile &P, View V) {
  for (const By What : {By::Type, By::Site, By::Thread, By::Phase, By::Time}) {
    V.Tables = {What};
    printCsv(P, V);
  }
}

static void printDifferences(const std::vector<trace::Trace> &Traces,
                             const Profile &P) {
  const auto First = buildProfile(std::span(Traces).first(1));
  if (!First)
    return;
  const Diff Change = compare(*First, P);
  View V;
  V.Tables = {By::Type, By::Site};
  printDiffJson(Change, V);
  printDiffText(Change, V, {});
}

int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  const fuzz::WithinASecond Limit;
  const fuzz::Parts Asked(Data, Size);
  fuzz::withProfile(
      Data, Size, kReportMultiple, [&](const auto &Traces, const Profile &P) {
        checkSums(P);
        View V;
        V.Tables = {By::Type, By::Site, By::Thread, By::Phase, By::Time};
        V.Diagnostics = true;
        if (Asked.has(AsJson, kParts))
          printJson(P, V);
        if (Asked.has(Text, kParts))
          printText(P, V, {});
        if (Asked.has(Csv, kParts))
          printCsvTables(P, V);
        V.Edges = {10, 1000, 1'000'000};
        if (Asked.has(Histograms, kParts))
          printText(P, V, {});
        if (Asked.has(Differences, kParts))
          printDifferences(Traces, P);
      });
  return 0;
}
