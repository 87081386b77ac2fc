//===- HeaptrackExport.cpp - heaptrack's own file -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Version 2 of its text. It has a line for each allocation and each free, and
// our sums have no order: what is written is one order of events that has the
// same blocks, bytes, temporary blocks, leaks and peak. Of a place's blocks all
// are of its mean size, if that divides evenly.
//
//===----------------------------------------------------------------------===//
#include "report/formats/ExportSamples.h"

#include <algorithm>
#include <fmt/format.h>

namespace inmem::report {

namespace {

class HeaptrackWriter {
public:
  explicit HeaptrackWriter(const Profile &From) : P(From) {}

  std::string write() {
    Out = fmt::format("v 10400 2\nX {}\nI 1000 0\n", oneLine(commandOf(P)));
    info(0, 0); // heaptrack takes number 0 for the last one allocated
    for (const ExportSample &S : samplesOf(P))
      add(S);
    choosePeak();
    Out += "c 0\n";
    shortLifetimes();
    longLifetimes();
    const uint64_t Ns =
        P.Processes.empty() ? 0 : P.Processes[0].DurationNs.value_or(0);
    // It adds one millisecond itself.
    line("c", std::max<uint64_t>(Ns / 1000000, 1) - 1);
    return std::move(Out);
  }

private:
  /// Blocks of a place with some bytes in all.
  struct Blocks {
    uint32_t Trace = 0;
    uint64_t Count = 0, Bytes = 0;
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

  /// A size and trace; each kind twice, since heaptrack takes a free
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
    // Their part of the bytes.
    const uint64_t Brief =
        Freed == 0
            ? 0
            : static_cast<uint64_t>(static_cast<unsigned __int128>(FreedBytes) *
                                    Briefly / Freed);
    Kept.push_back({At, C.LiveAllocations, C.LiveBytes});
    Temporary.push_back({At, Briefly, Brief});
    Others.push_back({At, Freed - Briefly, FreedBytes - Brief});
    LiveBytes += C.LiveBytes;
  }

  /// Takes blocks that were freed to be alive at the peak: their bytes and
  /// the kept blocks are the peak.
  void choosePeak() {
    if (!P.PeakLiveBytes || *P.PeakLiveBytes <= LiveBytes)
      return;
    uint64_t Left = *P.PeakLiveBytes - LiveBytes;
    std::vector<Blocks *> Order;
    Order.reserve(Others.size() + Temporary.size());
    for (Blocks &B : Others)
      Order.push_back(&B);
    for (Blocks &B : Temporary)
      Order.push_back(&B);
    const auto Take = [&](Blocks &From, uint64_t Count, uint64_t Bytes) {
      AtPeak.push_back({From.Trace, Count, Bytes});
      From.Count -= Count;
      From.Bytes -= Bytes;
      Left -= Bytes;
    };
    const auto Fits = [&](const Blocks *B) {
      return B->Count > 0 &&
             (B->Bytes == Left || (B->Bytes > Left && B->Count > 1));
    };
    while (Left > 0) {
      if (const auto One = std::ranges::find_if(Order, Fits);
          One != Order.end()) {
        Take(**One, (*One)->Bytes == Left ? (*One)->Count : 1, Left);
        return;
      }
      const auto Whole = std::ranges::find_if(Order, [&](const Blocks *B) {
        return B->Count > 0 && B->Bytes > 0 && B->Bytes < Left;
      });
      if (Whole == Order.end())
        return; // no such order: the peak comes as near as it can
      Take(**Whole, (*Whole)->Count, (*Whole)->Bytes);
    }
  }

  /// Calls Do with the size of each block.
  template <class F> static void each(const Blocks &B, F Do) {
    for (uint64_t I = 0; I < B.Count; ++I)
      Do(B.Bytes / B.Count + (I < B.Bytes % B.Count));
  }

  /// Blocks that come and go while little is alive.
  void shortLifetimes() {
    for (const Blocks &B : Temporary)
      each(B, [&](uint64_t Size) {
        const uint64_t Id = info(Size, B.Trace);
        line("+", Id);
        line("-", Id);
      });
    std::optional<uint64_t> Before;
    unsigned Which = 0;
    for (const Blocks &B : Others)
      each(B, [&](uint64_t Size) {
        const uint64_t Id = info(Size, B.Trace, Which ^= 1);
        line("+", Id);
        if (Before)
          line("-", *Before);
        Before = Id;
      });
    if (Before)
      line("-", *Before); // after another free: not temporary
  }

  void longLifetimes() {
    std::vector<uint64_t> Ids;
    uint64_t Left = 0; // the last one has a number of its own
    for (const Blocks &B : AtPeak)
      Left += B.Count;
    for (const Blocks &B : AtPeak)
      each(B, [&](uint64_t Size) {
        Ids.push_back(info(Size, B.Trace, --Left == 0 ? 2 : 0));
        line("+", Ids.back());
      });
    for (const Blocks &B : Kept)
      each(B, [&](uint64_t Size) { line("+", info(Size, B.Trace, 1)); });
    for (const uint64_t Id : Ids)
      line("-", Id);
  }

  const Profile &P;
  std::string Out;
  std::map<std::string, uint64_t> Strings;
  std::map<std::tuple<std::string, std::string, uint32_t>, uint32_t> Locations;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> Traces;
  std::map<std::tuple<uint64_t, uint32_t, unsigned>, uint64_t> Infos;
  std::vector<Blocks> Kept, Temporary, Others, AtPeak;
  uint64_t LiveBytes = 0;
};

} // namespace

std::string writeHeaptrack(const Profile &P) {
  return HeaptrackWriter(P).write();
}

} // namespace inmem::report
