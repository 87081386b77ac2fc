//===- HeapRegions.cpp - Owners of addresses ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heap/HeapWriter.h"

#include "hot/Mapped.h"
#include "index/LiveIndex.h"
#include "platform/Image.h"
#include "state/TracePath.h"

namespace inmem::rt {

using heap::RegionKind;

namespace {

/// True for "/memfd:name", "/SYSV0000" and "/dev/zero (deleted)", which are not
/// files on a disk.
bool isSharedMemory(const Mapping &In, const char *Name) {
  return (In.Shared && !In.IsFile) || strncmp(Name, "/memfd:", 7) == 0 ||
         strncmp(Name, "/SYSV", 5) == 0 || strncmp(Name, "/dev/", 5) == 0;
}

/// The end of the loader's mappings of a file, if it is known.
uintptr_t endOfImage(uintptr_t Start) {
  Image File;
  return Image::isFoundWithoutLock() && Image::around(Start, File)
             ? roundUp(File.span().End, pageSize())
             : 0;
}

} // namespace

void HeapWriter::writeRegion(RegionKind Kind, uintptr_t Begin, uintptr_t End,
                             uint32_t Label, uint64_t Detail) {
  if (Begin >= End)
    return;
  Out.number(static_cast<uint64_t>(Kind));
  Out.number(Begin);
  Out.number(End - Begin);
  Out.number(Label);
  Out.number(Detail);
  ++H.Regions.Count;
}

void HeapWriter::writeOwnRegions() {
  for (const OwnRange &R : Resident.own())
    writeRegion(R.IsOfChild ? RegionKind::Excluded : RegionKind::Own, R.Start,
                R.End, 0, 0);
#ifdef INMEM_STATIC
  const auto Leaves = reinterpret_cast<uintptr_t>(LiveLeaves);
  const auto Counts = reinterpret_cast<uintptr_t>(EnteredBlocks);
  writeRegion(RegionKind::Own, Leaves, Leaves + sizeof LiveLeaves, 0, 0);
  writeRegion(RegionKind::Own, Counts, Counts + sizeof EnteredBlocks, 0, 0);
#else
  const AddressRange Ours =
      Image::spanAround(reinterpret_cast<uintptr_t>(&LiveLeaves));
  writeRegion(RegionKind::Own, Ours.Start, roundUp(Ours.End, pageSize()), 0, 0);
#endif
}

/// The pages of a thread's stack and storage. Below the stack is a page without
/// access, so that its mapping begins there; above, other memory may follow.
AddressRange HeapWriter::stackOf(const ThreadPosition &T) {
  constexpr size_t kMostGuessed = 64 << 20;
#if defined(__x86_64__)
  constexpr uintptr_t kBehind = 2304; // struct pthread
#else
  constexpr uintptr_t kBehind = 16 * 1024; // static storage
#endif
  const Mappings &Maps = M.mappings();
  if (T.Tid == H.Pid) {
    for (size_t I = 0; I < Maps.size(); ++I)
      if (Maps[I].IsStack)
        return {Maps[I].Start, Maps[I].End};
    return {};
  }
  const uintptr_t Address = T.ThreadPointer ? T.ThreadPointer : T.StackPointer;
  const Mapping *In = Address ? Maps.find(Address) : nullptr;
  // A stack that the program allocated itself counts as the kind of memory it
  // is.
  if (!In || In->IsHeap || In->IsFile || find(Address) != kNone)
    return {};
  AddressRange Stack = {In->Start, In->End};
  // A stack that the program mapped may be merged with neighbouring mappings.
  mappedRanges().forEach([&](const MappedRange &R) {
    if (R.Start <= Address && Address < R.End)
      Stack = {R.Start, R.End};
  });
  if (!T.ThreadPointer)
    return Stack.End - Stack.Start <= kMostGuessed ? Stack : AddressRange{};
  const uintptr_t End = roundUp(T.ThreadPointer + kBehind, pageSize());
  return {Stack.Start, End < Stack.End ? End : Stack.End};
}

void HeapWriter::writeStackRegions() {
  for (size_t I = 0; I < ThreadCount; ++I) {
    const ThreadPosition &T = Threads[I];
    const AddressRange Stack = stackOf(T);
    char Name[64];
    PathBuilder Text(Name, sizeof Name);
    Text.number(T.Tid).add(' ').add(T.Name);
    writeRegion(RegionKind::Stack, Stack.Start, Stack.End,
                labelOf(Name, Text.length()), T.Tid);
  }
}

void HeapWriter::writeMapping(const Mapping &In, bool IsImage) {
  const char *Name = M.mappings().nameOf(In);
  const uint32_t Label = labelOf(Name);
  constexpr uint64_t kWritable = 2;
  if (isOfKernel(Name))
    writeRegion(RegionKind::Excluded, In.Start, In.End, 0, 0);
  else if (IsImage)
    writeRegion(RegionKind::Image, In.Start, In.End, Label,
                In.Writable ? kWritable : 0);
  else if (isSharedMemory(In, Name))
    writeRegion(RegionKind::Shared, In.Start, In.End, Label, 0);
  else if (In.IsFile)
    writeRegion(RegionKind::File, In.Start, In.End, Label, 0);
  else
    writeRegion(RegionKind::Anonymous, In.Start, In.End, Label, 0);
}

void HeapWriter::writeMappedRegions() {
  mappedRanges().forEach([&](const MappedRange &R) {
    if (R.Id == kAllocatorsRange)
      writeRegion(RegionKind::Allocator, R.Start, R.End, 0, 0);
    else
      writeRegion(RegionKind::Mapped, R.Start, R.End, 0, R.Id);
  });
}

void HeapWriter::writeHeapRegions() {
  for (const GlibcHeaps::Heap &G : Glibc.Heaps) {
    uintptr_t Begin = G.Begin;
    // malloc_trim does not shrink a heap that other code has extended.
    const bool IsOthers =
        Glibc.Gaps.size() && Glibc.Gaps[Glibc.Gaps.size() - 1].End == G.End;
    const uint64_t Arena = IsOthers ? heap::kArenaGrownByOthers : G.Arena;
    for (const AddressRange &Gap : Glibc.Gaps) {
      if (Gap.Start < G.Begin || Gap.End > G.End)
        continue;
      writeRegion(RegionKind::Arena, Begin, Gap.Start, 0, Arena);
      Begin = Gap.End / pageSize() * pageSize();
      if (Begin < Gap.Start)
        Begin = Gap.Start;
    }
    writeRegion(RegionKind::Arena, Begin, G.End, 0, Arena);
  }
}

void HeapWriter::writeRegions() {
  H.Regions.At = Out.offset();
  writeOwnRegions();
  writeStackRegions();
  writeMappedRegions();
  writeHeapRegions();
  const Mappings &Maps = M.mappings();
  NumberMap Code; ///< files with code
  for (size_t I = 0; I < Maps.size(); ++I)
    if (Maps[I].IsFile && Maps[I].Executable)
      Code.findOrMake(Maps[I].File | 1);
  uintptr_t End = 0;
  uint32_t Label = 0;
  uint64_t File = 0;
  for (size_t I = 0; I < Maps.size(); ++I) {
    const Mapping &In = Maps[I];
    const bool IsImage = In.IsFile ? Code.find(In.File | 1) != nullptr
                                   : strncmp(Maps.nameOf(In), "[vdso", 5) == 0;
    if (IsImage && In.File != File) {
      File = In.File;
      End = endOfImage(In.Start);
      Label = labelOf(Maps.nameOf(In));
    }
    // Zero-initialised data follows a file's.
    if (!In.IsFile && !In.IsHeap && !In.IsStack && In.Start < End)
      writeRegion(RegionKind::Image, In.Start, In.End < End ? In.End : End,
                  Label, 2);
    writeMapping(In, IsImage);
  }
}

} // namespace inmem::rt
