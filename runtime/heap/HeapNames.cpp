//===- HeapNames.cpp - Sites in the file of a snapshot --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heap/HeapWriter.h"

#include "registry/Modules.h"
#include "registry/SiteRegistry.h"
#include "state/TracePath.h"

namespace inmem::rt {

namespace {

bool isSystemFile(const char *Path) {
  return !Path || startsWith(Path, "/usr/") || strstr(Path, "/include/c++/");
}

/// The innermost inlined frame in the user's own code around the site, or else
/// the outermost: the function that inlined the library's code. -1: the site
/// itself.
int userFrameIndex(const inmem_site &S) {
  auto *Frames = relative<inmem_frame>(S.inlined);
  if (!Frames || !isSystemFile(textAt(S.file)))
    return -1;
  for (int I = 0; I < S.inlined_count; ++I)
    if (!isSystemFile(textAt(Frames[I].file)))
      return I;
  return S.inlined_count - 1;
}
const char *functionOfUser(const inmem_site &S) {
  const int I = userFrameIndex(S);
  return I < 0 ? textAt(S.function)
               : textAt(relative<inmem_frame>(S.inlined)[I].function);
}
const char *fileOfUser(const inmem_site &S) {
  const int I = userFrameIndex(S);
  return I < 0 ? textAt(S.file)
               : textAt(relative<inmem_frame>(S.inlined)[I].file);
}
/// Sets only line and column: texts are relative to the record's address.
inmem_frame userFrameOf(const inmem_site &S) {
  const int I = userFrameIndex(S);
  inmem_frame At = {};
  At.line = I < 0 ? S.line : relative<inmem_frame>(S.inlined)[I].line;
  At.column = I < 0 ? S.column : relative<inmem_frame>(S.inlined)[I].column;
  return At;
}

} // namespace

/// The label of \p Symbol; or "app+0x1c40", which readers resolve to function
/// and line.
uint32_t HeapWriter::labelOfCode(const char *Symbol, const Module *File,
                                 uint64_t Offset) {
  if (Symbol || !File)
    return labelOf(Symbol);
  constexpr unsigned kDigitBits = 4, kDigits = 64 / kDigitBits;
  const char *Slash = strrchr(File->Path, '/');
  char Text[256];
  PathBuilder Name(Text, sizeof Text);
  Name.add(Slash ? Slash + 1 : File->Path).add("+0x");
  bool HasBegun = false;
  for (unsigned I = kDigits; I-- > 0;) {
    const uint64_t Digit = Offset >> I * kDigitBits & 0xf;
    HasBegun |= Digit != 0 || I == 0;
    if (HasBegun)
      Name.add("0123456789abcdef"[Digit]);
  }
  return labelOf(Text, Name.length());
}

void HeapWriter::writeSites() {
  H.Sites = {Out.offset(), SiteList.size()};
  for (uint32_t Id : SiteList) {
    const SiteFacts &Facts = knownTypes().site(plainSite(Id));
    const inmem_site *S = Facts.Source;
    Out.number(Id);
    Out.number(Facts.Type ? typeOf(Facts.Type) + 1 : 0);
    if (S && S->kind == INMEM_SITE_CALLER) {
      auto *C = reinterpret_cast<const CallerSite *>(S);
      Out.number(labelOfCode(C->Symbol, C->Owner, C->Distance - 1));
      Out.number(labelOf(C->Owner ? C->Owner->Path : nullptr));
      Out.number(0);
      Out.number(C->SymbolOffset);
    } else {
      const inmem_frame At = S ? userFrameOf(*S) : inmem_frame{};
      Out.number(S ? labelOf(functionOfUser(*S)) : 0);
      Out.number(S ? labelOf(fileOfUser(*S)) : 0);
      Out.number(At.line);
      Out.number(At.column);
    }
    Out.number(S ? S->kind : 0);
  }
}

/// Writes the inlined functions, from the one that contains the call to the
/// outermost: they show what a library allocates for.
void HeapWriter::writeInlined() {
  H.Inlined.At = Out.offset();
  const auto Add = [this](uint32_t Id, const char *Function) {
    ++H.Inlined.Count;
    Out.number(Id);
    Out.number(labelOf(Function));
  };
  for (uint32_t Id : SiteList) {
    const inmem_site *S = knownTypes().site(plainSite(Id)).Source;
    if (!S || S->kind == INMEM_SITE_CALLER || userFrameIndex(*S) < 0)
      continue;
    Add(Id, textAt(S->function));
    auto *Frames = relative<inmem_frame>(S->inlined);
    for (int I = 0; I < S->inlined_count; ++I)
      Add(Id, textAt(Frames[I].function));
  }
}

void HeapWriter::writeCallers() {
  H.Callers.At = Out.offset();
  for (uint32_t Id : SiteList) {
    const UserCall *C = callerOfSite(Id);
    if (!C)
      continue;
    ++H.Callers.Count;
    Out.number(Id);
    if (C->Function || C->File || !C->Return) {
      Out.number(labelOf(C->Function));
      Out.number(labelOf(C->File));
    } else {
      uint32_t Unused;
      const uintptr_t Call = C->Return - 1;
      const Module *File = findModule(Call);
      Out.number(labelOfCode(symbolAt(Call, Unused), File,
                             File ? Call - File->Base : 0));
      Out.number(labelOf(File ? File->Path : nullptr));
    }
    Out.number(C->Line);
    Out.number(C->Column);
  }
}

} // namespace inmem::rt
