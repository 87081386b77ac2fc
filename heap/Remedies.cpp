//===- Remedies.cpp - Changes that return memory --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heap/Residency.h"

#include <algorithm>

namespace inmem::heap {

const char *nameOf(Remedy::Kind What) {
  switch (What) {
  case Remedy::Kind::Trim:
    return "trim";
  case Remedy::Kind::Place:
    return "place";
  case Remedy::Kind::Copy:
    return "copy";
  case Remedy::Kind::NoHugePages:
    return "no-huge-pages";
  case Remedy::Kind::Decay:
    return "decay";
  }
  return "";
}

namespace {

/// A set of lines whose blocks are moved elsewhere.
class Moved {
public:
  explicit Moved(const Residency &R) : R(R), Has(R.Lines.size()) {}

  void add(const std::vector<uint32_t> &Lines) {
    for (const uint32_t L : Lines)
      Has[L] = true;
  }
  /// Bytes that moving these lines, and \p More, returns.
  int64_t saving(const std::vector<uint32_t> &More = {}) const {
    std::vector<bool> All = Has;
    for (const uint32_t L : More)
      All[L] = true;
    int64_t Out = 0;
    for (const PinnedPages &S : R.Sets)
      if (std::all_of(S.Lines.begin(), S.Lines.end(),
                      [&](uint32_t L) { return All[L]; }))
        Out += static_cast<int64_t>(S.Pages * R.PageBytes);
    for (size_t L = 0; L < All.size(); ++L)
      if (All[L])
        Out -= static_cast<int64_t>(R.Lines[L].SpanBytes);
    return Out;
  }
  /// Removes lines that hardly matter: without them, the change returns nearly
  /// as much.
  void prune() {
    for (size_t L = Has.size(); L-- > 0;) {
      if (!Has[L])
        continue;
      const int64_t With = saving();
      Has[L] = false;
      if (saving() < With - With / 200)
        Has[L] = true;
    }
  }
  std::vector<uint32_t> lines() const {
    std::vector<uint32_t> Out;
    for (uint32_t L = 0; L < Has.size(); ++L)
      if (Has[L])
        Out.push_back(L);
    return Out;
  }

private:
  const Residency &R;
  std::vector<bool> Has;
};

/// The set of lines that returns the most. It grows by the lines of one kind of
/// page at a time, because a line may return nothing without its neighbours.
/// Contains only lines that \p MayMove allows.
template <class F> Remedy greedySet(const Residency &R, F MayMove) {
  constexpr size_t kSteps = 8, kCandidates = 48;
  std::vector<const PinnedPages *> Candidates;
  for (const PinnedPages &S : R.Sets)
    if (std::all_of(S.Lines.begin(), S.Lines.end(), MayMove))
      Candidates.push_back(&S);
  std::stable_sort(Candidates.begin(), Candidates.end(),
                   [](const PinnedPages *A, const PinnedPages *B) {
                     return A->Free > B->Free;
                   });
  Candidates.resize(std::min(Candidates.size(), kCandidates));
  Moved Chosen(R);
  int64_t Best = 0;
  for (size_t Step = 0; Step < kSteps; ++Step) {
    const PinnedPages *Next = nullptr;
    for (const PinnedPages *S : Candidates)
      if (const int64_t Saving = Chosen.saving(S->Lines); Saving > Best) {
        Best = Saving;
        Next = S;
      }
    if (!Next)
      break;
    Chosen.add(Next->Lines);
  }
  Chosen.prune();
  Remedy Out;
  Out.SavesBytes = static_cast<uint64_t>(std::max<int64_t>(Chosen.saving(), 0));
  Out.Lines = Chosen.lines();
  return Out;
}

} // namespace

int64_t savingOf(const Residency &R, const std::vector<uint32_t> &Lines) {
  return Moved(R).saving(Lines);
}

std::vector<Remedy> remedies(const Heap &H, const Residency &R) {
  // Smaller savings do not justify a change.
  const uint64_t Least =
      std::max<uint64_t>(uint64_t{256} << 10, R.RssBytes / 100);
  std::vector<Remedy> Out;
  const auto Offer = [&](Remedy Found) {
    if (Found.SavesBytes >= Least)
      Out.push_back(std::move(Found));
  };
  Offer({Remedy::Kind::Trim, R.bytes(Part::Trim), {}});
  Offer({Remedy::Kind::NoHugePages, R.HugeZeroBytes, {}});
  if (H.Header.Allocator == AllocatorKind::Jemalloc)
    Offer({Remedy::Kind::Decay, R.bytes(Part::Kept) - R.BlocklessBytes, {}});
  // Some blocks, and so some pinners, were not recorded.
  if (!(H.Header.Flags & (kFlagSampled | kFlagFiltered))) {
    Remedy Place =
        greedySet(R, [&](uint32_t L) { return R.Lines[L].survives(); });
    Place.What = Remedy::Kind::Place;
    Remedy Copy = greedySet(R, [](uint32_t) { return true; });
    Copy.What = Remedy::Kind::Copy;
    const bool LeftHoles =
        std::any_of(Copy.Lines.begin(), Copy.Lines.end(),
                    [&](uint32_t L) { return !R.Lines[L].survives(); });
    // Lines that are worth placing are not worth copying for a small gain.
    if (LeftHoles && Copy.SavesBytes >= Least &&
        Copy.SavesBytes > Place.SavesBytes + Place.SavesBytes / 10) {
      Copy.SavesBytes += R.bytes(Part::Trim);
      Offer(std::move(Copy));
    }
    Offer(std::move(Place));
  }
  std::stable_sort(Out.begin(), Out.end(),
                   [](const Remedy &A, const Remedy &B) {
                     return A.SavesBytes > B.SavesBytes;
                   });
  return Out;
}

} // namespace inmem::heap
