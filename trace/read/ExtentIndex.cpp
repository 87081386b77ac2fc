//===- ExtentIndex.cpp ----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/read/ExtentIndex.h"

#include "trace/format/Checksum.h"
#include "trace/read/NumberText.h"

#include <cstring>

namespace inmem::trace {

/// True if the extent's header is as its writer wrote it.
static bool isIntact(const ExtentHeader &E) {
  return E.Magic == kExtentMagic && E.Bytes >= kExtentAlign &&
         E.Bytes % kExtentAlign == 0 && E.Identity == identityOf(E);
}

void ExtentIndex::read() {
  readSeal();
  walk();
  compareLength();
  std::sort(Out.OctaveRanges.begin(), Out.OctaveRanges.end(),
            [](const auto &A, const auto &B) { return A.Begin < B.Begin; });
}

void ExtentIndex::readSeal() {
  Limit = Bytes.size();
  const uint64_t At = Out.Base + kSealOffset;
  uint64_t Seal = 0;
  if (!Out.load(At, Seal) || Seal == 0)
    return;
  Out.Sealed = true;
  const uint64_t Sum = sealOf(Bytes.data() + Out.Base);
  const uint64_t Announced = Out.Header.FileBytes;
  if (Sum != Seal)
    Report.damage(At, "checksum of the trace's header", hex(Sum), hex(Seal));
  else if (Announced >= kHeaderBytes && Announced <= Bytes.size() - Out.Base)
    Limit = Out.Base + Announced;
  HasLimit = Sum == Seal;
}

/// Without a limit: true if preallocated space or another process follows.
bool ExtentIndex::atEnd(const ExtentHeader &E) const {
  return !HasLimit &&
         (E.Magic == 0 || std::memcmp(&E, kMagic, sizeof kMagic) == 0);
}

/// The offset at which the next certain extent begins; if there is none, the
/// end of the process's part.
uint64_t ExtentIndex::nextIntact(uint64_t From) const {
  ExtentHeader E;
  for (uint64_t At = From; At < Limit && Out.load(At, E); At += kExtentAlign)
    if (isIntact(E) ||
        (!HasLimit && std::memcmp(&E, kMagic, sizeof kMagic) == 0))
      return At;
  return Limit;
}

void ExtentIndex::walk() {
  const uint64_t Size = Bytes.size();
  uint64_t At = Out.Base + Out.Header.HeaderBytes;
  if (At > Size) {
    Out.Cut = true;
    Report.diagnose(Diagnostic::Level::Cut, Size, "file ends within its header",
                    text(Out.Header.HeaderBytes) + " bytes",
                    text(Size - Out.Base) + " bytes");
  }
  Out.End = std::min(At, Size);
  while (At < Limit) {
    Extent E;
    E.Offset = At;
    if (!Out.load(At, E.Header)) {
      Out.Cut = true;
      Report.diagnose(Diagnostic::Level::Cut, At,
                      "file ends within the header of an extent",
                      text(sizeof(ExtentHeader)) + " bytes",
                      text(Size - At) + " bytes");
      break;
    }
    if (!isIntact(E.Header)) {
      if (atEnd(E.Header))
        break;
      const uint64_t Next = nextIntact(At + kExtentAlign);
      Report.damage(At,
                    "header of an extent, left out up to byte " + text(Next),
                    "magic " + hex(kExtentMagic) + " and checksum " +
                        hex(identityOf(E.Header)),
                    hex(E.Header.Magic) + " and " + hex(E.Header.Identity));
      Out.End = At = Next;
      continue;
    }
    const uint64_t Available = std::min(E.Header.Bytes, Size - At);
    if (Available < E.Header.Bytes) {
      Out.Cut = true;
      Report.diagnose(Diagnostic::Level::Cut, At, "file ends within an extent",
                      text(E.Header.Bytes) + " bytes",
                      text(Available) + " bytes");
    }
    countWhole(E, Available - sizeof(ExtentHeader));
    keepIfIntact(E, Available - sizeof(ExtentHeader));
    At += Available;
    Out.End = std::min(At, Limit);
  }
}

/// Checks that the file is as long as its header says, unless the process may
/// still be writing it.
void ExtentIndex::compareLength() {
  const uint64_t Announced = Out.Header.FileBytes;
  const uint64_t There = Out.End - Out.Base;
  if (Announced > There && !Out.Cut) {
    // A running process announces an extent before it publishes it.
    if (Announced > Bytes.size() - Out.Base) {
      Out.Cut = true;
      Report.diagnose(Diagnostic::Level::Cut, Out.End,
                      "file is shorter than it says",
                      text(Announced) + " bytes", text(There) + " bytes");
    } else if (Out.Header.State == RunState::Complete) {
      Report.damage(Out.End, "extents end early", text(Announced) + " bytes",
                    text(There) + " bytes");
    }
  }
}

void ExtentIndex::keepIfIntact(const Extent &E, uint64_t Available) {
  if (E.Header.Kind == ExtentKind::Events) {
    // The checksum is verified when the events are read, so that a report of
    // counts does not read gigabytes of them. Reading the header has also
    // mapped the pages around it.
    constexpr uint64_t kAround = 2 << 20;
    const uint64_t From = E.Offset - std::min(E.Offset - Out.Base, kAround);
    Out.File->haveRead(From, E.Offset + E.Header.Bytes - From);
    Out.Extents.push_back(E);
  } else if (Out.checksumHolds(E)) {
    keep(E, Available);
    Out.File->haveRead(E.Offset, E.Header.Bytes);
  } else {
    Report.damage(
        E.Offset + offsetof(ExtentHeader, Checksum),
        "checksum of an extent, left out",
        hex(checksumOf(E.Header, Bytes.data() + E.Offset + sizeof E.Header)),
        hex(E.Header.Checksum));
  }
}

/// Takes an extent with a valid checksum into the trace.
void ExtentIndex::keep(const Extent &E, uint64_t Available) {
  Out.Extents.push_back(E);
  if (E.Header.Kind != ExtentKind::Octaves)
    return;
  // A row may refer to a block before Used counts it: both are published
  // without order between them.
  const uint64_t Begin = E.Offset + sizeof(ExtentHeader);
  Out.OctaveRanges.push_back(
      {Begin, Begin + Available / sizeof(Octave) * sizeof(Octave),
       E.Header.Owner});
}

void ExtentIndex::countWhole(Extent &E, uint64_t Available) {
  if (E.Header.Kind == ExtentKind::Snapshot)
    return; // snapshots have their own counts
  const uint64_t Size = elementBytes(E.Header.Kind);
  if (Size == 0) {
    Report.diagnose(Diagnostic::Level::Note, E.Offset,
                    "extent of an unknown kind skipped", "1 to 8",
                    text(static_cast<uint16_t>(E.Header.Kind)));
    return;
  }
  const uint64_t Capacity = (E.Header.Bytes - sizeof(ExtentHeader)) / Size;
  if (E.Header.Used > Capacity)
    Report.damage(E.Offset + offsetof(ExtentHeader, Used),
                  "elements in an extent", "at most " + text(Capacity),
                  text(E.Header.Used));
  E.Whole = std::min({E.Header.Used, Capacity, Available / Size});
}

std::vector<Extent> inSequence(const Trace &From, ExtentKind Kind) {
  std::vector<Extent> Some;
  for (const Extent &E : From.Extents)
    if (E.Header.Kind == Kind)
      Some.push_back(E);
  std::sort(Some.begin(), Some.end(), comesBefore);
  return Some;
}

} // namespace inmem::trace
