//===- HeapText.cpp - Heap profiles as text -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/import/HeapText.h"

#include "report/import/LineReader.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace inmem::report {

namespace {

constexpr std::string_view kHead = "heap profile:", kThreadedHead = "heap_v2/";
constexpr const char *kExpectedHead =
    "a line 'heap profile: BLOCKS: BYTES [BLOCKS: BYTES] @ heapprofile' or "
    "'heap_v2/PERIOD'";

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
  // A live sum is negative if blocks were freed that had not been counted.
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
bool takeFigures(std::string_view &Text, HeapText::Figures &F) {
  return takeDigits(Text, F.Live) && take(Text, ":") &&
         takeDigits(Text, F.LiveBytes) && take(Text, "[") &&
         takeDigits(Text, F.All) && take(Text, ":") &&
         takeDigits(Text, F.AllBytes) && take(Text, "]");
}

bool takeHex(std::string_view &Text, uint64_t &Into) {
  const auto [End, Error] =
      std::from_chars(Text.data(), Text.data() + Text.size(), Into, 16);
  Text.remove_prefix(static_cast<size_t>(End - Text.data()));
  return Error == std::errc();
}

/// `0x401136 0x401200`, up to the end.
bool takeAddresses(std::string_view Text, std::vector<uint64_t> &Into) {
  for (skipBlanks(Text); !Text.empty(); skipBlanks(Text)) {
    uint64_t Address = 0;
    if (!take(Text, "0x") || !takeHex(Text, Address))
      return false;
    Into.push_back(Address);
  }
  return true;
}

class HeapTextReader {
public:
  explicit HeapTextReader(const trace::Buffer &Of) : In(Of) {}

  trace::Result<HeapText> run() {
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
    return std::move(Out);
  }

private:
  trace::Status readHead() {
    if (!In.next(Line))
      return In.missing("no heap profile", kExpectedHead);
    std::string_view Rest = Line;
    if (take(Rest, kThreadedHead)) {
      Threaded = Out.IsOfClasses = true;
      if (!takeDigits(Rest, Out.Period))
        return In.wrong("no heap profile", kExpectedHead);
      return {};
    }
    HeapText::Figures Sum;
    if (!take(Rest, kHead) || !takeFigures(Rest, Sum))
      return In.wrong("no heap profile", kExpectedHead);
    // As in pprof: equal sums, or a missing one, mean that only live blocks
    // were counted.
    Out.HasAll = (Sum.All != Sum.Live && Sum.All != 0) ||
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
      takeDigits(Rest, Out.Period); // absent if not sampled
    if (Kind == "heap")
      Out.Period /= 2;
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
    HeapText::Row R;
    if (!takeFigures(Rest, R.Of) || !take(Rest, "@") ||
        !takeAddresses(Rest, R.Addresses))
      return In.wrong("row of a heap profile",
                      "'BLOCKS: BYTES [BLOCKS: BYTES] @ ADDRESSES'");
    return add(std::move(R));
  }

  trace::Status add(HeapText::Row R) {
    if ((R.Of.Live == 0 && R.Of.LiveBytes > 0) ||
        (R.Of.All == 0 && R.Of.AllBytes > 0))
      return In.wrong("row of a heap profile", "no bytes without blocks");
    Out.Rows.push_back(std::move(R));
    return {};
  }

