//===- Residency.cpp ------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heap/Residency.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace inmem::heap {

const char *nameOf(Part P) {
  static constexpr const char *kNames[] = {
      "live",  "rounding", "pinned",   "trim",  "kept",   "mapped",
      "files", "stacks",   "binaries", "inmem", "unknown"};
  static_assert(std::size(kNames) == kParts);
  return kNames[static_cast<size_t>(P)];
}

namespace {

/// Addresses with one owner. Intervals do not overlap.
struct Interval {
  uint64_t Begin, End;
  uint32_t Region;
  uint32_t Site; ///< site that mapped them; 0 if unknown
  uint32_t Name; ///< label

  bool isAs(const Interval &Other) const {
    return Region == Other.Region && Site == Other.Site && Name == Other.Name;
  }
};

/// Regions at an address, the owner first.
using OpenRegions = std::set<std::pair<unsigned, uint32_t>>;

Interval intervalOf(const std::vector<Region> &Regions,
                    const OpenRegions &Open) {
  Interval Out = {0, 0, Open.begin()->second, 0, 0};
  const RegionKind Owner = Regions[Out.Region].Kind;
  const bool IsMapped = Owner == RegionKind::Shared ||
                        Owner == RegionKind::File ||
                        Owner == RegionKind::Mapped;
  for (const auto &[Precedence, I] : Open) {
    const Region &R = Regions[I];
    if (IsMapped && R.Kind == RegionKind::Mapped)
      Out.Site = static_cast<uint32_t>(R.Detail);
    if (!Out.Name)
      Out.Name = R.Label;
  }
  return Out;
}

/// Where regions overlap, the owner is the one with the lowest precedence.
std::vector<Interval> paint(const std::vector<Region> &Regions) {
  std::vector<std::tuple<uint64_t, bool, uint32_t>> Events;
  for (uint32_t I = 0; I < Regions.size(); ++I)
    if (Regions[I].Begin < Regions[I].End) {
      Events.emplace_back(Regions[I].Begin, true, I);
      Events.emplace_back(Regions[I].End, false, I);
    }
  std::sort(Events.begin(), Events.end());
  OpenRegions Open;
  std::vector<Interval> Out;
  uint64_t At = 0;
  for (const auto &[Address, Begins, I] : Events) {
    if (Address > At && !Open.empty()) {
      Interval Next = intervalOf(Regions, Open);
      Next.Begin = At;
      Next.End = Address;
      if (!Out.empty() && Out.back().End == At && Out.back().isAs(Next))
        Out.back().End = Address;
      else
        Out.push_back(Next);
    }
    At = Address;
    const std::pair Key(precedenceOf(Regions[I].Kind), I);
    if (Begins)
      Open.insert(Key);
    else
      Open.erase(Key);
  }
  return Out;
}

class Explainer {
public:
  Explainer(const Heap &H) : H(H), Page(H.Header.PageBytes) {}

  trace::Result<Residency> run(std::vector<HeapPage> *PagesOut) {
    R.PageBytes = Page;
    if (!divideByOwner())
      return trace::Status::error(H.File ? H.File->name() : "",
                                  "more than 256 GiB are resident, which this "
                                  "command does not explain");
    addChunks();
    simulateTrim();
    addObjects();
    sumUp();
    orderLines();
    std::stable_sort(
        R.Owners.begin(), R.Owners.end(),
        [](const Owner &A, const Owner &B) { return A.Bytes > B.Bytes; });
    if (PagesOut)
      *PagesOut = std::move(Pages);
    return std::move(R);
  }

private:
  uint64_t &part(Part P) { return R.Bytes[static_cast<size_t>(P)]; }

  //===--------------------------------------------------------------------===//
  // Owners
  //===--------------------------------------------------------------------===//

  bool divideByOwner() {
    constexpr uint64_t kMostPages = uint64_t{1} << 26;
    const std::vector<Interval> Painted = paint(H.Regions);
    auto At = Painted.begin();
    uint64_t Count = 0;
    for (const PageRun &Run : H.Pages) {
      Count += Run.Count;
      if (Count > kMostPages)
        return false;
      for (uint64_t First = Run.First, End = Run.First + Run.Count;
           First < End;) {
        while (At != Painted.end() && At->End <= First * Page)
          ++At;
        uint64_t Last = End;
        const Interval *Owner = nullptr;
        if (At != Painted.end()) {
          const bool Inside = At->Begin <= First * Page;
          Owner = Inside ? &*At : nullptr;
          const uint64_t Bound = Inside ? At->End : At->Begin;
          Last = std::min(End, Bound / Page + (Bound % Page != 0));
        }
        addPages(First, Last - First, Owner, Run.Flags);
        First = Last;
      }
    }
    return true;
  }

