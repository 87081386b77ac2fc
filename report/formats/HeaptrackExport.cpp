//===- HeaptrackExport.cpp - heaptrack's own file -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes version 2 of heaptrack's text. It has a line for each allocation and
// each free, but our sums have no order. The export is one possible order of
// events with the same blocks, bytes, temporary blocks, leaks and peak. All
// blocks of a site have its mean size, if that divides evenly.
//
//===----------------------------------------------------------------------===//
#include "report/formats/ExportSamples.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace inmem::report {

namespace {

class HeaptrackWriter {
public:
  explicit HeaptrackWriter(const Profile &From) : P(From) {}

  std::string write() {
    Out = fmt::format("v 10400 2\nX {}\nI 1000 0\n", oneLine(commandOf(P)));
    info(0, 0); // heaptrack uses number 0 for the last allocation
    for (const ExportSample &S : samplesOf(P))
      add(S);
    choosePeak();
    Out += "c 0\n";
    shortLifetimes();
    longLifetimes();
    const uint64_t Ns =
        P.Processes.empty() ? 0 : P.Processes[0].DurationNs.value_or(0);
    // heaptrack adds one millisecond itself.
    line("c", std::max<uint64_t>(Ns / 1000000, 1) - 1);
    return std::move(Out);
  }

private:
  /// Blocks of one place with their total bytes.
  struct Blocks {
    uint32_t Trace = 0;
    uint64_t Count = 0, Bytes = 0;
    size_t Site = 0; ///< index into Profile::Sites
  };

  static std::string oneLine(std::string_view Text) {
    std::string Line = utf8(Text);
    std::ranges::replace(Line, '\n', ' ');
    return Line;
  }

  template <class... T> void line(const char *Mode, T... Numbers) {
    Out += Mode;
    (fmt::format_to(std::back_inserter(Out), " {:x}", Numbers), ...);
    Out += '\n';
  }

  uint64_t string(std::string_view Text) {
    if (Text.empty())
      return 0;
    const auto [At, New] =
        Strings.try_emplace(oneLine(Text), Strings.size() + 1);
    if (New)
      Out += "s " + At->first + '\n';
    return At->second;
  }

  uint32_t trace(uint32_t Parent, const std::string &Function,
                 const std::string &File, uint32_t Line) {
    const auto [Ip, NewIp] = Locations.try_emplace(
        {Function, File, Line}, static_cast<uint32_t>(Locations.size() + 1));
    if (NewIp) {
      const uint64_t Name = string(Function), Of = string(File);
      line("i", Ip->second, 0, Name, Of, Line);
    }
    const auto [At, New] = Traces.try_emplace(
        {Parent, Ip->second}, static_cast<uint32_t>(Traces.size() + 1));
    if (New)
      line("t", Ip->second, Parent);
    return At->second;
  }

  /// A size and trace. Each pair exists twice, because heaptrack takes a free
  /// for that of the block before if both are the same.
  uint64_t info(uint64_t Size, uint32_t Trace, unsigned Which = 0) {
    const auto [At, New] =
        Infos.try_emplace({Size, Trace, Which}, Infos.size());
    if (New)
      line("a", Size, Trace);
    return At->second;
  }

  void add(const ExportSample &S) {
    uint32_t At = 0;
    for (auto Call = S.Chain.rbegin(); Call != S.Chain.rend(); ++Call)
      At = trace(At, functionOf(*Call), Call->File, Call->Line);
    At = trace(At, "type " + std::string(S.Type), "", 0);
    const Counts &C = S.Sum;
    const uint64_t All = C.Allocations + C.CarriedAllocations;
    const uint64_t Freed = All - std::min(All, C.LiveAllocations);
    const uint64_t FreedBytes = C.AllocatedBytes + C.CarriedBytes - C.LiveBytes;
    const uint64_t Briefly = std::min(C.Temporary, Freed);
    // Their share of the bytes.
    const uint64_t Brief =
        Freed == 0
            ? 0
            : static_cast<uint64_t>(static_cast<unsigned __int128>(FreedBytes) *
                                    Briefly / Freed);
    Kept.push_back({At, C.LiveAllocations, C.LiveBytes, S.Site});
    Temporary.push_back({At, Briefly, Brief, S.Site});
    Others.push_back({At, Freed - Briefly, FreedBytes - Brief, S.Site});
  }

  /// Moves up to \p Most bytes of blocks. \returns the bytes; 0 if blocks
  /// cannot be divided that way
  static uint64_t take(Blocks &From, uint64_t Most, std::vector<Blocks> &To) {
    Blocks Some = From;
    if (From.Bytes > Most) {
      if (From.Count < 2)
        return 0;
      const auto Share = static_cast<uint64_t>(
          static_cast<unsigned __int128>(From.Count) * Most / From.Bytes);
      Some.Count = std::clamp<uint64_t>(Share, 1, From.Count - 1);
      Some.Bytes = Most;
    }
    if (Some.Bytes == 0)
      return 0;
    From.Count -= Some.Count;
    From.Bytes -= Some.Bytes;
    To.push_back(Some);
    return Some.Bytes;
  }

  /// Bytes of each site at the peak: at least the known ones, and up to the
  /// possible maximum until they add up to \p Peak.
  std::vector<uint64_t> bytesAtPeak(uint64_t Peak) const {
    std::vector<uint64_t> Bytes(P.Sites.size());
    for (size_t I = 0; I < P.Sites.size(); ++I)
      if (const auto &At = P.Sites[I].Peak) {
        Bytes[I] = std::min(At->BytesAtLeast, Peak);
        Peak -= Bytes[I];
      }
    for (size_t I = 0; I < P.Sites.size(); ++I)
      if (const auto &At = P.Sites[I].Peak) {
        const uint64_t More =
            std::min(At->BytesAtMost - At->BytesAtLeast, Peak);
        Bytes[I] += More;
        Peak -= More;
      }
    return Bytes;
  }