  /// `0x48b1 main.keep+0x71 /src/main.go:11` after Go's rows, with tabs. Other
  /// comments are skipped.
  void readCall(std::string_view Rest) {
    uint64_t Address = 0, Number = 0;
    if (Out.Rows.empty() || !take(Rest, "0x") || !takeHex(Rest, Address))
      return;
    skipBlanks(Rest);
    const size_t Tab = std::min(Rest.find('\t'), Rest.size());
    const std::string_view Function = Rest.substr(0, Tab);
    Rest.remove_prefix(Tab);
    skipBlanks(Rest);
    const size_t Colon = Rest.rfind(':');
    ImportedLocation At;
    At.Function = Function.substr(0, Function.rfind("+0x"));
    while (At.Function.ends_with(' ')) // names are padded
      At.Function.pop_back();
    if (Colon != std::string_view::npos) {
      At.File = Rest.substr(0, Colon);
      Rest.remove_prefix(Colon + 1);
      if (takeDigits(Rest, Number))
        At.Line = static_cast<uint32_t>(std::min<uint64_t>(Number, UINT32_MAX));
    }
    if (!At.Function.empty())
      Out.Rows.back().Calls.push_back(std::move(At));
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
    HeapText::Row R;
    const bool Sum = Rest.starts_with("t*:");
    const size_t Colon = std::min(Rest.find(':'), Rest.size() - 1);
    Rest.remove_prefix(Colon + 1);
    if (!Line.starts_with("  t") || !takeFigures(Rest, R.Of))
      return In.wrong("row of a heap profile",
                      "'@ ADDRESSES' or 't*: BLOCKS: BYTES [BLOCKS: BYTES]'");
    if (!Sum) // a thread's rows are in the sum
      return {};
    if (!InRows) { // totals of the whole profile
      Out.HasAll = R.Of.AllBytes > 0;
      return {};
    }
    R.Addresses = Stack;
    return add(std::move(R));
  }

  /// `00400000-00500000 r-xp 00000000 08:01 1 /bin/app`
  void readMaps() {
    while (In.next(Line)) {
      std::string_view Rest = Line;
      HeapText::Mapping M;
      if (!takeHex(Rest, M.Start) || !take(Rest, "-") ||
          !takeHex(Rest, M.End) || M.End <= M.Start)
        continue;
      skipBlanks(Rest);
      Rest.remove_prefix(std::min(Rest.find(' '), Rest.size()));
      skipBlanks(Rest);
      takeHex(Rest, M.Offset);
      const size_t Path = Rest.find_first_of("/[");
      if (Path == std::string_view::npos || Rest[Path] != '/')
        continue;
      M.Path = Rest.substr(Path);
      while (M.Path.ends_with('\r') || M.Path.ends_with(' '))
        M.Path.pop_back();
      if (M.Path.ends_with(" (deleted)"))
        M.Path.resize(M.Path.size() - 10);
      if (Out.Program.empty()) // the first mapping is the program
        Out.Program = M.Path;
      Out.Maps.push_back(std::move(M));
    }
    std::ranges::sort(Out.Maps, {}, &HeapText::Mapping::Start);
  }

  Lines In;
  std::string_view Line;
  HeapText Out;
  bool Threaded = false;       ///< jemalloc's format
  bool InRows = false;         ///< after the rows' header
  std::vector<uint64_t> Stack; ///< of the next rows
};

} // namespace

void HeapText::scale(uint64_t &Blocks, uint64_t &Bytes) const {
  if (Blocks == 0 || Bytes == 0) {
    Blocks = Bytes = 0;
    return;
  }
  if (Period <= 1)
    return;
  const double Size = static_cast<double>(Bytes) / static_cast<double>(Blocks);
  const double Weight = 1 / (1 - std::exp(-Size / static_cast<double>(Period)));
  const auto Times = [&](uint64_t Value) {
    return static_cast<uint64_t>(
        std::min(static_cast<double>(Value) * Weight, 0x1p62));
  };
  Blocks = Times(Blocks);
  Bytes = Times(Bytes);
}

bool isHeapText(const trace::Buffer &File) {
  const std::string_view Text(
      reinterpret_cast<const char *>(File.bytes().data()), File.bytes().size());
  return Text.starts_with(kHead) || Text.starts_with(kThreadedHead);
}

trace::Result<HeapText> parseHeapText(const trace::Buffer &File) {
  return HeapTextReader(File).run();
}

} // namespace inmem::report