  void addPages(uint64_t First, uint64_t Count, const Interval *Owner,
                uint64_t Flags) {
    const Region *Of = Owner ? &H.Regions[Owner->Region] : nullptr;
    if (Of && Of->Kind == RegionKind::Excluded)
      return;
    const uint64_t Bytes = Count * Page;
    if (Flags & kPageSwapped) {
      R.SwappedBytes += Bytes;
      return;
    }
    R.RssBytes += Bytes;
    if (Flags & kPageHuge)
      R.HugeBytes += Bytes;
    const RegionKind Kind = Of ? Of->Kind : RegionKind::Anonymous;
    switch (Kind) {
    case RegionKind::Own:
      part(Part::Inmem) += Bytes;
      return;
    case RegionKind::Stack:
      return addOwned(Part::Stacks, *Owner, Bytes, First);
    case RegionKind::Image:
      return addOwned(Part::Binaries, *Owner, Bytes, First);
    case RegionKind::Shared:
      return addOwned(Part::Mapped, *Owner, Bytes, First);
    case RegionKind::File:
      return addOwned(Part::Files, *Owner, Bytes, First);
    default:
      break;
    }
    if (Flags & kPageHuge && Flags & kPageZero)
      R.HugeZeroBytes += Bytes;
    for (uint64_t I = 0; I < Count; ++I) {
      HeapPage P;
      P.Number = First + I;
      P.Region = Owner ? Owner->Region + 1 : 0;
      P.Name = Owner ? Owner->Name : 0;
      P.IsZero = (Flags & kPageZero) != 0;
      P.IsHuge = (Flags & kPageHuge) != 0;
      Pages.push_back(P);
    }
  }

  void addOwned(Part Of, const Interval &In, uint64_t Bytes, uint64_t First) {
    part(Of) += Bytes;
    Owner &O = ownerOf(Of, H.label(In.Name), In.Site);
    O.Bytes += Bytes;
    const Region &G = H.Regions[In.Region];
    if (Of == Part::Stacks)
      O.Deepest = std::max(O.Deepest, G.End - std::max(G.Begin, First * Page));
  }
  /// Sites that look the same in reports share one owner.
  Owner &ownerOf(Part Of, std::string_view Name, uint32_t Site) {
    const auto Known = H.Sites.find(Site);
    const SourceLocation At =
        Known == H.Sites.end() ? SourceLocation() : Known->second.shown();
    const auto [Where, IsNew] = OwnerNumbers.try_emplace(
        {Of, Name, At.Function, At.File, At.Line}, R.Owners.size());
    if (IsNew)
      R.Owners.push_back({.Of = Of, .Name = Name, .Site = Site});
    return R.Owners[Where->second];
  }

  //===--------------------------------------------------------------------===//
  // Chunks and blocks
  //===--------------------------------------------------------------------===//

  /// Calls \p Add(page, bytes of it) for the heap's pages in [Begin, End). The
  /// search starts at page \p From, which is set to the last page.
  template <class F>
  void forPages(size_t &From, uint64_t Begin, uint64_t End, F Add) {
    while (From < Pages.size() && (Pages[From].Number + 1) * Page <= Begin)
      ++From;
    for (size_t I = From; I < Pages.size() && Pages[I].Number * Page < End;
         ++I) {
      const uint64_t Start = Pages[I].Number * Page;
      Add(I, static_cast<uint32_t>(std::min(End, Start + Page) -
                                   std::max(Begin, Start)));
      From = I;
    }
  }

  /// A chunk's memory begins after its first word, which is the last word of
  /// the block before it.
  static constexpr uint64_t kShift = 8;

  void addChunks() {
    size_t From = 0;
    for (const Chunk &C : H.Chunks) {
      if (C.State == ChunkState::Unrecorded)
        ++R.UnrecordedBlocks;
      forPages(From, C.Begin + kShift, C.Begin + kShift + C.Bytes,
               [&](size_t I, uint32_t Bytes) {
                 HeapPage &P = Pages[I];
                 uint32_t &To = C.State == ChunkState::Unrecorded ? P.Unrecorded
                                : C.State == ChunkState::Header   ? P.Header
                                : C.State == ChunkState::Cached   ? P.Cached
                                : C.State == ChunkState::Top      ? P.Top
                                                                  : P.Free;
                 To += std::min(Bytes, static_cast<uint32_t>(Page) - To);
               });
    }
  }

