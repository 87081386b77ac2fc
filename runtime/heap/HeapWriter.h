//===- HeapWriter.h - All live blocks, and their references -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs alone in a child that is a copy of the program at one moment, and
// allocates only pages of its own (HeapSnapshot.h). Writes the format of
// trace/format/HeapFormat.h.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_HEAPWRITER_H
#define INMEM_RUNTIME_HEAPWRITER_H

#include "graph/BlockAt.h"
#include "graph/Walk.h"
#include "heap/GlibcHeaps.h"
#include "heap/HeapStream.h"
#include "heap/HeapVariables.h"
#include "heap/ResidentPages.h"
#include "platform/Tasks.h"
#include "trace/format/HeapFormat.h"

namespace inmem::rt {

/// A thread's stack and thread-local storage, as the parent saw them.
struct ThreadPosition {
  uintptr_t StackPointer; ///< 0 if unknown
  uintptr_t ThreadPointer;
  uintptr_t OwnState; ///< the runtime's own state: not a root
  size_t OwnBytes;    ///< its size
  uint32_t Tid;
  char Name[kThreadNameBytes];
};

class HeapWriter {
public:
  HeapWriter(int Fd, const ThreadPosition *Threads, size_t ThreadCount,
             const ResidentPages &Resident, bool HasGraph)
      : Fd(Fd), Threads(Threads), ThreadCount(ThreadCount), Resident(Resident),
        HasGraph(HasGraph), Out(Fd, sizeof(heap::Header)), Glibc(M),
        W(
            M, this,
            [](void *Self, const Edge &E, const Walk &) {
              static_cast<HeapWriter *>(Self)->noteEdge(E);
            },
            [](void *Self, const ContainerFacts &F, const Walk &) {
              static_cast<HeapWriter *>(Self)->noteContainer(F);
            }) {}

  /// False when out of memory or disk space.
  bool write(uint64_t PauseNs);
  /// Call this after write(): waits, a few seconds at most, for remedies to
  /// try, and tries them (HeapTrials.cpp). \p Snapshot: the path of the file
  void tryRemedies(const char *Snapshot);

private:
  struct Object {
    uintptr_t Begin;
    uint64_t Size;
    uint64_t Birth;
    uint32_t Site; ///< including the caller
    uint32_t Type; ///< type number + 1
  };
  struct Target {
    uint32_t Object, Label;
  };
  struct Container {
    uint32_t Object, Label, Name;
    uint64_t Elements, Capacity, ElementBytes, Buckets;
  };
  struct Adopted {
    uint32_t Object, Type;
  };
  /// Part of a buffer that has elements.
  struct Live {
    uintptr_t Begin, End;
  };
  static constexpr uint32_t kNone = UINT32_MAX;

  bool collect();
  uint32_t find(uintptr_t Address) const;
  static const SiteFacts &factsOf(const Object &O) {
    return knownTypes().site(plainSite(O.Site));
  }
  void findBuffers();
  void noteOwners(const char *Words, uint64_t Bytes);
  bool noteVector(const uint64_t *Owner);
  bool noteDeque(const uint64_t *Owner);
  bool noteLibcxxDeque(const uint64_t *Owner);
  void noteLive(uint32_t Object, uintptr_t Begin, uintptr_t End);
  bool isWhole(uint32_t Object, uintptr_t Begin, uint64_t Bytes) const {
    return Object != kNone && Objects[Object].Begin == Begin &&
           Objects[Object].Size == Bytes;
  }
  const Live *liveOf(uint32_t Object) const;
  /// False for most words that are not addresses of blocks.
  bool mayBeInBlock(uint64_t Word) const { return Word - W.Lowest < W.Extent; }
  void walk(uint32_t I, const SiteFacts &Facts);
  bool hasRoom(const ContainerFacts &F) const;
  void writeObjects();
  void writeObject(uint32_t I);
  void writeFacts(uint32_t I, uint32_t Type);
  void writePlainObjects();
  void writeGraph();
  void noteEdge(const Edge &E);
  void guess(uint32_t I);
  void noteSite(uint32_t Site);
  void addEdge(uint32_t To, uint32_t Label, heap::EdgeKind Kind);
  void noteContainer(const ContainerFacts &F);
  uint64_t hashOf(const Object &O, const inmem_type *Type);

