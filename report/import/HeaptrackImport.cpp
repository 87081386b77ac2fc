//===- HeaptrackImport.cpp - Profiles of heaptrack ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Versions 1 to 3 of its file, as its own analyzer reads them
// (src/analyze/accumulatedtracedata.cpp): lines of hexadecimal numbers.
//
//   v TOOL VERSION        X COMMAND            c MILLISECONDS
//   s [LENGTH] TEXT       i IP MODULE {FUNCTION FILE LINE}
//   t IP PARENT           a SIZE TRACE         + ALLOCATION   - ALLOCATION
//
// The frame of an IP comes first, then what it was inlined into. Events come by
// millions, so the file is read twice: for all, then up to the peak.
//
//===----------------------------------------------------------------------===//
#include "report/import/Imported.h"
#include "report/import/LineReader.h"
#include "trace/format/Format.h"

#include <fmt/format.h>

namespace inmem::report {

namespace {

class HeaptrackReader {
public:
  explicit HeaptrackReader(const trace::Buffer &Of) : In(Of) {}

  trace::Result<Imported> run() {
    if (auto Wrong = readAll(); !Wrong.ok())
      return Wrong;
    if (!Seen)
      return In.missing("no heaptrack file", "a line 'v VERSION FORMAT'");
    readPeak();
    Out.Tool = "heaptrack";
    Out.PeakBytes = Peak;
    Out.DurationNs = (Now + 1) * kMillisecond; // as heaptrack_print counts
    for (const Info &A : Allocations) {
      ImportedRow &R = Out.Rows[A.Row];
      R.AtPeak += A.AtPeak * A.Size;
    }
    for (size_t I = 0; I < Out.Rows.size(); ++I)
      Out.Rows[I].Sum = Sums[I];
    Out.Moments = std::move(Moments);
    return std::move(Out);
  }

private:
  static constexpr uint64_t kMillisecond = 1000000;
  struct Info { ///< all blocks of one size and stack
    uint64_t Size = 0;
    size_t Row = 0;
    uint64_t Live = 0, AtPeak = 0;
  };

  trace::Status readAll() {
    std::string_view Line;
    while (In.next(Line)) {
      if (Line.empty() || Line[0] == '#')
        continue;
      const char Mode = Line[0];
      std::string_view Rest = Line.substr(std::min<size_t>(2, Line.size()));
      if (!Seen && Mode != 'v')
        return In.wrong("no heaptrack file", "a line 'v VERSION FORMAT'");
      if (trace::Status Wrong = read(Mode, Rest); !Wrong.ok()) {
        if (!Seen || !In.endedInLine())
          return Wrong;
        Out.Cut = true; // at this line
      }
    }
    return {};
  }

  trace::Status read(char Mode, std::string_view Rest) {
    switch (Mode) {
    case 'v':
      return version(Rest);
    case 'X':
      command(Rest);
      return {};
    case 's':
      return string(Rest);
    case 'i':
      return instruction(Rest);
    case 't':
      return stack(Rest);
    case 'a':
      return allocation(Rest);
    case '+':
      return allocate(Rest);
    case '-':
      return free(Rest);
    case 'c':
      return time(Rest);
    case 'A': // attached: earlier events do not count
      for (ImportedCounts &C : Sums)
        C = {};
      for (Info &A : Allocations)
        A.Live = 0;
      Live = Peak = 0;
      return {};
    case 'R':
    case 'I':
    case 'S':
      return {};
    case 'x':
    case 'm':
      return In.wrong("heaptrack's raw data",
                      "a file that heaptrack_interpret has read");
    default:
      return In.wrong("unknown record", "one of v X s i t a + - c R I S A");
    }
  }

  trace::Status version(std::string_view Rest) {
    uint64_t Tool = 0;
    if (!takeNumber(Rest, Tool, 16))
      return In.wrong("version", "two hexadecimal numbers");
    if (!takeNumber(Rest, Format, 16))
      Format = Tool == 0x010200 ? 1 : 0;
    if (Format < 1 || Format > 3)
      return In.wrong("version of heaptrack's format", "1, 2 or 3");
    Seen = true;
    return {};
  }

  void command(std::string_view Rest) {
    while (!Rest.empty()) {
      const size_t End = std::min(Rest.find(' '), Rest.size());
      if (End > 0)
        Out.Command.emplace_back(Rest.substr(0, End));
      Rest.remove_prefix(std::min(End + 1, Rest.size()));
    }
  }

  trace::Status string(std::string_view Rest) {
    uint64_t Size = 0;
    if (Format >= 3 && (!takeNumber(Rest, Size, 16) || Size != Rest.size()))
      return In.wrong("string", "its length and as many bytes");
    Strings.emplace_back(Rest);
    return {};
  }

  bool text(uint64_t Index, std::string &Into) const {
    if (Index > Strings.size())
      return false;
    Into = Index ? std::string(Strings[Index - 1]) : "";
    return true;
  }

