//===- HeapRoots.cpp - Memory that holds the program's objects ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same roots as LeakSanitizer's: writable data of loaded files, stacks,
// registers, thread-local storage; not memory that the program has mapped
// itself. Each word that looks like an address is a root.
//
//===----------------------------------------------------------------------===//
#include "heap/HeapWriter.h"

#include "allocator/Allocator.h"
#include "platform/Image.h"
#include "registry/Modules.h"
#include "state/TracePath.h"

namespace inmem::rt {

using heap::RootKind;

namespace {

/// Sizes of glibc's struct pthread and of static thread-local storage. On
/// x86-64 the first is after the thread pointer, and the second before it; on
/// AArch64 it is the reverse.
constexpr uintptr_t kThreadBytes = 2304, kStorageBytes = 16 * 1024;
#if defined(__x86_64__)
constexpr uintptr_t kInFront = kStorageBytes, kBehind = kThreadBytes;
#else
constexpr uintptr_t kInFront = kThreadBytes, kBehind = kStorageBytes;
#endif

const char *lastPart(const char *Path) {
  const char *Slash = strrchr(Path, '/');
  return Slash ? Slash + 1 : Path;
}

/// The end of the data of the loaded file that begins at \p Start. Memory
/// mapped right behind it may be unrelated, or ours.
uintptr_t endOfData(uintptr_t Start) {
  if (!Image::isFoundWithoutLock())
    return UINTPTR_MAX;
  Image File;
  return Image::around(Start, File) ? File.span().End : 0;
}

/// Its address is in the runtime's own file.
[[maybe_unused]] const char kMagicOfOurs = 0;

/// The file of our shared library; 0 if the runtime is linked into the program.
uint64_t ownFile([[maybe_unused]] const Mappings &Maps) {
#ifndef INMEM_STATIC
  if (const Mapping *Own =
          Maps.find(reinterpret_cast<uintptr_t>(&kMagicOfOurs)))
    return Own->File;
#endif
  return 0;
}

} // namespace

bool HeapWriter::isOurs(uintptr_t Address) const {
  for (size_t I = 0; I < ThreadCount; ++I)
    if (Address - Threads[I].OwnState < Threads[I].OwnBytes)
      return true;
#ifdef INMEM_STATIC
  // In a static program, the runtime's data is part of the program's.
  const auto Leaves = reinterpret_cast<uintptr_t>(LiveLeaves);
  const auto Counts = reinterpret_cast<uintptr_t>(EnteredBlocks);
  return Address - Leaves < sizeof LiveLeaves ||
         Address - Counts < sizeof EnteredBlocks;
#else
  return false;
#endif
}

/// True if \p Address is the chunk after a block: glibc's malloc keeps the
/// address of the chunk after the last block, and that chunk overlaps the
/// block's last word.
bool HeapWriter::isChunkBehind(uint32_t Object, uintptr_t Address) {
  const uintptr_t Begin = Objects[Object].Begin;
  const uint64_t Chunk = M.wordOr0(Begin - 8) & ~uint64_t{7};
  return Address == Begin + Chunk - 16;
}

void HeapWriter::writeRegion(RootKind Kind, uintptr_t From, uintptr_t To,
                             uint32_t Label, uintptr_t Base) {
  constexpr size_t kStep = 16 * kPage;
  if (!Region.size() && !Region.extend(kStep))
    return;
  // The kernel copies, because a file may be shorter than its mapping by now,
  // and a stack may have a guard page in the middle.
  From = (From + 7) & ~uintptr_t{7};
  for (size_t Step = kStep; From + 8 <= To;) {
    size_t Bytes = Step - From % Step;
    if (Bytes > To - From)
      Bytes = To - From;
    Bytes &= ~size_t{7};
    const bool Known = M.copy(Region.data(), From, Bytes);
    if (!Known && Step > kPage) {
      Step = kPage;
      continue;
    }
    if (Known)
      writeWords(Kind, From, Bytes, Label, Base);
    From += Bytes;
    if (From % kStep == 0)
      Step = kStep;
  }
}

/// Writes the words of the part of \p From that is in Region.
void HeapWriter::writeWords(RootKind Kind, uintptr_t From, size_t Bytes,
                            uint32_t Label, uintptr_t Base) {
  noteOwners(Region.data(), Bytes);
  for (uintptr_t At = From; At < From + Bytes; At += 8) {
    uint64_t Word;
    memcpy(&Word, Region.data() + (At - From), sizeof Word);
    if (!mayBeInBlock(Word))
      continue;
    const uint32_t Object = find(Word);
    if (Object == kNone || isOurs(At) ||
        (IsLibc && isChunkBehind(Object, Word)))
      continue;
    Out.number(static_cast<uint64_t>(Kind));
    Out.number(Label);
    Out.number(At - Base);
    Out.number(Object);
    ++H.Roots.Count;
    if (HeapVariable *In = Variables.find(At))
      NamedRoots.add({numberOf(*In), Object, At - In->Begin});
  }
}

uint32_t HeapWriter::labelOfThread(uint32_t Tid) {
  char Name[24];
  const size_t Length =
      PathBuilder(Name, sizeof Name).add("thread ").number(Tid).length();
  return labelOf(Name, Length);
}

/// The stack that the kernel or the C library created for a thread, if known.
const Mapping *HeapWriter::usualStackOf(const ThreadPosition &T,
                                        const Mapping *Storage) {
  if (T.Tid != H.Pid)
    return Storage && !Storage->IsHeap && !Storage->IsFile &&
                   find(T.ThreadPointer) ==
                       kNone // not allocated by the program
               ? Storage
               : nullptr;
  const Mappings &Maps = M.mappings();
  for (size_t I = 0; I < Maps.size(); ++I)
    if (Maps[I].IsStack)
      return &Maps[I];
  return nullptr;
}

void HeapWriter::writeStacks() {
  const Mappings &Maps = M.mappings();
  for (size_t I = 0; I < ThreadCount; ++I) {
    const ThreadPosition &T = Threads[I];
    const Mapping *Storage =
        T.ThreadPointer ? Maps.find(T.ThreadPointer) : nullptr;
    const Mapping *Stack = T.StackPointer ? Maps.find(T.StackPointer) : nullptr;
    uintptr_t From = T.StackPointer;
    if (!Stack && Storage && !Storage->IsHeap) {
      // The thread's position on its stack is unknown, so the whole stack
      // counts.
      Stack = Storage;
      From = Stack->Start;
    }
    const uint32_t Label = labelOfThread(T.Tid);
    // A thread on a signal stack or a coroutine's stack also has calls on its
    // usual stack, at an unknown depth.
    const Mapping *Usual = usualStackOf(T, Storage);
    if (Usual && Usual != Stack && Usual->Readable)
      writeRegion(RootKind::Stack, Usual->Start, Usual->End, Label, 0);
    if (Stack && Stack->Readable) {
      uintptr_t To = Stack->End;
      // A stack that the program allocated ends with its block.
      if (const uint32_t Block = find(From); Block != kNone)
        To = Objects[Block].Begin + Objects[Block].Size;
      writeRegion(RootKind::Stack, From, To, Label, 0);
      if (T.ThreadPointer >= From && T.ThreadPointer < To)
        continue; // the region includes its thread-local storage
    }
    if (Storage && Storage->Readable && (Storage != Usual || Usual == Stack)) {
      uintptr_t Begin = T.ThreadPointer - kInFront;
      uintptr_t End = T.ThreadPointer + kBehind;
      if (Begin < Storage->Start)
        Begin = Storage->Start;
      if (End > Storage->End)
        End = Storage->End;
      writeRegion(RootKind::ThreadLocal, Begin, End, Label, 0);
    }
  }
}

void HeapWriter::writeRoots() {
  findVariables();
  H.Roots.At = Out.offset();
  const Mappings &Maps = M.mappings();
  const uint64_t OwnFile = ownFile(Maps);
  uint64_t File = 0; ///< the preceding mapping's
  uintptr_t Base = 0, End = 0, DataEnd = 0;
  uint32_t Label = 0;
  for (size_t I = 0; I < Maps.size(); ++I) {
    const Mapping &In = Maps[I];
    if (In.IsFile) {
      if (In.File != File) {
        Base = In.Start;
        DataEnd = endOfData(Base);
      }
      File = In.File;
      Label = labelOf(Maps.nameOf(In));
      const char *Name = lastPart(Maps.nameOf(In));
      IsLibc = Real.LeastRequest == 0 &&
               !Real.Packs && // else another malloc is in use
               (startsWith(Name, "libc.so") || startsWith(Name, "libc-2"));
    } else if (In.Start != End || In.IsHeap || In.IsStack) {
      File = 0; // zero-initialised data follow the rest
    }
    End = In.End;
    const uintptr_t To = In.IsFile || End < DataEnd ? End : DataEnd;
    if (File && File != OwnFile && In.Readable && In.Writable && !In.Shared)
      writeRegion(RootKind::Global, In.Start, To, Label, Base);
  }
  IsLibc = false;
  writeStacks();
  writeLoaders();
}

/// Writes the dynamic loader's blocks as roots, because no other root holds
/// some of them.
void HeapWriter::writeLoaders() {
  for (uint32_t I = 0; I < Objects.size(); ++I) {
    const inmem_site *S = factsOf(Objects[I]).Source;
    if (!S || S->kind != INMEM_SITE_CALLER)
      continue;
    const Module *Owner = reinterpret_cast<const CallerSite *>(S)->Owner;
    if (!Owner || !startsWith(lastPart(Owner->Path), "ld-linux"))
      continue;
    Out.number(static_cast<uint64_t>(RootKind::Global));
    Out.number(labelOf(Owner->Path));
    Out.number(0);
    Out.number(I);
    ++H.Roots.Count;
  }
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

void HeapWriter::findVariables() {
  const Mappings &Maps = M.mappings();
  const uint64_t OwnFile = ownFile(Maps);
  uint64_t File = 0;
  for (size_t I = 0; I < Maps.size(); ++I) {
    const Mapping &In = Maps[I];
    if (!In.IsFile || In.File == File)
      continue;
    File = In.File;
    uint32_t Magic = 0;
    if (File != OwnFile && In.Readable &&
        M.copy(&Magic, In.Start, sizeof Magic) &&
        memcmp(&Magic, "\177ELF", sizeof Magic) == 0)
      Variables.addFile(M, In, Maps.nameOf(In), labelOf(Maps.nameOf(In)));
  }
  for (size_t I = 0; I < ThreadCount; ++I)
    if (Threads[I].ThreadPointer)
      Variables.addThread(Threads[I].ThreadPointer,
                          labelOfThread(Threads[I].Tid));
  Variables.finish();
}

uint32_t HeapWriter::numberOf(HeapVariable &V) {
  if (!V.Number) {
    VariableList.add(static_cast<uint32_t>(&V - &Variables[0]));
    V.Number = static_cast<uint32_t>(VariableList.size());
  }
  return V.Number - 1;
}

void HeapWriter::addNamedRoot(HeapVariable &In, uint32_t To, uint32_t Path) {
  Out.number(numberOf(In));
  Out.number(0);
  Out.number(Path);
  Out.number(To);
  ++H.Named.Count;
}

void HeapWriter::noteHeldContainer(const Container &C, const Step *Via) {
  Pending = C;
  Pending.Object = numberOf(*Holder);
  PendingVia = Via;
  if (LastVia != Via)
    return;
  HeldContainers.add(Pending);
  PendingVia = nullptr;
}

/// Writes pointers in variables, those in variables of known type first.
void HeapWriter::writeNamedRoots() {
  H.Named.At = Out.offset();
  for (size_t I = 0; I < Variables.size(); ++I) {
    const Plan *P = planOf(Variables[I].Type);
    if (!P || !P->Size || Variables[I].Size % P->Size != 0)
      continue;
    Holder = &Variables[I];
    LastVia = PendingVia = nullptr;
    const uint64_t Count = Holder->Size / P->Size;
    W.objects(*P, Holder->Begin, Count, Holder->Size, Count > 1);
  }
  Holder = nullptr;
  for (const NamedRoot &R : NamedRoots) {
    Out.number(R.Variable);
    Out.number(R.Offset + 1);
    Out.number(0);
    Out.number(R.Object);
  }
  H.Named.Count += NamedRoots.size();
}

void HeapWriter::writeVariables() {
  H.Variables = {Out.offset(), VariableList.size()};
  for (const uint32_t I : VariableList) {
    const HeapVariable &V = Variables[I];
    Out.number(labelOf(V.Name));
    Out.number(static_cast<uint64_t>(V.Kind));
    Out.number(V.Where);
    Out.number(V.Begin - V.Base);
    Out.number(V.Size);
    Out.number(V.Type ? typeOf(V.Type) + 1 : 0);
  }
}

} // namespace inmem::rt
