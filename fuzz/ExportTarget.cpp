//===- ExportTarget.cpp - Bytes of traces to what other tools read --------===//
//
// Exporters, flame graphs, call trees, checks against a budget, and what is
// learned from a run: none may take more than its share of the file.
//
//===----------------------------------------------------------------------===//
#include "Fuzz.h"
#include "TraceInput.h"

#include "report/CheckReport.h"
#include "report/Diff.h"
#include "report/Export.h"
#include "report/FlameGraph.h"
#include "report/JsonReport.h"
#include "report/PhaseReport.h"
#include "report/TextReport.h"
#include "trace/Reader.h"

using namespace inmem;
using namespace inmem::report;

constexpr size_t kExportMultiple = 128;
constexpr size_t kExportBase = 1 << 20;

static const Budget &budget() {
  static const auto Read = parseBudget("[totals]\nblocks = 1\nlive_bytes = 0\n"
                                       "[types.'*']\nbytes = 1\n"
                                       "[sites.'*']\nblocks = 0\n",
                                       "budget.toml");
  fuzz::check(static_cast<bool>(Read), "the target's own budget is right");
  return *Read;
}

static void exportAll(const Profile &P) {
  for (const ExportFormat &F : exportFormats())
    F.Write(P);
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
  printJUnit(R);
  printSarif(R, "/");
  printGithub(R, "/");
  const auto Learned = parseBudget(learnBudget({&Run, 1}, {}), "learned.toml");
  fuzz::check(static_cast<bool>(Learned), "what is learned can be read");
}

int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  const fuzz::WithinASecond Limit;
  budget();
  auto Bytes = fuzz::unpackTrace(Data, Size);
  const size_t FileBytes = Bytes.size();
  const auto File = trace::Buffer::fromBytes(std::move(Bytes), "input");
  fuzz::resetPeak();
  {
    const auto All = trace::readTraces(File);
    if (!All)
      return 0;
    auto P = buildProfile(*All);
    if (!P)
      return 0;
    if (auto Phases = phasesOf(*All, {}, 50))
      P->Phases = std::move(*Phases);
    exportAll(*P);
    printStacks(*P);
    checkAll(*P);
    View V;
    V.Tables = {By::Type, By::Site};
    printDiffHtml(compare(*P, *P), V);
  }
  fuzz::check(fuzz::peakOfHeap() <= kExportBase + kExportMultiple * FileBytes,
              "an export takes at most 128 times the file");
  return 0;
}
