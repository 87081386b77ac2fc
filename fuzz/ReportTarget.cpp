//===- ReportTarget.cpp - Bytes of traces to reports of all formats -------===//
#include "Fuzz.h"
#include "ProfileInput.h"

#include "report/CsvReport.h"
#include "report/Diff.h"
#include "report/JsonReport.h"
#include "report/TextReport.h"

using namespace inmem;
using namespace inmem::report;

constexpr size_t kReportMultiple = 128;

static void checkSums(const Profile &P) {
  for (const TypeResult &T : P.Types) {
    fuzz::check(T.Sum.Allocations + T.Sum.CarriedAllocations ==
                    T.Sum.Frees + T.Sum.LiveAllocations,
                "allocations = frees + live");
    fuzz::check(!T.Life.known() || T.Life.Lives.count() == T.Sum.Frees,
                "a histogram adds up to the frees");
  }
}

static size_t printAll(const Profile &P) {
  View V;
  V.Tables = {By::Type, By::Site, By::Thread, By::Phase, By::Time};
  V.Diagnostics = true;
  size_t Characters = printJson(P, V).size() + printText(P, V, {}).size();
  for (const By What :
       {By::Type, By::Site, By::Thread, By::Phase, By::Time}) {
    V.Tables = {What};
    Characters += printCsv(P, V).size();
  }
  V.Edges = {10, 1000, 1'000'000};
  return Characters + printText(P, V, {}).size();
}

int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  const fuzz::WithinASecond Limit;
  fuzz::withProfile(Data, Size, kReportMultiple,
                    [](const auto &Traces, const Profile &P) {
                      checkSums(P);
                      printAll(P);
                      const auto First =
                          buildProfile(std::span(Traces).first(1));
                      if (!First)
                        return;
                      const Diff Change = compare(*First, P);
                      View V;
                      V.Tables = {By::Type, By::Site};
                      printDiffJson(Change, V);
                      printDiffText(Change, V, {});
                    });
  return 0;
}
