//===- Trial.cpp ----------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fix/verify/Trial.h"

#include "fix/PatchOutput.h"
#include "fix/code/Database.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"

#include <algorithm>
#include <cstdlib>

using llvm::StringRef;

namespace inmem::fix {

/// The last non-blank line.
static std::string lastLine(const std::string &File) {
  const std::string Text = textOf(File);
  const StringRef All = StringRef(Text).rtrim();
  return All.substr(All.rfind('\n') + 1).substr(0, 200).str();
}

std::string Trial::folderIn(const Tree &T) const {
  return T.here(isBelow(R.Folder, R.Root) ? R.Folder : R.Root);
}

/// Why \p Command failed; empty if it succeeded. \p What is "the build" or "its
/// tests".
static std::string problemOf(const std::string &Command,
                             const std::string &Folder, unsigned Seconds,
                             const std::string &Log, const std::string &What,
                             const char *Fails) {
  Job J = shell(Command, Folder, Seconds);
  J.Output = J.Errors = Log;
  const Ended E = run(J);
  if (E.TimedOut)
    return What + " did not end in " + std::to_string(Seconds) + " s";
  return E.ok() ? "" : What + Fails + lastLine(Log);
}

std::string Trial::build(const Tree &T) const {
  return problemOf(T.here(R.Build), folderIn(T), R.TimeoutSeconds,
                   Scratch + "/build.txt", "the build", " fails: ");
}

std::string Trial::test(const Tree &T) const {
  return R.Test.empty()
             ? ""
             : problemOf(T.here(R.Test), folderIn(T), R.TimeoutSeconds,
                         Scratch + "/test.txt", "its tests", " fail: ");
}

/// Reads totals over all traces of a run, through `inmem report`.
static llvm::Error readTotals(const Request &R, const std::string &Traces,
                              const std::string &Report, OneRun &Into) {
  Job J;
  J.Words = {R.Tool, "report", "--format", "json", "--findings", "off"};
  std::error_code Error;
  for (llvm::sys::fs::directory_iterator At(Traces, Error), End;
       At != End && !Error; At.increment(Error))
    J.Words.push_back(At->path());
  if (J.Words.size() == 6)
    return failure("the program wrote no trace: the build must use "
                   "inmem-clang++");
  J.Output = Report;
  J.Errors = Report + ".err";
  if (!run(J).ok())
    return failure("inmem report: " + lastLine(J.Errors));
  auto Parsed = llvm::json::parse(textOf(Report));
  if (!Parsed)
    return Parsed.takeError();
  const llvm::json::Object *O = Parsed->getAsObject();
  const llvm::json::Object *Totals = O ? O->getObject("totals") : nullptr;
  if (!Totals)
    return failure("inmem report printed no totals");
  Into.Blocks = Totals->getNumber("allocations").value_or(0);
  Into.Bytes = Totals->getNumber("allocated_bytes").value_or(0);
  Into.Peak = Totals->getNumber("peak_live_bytes").value_or(0);
  return llvm::Error::success();
}

llvm::Expected<OneRun> Trial::runOnce(const Tree &T) const {
  const std::string Traces = Scratch + "/traces";
  (void)llvm::sys::fs::remove_directories(Traces);
  (void)llvm::sys::fs::create_directories(Traces);
  Job J;
  for (const std::string &Word : R.Command)
    J.Words.push_back(T.here(Word));
  J.Folder = folderIn(T);
  J.Output = Scratch + "/output.txt";
  J.TimeoutSeconds = R.TimeoutSeconds;
  const char *Given = std::getenv("INMEM_OPTIONS");
  J.Environment = {{"INMEM_OPTIONS", std::string(Given ? Given : "") +
                                         (Given && *Given ? ":" : "") +
                                         "output=" + Traces + "/%p.inmem"}};
  OneRun Out;
  Out.End = run(J);
  if (interruptedBy())
    return failure("interrupted");
  if (Out.End.TimedOut)
    return failure("the program did not end in " +
                   std::to_string(R.TimeoutSeconds) + " s");
  // The outputs of two trees must compare equal: hide their paths.
  Out.Output = textOf(J.Output);
  for (size_t At; (At = Out.Output.find(T.path())) != std::string::npos;)
    Out.Output.replace(At, T.path().size(), "$TREE");
  if (auto E = readTotals(R, Traces, Scratch + "/report.json", Out))
    return std::move(E);
  return Out;
}

static double median(std::vector<double> All) {
  std::sort(All.begin(), All.end());
  return All.empty() ? 0 : All[All.size() / 2];
}

static Figures figuresOf(const std::vector<OneRun> &All) {
  const auto Of = [&](auto Get) {
    std::vector<double> Out;
    Out.reserve(All.size());
    for (const OneRun &One : All)
      Out.push_back(Get(One));
    return Out;
  };
  const std::vector<double> Cpu =
      Of([](const OneRun &O) { return O.End.CpuSeconds; });
  Figures F;
  F.Blocks = median(Of([](const OneRun &O) { return O.Blocks; }));
  F.Bytes = median(Of([](const OneRun &O) { return O.Bytes; }));
  F.Peak = median(Of([](const OneRun &O) { return O.Peak; }));
  F.Cpu = median(Cpu);
  F.CpuSpread = *std::max_element(Cpu.begin(), Cpu.end()) -
                *std::min_element(Cpu.begin(), Cpu.end());
  return F;
}

/// The reason why a patch is not kept; empty if it is.
static std::string judge(const Figures &Old, const Figures &New,
                         uint64_t Blocks, uint64_t Bytes) {
  const double FewerBlocks = Old.Blocks - New.Blocks;
  const double FewerBytes = Old.Bytes - New.Bytes;
  if (Blocks > 0 ? FewerBlocks < static_cast<double>(Blocks) / 2
                 : FewerBytes < static_cast<double>(Bytes) / 2)
    return "saves less than half of what it promises";
  constexpr double kPeak = 0.02, kPeakBytes = 64 << 10;
  if (New.Peak > Old.Peak * (1 + kPeak) + kPeakBytes)
    return "the peak rises";
  constexpr double kCpu = 0.1, kCpuSeconds = 0.02;
  if (New.Cpu > Old.Cpu * (1 + kCpu) + kCpuSeconds +
                    std::max(Old.CpuSpread, New.CpuSpread))
    return "it takes more CPU time";
  return {};
}

Verdict Trial::compare(const Tree &Before, const Tree &After, uint64_t Blocks,
                       uint64_t Bytes) const {
  std::vector<OneRun> Old, New;
  Verdict V;
  for (unsigned I = 0; I < std::max(1u, R.Runs); ++I) {
    auto A = runOnce(Before);
    if (!A) {
      V.Why = llvm::toString(A.takeError());
      return V;
    }
    auto B = runOnce(After);
    if (!B) {
      V.Why = llvm::toString(B.takeError());
      return V;
    }
    if (A->End.Code != B->End.Code) {
      V.Why = "the exit code becomes " + std::to_string(B->End.Code);
      return V;
    }
    if (!R.IgnoreOutput && A->Output != B->Output) {
      V.Why = "the program prints something else";
      return V;
    }
    Old.push_back(std::move(*A));
    New.push_back(std::move(*B));
  }
  const Figures From = figuresOf(Old), To = figuresOf(New);
  V.Blocks = To.Blocks - From.Blocks;
  V.Bytes = To.Bytes - From.Bytes;
  V.Peak = To.Peak - From.Peak;
  V.Cpu = To.Cpu - From.Cpu;
  V.BlocksBefore = From.Blocks;
  V.Why = judge(From, To, Blocks, Bytes);
  V.Kept = V.Why.empty();
  return V;
}

} // namespace inmem::fix
