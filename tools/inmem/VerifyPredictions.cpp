//===- VerifyPredictions.cpp - Lifetimes against predictions --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Verify.h"
#include "files/Inputs.h"
#include "report/base/Units.h"

#include <algorithm>

namespace inmem::tools {

using report::RecordedRuns;

std::optional<Outcome> uselessProfile(const report::LifetimeProfile &P,
                                      const std::string &File) {
  if (P.Blocks == 0)
    return Outcome{
        kUnreadable,
        File + ": expected blocks of code compiled with inmem, found none"};
  if (P.Unplaced < P.Blocks)
    return std::nullopt;
  return Outcome{
      kUnreadable,
      File + ": the first line of " +
          (P.Unknown.empty() ? "any function" : P.Unknown) +
          " was not found: the program must still be the file that was "
          "recorded, compiled by this inmem or with -g"};
}

/// The depth with which stacks were recorded, if the trace shows it.
static size_t depthOf(const trace::Trace &T) {
  constexpr size_t kUsual = 16; // documented default
  size_t Deepest = 0;
  bool Cut = false;
  for (const trace::Stack &Each : T.Stacks) {
    Deepest = std::max<size_t>(Deepest, Each.Depth);
    Cut |= (Each.Flags & trace::kStackCut) != 0;
  }
  return Deepest == 0 || Cut ? Deepest : std::max(Deepest, kUsual);
}

/// Reads several traces; fails if they are empty.
static std::optional<Outcome> readRuns(const std::vector<trace::Trace> &Traces,
                                       const std::string &Name, CodeFiles &Code,
                                       RecordedRuns &Out) {
  if (const auto Damage = firstDamage(Traces))
    return Outcome::unreadable(*Damage);
  const auto Sums = report::buildProfile(Traces);
  if (!Sums)
    return Outcome::unreadable(Sums.status());
  Out.Blocks = Sums->Totals.Allocations;
  Out.Bytes = Sums->Totals.AllocatedBytes;
  Out.PeakBytes = Sums->PeakLiveBytes;
  Out.Notes = Sums->Notes;
  for (const trace::Trace &T : Traces) {
    Out.Lifetimes.add(T, Code);
    Out.Seconds += report::millisecondsOf(T.Header) / 1e3;
    Out.Clock = T.Header.Clock;
    Out.Depth = std::max(Out.Depth, depthOf(T));
  }
  if (auto Useless = uselessProfile(Out.Lifetimes, Name))
    return Useless;
  if (Out.Lifetimes.Unplaced > 0)
    Out.Notes.push_back(
        Name + ": " +
        report::humanShare(Out.Lifetimes.Unplaced, Out.Lifetimes.Blocks) +
        " of the blocks come from sites that cannot be mapped to a source "
        "line; the first line of " +
        (Out.Lifetimes.Unknown.empty() ? "a function" : Out.Lifetimes.Unknown) +
        " was not found");
  return std::nullopt;
}

std::optional<Outcome>
Predictions::readOld(const std::vector<std::string> &Files, CodeFiles &Code) {
  const auto Traces = readInputs(Files);
  if (!Traces)
    return Outcome::unreadable(Traces.status());
  OldName = Files.front();
  return readRuns(*Traces, OldName, Code, Old);
}

std::optional<Outcome>
Predictions::compare(const std::vector<trace::Trace> &Traces,
                     const std::string &Name, CodeFiles &Code) {
  if (auto Failure = readRuns(Traces, Name, Code, New))
    return Failure;
  Checked = compareLifetimes(Old.Lifetimes, New.Lifetimes);
  if (Checked.Contexts.empty())
    return Outcome{kUnreadable,
                   Name + ": expected contexts that " + OldName +
                       " has, found none: is it the same program, recorded "
                       "with the same stacks=?"};
  Notes = Old.Notes;
  Notes.insert(Notes.end(), New.Notes.begin(), New.Notes.end());
  const auto UnitOf = [](const RecordedRuns &R) {
    return R.Clock == trace::ClockKind::Events ? "bytes" : "time";
  };
  if (UnitOf(Old) != std::string_view(UnitOf(New)))
    Notes.push_back("lifetimes are predicted in " + std::string(UnitOf(Old)) +
                    " and measured in " + UnitOf(New) +
                    " (clock=): classes may differ by that alone");
  if ((Old.Depth == 0) != (New.Depth == 0))
    Notes.push_back(std::string("only the ") +
                    (Old.Depth == 0 ? "new" : "old") +
                    " run has stacks (stacks=): sites with callers have no "
                    "counterpart");
  return std::nullopt;
}

} // namespace inmem::tools