  /// The heap that contains \p Address; null if none does.
  const Region *arenaAt(uint64_t Address) const {
    for (const Region &G : H.Regions)
      if (G.Kind == RegionKind::Arena && Address >= G.Begin && Address < G.End)
        return &G;
    return nullptr;
  }

  /// Works as glibc's malloc_trim(0): merges free chunks, and returns the whole
  /// pages after the header of each, and the end of the main heap.
  void simulateTrim() {
    constexpr uint64_t kHeader = 48, kLeastTop = 32;
    size_t From = 0;
    const Region *In = nullptr;
    for (size_t I = 0; I < H.Chunks.size();) {
      const auto IsFree = [&](size_t At) {
        const ChunkState S = H.Chunks[At].State;
        return S == ChunkState::Free || S == ChunkState::Fast ||
               S == ChunkState::Top;
      };
      if (!IsFree(I)) {
        ++I;
        continue;
      }
      const uint64_t Begin = H.Chunks[I].Begin;
      if (!In || Begin < In->Begin || Begin >= In->End)
        In = arenaAt(Begin);
      uint64_t End = Begin;
      bool HasTop = false;
      for (; I < H.Chunks.size() && IsFree(I) && H.Chunks[I].Begin == End &&
             (!In || End < In->End);
           ++I) {
        End += H.Chunks[I].Bytes;
        HasTop |= H.Chunks[I].State == ChunkState::Top;
      }
      uint64_t Start = 0, Stop = 0;
      if (!HasTop) {
        Start = (Begin + kHeader + Page - 1) / Page * Page;
        Stop = End / Page * Page;
      } else if (In && In->Detail == 0 && End - Begin > kLeastTop + 1) {
        Start = End - (End - Begin - kLeastTop - 1) / Page * Page;
        Stop = End;
      }
      if (Start < Stop)
        forPages(From, Start, Stop,
                 [&](size_t P, uint32_t) { Pages[P].IsTrimmed = true; });
    }
  }

  uint32_t lineOf(uint32_t Object) {
    const uint32_t Site = H.SiteOf[Object];
    const std::string_view Type = H.typeName(Object);
    const auto [Known, IsNew] = LineOfSite.try_emplace({Site, Type}, 0);
    if (!IsNew)
      return Known->second;
    const auto Found = H.Sites.find(Site);
    const SourceLocation At =
        Found == H.Sites.end() ? SourceLocation() : Found->second.shown();
    const auto [Same, IsNewLine] = LineNumbers.try_emplace(
        {Type, At.Function, At.File, At.Line}, R.Lines.size());
    if (IsNewLine) {
      Line L;
      L.Type = Type;
      L.Site = Site;
      R.Lines.push_back(L);
    }
    const auto Number = static_cast<uint32_t>(Same->second);
    if (const auto Count = H.Allocated.find(Site);
        Count != H.Allocated.end() && CountedSites.insert(Site).second)
      R.Lines[Number].Allocated += Count->second;
    return Known->second = Number;
  }

  void addObjects() {
    size_t From = 0;
    uint64_t Before = 0;
    for (uint32_t I = 0; I < H.objects(); ++I) {
      const uint64_t Begin = H.Address[I];
      const uint64_t Next =
          I + 1 < H.objects() ? H.Address[I + 1] : UINT64_MAX - Page;
      const uint64_t End =
          std::min({Next, Begin + std::min(H.Size[I], Next - Begin)});
      uint64_t SpanBegin = Begin - std::min(Begin, H.Front[I]);
      SpanBegin = std::min(Begin, std::max(SpanBegin, Before));
      const uint64_t Room = Next - End;
      const uint64_t SpanEnd = End + std::min(H.Back[I], Room);
      Before = SpanEnd;
      const uint32_t Number = lineOf(I);
      Line &L = R.Lines[Number];
      ++L.Blocks;
      L.LiveBytes += H.Size[I];
      L.SpanBytes += SpanEnd - SpanBegin;
      if (H.AgeUs[I]) {
        ++L.TimedBlocks;
        L.AgeUs += H.AgeUs[I] - 1;
      }
      addObject(From, Number, {Begin, End, SpanBegin, SpanEnd});
    }
    closePage();
  }

