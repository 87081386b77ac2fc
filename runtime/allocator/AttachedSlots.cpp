//===- AttachedSlots.cpp --------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "allocator/AttachedSlots.h"

#include "allocator/Allocator.h"
#include "allocator/Imports.h"
#include "platform/Interpose.h"
#include "state/ThreadState.h"

#include <string.h>

namespace inmem::rt {

using trace::PatchedSlot;

namespace {

/// A function to take calls from, and the hook that gets them.
struct Target {
  const char *Name;
  void *Ours;
  uintptr_t Theirs; ///< the process's first definition
};
constinit PagedArray<Target> Targets = {};
constinit PagedArray<PatchedSlot> Patched = {};
constinit Image OwnImage = {};

/// Files that have been redirected.
struct SeenFile {
  uintptr_t Base, Start;
};
constinit PagedArray<SeenFile> Seen = {};
/// The loader's counts of files loaded and unloaded when Seen was last
/// complete.
constinit unsigned long long Loads = 0, Unloads = 0;
constinit bool SlotsMayRecur = false; ///< a file was unloaded since
/// Bounds of the addresses in initialised pointers to targets: the functions
/// that calls are taken from, and ours.
constinit uintptr_t LowestTheirs = UINTPTR_MAX, HighestTheirs = 0;

void addTarget(const char *Name, void *Ours) {
  auto *Theirs = reinterpret_cast<void *>(firstSymbol(Name));
  Target *T = Theirs && Theirs != Ours ? Targets.add() : nullptr;
  if (!T)
    return;
  *T = {Name, Ours, reinterpret_cast<uintptr_t>(Theirs)};
  LowestTheirs = T->Theirs < LowestTheirs ? T->Theirs : LowestTheirs;
  HighestTheirs = T->Theirs > HighestTheirs ? T->Theirs : HighestTheirs;
}

bool mayLeadToTarget(uintptr_t Value) {
  return (Value >= LowestTheirs && Value <= HighestTheirs) ||
         OwnImage.contains(Value);
}

/// Needs no lock: called first when nothing has been redirected.
void findTargets(const AttachedFunction *Extra, size_t Count) {
  if (Targets.Count)
    return;
  OwnImage.forEachFunction([](const char *Name, void *Function) {
    if (strncmp(Name, "inmem_", 6) != 0 && strncmp(Name, "__inmem_", 8) != 0)
      addTarget(Name, Function);
  });
  for (size_t I = 0; I < Count; ++I)
    addTarget(Extra[I].Name, Extra[I].Function);
}

const Target *targetOf(const char *Name) {
  for (uint32_t I = 0; I < Targets.Count; ++I)
    if (strcmp(Targets[I].Name, Name) == 0)
      return &Targets[I];
  return nullptr;
}

/// The entry of \p Address, or null. Words come in the same order each time, so
/// the search begins after the last result.
PatchedSlot *patchedAt(uintptr_t Address) {
  static constinit uint32_t Next = 0;
  for (uint32_t I = 0; I < Patched.Count; ++I) {
    const uint32_t At = (Next + I) % Patched.Count;
    if (Patched[At].Address == Address) {
      Next = At + 1;
      return &Patched[At];
    }
  }
  return nullptr;
}

uintptr_t valueOf(uintptr_t Slot) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  return __atomic_load_n(reinterpret_cast<const uintptr_t *>(Slot),
                         __ATOMIC_RELAXED);
}

/// Calls \p Visit with each word of \p I that holds the address of a target.
template <class Visitor> void forEachWord(const Image &I, Visitor Visit) {
  forEachReference(I, [&](const ElfW(Rela) & R, bool IsImport) {
    const uintptr_t Slot = I.base() + R.r_offset;
    // Most initialised pointers are in vtables, so check values first.
    if (!IsImport && !mayLeadToTarget(valueOf(Slot)))
      return;
    if (const Target *T = targetOf(I.nameOf(R)))
      Visit(Slot, *T, IsImport);
  });
}

/// True for the loader, which relies on its own words, and for allocators,
/// which call themselves.
bool isLeftAlone(const Image &I) {
  return I.isNamed("ld-linux") || I.isNamed("ld-2.") ||
         I.isNamed("linux-vdso") || I.base() == OwnImage.base() ||
         (!isStandardLibrary(I) &&
          I.contains(reinterpret_cast<uintptr_t>(Real.malloc)));
}

void redirectFile(const Image &I) {
  const bool Standard = isStandardLibrary(I);
  forEachWord(I, [&](uintptr_t Slot, const Target &T, bool IsImport) {
    const uintptr_t Before = valueOf(Slot);
    const auto Now = reinterpret_cast<uintptr_t>(T.Ours);
    if (Before == Now || !Before || (!IsImport && Before != T.Theirs) ||
        (!Standard && I.function(T.Name)))
      return;
    PatchedSlot *S = SlotsMayRecur ? patchedAt(Slot) : nullptr;
    if (!S)
      S = Patched.add();
    if (!S)
      return;
    *S = {Slot, Before, T.Theirs, Now};
    patchSlot(I, Slot, T.Ours);
  });
}

/// Notes the file. \returns whether it was noted before
bool wasSeen(const Image &I) {
  const SeenFile Is = {I.base(), I.span().Start};
  for (uint32_t N = 0; N < Seen.Count; ++N)
    if (Seen[N].Base == Is.Base && Seen[N].Start == Is.Start)
      return true;
  if (SeenFile *New = Seen.add())
    *New = Is;
  return false;
}

int visitNewFile(struct dl_phdr_info *Info, size_t, void *Began) {
  bool &HasBegun = *static_cast<bool *>(Began);
  if (!HasBegun) {
    if (Info->dlpi_adds == Loads && Info->dlpi_subs == Unloads)
      return 1;
    if (Info->dlpi_subs != Unloads && Seen.Count) {
      Seen.Count = 0; // addresses may have been reused
      SlotsMayRecur = true;
    }
    Loads = Info->dlpi_adds;
    Unloads = Info->dlpi_subs;
    HasBegun = true;
  }
  const Image I = Image::of(*Info);
  if (!wasSeen(I) && !isLeftAlone(I))
    redirectFile(I);
  return 0;
}

int visitToRestore(struct dl_phdr_info *Info, size_t, void *) {
  const Image I = Image::of(*Info);
  if (isLeftAlone(I))
    return 0;
  forEachWord(I, [&](uintptr_t Slot, const Target &, bool) {
    const PatchedSlot *S = patchedAt(Slot);
    if (S && valueOf(Slot) == S->Now)
      // NOLINTNEXTLINE(performance-no-int-to-ptr)
      patchSlot(I, Slot, reinterpret_cast<const void *>(S->Before));
  });
  return 0;
}

} // namespace

void redirectNewFiles(const AttachedFunction *Extra, size_t Count) {
  Guarded G(Thread);
  if (!Targets.Count) {
    Image::around(reinterpret_cast<uintptr_t>(&redirectNewFiles), OwnImage);
    findTargets(Extra, Count);
  }
  bool HasBegun = false;
  dl_iterate_phdr(visitNewFile, &HasBegun);
}

void restoreFiles() {
  Guarded G(Thread);
  dl_iterate_phdr(visitToRestore, nullptr);
  Seen.Count = Patched.Count = 0;
  Loads = Unloads = 0;
  SlotsMayRecur = false;
}

const PagedArray<PatchedSlot> &patchedSlots() { return Patched; }

} // namespace inmem::rt