  trace::Status instruction(std::string_view Rest) {
    uint64_t Ip = 0, Module = 0, Function = 0, Of = 0, Line = 0;
    ImportedFrame F;
    if (!takeNumber(Rest, Ip, 16) || !takeNumber(Rest, Module, 16) ||
        !text(Module, F.Module))
      return In.wrong("instruction", "an address, a module, and frames");
    while (!Rest.empty()) {
      ImportedLocation P;
      Of = Line = 0; // may be missing
      if (!takeNumber(Rest, Function, 16) || !text(Function, P.Function) ||
          (!Rest.empty() && (!takeNumber(Rest, Of, 16) ||
                             !takeNumber(Rest, Line, 16) || !text(Of, P.File))))
        return In.wrong("frame of an instruction",
                        "strings of function and file, a line");
      P.Line = static_cast<uint32_t>(Line);
      F.Locations.push_back(std::move(P));
    }
    if (F.Locations.empty())
      F.Locations.emplace_back();
    for (ImportedLocation &P : F.Locations)
      if (P.Function.empty())
        P.Function = fmt::format("{}@{:#x}",
                                 F.Module.substr(F.Module.rfind('/') + 1), Ip);
    Instructions.push_back(Out.frame(F));
    return {};
  }

  trace::Status stack(std::string_view Rest) {
    uint64_t Ip = 0, Parent = 0;
    if (!takeNumber(Rest, Ip, 16) || !takeNumber(Rest, Parent, 16) || Ip == 0 ||
        Ip > Instructions.size() || Parent > Stacks.size())
      return In.wrong("stack", "an instruction and a caller that came before");
    Stacks.push_back(
        Out.stack(Parent ? Stacks[Parent - 1] : 0, Instructions[Ip - 1]));
    return {};
  }

  trace::Status allocation(std::string_view Rest) {
    uint64_t Size = 0, Stack = 0;
    if (!takeNumber(Rest, Size, 16) || !takeNumber(Rest, Stack, 16) ||
        Stack > Stacks.size())
      return In.wrong("allocation", "a size and a stack that came before");
    const ImportedRow &R = Out.row(Stack ? Stacks[Stack - 1] : 0);
    Allocations.push_back({Size, static_cast<size_t>(&R - Out.Rows.data())});
    Sums.resize(Out.Rows.size());
    return {};
  }

  Info *info(std::string_view Rest) {
    uint64_t Index = 0;
    return takeNumber(Rest, Index, 16) && Index < Allocations.size()
               ? &Allocations[Index]
               : nullptr;
  }

  trace::Status allocate(std::string_view Rest) {
    Info *A = info(Rest);
    if (!A)
      return In.wrong("event", "an allocation that came before");
    ImportedCounts &C = Sums[A->Row];
    ++C.Allocations;
    C.Bytes += A->Size;
    ++A->Live;
    Last = A - Allocations.data();
    Live += A->Size;
    if (Live > Peak) {
      Peak = Live;
      PeakAt = In.offset();
    }
    return {};
  }

  trace::Status free(std::string_view Rest) {
    Info *A = info(Rest);
    if (!A)
      return In.wrong("event", "an allocation that came before");
    const bool Newest = A - Allocations.data() == Last;
    Last = 0;
    if (A->Live == 0) // from before heaptrack was attached
      return {};
    ImportedCounts &C = Sums[A->Row];
    ++C.Frees;
    C.FreedBytes += A->Size;
    C.Temporary += Newest;
    --A->Live;
    Live -= A->Size;
    return {};
  }

  trace::Status time(std::string_view Rest) {
    uint64_t At = 0;
    if (!takeNumber(Rest, At, 16))
      return In.wrong("time", "milliseconds");
    if (At <= Now) // heaptrack skips decreasing times
      return {};
    Now = At;
    if (Now < NextMoment)
      return {};
    Moments.push_back({Now * kMillisecond, Sums});
    Kept += Sums.size();
    // Every second one is dropped if there are too many.
    if (Moments.size() > kMostMoments || Kept > kMostKept) {
      std::vector<ImportedMoment> Half;
      Kept = 0;
      for (size_t I = 1; I < Moments.size(); I += 2) {
        Kept += Moments[I].Rows.size();
        Half.push_back(std::move(Moments[I]));
      }
      Moments = std::move(Half);
      Interval *= 2;
    }
    NextMoment = Now + Interval;
    return {};
  }

  /// Reads the number of blocks of each kind that were alive at the peak.
  void readPeak() {
    if (Peak == 0)
      return;
    for (Info &A : Allocations)
      A.Live = 0;
    In.rewind();
    std::string_view Line;
    while (In.next(Line)) {
      if (Line.size() < 2)
        continue;
      if (Line[0] == 'A')
        for (Info &A : Allocations)
          A.Live = 0;
      else if (Line[0] == '+')
        ++info(Line.substr(2))->Live;
      else if (Line[0] == '-')
        if (Info *A = info(Line.substr(2)); A->Live > 0)
          --A->Live;
      if (In.offset() == PeakAt)
        break;
    }
    for (Info &A : Allocations)
      A.AtPeak = A.Live;
  }

  static constexpr size_t kMostMoments = 128, kMostKept = 400000;
  Lines In;
  Imported Out;
  bool Seen = false;
  uint64_t Format = 0;
  std::vector<std::string_view> Strings;
  std::vector<uint32_t> Instructions; ///< index -> frame of Out
  std::vector<uint32_t> Stacks;       ///< index -> stack of Out
  std::vector<Info> Allocations;
  std::vector<ImportedCounts> Sums; ///< by Out's rows
  /// Index into Allocations if the event before made one; else 0, which
  /// heaptrack itself does not separate from the first.
  ptrdiff_t Last = 0;
  uint64_t Live = 0, Peak = 0, Now = 0;
  size_t PeakAt = 0;
  std::vector<ImportedMoment> Moments;
  uint64_t NextMoment = 0, Interval = 1;
  size_t Kept = 0;
};

} // namespace

trace::Result<Imported> readHeaptrack(const trace::Buffer &File) {
  return HeaptrackReader(File).run();
}

} // namespace inmem::report
