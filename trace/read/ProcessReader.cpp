//===- ProcessReader.cpp --------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/read/ProcessReader.h"

#include "trace/format/HeapFormat.h"
#include "trace/read/ExtentIndex.h"
#include "trace/read/ReadThreads.h"
#include "trace/read/RecordReader.h"
#include "trace/read/RowReader.h"
#include "trace/read/SnapshotReader.h"

#include <cstring>

namespace inmem::trace {

/// A char array of a header up to its NUL.
template <size_t N>
static std::string_view fixedString(std::span<const std::byte> Bytes,
                                    uint64_t At) {
  if (At + N > Bytes.size())
    return {};
  const char *Begin = reinterpret_cast<const char *>(Bytes.data() + At);
  return {Begin, strnlen(Begin, N)};
}

/// Kind of a file that is often mistaken for a trace; empty: something else.
static std::string_view kindOf(std::span<const std::byte> File) {
  constexpr std::string_view kElf = "\x7f"
                                    "ELF";
  if (File.size() >= kElf.size() &&
      std::memcmp(File.data(), kElf.data(), kElf.size()) == 0)
    return "a program or a library";
  constexpr size_t kLooked = 512;
  const auto Begin = File.first(std::min(File.size(), kLooked));
  // Tab to carriage return, and everything but control characters.
  const bool IsText = std::ranges::all_of(Begin, [](std::byte B) {
    const auto C = std::to_integer<unsigned>(B);
    return (C >= 9 && C <= 13) || (C >= 32 && C != 127);
  });
  return IsText ? "a text file" : "";
}

Status ProcessReader::readHeader() {
  const auto Bytes = Out.File->bytes();
  const std::string &Name = Out.fileName();
  const uint64_t Size = Bytes.size() - Out.Base;
  const auto Head = Bytes.subspan(Out.Base);
  const size_t Compared = std::min<size_t>(Size, sizeof kMagic);
  if (Size == 0)
    return Status::at(Name, Out.Base, "trace header", "an inmem trace",
                      "an empty file");
  if (std::memcmp(Head.data(), kMagic, Compared) != 0) {
    if (std::memcmp(Head.data(), heap::kMagic, Compared) == 0)
      return Status::at(Name, Out.Base, "not a trace", "the magic of a trace",
                        "a heap snapshot, which `inmem heap` shows");
    if (Out.Base == 0)
      if (const std::string_view Kind = kindOf(Head); !Kind.empty())
        return Status::error(
            Name, "not an inmem trace, but " + std::string(Kind) +
                      "; a run of a program leaves one, inmem.PID.inmem");
    std::string Found;
    for (size_t I = 0; I < Compared; ++I) {
      constexpr char kHex[] = "0123456789abcdef";
      const auto Byte = std::to_integer<unsigned>(Head[I]);
      Found += kHex[Byte >> 4];
      Found += kHex[Byte & 15];
    }
    return Status::at(Name, Out.Base, "magic of a trace",
                      "696e6d656d0d0a1a (\"inmem\")", Found);
  }
  if (!Out.load(Out.Base, Out.Header))
    return Status::at(Name, Out.Base, "trace header",
                      text(sizeof(FileHeader)) + " bytes",
                      text(Size) + " bytes");
  const FileHeader &H = Out.Header;
  const uint64_t B = Out.Base;
  if (H.Version != kVersion)
    return Status::at(Name, B + offsetof(FileHeader, Version),
                      "version of the trace format", text(kVersion),
                      text(H.Version));
  if (H.HeaderBytes != kHeaderBytes)
    return Status::at(Name, B + offsetof(FileHeader, HeaderBytes),
                      "size of the header", text(kHeaderBytes),
                      text(H.HeaderBytes));
  const auto State = static_cast<uint32_t>(H.State);
  if (State < 1 || State > 3)
    return Status::at(Name, B + offsetof(FileHeader, State),
                      "state of the process", "1 to 3", text(State));
  const auto Clock = static_cast<uint32_t>(H.Clock);
  if (Clock > 2)
    return Status::at(Name, B + offsetof(FileHeader, Clock), "clock", "0 to 2",
                      text(Clock));
  if (H.TickShift > 20)
    return Status::at(Name, B + offsetof(FileHeader, TickShift), "tick shift",
                      "0 to 20", text(H.TickShift));
  if (H.Clock != ClockKind::Events &&
      (H.TicksPerSecond == 0 || H.TicksPerSecond > 1'000'000'000'000u))
    return Status::at(Name, B + offsetof(FileHeader, TicksPerSecond),
                      "ticks per second", "1 to 1000000000000",
                      text(H.TicksPerSecond));
  Out.Host = fixedString<sizeof H.Host>(Bytes, B + offsetof(FileHeader, Host));
  Out.Executable = fixedString<sizeof H.Executable>(
      Bytes, B + offsetof(FileHeader, Executable));
  return {};
}

Status ProcessReader::read() {
  Out.Types.resize(1);
  Out.Sites.resize(1);
  Out.Modules.resize(1);
  Out.Addresses.resize(1);
  Out.Stacks.resize(1);
  if (Status S = readHeader(); !S.ok())
    return S;
  Out.Cut = Out.Header.Flags & kFlagCut;
  ExtentIndex(Out, Report).read();
  RecordReader(Out, Report).read();
  RowReader Rows(Out, Report);
  Rows.readRows();
  readThreads(Out);
  Rows.readTotals();
  SnapshotReader Snapshots(Out, Report);
  Snapshots.readTaken();
  Out.indexMarks();
  Rows.readLists();
  Snapshots.readPending();
  return {};
}

} // namespace inmem::trace
