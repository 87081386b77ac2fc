//===- Modules.cpp --------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Modules.h"

#include "Image.h"
#include "Runtime.h"
#include "Threads.h"

#include <string.h>
#include <unistd.h>

namespace inmem::rt {

constinit RegisteredModule *RegisteredModules = nullptr;

namespace {

constinit Module *Modules = nullptr;

/// Callers by return address: open addressing, at most half full; grows.
constinit CallerSite **Callers = nullptr;
constinit size_t CallerCapacity = 0, CallerCount = 0;

Module *moduleFor(const Image &File) {
  static constinit char Exe[1024] = {};
  Locked L(Process.Mutex);
  const char *Path = File.name();
  const bool IsProgram = !*Path;
  if (IsProgram) {
    ssize_t N = readlink("/proc/self/exe", Exe, sizeof Exe - 1);
    Exe[N > 0 ? N : 0] = 0;
    Path = Exe;
  }
  Module Found = {};
  Found.Base = File.base();
  Found.IsProgram = IsProgram;
  Found.BuildIdBytes = File.readBuildId(Found.BuildId, sizeof Found.BuildId);
  for (Module *M = Modules; M; M = M->Next)
    if (M->Base == File.base() && strcmp(M->Path, Path) == 0 &&
        M->BuildIdBytes == Found.BuildIdBytes &&
        memcmp(M->BuildId, Found.BuildId, Found.BuildIdBytes) == 0)
      return M;
  auto *M = static_cast<Module *>(arenaAllocate(sizeof(Module)));
  char *Copy = copyText(Path);
  if (!M || !Copy)
    return nullptr;
  *M = Found;
  M->Path = Copy;
  M->Next = Modules;
  Modules = M;
  return M;
}

uint64_t hashText(const char *S, uint64_t Hash) {
  for (; S && *S; ++S)
    Hash = (Hash ^ static_cast<unsigned char>(*S)) * 0x100000001B3u; // FNV-1a
  return Hash;
}

CallerSite **callerPlace(uintptr_t ReturnAddress) {
  size_t At =
      (ReturnAddress * 0x9E3779B97F4A7C15u >> 24) & (CallerCapacity - 1);
  while (Callers[At] && Callers[At]->ReturnAddress != ReturnAddress)
    At = (At + 1) & (CallerCapacity - 1);
  return &Callers[At];
}

bool growCallers() {
  if (CallerCapacity && CallerCount * 2 < CallerCapacity)
    return true;
  size_t OldCapacity = CallerCapacity;
  CallerSite **Old = Callers;
  size_t NewCapacity = OldCapacity ? OldCapacity * 2 : 1024;
  auto **New =
      static_cast<CallerSite **>(mapPages(NewCapacity * sizeof(CallerSite *)));
  if (!New)
    return false;
  Callers = New;
  CallerCapacity = NewCapacity;
  for (size_t I = 0; I < OldCapacity; ++I)
    if (Old[I])
      *callerPlace(Old[I]->ReturnAddress) = Old[I];
  if (Old)
    unmapPages(Old, OldCapacity * sizeof(CallerSite *));
  return true;
}

CallerSite *knownCaller(uintptr_t ReturnAddress) {
  Locked L(Process.Mutex);
  return CallerCapacity ? *callerPlace(ReturnAddress) : nullptr;
}

} // namespace

Module *findModule(uintptr_t Address) {
  Image File;
  return Image::around(Address, File) ? moduleFor(File) : nullptr;
}

const char *unwindTableOf(uintptr_t Address) {
  Image File;
  return Image::around(Address, File)
             ? reinterpret_cast<const char *>(
                   File.segmentRange(PT_GNU_EH_FRAME).Start)
             : nullptr;
}

const char *symbolAt(uintptr_t Address, uint32_t &Offset) {
  Image File;
  return Image::around(Address, File) ? File.symbolAt(Address, Offset)
                                      : nullptr;
}

struct inmem_site *callerSite(uintptr_t ReturnAddress) {
  if (CallerSite *Known = knownCaller(ReturnAddress))
    return &Known->Site;
  // The call itself lies before the return address.
  Image File;
  Module *Owner = nullptr;
  const char *Symbol = nullptr;
  uint32_t Offset = 0;
  if (Image::around(ReturnAddress - 1, File)) {
    Owner = moduleFor(File);
    Symbol = File.symbolAt(ReturnAddress - 1, Offset);
  }
  Locked L(Process.Mutex);
  if (!growCallers())
    return nullptr;
  CallerSite **Place = callerPlace(ReturnAddress);
  if (*Place)
    return &(*Place)->Site; // another thread was first
  auto *C = static_cast<CallerSite *>(arenaAllocate(sizeof(CallerSite)));
  if (!C)
    return nullptr;
  C->ReturnAddress = ReturnAddress;
  C->Owner = Owner;
  C->Symbol = Symbol ? copyText(Symbol) : nullptr;
  C->SymbolOffset = Symbol ? Offset + 1 : 0;
  C->Site.kind = INMEM_SITE_CALLER;
  uint64_t Key = hashText(Owner ? Owner->Path : nullptr, 0xCBF29CE484222325u);
  uint64_t Distance =
      Owner ? ReturnAddress - Owner->Base : traceAddress(ReturnAddress);
  C->Site.key = (Key ^ Distance) * 0x9E3779B97F4A7C15u | 1;
  *Place = C;
  ++CallerCount;
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
  if (!Image::isFoundWithoutLock() || CallerCount == 0)
    return;
  size_t Gone = 0;
  for (size_t I = 0; I < CallerCapacity; ++I) {
    Image File;
    if (!Callers[I] || !Callers[I]->Owner ||
        Image::around(Callers[I]->ReturnAddress - 1, File))
      continue;
    for (ThreadBlock *B = ThreadBlocks; B; B = B->Next) {
      KnownCaller &Known =
          B->Callers[knownCallerIndex(Callers[I]->ReturnAddress)];
      if (__atomic_load_n(&Known.ReturnAddress, __ATOMIC_RELAXED) ==
          Callers[I]->ReturnAddress)
        __atomic_store_n(&Known.ReturnAddress, 0, __ATOMIC_RELAXED);
    }
    Callers[I]->ReturnAddress = 0;
    ++Gone;
  }
  if (Gone == 0)
    return;
  auto **Old = Callers;
  Callers = static_cast<CallerSite **>(
      mapPages(CallerCapacity * sizeof(CallerSite *)));
  if (!Callers) {
    Callers = Old; // those of address 0 are never asked for
    return;
  }
  for (size_t I = 0; I < CallerCapacity; ++I)
    if (Old[I] && Old[I]->ReturnAddress)
      *callerPlace(Old[I]->ReturnAddress) = Old[I];
  CallerCount -= Gone;
  unmapPages(Old, CallerCapacity * sizeof(CallerSite *));
#endif
}

void forgetModuleIds() {
  for (Module *M = Modules; M; M = M->Next)
    M->Id = 0;
}

} // namespace inmem::rt