  /// Takes a temporary block, which is alive at the peak if it is allocated
  /// last and freed first. Other temporary blocks cannot be.
  void takeTop(const std::vector<uint64_t> &Wanted, uint64_t &Left) {
    for (Blocks &B : Temporary) {
      if (B.Count == 0 || Wanted[B.Site] == 0)
        continue;
      const uint64_t Size = B.Bytes / B.Count + (B.Bytes % B.Count > 0);
      if (Size == 0 || Size > Left)
        continue;
      Top = info(Size, B.Trace, 3);
      --B.Count;
      B.Bytes -= Size;
      Left -= Size;
      return;
    }
  }

  /// Chooses the blocks that are alive at the peak: as many bytes of each site
  /// as the trace has there, blocks that were never freed first. Their sum is
  /// the peak if any choice of blocks has that sum.
  void choosePeak() {
    const uint64_t Peak = P.PeakLiveBytes.value_or(0);
    const bool KnownBySite = std::ranges::any_of(P.Sites, [](const auto &S) {
      return S.Peak && S.Peak->BytesAtMost > 0;
    });
    uint64_t Left = Peak;
    if (KnownBySite) {
      std::vector<uint64_t> Wanted = bytesAtPeak(Peak);
      for (std::vector<Blocks> *From : {&Kept, &Others})
        for (Blocks &B : *From) {
          const uint64_t Taken =
              take(B, Wanted[B.Site], From == &Kept ? PeakKept : PeakFreed);
          Wanted[B.Site] -= Taken;
          Left -= Taken;
        }
      takeTop(Wanted, Left);
    } else {
      for (Blocks &B : Kept)
        Left -= std::min(Left, take(B, B.Bytes, PeakKept));
    }
    for (std::vector<Blocks> *From : {&Others, &Temporary})
      for (Blocks &B : *From)
        Left -= take(B, Left, PeakFreed);
  }

  /// Calls Do with the size of each block.
  template <class F> static void each(const Blocks &B, F Do) {
    for (uint64_t I = 0; I < B.Count; ++I)
      Do(B.Bytes / B.Count + (I < B.Bytes % B.Count));
  }

  /// Allocates a block, and frees the block that waits for it.
  void allocate(uint64_t Id) {
    line("+", Id);
    if (Waiting)
      line("-", *Waiting);
    Waiting.reset();
  }

  /// Writes blocks that are allocated and freed while little is alive.
  void shortLifetimes() {
    std::optional<uint64_t> First;
    for (const Blocks &B : Others)
      if (B.Count > 0 && !First)
        First = info(B.Bytes / B.Count + (B.Bytes % B.Count > 0), B.Trace, 2);
    if (First)
      line("+", *First); // freed after another block: not temporary
    for (const Blocks &B : Temporary)
      each(B, [&](uint64_t Size) {
        const uint64_t Id = info(Size, B.Trace);
        line("+", Id);
        line("-", Id);
      });
    Waiting = First;
    unsigned Which = 0;
    bool Skip = First.has_value();
    for (const Blocks &B : Others)
      each(B, [&](uint64_t Size) {
        if (!std::exchange(Skip, false)) {
          const uint64_t Id = info(Size, B.Trace, Which ^= 1);
          allocate(Id);
          Waiting = Id;
        }
      });
    const bool FollowsFree = std::ranges::any_of(
        Temporary, [](const Blocks &B) { return B.Count > 0; });
    if (Waiting && (Waiting != First || FollowsFree)) {
      line("-", *Waiting); // after another free
      Waiting.reset();
    }
  }

  void longLifetimes() {
    std::vector<uint64_t> Ids;
    uint64_t Left = 0; // the last block has its own number
    for (const Blocks &B : PeakFreed)
      Left += B.Count;
    for (const Blocks &B : PeakFreed)
      each(B, [&](uint64_t Size) {
        Ids.push_back(info(Size, B.Trace, --Left == 0 ? 2 : 0));
        allocate(Ids.back());
      });
    const auto Keep = [&](const std::vector<Blocks> &All) {
      for (const Blocks &B : All)
        each(B, [&](uint64_t Size) { allocate(info(Size, B.Trace, 1)); });
    };
    Keep(PeakKept);
    if (Top) {
      allocate(*Top);
      line("-", *Top);
    }
    for (const uint64_t Id : Ids)
      line("-", Id);
    Keep(Kept); // the remaining ones were allocated after the peak
    if (Waiting)
      line("-", *Waiting);
  }

  const Profile &P;
  std::string Out;
  std::map<std::string, uint64_t> Strings;
  std::map<std::tuple<std::string, std::string, uint32_t>, uint32_t> Locations;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> Traces;
  std::map<std::tuple<uint64_t, uint32_t, unsigned>, uint64_t> Infos;
  std::vector<Blocks> Kept, Temporary, Others; ///< not alive at the peak
  std::vector<Blocks> PeakKept, PeakFreed;
  std::optional<uint64_t> Top;     ///< a temporary block
  std::optional<uint64_t> Waiting; ///< to be freed after the next allocation
};

} // namespace

std::string writeHeaptrack(const Profile &P) {
  return HeaptrackWriter(P).write();
}

} // namespace inmem::report
