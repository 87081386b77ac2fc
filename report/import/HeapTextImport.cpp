//===- HeapTextImport.cpp - Heap profiles as text -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What gperftools, jemalloc and Go write as text:
//
//   heap profile: LIVE: BYTES [ALL: BYTES] @ heapprofile      or heap_v2/PERIOD
//   LIVE: BYTES [ALL: BYTES] @ ADDRESS...                    innermost first
//   # ADDRESS FUNCTION+OFFSET FILE:LINE                      Go's, of each call
//
//   heap_v2/PERIOD                                            jemalloc's
//   @ ADDRESS...
//     t*: LIVE: BYTES [ALL: BYTES]
//
// then /proc/PID/maps. Sampled sums are scaled as `go tool pprof` and jeprof do
// it. An address is that behind a call.
//
//===----------------------------------------------------------------------===//
#include "report/import/Imported.h"
#include "report/import/LineReader.h"
#include "trace/format/Format.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace inmem::report {

namespace {

constexpr std::string_view kHead = "heap profile:", kThreadedHead = "heap_v2/";
constexpr const char *kExpectedHead =
    "a line 'heap profile: BLOCKS: BYTES [BLOCKS: BYTES] @ heapprofile' or "
    "'heap_v2/PERIOD'";

/// Blocks and bytes that are alive, and all that there were.
struct Figures {
  uint64_t Live = 0, LiveBytes = 0, All = 0, AllBytes = 0;
};

void skipBlanks(std::string_view &Text) {
  Text.remove_prefix(std::min(Text.find_first_not_of(" \t\r"), Text.size()));
}

bool take(std::string_view &Text, std::string_view Word) {
  skipBlanks(Text);
  if (!Text.starts_with(Word))
    return false;
  Text.remove_prefix(Word.size());
  return true;
}

bool takeDigits(std::string_view &Text, uint64_t &Into) {
  skipBlanks(Text);
  // A live sum is below 0 where blocks were freed that were not counted.
  const bool Negative = Text.starts_with('-');
  if (Negative)
    Text.remove_prefix(1);
  const auto [End, Error] =
      std::from_chars(Text.data(), Text.data() + Text.size(), Into);
  if (Error != std::errc() || Into > INT64_MAX)
    return false;
  Text.remove_prefix(static_cast<size_t>(End - Text.data()));
  if (Negative)
    Into = 0;
  return true;
}

/// `LIVE: BYTES [ALL: BYTES]`
bool takeFigures(std::string_view &Text, Figures &F) {
  return takeDigits(Text, F.Live) && take(Text, ":") &&
         takeDigits(Text, F.LiveBytes) && take(Text, "[") &&
         takeDigits(Text, F.All) && take(Text, ":") &&
         takeDigits(Text, F.AllBytes) && take(Text, "]");
}

/// `0x401136 0x401200`, to the end.
bool takeAddresses(std::string_view Text, std::vector<uint64_t> &Into) {
  for (skipBlanks(Text); !Text.empty(); skipBlanks(Text)) {
    uint64_t Address = 0;
    if (!take(Text, "0x"))
      return false;
    const auto [End, Error] =
        std::from_chars(Text.data(), Text.data() + Text.size(), Address, 16);
    if (Error != std::errc())
      return false;
    Text.remove_prefix(static_cast<size_t>(End - Text.data()));
    Into.push_back(Address);
  }
  return true;
}

class HeapTextReader {
public:
  explicit HeapTextReader(const trace::Buffer &Of) : In(Of) {}

  trace::Result<Imported> run() {
    trace::Status Wrong = readHead();
    if (!Wrong.ok())
      return Wrong;
    while (In.next(Line)) {
      if (isMapsHead()) {
        readMaps();
        break;
      }
      Wrong = Threaded ? readThreaded() : readRow();
      if (Wrong.ok())
        continue;
      if (!In.endedInLine())
        return Wrong;
      Out.Cut = true;
    }
    return finish();
  }

private:
  /// Blocks of one stack.
  struct Row {
    Figures Of;
    std::vector<uint64_t> Addresses;     ///< innermost first
    std::vector<ImportedLocation> Calls; ///< the same with names, or empty
  };
  struct Mapping {
    uint64_t Start, End;
    std::string Path;
  };

