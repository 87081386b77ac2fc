//===- Modules.cpp --------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "registry/Modules.h"

#include "platform/Image.h"
#include "platform/Process.h"
#include "state/Runtime.h"
#include "state/ThreadRows.h"
#include "tables/Hash.h"
#include "tables/OpenTable.h"

#include <string.h>

namespace inmem::rt {

constinit RegisteredModule *RegisteredModules = nullptr;

namespace {

constinit Module *Modules = nullptr;

/// Callers by return address.
struct CallerSlot {
  CallerSite *Site; ///< null: none

  explicit operator bool() const { return Site != nullptr; }
  static uint64_t hashOf(uintptr_t Address) {
    return Address * 0x9E3779B97F4A7C15u >> 24;
  }
  uint64_t hash() const { return hashOf(Site->ReturnAddress); }
  bool is(uintptr_t Address) const { return Site->ReturnAddress == Address; }
  bool isSame(const CallerSlot &Other) const { return Site == Other.Site; }
  void clear() { Site = nullptr; }
  void copy(const CallerSlot &Other) { Site = Other.Site; }
};
constinit OpenTable<CallerSlot, 1024> Callers;

/// Callers in closed libraries, by their offset in the library.
struct ClosedCaller {
  struct Key {
    const Module *Owner;
    uint64_t Distance;
  };
  CallerSite *Site; ///< null: none