  struct Extent {
    uint64_t Begin, End, SpanBegin, SpanEnd;
  };
  void addObject(size_t &From, uint32_t Number, const Extent &E) {
    Line &L = R.Lines[Number];
    uint64_t Whole = 0; ///< bytes of its whole pages that hold data
    forPages(From, E.SpanBegin, E.SpanEnd, [&](size_t I, uint32_t Bytes) {
      const uint64_t Start = Pages[I].Number * Page;
      const uint64_t LiveBegin = std::max(E.Begin, Start);
      const uint64_t LiveEnd = std::min(E.End, Start + Page);
      const uint64_t Live = LiveEnd > LiveBegin ? LiveEnd - LiveBegin : 0;
      HeapPage &P = Pages[I];
      P.Used += Bytes;
      P.Live += static_cast<uint32_t>(Live);
      L.ResidentBytes += Live;
      if (Live == Page && !P.IsZero)
        Whole += Page;
      notePinner(I, Number, static_cast<uint32_t>(Live));
    });
    const uint64_t First = (E.Begin + Page - 1) / Page * Page;
    const uint64_t Last = E.End / Page * Page;
    if (Last > First)
      L.UntouchedBytes += Last - First - std::min(Whole, Last - First);
  }

  //===--------------------------------------------------------------------===//
  // Pins
  //===--------------------------------------------------------------------===//

  void notePinner(size_t I, uint32_t Number, uint32_t Live) {
    if (I != OpenPage) {
      closePage();
      OpenPage = I;
    }
    for (auto &[Of, Bytes] : OpenLines)
      if (Of == Number) {
        Bytes += Live;
        return;
      }
    OpenLines.emplace_back(Number, Live);
  }

  static uint64_t freeOf(const HeapPage &P, uint64_t Page) {
    const uint64_t Taken = uint64_t{P.Used} + P.Unrecorded + P.Header;
    return Page > Taken ? Page - Taken : 0;
  }

  /// Call this when all blocks of the page are known.
  void closePage() {
    if (OpenLines.empty())
      return;
    const HeapPage &P = Pages[OpenPage];
    const uint64_t Free = freeOf(P, Page);
    for (const auto &[Of, Live] : OpenLines)
      if (P.Live)
        R.Lines[Of].HoldsBack += Free * Live / P.Live;
    if (P.Unrecorded == 0 && P.Header == 0 && P.Cached == 0) {
      std::vector<uint32_t> Key;
      Key.reserve(OpenLines.size());
      for (const auto &[Of, Live] : OpenLines)
        Key.push_back(Of);
      std::sort(Key.begin(), Key.end());
      const auto [At, IsNew] = SetNumbers.try_emplace(Key, R.Sets.size());
      if (IsNew)
        R.Sets.push_back({std::move(Key), 0, 0});
      R.Sets[At->second].Pages += 1;
      R.Sets[At->second].Free += Free;
    }
    OpenLines.clear();
    OpenPage = SIZE_MAX;
  }

  //===--------------------------------------------------------------------===//
  // Parts
  //===--------------------------------------------------------------------===//

  /// Anonymous memory with blocks of an allocator of unknown layout: its other
  /// pages are kept.
  std::vector<bool> regionsWithBlocks() const {
    std::vector<bool> Out(H.Regions.size() + 1);
    if (H.Header.Allocator == AllocatorKind::Glibc)
      return Out;
    for (const HeapPage &P : Pages)
      if (P.Region && P.Used)
        Out[P.Region] = true;
    return Out;
  }

  void sumUp() {
    const std::vector<bool> HasBlocks = regionsWithBlocks();
    for (const HeapPage &P : Pages) {
      const Region *Of = P.Region ? &H.Regions[P.Region - 1] : nullptr;
      const bool IsArena = Of && Of->Kind == RegionKind::Arena;
      const uint64_t Chunks =
          uint64_t{P.Free} + P.Top + P.Cached + P.Header + P.Unrecorded;
      if (P.Used || Chunks || IsArena) {
        addHeapPage(P, IsArena);
      } else if (Of && Of->Kind == RegionKind::Mapped) {
        addMapped(P, *Of);
      } else if (HasBlocks[P.Region]) {
        part(Part::Kept) += Page;
      } else if (Of && Of->Kind == RegionKind::Allocator) {
        part(Part::Kept) += Page;
        R.BlocklessBytes += Page;
      } else {
        addAnonymous(P);
      }
    }
  }