  void findVariables();
  uint32_t labelOfThread(uint32_t Tid);
  uint32_t numberOf(HeapVariable &V);
  void addNamedRoot(HeapVariable &In, uint32_t To, uint32_t Path);
  void noteHeldContainer(const Container &C, const Step *Via);
  void writeNamedRoots();
  void writeVariables();

  void writeRoots();
  void writeRegion(heap::RootKind Kind, uintptr_t From, uintptr_t To,
                   uint32_t Label, uintptr_t Base);
  void writeWords(heap::RootKind Kind, uintptr_t From, size_t Bytes,
                  uint32_t Label, uintptr_t Base);
  const Mapping *usualStackOf(const ThreadPosition &T, const Mapping *Storage);
  void writeStacks();
  void writeLoaders();
  bool isChunkBehind(uint32_t Object, uintptr_t Address);
  bool isOurs(uintptr_t Address) const;

  void writeResidency();
  void writePages();
  void findHeaps();
  void writeRegions();
  void writeRegion(heap::RegionKind Kind, uintptr_t Begin, uintptr_t End,
                   uint32_t Label, uint64_t Detail);
  void writeOwnRegions();
  void writeStackRegions();
  void noteMappedSites();
  void writeMappedRegions();
  void writeHeapRegions();
  void writeMapping(const Mapping &In, bool IsImage);
  void writeChunks();
  void writeSpans();
  void writeCounts();
  bool moveBlocks(const NumberMap &Sites);
  int64_t tryOne(const char *Line);
  AddressRange stackOf(const ThreadPosition &T);

  void writeContainers();
  void writeTypes();
  void writeSites();
  void writeCallers();
  void writeInlined();
  void writeAdopted();
  void writeLabels();
  uint32_t labelOf(const char *Text, size_t Length);
  uint32_t labelOfCode(const char *Symbol, const struct Module *File,
                       uint64_t Offset);
  uint32_t labelOf(const char *Text) {
    return Text ? labelOf(Text, strlen(Text)) : 0;
  }
  uint32_t wayOf(const Step &Via, bool IsElement);
  uint32_t typeOf(const inmem_type *Type);

  int Fd;
  const ThreadPosition *Threads;
  size_t ThreadCount;
  const ResidentPages &Resident;
  const bool HasGraph; ///< false: blocks and pages only, no references
  HeapStream Out;
  Memory M;
  GlibcHeaps Glibc;
  Walk W;
  heap::Header H = {};
  Pages<Object> Objects;
  BlockTable Table;       ///< finds Objects by address
  Pages<Target> Edges;    ///< edges of the object being written
  Pages<uint32_t> ToldBy; ///< object that last reported this one, + 1
  NumberMap LiveNumbers;  ///< object + 1 -> index in Lifetimes + 1
  Pages<Live> Lifetimes;
  bool Judges = true; ///< judge containers in the object being walked
  Pages<Container> Containers;
  Pages<Adopted> Adoptions;
  NumberMap Labels, TypeNumbers, SiteNumbers;
  Pages<char> LabelText;
  Pages<uint64_t> LabelEnds;
  Pages<const inmem_type *> TypeList;
  Pages<uint32_t> SiteList;
  Pages<char> Content;
  Pages<char> Region; ///< the part of a root being searched
  uint32_t Current = kNone;
  HeapVariables Variables;
  Pages<uint32_t> VariableList; ///< variables in the snapshot
  struct NamedRoot {
    uint32_t Variable, Object;
    uint64_t Offset;
  };
  Pages<NamedRoot> NamedRoots; ///< pointers in variables
  Pages<Container>
      HeldContainers;             ///< containers held by variables, not objects
  HeapVariable *Holder = nullptr; ///< the variable being examined
  // A variable may already be destroyed, so its container counts only if an
  // edge to the container's memory was found, too.
  const Step *LastVia = nullptr;
  Container Pending = {};
  const Step *PendingVia = nullptr;
  bool IsLibc = false; ///< the file being searched is libc
};

} // namespace inmem::rt

#endif