  explicit operator bool() const { return Site != nullptr; }
  static uint64_t hashOf(const Key &K) {
    return (reinterpret_cast<uintptr_t>(K.Owner) ^ K.Distance) *
               0x9E3779B97F4A7C15u >>
           24;
  }
  uint64_t hash() const { return hashOf({Site->Owner, Site->Distance}); }
  bool is(const Key &K) const {
    return Site->Owner == K.Owner && Site->Distance == K.Distance;
  }
  bool isSame(const ClosedCaller &Other) const { return Site == Other.Site; }
  void clear() { Site = nullptr; }
  void copy(const ClosedCaller &Other) { Site = Other.Site; }
};
constinit OpenTable<ClosedCaller, 256> ClosedCallers;

bool isSameFile(const Module &A, const Module &B) {
  return strcmp(A.Path, B.Path) == 0 && A.BuildIdBytes == B.BuildIdBytes &&
         memcmp(A.BuildId, B.BuildId, A.BuildIdBytes) == 0;
}

/// True if \p M was closed, so that it may now be loaded elsewhere. False
/// without a build id, since another file might have the same path, and while
/// it is still loaded (dlmopen may load a file twice).
bool hasMoved(const Module &M) {
  Image There;
  return M.BuildIdBytes > 0 && Image::isFoundWithoutLock() &&
         !(Image::around(M.Base, There) && There.base() == M.Base);
}

Module *moduleFor(const Image &File) {
  static constinit char Exe[1024] = {};
  Locked L(Process.Mutex);
  const char *Path = File.name();
  const bool IsProgram = !*Path;
  if (IsProgram) {
    executablePath(Exe, sizeof Exe);
    Path = Exe;
  }
  Module Found = {};
  Found.Path = Path;
  Found.Base = File.base();
  Found.IsProgram = IsProgram;
  Found.BuildIdBytes = File.readBuildId(Found.BuildId, sizeof Found.BuildId);
  Module *Moved = nullptr;
  for (Module *M = Modules; M; M = M->Next) {
    if (!isSameFile(*M, Found))
      continue;
    if (M->Base == Found.Base)
      return M;
    if (hasMoved(*M))
      Moved = M;
  }
  if (Moved) {
    Moved->Base = Found.Base;
    return Moved;
  }
  auto *M = static_cast<Module *>(arenaAllocate(sizeof(Module)));
  char *Copy = copyText(Path);
  if (!M || !Copy)
    return nullptr;
  *M = Found;
  M->Path = Copy;
  M->Next = Modules;
  orderStores();
  Modules = M;
  return M;
}

CallerSite *knownCaller(uintptr_t ReturnAddress) {
  Locked L(Process.Mutex);
  const CallerSlot *Known = Callers.find(ReturnAddress);
  return Known ? Known->Site : nullptr;
}

/// The site that this code had when its library was loaded before; or null.
CallerSite *takeClosedCaller(const Module *Owner, uint64_t Distance) {
  ClosedCaller *Known = ClosedCallers.find(ClosedCaller::Key{Owner, Distance});
  if (!Known)
    return nullptr;
  CallerSite *C = Known->Site;
  ClosedCallers.remove(Known);
  return C;
}

CallerSite *makeCaller(Module *Owner, uint64_t Distance, const char *Symbol,
                       uint32_t Offset) {
  auto *C = static_cast<CallerSite *>(arenaAllocate(sizeof(CallerSite)));
  if (!C)
    return nullptr;
  C->Owner = Owner;
  C->Distance = Distance;
  C->Symbol = Symbol ? copyText(Symbol) : nullptr;
  C->SymbolOffset = Symbol ? Offset + 1 : 0;
  C->Site.kind = INMEM_SITE_CALLER;
  const uint64_t Key = hashText(Owner ? Owner->Path : nullptr);
  C->Site.key = (Key ^ Distance) * 0x9E3779B97F4A7C15u | 1;
  return C;
}

} // namespace

static CallerSite &callerOf(const struct inmem_site &Site) {
  return *reinterpret_cast<CallerSite *>(
      const_cast<struct inmem_site *>(&Site));
}

void noteSearch(const struct inmem_site &Site, bool Found) {
  if (Site.kind != INMEM_SITE_CALLER)
    return;
  CallerSite &C = callerOf(Site);
  if (C.Searches == UINT16_MAX)
    return;
  ++C.Searches;
  C.Found += Found;
}

void closeCaller(const struct inmem_site &Site) {
  if (Site.kind != INMEM_SITE_CALLER)
    return;
  callerOf(Site).Found = 0;
  callerOf(Site).Searches = UINT16_MAX;
}

bool isClosedCaller(const struct inmem_site &Site) {
  constexpr unsigned kFewest = 16, kOneIn = 16;
  if (Site.kind != INMEM_SITE_CALLER)
    return false;
  const CallerSite &C = callerOf(Site);
  return C.Searches >= kFewest && C.Found * kOneIn < C.Searches;
}

bool mayBePreloaded() {
#ifdef INMEM_STATIC
  return false;
#else
  return true;
#endif
}

Module *findModule(uintptr_t Address) {
  Image File;
  return Image::around(Address, File) ? moduleFor(File) : nullptr;
}

const char *symbolAt(uintptr_t Address, uint32_t &Offset) {
  Image File;
  return Image::around(Address, File) ? File.symbolAt(Address, Offset)
                                      : nullptr;
}

struct inmem_site *callerSite(uintptr_t ReturnAddress) {
  if (CallerSite *Known = knownCaller(ReturnAddress))
    return &Known->Site;
  // Look up the call, which is before its return address.
  Image File;
  Module *Owner = nullptr;
  const char *Symbol = nullptr;
  uint32_t Offset = 0;
  if (Image::around(ReturnAddress - 1, File)) {
    Owner = moduleFor(File);
    Symbol = File.symbolAt(ReturnAddress - 1, Offset);
  }
  Locked L(Process.Mutex);
  CallerSlot *Slot = Callers.findOrMake(ReturnAddress);
  if (!Slot)
    return nullptr;
  if (*Slot)
    return &Slot->Site->Site; // another thread was first
  const uint64_t Distance =
      Owner ? ReturnAddress - Owner->Base : traceAddress(ReturnAddress);
  CallerSite *C = Owner ? takeClosedCaller(Owner, Distance) : nullptr;
  if (!C)
    C = makeCaller(Owner, Distance, Symbol, Offset);
  if (!C)
    return nullptr;
  C->ReturnAddress = ReturnAddress;
  Callers.add(Slot, {C});
  return &C->Site;
}

Module *registeredModuleOf(const struct inmem_site *Site) {
  for (RegisteredModule *R = RegisteredModules; R; R = R->Next)
    if (R->Descriptor && Site >= R->Descriptor->sites_begin &&
        Site < R->Descriptor->sites_end)
      return R->File;
  return nullptr;
}

void forgetUnloadedCallers() {
#ifndef INMEM_STATIC
  if (!Image::isFoundWithoutLock())
    return;
  Callers.removeIf([](const CallerSlot &P) {
    const uintptr_t Address = P.Site->ReturnAddress;
    Image File;
    if (!P.Site->Owner || Image::around(Address - 1, File))
      return false;
    for (ThreadRows *B = AllThreadRows; B; B = B->Next) {
      KnownCaller &Known = B->Callers[knownCallerIndex(Address)];
      if (__atomic_load_n(&Known.ReturnAddress, __ATOMIC_RELAXED) == Address)
        __atomic_store_n(&Known.ReturnAddress, 0, __ATOMIC_RELAXED);
    }
    // Without a build id, the file at that path may be another one next time.
    if (P.Site->Owner->BuildIdBytes > 0) {
      const ClosedCaller::Key Key = {P.Site->Owner, P.Site->Distance};
      if (ClosedCaller *Slot = ClosedCallers.findOrMake(Key))
        ClosedCallers.add(Slot, {P.Site});
    }
    return true;
  });
#endif
}

void forgetModuleIds() {
  for (Module *M = Modules; M; M = M->Next)
    M->Id = 0;
}

} // namespace inmem::rt