  void addMapped(const HeapPage &P, const Region &Of) {
    part(Part::Mapped) += Page;
    ownerOf(Part::Mapped, H.label(P.Name), static_cast<uint32_t>(Of.Detail))
        .Bytes += Page;
  }

  /// Memory that is neither the allocator's nor a file's: the program or a
  /// library mapped it. If mappings are recorded from the start and it is not
  /// among them, the caller is unknown.
  void addAnonymous(const HeapPage &P) {
    const std::string_view Name = H.label(P.Name);
    const bool IsRecorded =
        H.Header.Flags & kFlagMapped &&
        !(H.Header.Flags & (kFlagStopped | kFlagAttached)) &&
        !Name.starts_with("[anon");
    const Part To = IsRecorded ? Part::Unknown : Part::Mapped;
    part(To) += Page;
    ownerOf(To, Name, 0).Bytes += Page;
  }

  void addHeapPage(const HeapPage &P, bool IsArena) {
    uint64_t Left = Page;
    const auto Give = [&](Part To, uint64_t Bytes) {
      Bytes = std::min(Bytes, Left);
      part(To) += Bytes;
      Left -= Bytes;
      return Bytes;
    };
    Give(Part::Live, P.Live);
    Give(Part::Rounding, P.Used - P.Live);
    R.UnrecordedBytes += Give(Part::Unknown, P.Unrecorded);
    Give(Part::Kept, P.Header);
    const bool HasBlock = P.Used || P.Unrecorded;
    const Part Rest = HasBlock      ? Part::Pinned
                      : P.IsTrimmed ? Part::Trim
                                    : Part::Kept;
    if (!IsArena || H.Header.Allocator != AllocatorKind::Glibc) {
      Give(Rest, Left);
      return;
    }
    // Bytes outside all chunks are unknown, except for the first word of a
    // heap.
    const uint64_t Known = Give(Rest, uint64_t{P.Free} + P.Top + P.Cached);
    if (Rest == Part::Kept) {
      R.CachedBytes += std::min<uint64_t>(P.Cached, Known);
      R.TopBytes += std::min<uint64_t>(P.Top, Known);
    }
    constexpr uint64_t kGap = 16;
    Give(Left <= kGap ? Rest : Part::Unknown, Left);
  }

  /// Sorts lines by the memory they hold back, and renumbers them.
  void orderLines() {
    std::vector<uint32_t> Order(R.Lines.size()), NewNumber(R.Lines.size());
    for (uint32_t I = 0; I < Order.size(); ++I)
      Order[I] = I;
    std::stable_sort(Order.begin(), Order.end(), [&](uint32_t A, uint32_t B) {
      return R.Lines[A].HoldsBack > R.Lines[B].HoldsBack;
    });
    std::vector<Line> Sorted;
    for (uint32_t I = 0; I < Order.size(); ++I) {
      NewNumber[Order[I]] = I;
      Sorted.push_back(R.Lines[Order[I]]);
    }
    R.Lines = std::move(Sorted);
    for (const auto &[Key, Number] : LineOfSite)
      R.LineOfSite[Key.first] = NewNumber[Number];
    for (PinnedPages &S : R.Sets) {
      for (uint32_t &L : S.Lines)
        L = NewNumber[L];
      std::sort(S.Lines.begin(), S.Lines.end());
    }
  }

  const Heap &H;
  const uint64_t Page;
  Residency R;
  std::vector<HeapPage> Pages;
  std::map<std::tuple<Part, std::string_view, std::string_view,
                      std::string_view, uint32_t>,
           size_t>
      OwnerNumbers;
  std::map<std::pair<uint32_t, std::string_view>, uint32_t> LineOfSite;
  std::map<std::tuple<std::string_view, std::string_view, std::string_view,
                      uint32_t>,
           size_t>
      LineNumbers;
  std::set<uint32_t> CountedSites;
  std::map<std::vector<uint32_t>, size_t> SetNumbers;
  size_t OpenPage = SIZE_MAX;
  std::vector<std::pair<uint32_t, uint64_t>> OpenLines;
};

} // namespace

trace::Result<Residency> explain(const Heap &H, std::vector<HeapPage> *Pages) {
  return Explainer(H).run(Pages);
}

} // namespace inmem::heap
