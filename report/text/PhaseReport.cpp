//===- PhaseReport.cpp - Phases one after another -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/text/ViewReports.h"

#include "report/base/Units.h"
#include "report/names/TypeName.h"
#include "report/text/CsvField.h"
#include "report/text/LocationText.h"

#include <algorithm>
#include <fmt/format.h>

namespace inmem::report {

static __int128 growthOf(const PhaseResult &P) {
  return static_cast<__int128>(P.Sum.LiveBytes) - P.Sum.CarriedBytes;
}

std::string phaseText(const Style &S, const PhaseResult &P) {
  return P.Name.empty() ? "(before)" : printable(S, P.Name);
}

std::string phaseTable(const Profile &P, const View &V, const Style &S) {
  if (P.Phases.empty())
    return "";
  Table T;
  T.column({"phase", false, true, 0, Paint::Bold});
  if (P.Processes.size() > 1)
    T.column({"pid", true, false, 4});
  T.column({"began at", true, false, 4});
  T.column({"lasted", true, false, 2});
  T.column({"allocated"});
  T.column({"blocks"});
  T.column({"freed", true, false, 3});
  T.column({"live after", true, false, 1});
  T.column({"grew by", true, false, 1});
  T.column({"peak", true, false, 2});
  const bool HasObjects =
      std::any_of(P.Phases.begin(), P.Phases.end(), [](const PhaseResult &Of) {
        return Of.Constructed.value_or(0) + Of.Destroyed.value_or(0) > 0;
      });
  if (HasObjects) {
    T.column({"objects", true, false, 6});
    T.column({"destroyed", true, false, 7});
  }
  T.column({"most bytes", false, false, 5});
  const auto Time = [&](uint64_t Ns) {
    return humanLifetime(Ns, Unit::Nanoseconds, S.Unicode);
  };
  const size_t Rows =
      V.Top == 0 ? P.Phases.size() : std::min(V.Top, P.Phases.size());
  for (size_t I = 0; I < Rows; ++I) {
    const PhaseResult &Phase = P.Phases[I];
    std::vector<std::string> Cells = {phaseText(S, Phase)};
    if (P.Processes.size() > 1)
      Cells.push_back(std::to_string(Phase.Pid));
    TypeResult Most;
    if (!Phase.Types.empty()) {
      Most.Name = Phase.Types.front().Type;
      Most.Alias = Phase.Types.front().Alias;
    }
    for (std::string Cell :
         {Time(Phase.BeginNs), Time(Phase.DurationNs),
          humanBytes(Phase.Sum.AllocatedBytes),
          humanCount(Phase.Sum.Allocations), humanBytes(Phase.Sum.FreedBytes),
          humanBytes(Phase.Sum.LiveBytes), humanBytesDelta(growthOf(Phase)),
          Phase.PeakLiveBytes ? humanBytes(*Phase.PeakLiveBytes)
                              : std::string("?")})
      Cells.push_back(std::move(Cell));
    for (const auto &Count : {Phase.Constructed, Phase.Destroyed})
      if (HasObjects)
        Cells.push_back(Count ? humanCount(*Count) : std::string("?"));
    Cells.push_back(Phase.Types.empty() || Phase.Sum.Allocations == 0
                        ? std::string("-")
                        : shortenName(S, typeText(S, Most), S.Width / 4));
    T.row(std::move(Cells));
  }
  std::string Out = "\n" + paint(S, Paint::Bold, "PHASES") + "\n" + T.render(S);
  if (Rows < P.Phases.size())
    Out += moreRows(S, P.Phases.size() - Rows, "phase") + '\n';
  return Out;
}

std::string phasesCsv(const Profile &P) {
  std::string Out = "pid,phase,begin_ns,duration_ns,type,allocations,"
                    "allocated_bytes,frees,freed_bytes,live_allocations,"
                    "live_bytes,carried_allocations,carried_bytes,"
                    "peak_live_bytes,constructed,destroyed\r\n";
  for (const PhaseResult &Phase : P.Phases)
    for (const PhaseResult::Part &Part : Phase.Types) {
      const Counts &C = Part.Sum;
      const auto Figure = [](std::optional<uint64_t> Value) {
        return Value ? std::to_string(*Value) : std::string();
      };
      const auto &O = Part.Objects;
      Out += fmt::format(
          "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\r\n", Phase.Pid,
          csvField(Phase.Name), Phase.BeginNs, Phase.DurationNs,
          csvField(Part.Type.value_or("")), C.Allocations, C.AllocatedBytes,
          C.Frees, C.FreedBytes, C.LiveAllocations, C.LiveBytes,
          C.CarriedAllocations, C.CarriedBytes, Figure(Part.PeakLiveBytes),
          O ? Figure(O->constructed()) : "", O ? Figure(O->Destroyed) : "");
    }
  return Out;
}

} // namespace inmem::report
