//===- Phases.cpp ---------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/model/Phases.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

namespace inmem::report {

using trace::Snapshot;
using trace::Status;
using trace::Trace;

std::vector<TimelineMark> marksOf(const Trace &T) {
  std::vector<TimelineMark> Out;
  for (const trace::Phase &P : T.Phases) {
    const auto At = std::ranges::lower_bound(T.Snapshots, uint64_t{P.Snapshot},
                                             {}, &Snapshot::Sequence);
    if (P.Snapshot != 0 && At != T.Snapshots.end() &&
        At->Sequence == P.Snapshot)
      Out.push_back({P.Name, &*At, !P.OnlyName});
  }
  std::sort(Out.begin(), Out.end(),
            [](const TimelineMark &A, const TimelineMark &B) {
              return A.At < B.At; // elements of one vector, ordered by time
            });
  return Out;
}

namespace {

/// `name` or `name#2`. A mark may itself be called `name#2`.
struct MarkName {
  std::string_view Whole, Name;
  size_t Nth = 0; ///< 1-based; 0: not given

  explicit MarkName(std::string_view Text) : Whole(Text), Name(Text) {
    const size_t Hash = Text.rfind('#');
    if (Hash == std::string_view::npos)
      return;
    size_t Value = 0;
    const char *End = Text.data() + Text.size();
    const auto [At, Error] =
        std::from_chars(Text.data() + Hash + 1, End, Value);
    if (Error == std::errc() && At == End && Value > 0) {
      Name = Text.substr(0, Hash);
      Nth = Value;
    }
  }
};

/// Index of the mark, at First or later; npos if there is none.
size_t find(const std::vector<TimelineMark> &Marks, const MarkName &Of,
            size_t First) {
  for (size_t I = First; I < Marks.size(); ++I)
    if (Marks[I].Name == Of.Whole)
      return I;
  // Numbers count from the start of the run.
  for (size_t I = 0, Seen = 0; I < Marks.size(); ++I)
    if (Of.Nth > 0 && Marks[I].Name == Of.Name && ++Seen == Of.Nth)
      return I >= First ? I : std::string_view::npos;
  return std::string_view::npos;
}

Status unknown(const Trace &T, const std::vector<TimelineMark> &Marks,
               std::string_view Name, std::string_view After) {
  std::string Names;
  constexpr size_t kMost = 20;
  for (size_t I = 0; I < Marks.size() && I < kMost; ++I)
    Names += (I ? ", '" : "'") + std::string(Marks[I].Name) + "'";
  if (Marks.size() > kMost)
    Names += " and " + std::to_string(Marks.size() - kMost) + " more";
  std::string What =
      "--phase: no phase or snapshot '" + std::string(Name) + "'";
  if (!After.empty())
    What += " after '" + std::string(After) + "'";
  return Status::error(
      T.fileName(),
      What + (Marks.empty() ? "; the trace has none" : "; there are " + Names));
}

} // namespace

Interval fromReset(const Trace &T, Interval I) {
  if (!I.From)
    for (const Snapshot &S : T.Snapshots)
      if (S.Header.Kind == trace::SnapshotKind::Reset &&
          (!I.To || S.Sequence < I.To->Sequence))
        I.From = &S;
  return I;
}

trace::Result<Interval> findInterval(const Trace &T, std::string_view Words) {
  const std::vector<TimelineMark> Marks = marksOf(T);
  constexpr size_t kNone = std::string_view::npos;
  Interval Out;
  const size_t Dots = Words.find("..");
  // A name may hold dots, too.
  if (Dots == kNone || find(Marks, MarkName(Words), 0) != kNone) {
    const MarkName Name(Words);
    const size_t At = find(Marks, Name, 0);
    if (At == kNone)
      return unknown(T, Marks, Words, {});
    const auto Same =
        std::count_if(Marks.begin(), Marks.end(),
                      [&](const TimelineMark &M) { return M.Name == Words; });
    if (Same > 1)
      return Status::error(T.fileName(), "--phase: '" + std::string(Words) +
                                             "' began " + std::to_string(Same) +
                                             " times; choose '" +
                                             std::string(Words) + "#1' to '" +
                                             std::string(Words) + "#" +
                                             std::to_string(Same) + "'");
    Out.From = Marks[At].At;
    for (size_t I = At + 1; I < Marks.size() && !Out.To; ++I)
      if (Marks[I].BeginsPhase || !Marks[At].BeginsPhase)
        Out.To = Marks[I].At;
    return Out;
  }
  const std::string_view First = Words.substr(0, Dots);
  const std::string_view Last = Words.substr(Dots + 2);
  size_t From = 0;
  if (!First.empty()) {
    From = find(Marks, MarkName(First), 0);
    if (From == kNone)
      return unknown(T, Marks, First, {});
    Out.From = Marks[From++].At;
  }
  if (!Last.empty()) {
    const size_t To = find(Marks, MarkName(Last), From);
    if (To == kNone)
      return unknown(T, Marks, Last, First);
    Out.To = Marks[To].At;
  }
  return fromReset(T, Out);
}

uint64_t nanosecondsAt(const Trace &T, const Snapshot &S) {
  const uint64_t Start = T.Header.StartUnixNs;
  return S.Header.UnixNs > Start ? S.Header.UnixNs - Start : 0;
}

uint64_t durationOf(const trace::FileHeader &H) {
  if (H.EndUnixNs >= H.StartUnixNs && H.EndUnixNs != 0)
    return H.EndUnixNs - H.StartUnixNs;
  if (H.LastTicks <= H.StartTicks || H.TicksPerSecond == 0)
    return 0;
  const uint64_t PerSecond = H.TicksPerSecond;
  const unsigned __int128 Rounded =
      (static_cast<unsigned __int128>(H.LastTicks - H.StartTicks) *
           1'000'000'000 +
       PerSecond / 2) /
      PerSecond;
  return static_cast<uint64_t>(std::min<unsigned __int128>(
      Rounded, std::numeric_limits<uint64_t>::max()));
}

} // namespace inmem::report