  trace::Status readHead() {
    if (!In.next(Line))
      return In.missing("no heap profile", kExpectedHead);
    std::string_view Rest = Line;
    if (take(Rest, kThreadedHead)) {
      Threaded = true;
      if (!takeDigits(Rest, Period))
        return In.wrong("no heap profile", kExpectedHead);
      return {};
    }
    Figures Sum;
    if (!take(Rest, kHead) || !takeFigures(Rest, Sum))
      return In.wrong("no heap profile", kExpectedHead);
    // As pprof: equal sums, or none, say that only the living were counted.
    HasAll = (Sum.All != Sum.Live && Sum.All != 0) ||
             (Sum.AllBytes != Sum.LiveBytes && Sum.AllBytes != 0);
    if (!take(Rest, "@"))
      return In.wrong("kind of heap profile",
                      "'@ heapprofile', heap or heap_v2");
    skipBlanks(Rest);
    const size_t Slash = std::min(Rest.find('/'), Rest.size());
    const std::string_view Kind = Rest.substr(0, Slash);
    Rest.remove_prefix(std::min(Slash + 1, Rest.size()));
    if (Kind != "heapprofile" && Kind != "heap" && Kind != "heap_v2" &&
        Kind != "heapz_v2")
      return In.wrong("kind of heap profile", "heapprofile, heap or heap_v2");
    if (Kind != "heapprofile")
      takeDigits(Rest, Period); // none: not sampled
    if (Kind == "heap")
      Period /= 2;
    return {};
  }

  bool isMapsHead() const {
    return Line.starts_with("MAPPED_LIBRARIES:") ||
           Line.starts_with("--- Memory map:") ||
           Line.starts_with("/proc/self/maps:");
  }

  trace::Status readRow() {
    std::string_view Rest = Line;
    skipBlanks(Rest);
    if (Rest.empty())
      return {};
    if (Rest[0] == '#') {
      readCall(Rest.substr(1));
      return {};
    }
    Row R;
    if (!takeFigures(Rest, R.Of) || !take(Rest, "@") ||
        !takeAddresses(Rest, R.Addresses))
      return In.wrong("row of a heap profile",
                      "'BLOCKS: BYTES [BLOCKS: BYTES] @ ADDRESSES'");
    return add(std::move(R));
  }

  trace::Status add(Row R) {
    if ((R.Of.Live == 0 && R.Of.LiveBytes > 0) ||
        (R.Of.All == 0 && R.Of.AllBytes > 0))
      return In.wrong("row of a heap profile", "no bytes without blocks");
    Rows.push_back(std::move(R));
    return {};
  }

  /// `0x48b1 main.keep+0x71 /src/main.go:11` behind Go's rows, with tabs. Other
  /// comments are skipped.
  void readCall(std::string_view Rest) {
    uint64_t Address = 0, Number = 0;
    if (Rows.empty() || !take(Rest, "0x"))
      return;
    const auto [End, Error] =
        std::from_chars(Rest.data(), Rest.data() + Rest.size(), Address, 16);
    if (Error != std::errc())
      return;
    Rest.remove_prefix(static_cast<size_t>(End - Rest.data()));
    skipBlanks(Rest);
    const size_t Tab = std::min(Rest.find('\t'), Rest.size());
    const std::string_view Function = Rest.substr(0, Tab);
    Rest.remove_prefix(Tab);
    skipBlanks(Rest);
    const size_t Colon = Rest.rfind(':');
    ImportedLocation At;
    At.Function = Function.substr(0, Function.rfind("+0x"));
    while (At.Function.ends_with(' ')) // they are aligned
      At.Function.pop_back();
    if (Colon != std::string_view::npos) {
      At.File = Rest.substr(0, Colon);
      Rest.remove_prefix(Colon + 1);
      if (takeDigits(Rest, Number))
        At.Line = static_cast<uint32_t>(std::min<uint64_t>(Number, UINT32_MAX));
    }
    if (!At.Function.empty())
      Rows.back().Calls.push_back(std::move(At));
  }

  trace::Status readThreaded() {
    std::string_view Rest = Line;
    skipBlanks(Rest);
    if (Rest.empty())
      return {};
    if (take(Rest, "@")) {
      Stack.clear();
      InRows = true;
      return takeAddresses(Rest, Stack)
                 ? trace::Status()
                 : In.wrong("stack of a heap profile", "'@ ADDRESSES'");
    }
    Row R;
    const bool Sum = Rest.starts_with("t*:");
    const size_t Colon = std::min(Rest.find(':'), Rest.size() - 1);
    Rest.remove_prefix(Colon + 1);
    if (!Line.starts_with("  t") || !takeFigures(Rest, R.Of))
      return In.wrong("row of a heap profile",
                      "'@ ADDRESSES' or 't*: BLOCKS: BYTES [BLOCKS: BYTES]'");
    if (!Sum) // a thread's, which are in the sum
      return {};
    if (!InRows) { // of the whole
      HasAll = R.Of.AllBytes > 0;
      return {};
    }
    R.Addresses = Stack;
    return add(std::move(R));
  }

