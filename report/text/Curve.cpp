//===- Curve.cpp - Live bytes of the process over a run -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/text/Curve.h"

#include "report/base/Units.h"

#include <algorithm>
#include <optional>

namespace inmem::report {

/// The column of a moment, of \p Width columns that cover the whole run.
static size_t columnAt(const Profile &P, uint64_t Ns, size_t Width) {
  // The end of a damaged trace may not be the latest time.
  const uint64_t End = std::max<uint64_t>(P.Timeline.back().Ns, 1);
  return std::min<size_t>(
      Width - 1, static_cast<size_t>(static_cast<double>(std::min(Ns, End)) /
                                     static_cast<double>(End) *
                                     static_cast<double>(Width)));
}

std::vector<uint64_t> liveBytesOverTime(const Profile &P) {
  std::vector<uint64_t> Out(P.Timeline.size());
  for (const TypeResult &T : P.Types)
    for (size_t I = 0; I < std::min(Out.size(), T.LiveBytesAt.size()); ++I)
      Out[I] += T.LiveBytesAt[I];
  return Out;
}

std::vector<uint64_t> residentOverTime(const Profile &P) {
  std::vector<uint64_t> Out;
  Out.reserve(P.Timeline.size());
  uint64_t Last = 0;
  for (const TimePoint &Point : P.Timeline)
    Out.push_back(Last = Point.ResidentBytes.value_or(Last));
  return Last ? Out : std::vector<uint64_t>();
}

std::vector<uint64_t>
columnsOf(const Profile &P, const std::vector<uint64_t> &Values, size_t Width) {
  std::vector<std::optional<uint64_t>> Highest(Width);
  for (size_t I = 0; I < Values.size(); ++I) {
    auto &At = Highest[columnAt(P, P.Timeline[I].Ns, Width)];
    At = std::max(At.value_or(0), Values[I]);
  }
  std::vector<uint64_t> Out;
  Out.reserve(Highest.size());
  for (const auto &Value : Highest)
    Out.push_back(Value.value_or(Out.empty() ? 0 : Out.back()));
  return Out;
}

std::string timeText(const Profile &P, const Style &S, uint64_t At) {
  if (P.TimelineUnit == "bytes")
    return humanBytes(At) + " allocated and freed";
  return P.TimelineUnit.empty()
             ? humanLifetime(At, Unit::Nanoseconds, S.Unicode)
             : humanCount(At) + ' ' + P.TimelineUnit;
}

std::string phaseMarks(const Profile &P, const Style &S, size_t Width) {
  struct Mark {
    size_t At;
    std::string Name;
  };
  std::vector<Mark> Marks;
  for (const TimePoint &Point : P.Timeline)
    if (!Point.Name.empty())
      Marks.push_back({columnAt(P, Point.Ns, Width), printable(S, Point.Name)});
  std::string Out;
  size_t Used = 0;
  for (size_t I = 0; I < Marks.size(); ++I) {
    if (Marks[I].At < Used || (I > 0 && Marks[I].At == Marks[I - 1].At))
      continue;
    Out.append(Marks[I].At - Used, ' ');
    Out += S.Unicode ? "╵" : "|";
    Used = Marks[I].At + 1;
    // A name ends before the next mark, the last one before the end of the
    // line.
    size_t Next = I + 1;
    while (Next < Marks.size() && Marks[Next].At == Marks[I].At)
      ++Next;
    const size_t End = Next < Marks.size() ? Marks[Next].At : Width;
    const size_t Own = displayWidth(Marks[I].Name);
    if (Used + Own <= End) {
      Out += Marks[I].Name;
      Used += Own;
    }
  }
  return Out;
}

} // namespace inmem::report
