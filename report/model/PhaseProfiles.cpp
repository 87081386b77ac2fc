//===- PhaseProfiles.cpp - A profile of each phase ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/model/OverTime.h"

namespace inmem::report {

namespace {

/// \param From null for the start of the run, or its last reset
trace::Result<PhaseResult> phaseBetween(const trace::Trace &T,
                                        ProfileOptions Options, Interval I) {
  I = fromReset(T, I);
  Options.Within = I;
  auto P = buildProfile({&T, 1}, Options);
  if (!P)
    return P.status();
  PhaseResult Out;
  Out.Pid = T.Header.Pid;
  Out.BeginNs = I.From ? nanosecondsAt(T, *I.From) : 0;
  const uint64_t End = I.To ? nanosecondsAt(T, *I.To) : durationOf(T.Header);
  Out.DurationNs = End > Out.BeginNs ? End - Out.BeginNs : 0;
  Out.Sum = P->Totals;
  Out.PeakLiveBytes = P->PeakLiveBytes;
  for (TypeResult &Type : P->Types) {
    if (const auto &Objects = Type.Objects) {
      Out.Constructed = Out.Constructed.value_or(0) + Objects->constructed();
      Out.Destroyed = Out.Destroyed.value_or(0) + Objects->Destroyed;
      Out.Copied = Out.Copied.value_or(0) + Objects->Copied;
    }
    Out.Types.push_back({std::move(Type.Name), std::move(Type.Alias), Type.Sum,
                         Type.PeakLiveBytes, std::move(Type.Objects)});
  }
  return Out;
}

} // namespace

trace::Result<std::vector<PhaseResult>>
phasesOf(std::span<const trace::Trace> Traces, const ProfileOptions &Options,
         size_t Most) {
  std::vector<PhaseResult> Out;
  ProfileOptions Each = Options;
  Each.Phase.clear();
  for (const trace::Trace &T : Traces) {
    std::vector<TimelineMark> Marks = marksOf(T);
    std::erase_if(Marks, [](const TimelineMark &M) { return !M.BeginsPhase; });
    if (Marks.empty())
      continue;
    const auto Add = [&](std::string_view Name, Interval I) -> trace::Status {
      auto One = phaseBetween(T, Each, I);
      if (!One)
        return One.status();
      One->Name = Name;
      Out.push_back(std::move(*One));
      return {};
    };
    if (trace::Status Done = Add("", {nullptr, Marks.front().At}); !Done.ok())
      return Done;
    for (size_t I = 0; I < Marks.size() && I < Most; ++I) {
      const trace::Snapshot *To =
          I + 1 < Marks.size() ? Marks[I + 1].At : nullptr;
      if (trace::Status Done = Add(Marks[I].Name, {Marks[I].At, To});
          !Done.ok())
        return Done;
    }
  }
  return Out;
}

} // namespace inmem::report
