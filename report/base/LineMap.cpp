//===- LineMap.cpp --------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Patience diff: lines that occur once in both texts are matched first, in the
// longest order common to both. The lines between two matches are matched the
// same way.
//
//===----------------------------------------------------------------------===//
#include "report/base/LineMap.h"

#include <algorithm>
#include <unordered_map>

namespace inmem::report {

std::vector<std::string_view> linesOf(std::string_view Text) {
  std::vector<std::string_view> Out;
  for (size_t From = 0; From < Text.size();) {
    const size_t End = std::min(Text.find('\n', From), Text.size());
    std::string_view Line = Text.substr(From, End - From);
    if (Line.ends_with('\r'))
      Line.remove_suffix(1);
    Out.push_back(Line);
    From = End + 1;
  }
  return Out;
}

namespace {

std::string_view trimmed(std::string_view Line) {
  const size_t First = Line.find_first_not_of(" \t\f\v");
  if (First == std::string_view::npos)
    return {};
  return Line.substr(First, Line.find_last_not_of(" \t\f\v") - First + 1);
}

using Lines = std::vector<std::string_view>;

/// Lines [First, Last) of both texts, from 0.
struct Region {
  size_t OldFirst, OldLast, NewFirst, NewLast;
};

class Matching {
public:
  Matching(const Lines &O, const Lines &N, std::vector<LineMap::Place> &Into)
      : Old(O), New(N), Out(Into) {}

  void run() {
    Open.push_back({0, Old.size(), 0, New.size()});
    while (!Open.empty()) {
      const Region R = Open.back();
      Open.pop_back();
      match(R);
    }
    // Lines that moved past others, such as a function.
    for (const auto &[O, N] : uniqueIn({0, Old.size(), 0, New.size()}))
      if (Out[O].Line == 0 || Out[O].Changed)
        same(O, N);
  }

private:
  void same(size_t O, size_t N) {
    Out[O] = {static_cast<uint32_t>(N) + 1, false};
  }

  void match(Region R) {
    while (R.OldFirst < R.OldLast && R.NewFirst < R.NewLast &&
           Old[R.OldFirst] == New[R.NewFirst])
      same(R.OldFirst++, R.NewFirst++);
    while (R.OldFirst < R.OldLast && R.NewFirst < R.NewLast &&
           Old[R.OldLast - 1] == New[R.NewLast - 1])
      same(--R.OldLast, --R.NewLast);
    if (R.OldFirst == R.OldLast || R.NewFirst == R.NewLast)
      return;
    const auto Anchors = longestRising(uniqueIn(R));
    if (Anchors.empty())
      return replaced(R);
    size_t O = R.OldFirst, N = R.NewFirst;
    for (const auto &[OldAt, NewAt] : Anchors) {
      same(OldAt, NewAt);
      Open.push_back({O, OldAt, N, NewAt});
      O = OldAt + 1;
      N = NewAt + 1;
    }
    Open.push_back({O, R.OldLast, N, R.NewLast});
  }

  /// A region without a unique common line: its lines are matched in order, as
  /// changed ones.
  void replaced(const Region &R) {
    for (size_t I = R.OldFirst; I < R.OldLast; ++I) {
      const size_t N = std::min(R.NewFirst + (I - R.OldFirst), R.NewLast - 1);
      Out[I] = {static_cast<uint32_t>(N) + 1, Old[I] != New[N]};
    }
  }

  /// Lines that occur once in each.
  std::vector<std::pair<size_t, size_t>> uniqueIn(const Region &R) const {
    struct Seen {
      size_t InOld = 0, InNew = 0, OldAt = 0, NewAt = 0;
    };
    std::unordered_map<std::string_view, Seen> All;
    for (size_t I = R.OldFirst; I < R.OldLast; ++I) {
      Seen &S = All[Old[I]];
      ++S.InOld;
      S.OldAt = I;
    }
    for (size_t I = R.NewFirst; I < R.NewLast; ++I)
      if (const auto At = All.find(New[I]); At != All.end()) {
        ++At->second.InNew;
        At->second.NewAt = I;
      }
    std::vector<std::pair<size_t, size_t>> Unique;
    for (size_t I = R.OldFirst; I < R.OldLast; ++I)
      if (const Seen &S = All[Old[I]]; S.InOld == 1 && S.InNew == 1)
        Unique.emplace_back(I, S.NewAt);
    return Unique;
  }

  static std::vector<std::pair<size_t, size_t>>
  longestRising(const std::vector<std::pair<size_t, size_t>> &From) {
    constexpr size_t kNone = ~size_t{0};
    std::vector<size_t> Ends; // by length: the chain with the lowest end
    std::vector<size_t> Before(From.size(), kNone);
    for (size_t I = 0; I < From.size(); ++I) {
      const auto At = std::ranges::lower_bound(
          Ends, From[I].second, {}, [&](size_t E) { return From[E].second; });
      if (At != Ends.begin())
        Before[I] = *std::prev(At);
      if (At == Ends.end())
        Ends.push_back(I);
      else
        *At = I;
    }
    std::vector<std::pair<size_t, size_t>> Out;
    for (size_t I = Ends.empty() ? kNone : Ends.back(); I != kNone;
         I = Before[I])
      Out.push_back(From[I]);
    std::ranges::reverse(Out);
    return Out;
  }

  const Lines &Old, &New;
  std::vector<LineMap::Place> &Out;
  std::vector<Region> Open;
};

} // namespace

LineMap::LineMap(std::string_view Old, std::string_view New) {
  Lines O = linesOf(Old), N = linesOf(New);
  for (Lines *Of : {&O, &N})
    for (std::string_view &Line : *Of)
      Line = trimmed(Line);
  Places.resize(O.size());
  Matching(O, N, Places).run();
}

std::optional<LineMap::Place> LineMap::at(uint32_t OldLine) const {
  if (OldLine == 0 || OldLine > Places.size() || Places[OldLine - 1].Line == 0)
    return std::nullopt;
  return Places[OldLine - 1];
}

} // namespace inmem::report
