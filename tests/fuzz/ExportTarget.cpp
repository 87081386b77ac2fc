//===- ExportTarget.cpp - Bytes of traces to what other tools read --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exporters, flame graphs, call trees, checks against a budget, and what is
// learned from a run: none may take more than its share of the file.
//
//===----------------------------------------------------------------------===//
#include "Fuzz.h"
#include "ProfileInput.h"

#include "report/compare/CheckReport.h"
#include "report/compare/Diff.h"
#include "report/formats/Export.h"
#include "report/formats/FlameGraph.h"
#include "report/formats/Reports.h"
#include "report/text/TextReport.h"

using namespace inmem;
using namespace inmem::report;

constexpr size_t kExportMultiple = 128;

static const Budget &budget() {
  static const auto Read = parseBudget("[totals]\nblocks = 1\nlive_bytes = 0\n"
                                       "[types.'*']\nbytes = 1\n"
                                       "[sites.'*']\nblocks = 0\n",
                                       "budget.toml");
  fuzz::check(static_cast<bool>(Read), "the target's own budget is right");
  return *Read;
}

static void drawFlames(const Profile &P) {
  for (const FlameMetricName &M : flameMetrics()) {
    FlameOptions Options;
    Options.Of = M.What;
    foldedStacks(P, Options);
    flameGraph(P, Options);
  }
}

static void printStacks(const Profile &P) {
  View V;
  for (const bool BottomUp : {false, true}) {
    V.Tables = {By::Stack, By::Blame};
    V.Stacks.BottomUp = BottomUp;
    printText(P, V, {});
    printJson(P, V);
  }
}

static void checkAll(const Profile &P) {
  const RunProfile Run{"run", P, {}};
  const CheckResult R =
      check(budget(), {&Run, 1}, {&P, 1}, defaultBaseline({}));
  printCheckText(R, {});
  printCheckJson(R);
  printJUnit(R, "/");
  printSarif(R, "/");
  printGithub(R, "/");
  const auto Learned = parseBudget(learnBudget({&Run, 1}, {}), "learned.toml");
  fuzz::check(static_cast<bool>(Learned), "what is learned can be read");
}

static void printDifferences(const Profile &P) {
  View V;
  V.Tables = {By::Type, By::Site};
  printDiffHtml(compare(P, P), V);
}

int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  const fuzz::WithinASecond Limit;
  budget();
  const fuzz::Parts Asked(Data, Size);
  fuzz::withProfile(
      Data, Size, kExportMultiple, [&](const auto &, const Profile &P) {
        constexpr void (*kOthers[])(const Profile &) = {
            drawFlames, printStacks, checkAll, printDifferences};
        size_t Part = 0;
        const size_t Count = exportFormats().size() + std::size(kOthers);
        for (const ExportFormat &F : exportFormats())
          // heaptrack's has lines for each block, which the tool limits.
          if (Asked.has(Part++, Count) &&
              (F.Name != "heaptrack" ||
               P.Totals.Allocations + P.Totals.CarriedAllocations < 1000))
            F.Write(P);
        for (const auto Other : kOthers)
          if (Asked.has(Part++, Count))
            Other(P);
      });
  return 0;
}
