//===- SymbolNames.cpp ----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stacks/SymbolNames.h"

#include "platform/ElfFile.h"
#include "platform/Errors.h"
#include "platform/OwnPages.h"
#include "platform/Process.h"
#include "platform/Signals.h"
#include "registry/Modules.h"
#include "registry/RecordBuilder.h"
#include "registry/SiteRegistry.h"
#include "stacks/Lines.h"
#include "state/Runtime.h"
#include "tables/PagedArray.h"

#include <string.h>

namespace inmem::rt {

using namespace trace;

namespace {

struct Awaiting {
  const Module *File;
  uint64_t Offset; ///< offset of the code
  uint32_t Id;
  uint32_t Name;  ///< offset in the string table; 0: not found
  uint64_t Start; ///< start of the function
  bool Global;
  bool Named; ///< the trace has the function's name; only lines are missing
};

constinit PagedArray<Awaiting> All = {};

bool comesBefore(const Awaiting &A, const Awaiting &B) {
  return A.File != B.File ? A.File < B.File : A.Offset < B.Offset;
}

/// Shell sort with Knuth's gaps: nothing here may allocate.
void sortAll() {
  uint32_t Gap = 1;
  while (Gap < All.Count / 3)
    Gap = Gap * 3 + 1;
  for (; Gap > 0; Gap /= 3)
    for (uint32_t I = Gap; I < All.Count; ++I) {
      const Awaiting Moved = All[I];
      uint32_t J = I;
      for (; J >= Gap && comesBefore(Moved, All[J - Gap]); J -= Gap)
        All[J] = All[J - Gap];
      All[J] = Moved;
    }
}

/// Names the addresses in [Begin, End), which is sorted, that are in function
/// \p S.
void offer(const ElfW(Sym) & S, Awaiting *Begin, Awaiting *End) {
  if (ELF64_ST_TYPE(S.st_info) != STT_FUNC || S.st_shndx == SHN_UNDEF ||
      S.st_name == 0)
    return;
  Awaiting *Low = Begin;
  for (size_t Left = static_cast<size_t>(End - Begin); Left > 0;) {
    size_t Half = Left / 2;
    if (Low[Half].Offset < S.st_value) {
      Low += Half + 1;
      Left -= Half + 1;
    } else {
      Left = Half;
    }
  }
  bool Global = ELF64_ST_BIND(S.st_info) != STB_LOCAL;
  for (; Low < End && Low->Offset - S.st_value < S.st_size; ++Low)
    if (!Low->Name || (Global && !Low->Global)) {
      Low->Name = S.st_name;
      Low->Start = S.st_value;
      Low->Global = Global;
    }
}

/// The part of the name that fits, NUL-terminated.
bool readName(const ElfFile &File, const ElfW(Shdr) & Strings,
              const Awaiting &A, char *Into, size_t Room) {
  uint64_t Left = Strings.sh_size > A.Name ? Strings.sh_size - A.Name : 0;
  size_t Bytes = Left < Room - 1 ? Left : Room - 1;
  Into[Bytes] = 0;
  return A.Name && Bytes &&
         File.read(Strings.sh_offset + A.Name, Into, Bytes) && Into[0];
}

void writeName(const Awaiting &A, const char *Name) {
  NameRecord R = {};
  RecordBuilder Builder(RecordKind::Name, sizeof R);
  R.Address = A.Id;
  R.Function = Builder.string(Name);
  R.SymbolOffset = static_cast<uint32_t>(A.Offset - A.Start);
  Builder.append(&R, sizeof R);
}

/// Source positions of an address, as `inmem symbolize` writes them.
void writeLines(const Awaiting &A, const char *Function,
                const LineFrame *Frames, unsigned FrameCount) {
  bool Known = false;
  for (unsigned I = 0; I < FrameCount; ++I)
    Known |= Frames[I].File != nullptr;
  if (!Known)
    return;
  SymbolRecord R = {};
  RecordBuilder Builder(RecordKind::Symbol, sizeof R);
  R.Address = A.Id;
  R.FrameCount = FrameCount;
  R.Frames = Builder.reserve(FrameCount * sizeof(FrameRecord));
  for (unsigned I = 0; I < FrameCount; ++I) {
    const LineFrame &F = Frames[I];
    // The outermost frame is the function that the linker knows, as in the
    // address's own record.
    bool IsOutermost = I + 1 == FrameCount && Function;
    FrameRecord Out = {Builder.string(IsOutermost ? Function : F.Function),
                       Builder.string(F.File), F.Line, 0, 0};
    memcpy(static_cast<FrameRecord *>(Builder.at(R.Frames)) + I, &Out,
           sizeof Out);
  }
  Builder.append(&R, sizeof R);
}

/// Finds the functions of [Begin, End), all of \p File, and the table of their
/// names.
void findNames(const ElfFile &File, Awaiting *Begin, Awaiting *End,
               ElfW(Shdr) & Strings) {
  ElfW(Shdr) Symbols;
  if (!File.findSymbols(SHT_SYMTAB, Symbols, Strings))
    return;
  constexpr uint64_t kPiece = 4096 * sizeof(ElfW(Sym));
  auto *Piece = static_cast<ElfW(Sym) *>(mapPages(kPiece));
  if (!Piece)
    return;
  for (uint64_t At = 0; At < Symbols.sh_size; At += kPiece) {
    uint64_t Bytes =
        Symbols.sh_size - At < kPiece ? Symbols.sh_size - At : kPiece;
    if (!File.read(Symbols.sh_offset + At, Piece, Bytes))
      break;
    for (uint64_t I = 0; I < Bytes / sizeof *Piece; ++I)
      offer(Piece[I], Begin, End);
  }
  unmapPages(Piece, kPiece);
}

/// Looks up [Begin, End) in one file.
void writeFile(Awaiting *Begin, Awaiting *End, size_t LineBytes) {
  const Module &M = *Begin->File;
  ElfFile File(M.Path);
  if (!File.isGood() || !File.isBuildOf(M.BuildId, M.BuildIdBytes))
    return;
  ElfW(Shdr) Strings = {};
  findNames(File, Begin, End, Strings);
  LineReader Lines(M.Path, File.descriptor(), LineBytes);
  char Name[1024];
  for (Awaiting *A = Begin; A < End; ++A) {
    bool Found = readName(File, Strings, *A, Name, sizeof Name);
    if (Found && !A->Named)
      writeName(*A, Name);
    const LineFrame *Frames = nullptr;
    unsigned FrameCount = Lines.find(A->Offset, Frames);
    // A function's start represents a tail call elsewhere in it, so the calls
    // inlined at the start are not its callers.
    if (Found && A->Offset == A->Start && FrameCount > 1) {
      Frames += FrameCount - 1;
      FrameCount = 1;
    }
    writeLines(*A, Found ? Name : nullptr, Frames, FrameCount);
  }
}

/// \param MostBytes size_t: memory for a file's debug information; at most half
/// of what is free.
void writeAll(void *MostBytes) {
  size_t LineBytes = *static_cast<size_t *>(MostBytes);
  if (LineBytes > 0) {
    // The memory counts toward the program's control group. A program below the
    // group's limit must not be killed because its lines are read.
    uint64_t Half = memoryLeft() / 2;
    LineBytes = LineBytes < Half ? LineBytes : Half;
  }
  for (uint32_t I = 0, Next; I < All.Count; I = Next) {
    for (Next = I + 1; Next < All.Count && All[Next].File == All[I].File;
         ++Next) {
    }
    writeFile(&All[I], &All[Next], LineBytes);
  }
}

/// Memory for reading a file's debug information, in bytes.
size_t mostLineBytes() {
  constexpr uint64_t kMost = 1 << 20; // MiB
  uint64_t MiB = Process.Config.LinesMib;
  return LineReader::isAvailable() ? (MiB < kMost ? MiB : kMost) << 20 : 0;
}

} // namespace

void awaitName(const Module *File, uint64_t Offset, uint32_t Id, bool Named) {
  if (Named && mostLineBytes() == 0)
    return;
  if (Awaiting *A = All.add())
    *A = {File, Offset, Id, 0, 0, false, Named};
}

void writeAwaitedNames() {
  if (All.Count == 0)
    return;
  const SavedErrno Kept;
  constexpr size_t kStack = 1 << 20;
  size_t LineBytes = Process.Trace.isKept() ? mostLineBytes() : 0;
  sortAll();
  // The process may end in a signal handler or on a small stack, and
  // libbacktrace needs some tens of KiB. So lines are read on a separate stack;
  // without one, only names are written.
  if (LineBytes == 0 || !runOnOwnStack(kStack, writeAll, &LineBytes)) {
    LineBytes = 0;
    writeAll(&LineBytes);
  }
  All.Count = 0;
}

bool readSymbolName(const Module &File, uint64_t Offset, char *Into,
                    size_t Room) {
  const SavedErrno Kept;
  Awaiting One = {&File, Offset, 0, 0, 0, false, false};
  ElfFile On(File.Path);
  ElfW(Shdr) Strings = {};
  if (On.isGood() && On.isBuildOf(File.BuildId, File.BuildIdBytes))
    findNames(On, &One, &One + 1, Strings);
  return readName(On, Strings, One, Into, Room);
}

void forgetAwaitedNames() { All.Count = 0; }

} // namespace inmem::rt