  /// `00400000-00500000 r-xp 00000000 08:01 1 /bin/app`
  void readMaps() {
    while (In.next(Line)) {
      std::string_view Rest = Line;
      Mapping M{};
      const auto Hex = [&](uint64_t &Into) {
        const auto [End, Error] =
            std::from_chars(Rest.data(), Rest.data() + Rest.size(), Into, 16);
        Rest.remove_prefix(static_cast<size_t>(End - Rest.data()));
        return Error == std::errc();
      };
      if (!Hex(M.Start) || !take(Rest, "-") || !Hex(M.End))
        continue;
      const size_t Path = Rest.find_first_of("/[");
      if (Path == std::string_view::npos || Rest[Path] != '/')
        continue;
      M.Path = Rest.substr(Path);
      while (M.Path.ends_with('\r') || M.Path.ends_with(' '))
        M.Path.pop_back();
      if (M.Path.ends_with(" (deleted)"))
        M.Path.resize(M.Path.size() - 10);
      if (Out.Command.empty()) // the program is first
        Out.Command = {M.Path};
      auto [At, New] = Bases.try_emplace(M.Path, M.Start);
      At->second = std::min(At->second, M.Start);
      Maps.push_back(std::move(M));
    }
    std::ranges::sort(Maps, {}, &Mapping::Start);
  }

  uint32_t frameOf(uint64_t Address) {
    const uint64_t Call = Address ? Address - 1 : 0;
    ImportedFrame F;
    auto Behind = std::ranges::upper_bound(Maps, Call, {}, &Mapping::Start);
    if (Behind != Maps.begin() && Call < (--Behind)->End) {
      F.Module = Behind->Path;
      F.Offset = Call - Bases[F.Module];
      F.Locations.push_back(
          {fmt::format("{}+{:#x}", F.Module.substr(F.Module.rfind('/') + 1),
                       *F.Offset),
           "", 0});
    } else {
      F.Locations.push_back({fmt::format("{:#x}", Address), "", 0});
    }
    return Out.frame(F);
  }

  uint32_t stackOf(const Row &R) {
    uint32_t At = 0;
    if (R.Calls.empty())
      for (auto A = R.Addresses.rbegin(); A != R.Addresses.rend(); ++A)
        At = Out.stack(At, frameOf(*A));
    for (auto C = R.Calls.rbegin(); C != R.Calls.rend(); ++C)
      At = Out.stack(At, Out.frame({{*C}, "", std::nullopt}));
    return At;
  }

  /// A block of s bytes is sampled with probability 1 - e^(-s/period).
  void scale(uint64_t &Blocks, uint64_t &Bytes) const {
    if (Blocks == 0 || Bytes == 0) {
      Blocks = Bytes = 0;
      return;
    }
    if (Period <= 1)
      return;
    const double Size =
        static_cast<double>(Bytes) / static_cast<double>(Blocks);
    const double Weight =
        1 / (1 - std::exp(-Size / static_cast<double>(Period)));
    const auto Times = [&](uint64_t Value) {
      return static_cast<uint64_t>(
          std::min(static_cast<double>(Value) * Weight, 0x1p62));
    };
    Blocks = Times(Blocks);
    Bytes = Times(Bytes);
  }

  trace::Result<Imported> finish() {
    Out.Tool = "pprof";
    Out.Unknown =
        trace::kFlagNoTemporary | trace::kFlagNoPeak | trace::kFlagOfAMoment;
    if (!HasAll) {
      Out.Unknown |= trace::kFlagNoTotals;
      Out.Notes.push_back("the profile knows what was alive, not what was "
                          "allocated: bytes by place are those alive");
    }
    if (Period > 1)
      Out.Notes.push_back(fmt::format(
          "sampled every {} bytes on average; figures are estimates", Period));
    for (const Row &R : Rows) {
      Figures F = R.Of;
      scale(F.Live, F.LiveBytes);
      scale(F.All, F.AllBytes);
      // Unknown figures agree with known ones; sampled sums may cross.
      F.All = HasAll ? std::max(F.All, F.Live) : F.Live;
      F.AllBytes = HasAll ? std::max(F.AllBytes, F.LiveBytes) : F.LiveBytes;
      if (F.AllBytes == 0)
        continue;
      ImportedCounts &C = Out.row(stackOf(R)).Sum;
      C.Allocations += F.All;
      C.Bytes += F.AllBytes;
      C.Frees += F.All - F.Live;
      C.FreedBytes += F.AllBytes - F.LiveBytes;
    }
    return std::move(Out);
  }

  Lines In;
  std::string_view Line;
  Imported Out;
  uint64_t Period = 0; ///< mean bytes between samples; 0 or 1: all are counted
  bool HasAll = false; ///< there are sums of all blocks that ever were
  bool Threaded = false;       ///< jemalloc's form
  bool InRows = false;         ///< behind its head
  std::vector<uint64_t> Stack; ///< of the rows that follow there
  std::vector<Row> Rows;
  std::vector<Mapping> Maps;
  std::map<std::string, uint64_t> Bases; ///< lowest addresses by path
};

} // namespace

bool isHeapText(const trace::Buffer &File) {
  const std::string_view Text(
      reinterpret_cast<const char *>(File.bytes().data()), File.bytes().size());
  return Text.starts_with(kHead) || Text.starts_with(kThreadedHead);
}

trace::Result<Imported> readHeapText(const trace::Buffer &File) {
  return HeapTextReader(File).run();
}

} // namespace inmem::report
