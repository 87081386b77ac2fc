//===- KnownFiles.cpp - Loaded files, found without the loader's lock -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "platform/Image.h"

#include "platform/Mappings.h"
#include "platform/Signals.h"

namespace inmem::rt {

namespace {

struct KnownFile {
  AddressRange Span;
  Image File;
};

/// Full tables stay, and a new one is linked. Readers need no lock, because the
/// count is stored after the file.
struct Files {
  static constexpr uint32_t kRoom = 32;
  Files *Next = nullptr;
  uint32_t Count = 0;
  KnownFile Each[kRoom] = {};
};
constinit Files First = {};
constinit bool Adding = false;

const KnownFile *find(uintptr_t Address) {
  for (const Files *F = &First; F;
       F = __atomic_load_n(&F->Next, __ATOMIC_ACQUIRE)) {
    const uint32_t Count = __atomic_load_n(&F->Count, __ATOMIC_ACQUIRE);
    for (uint32_t I = 0; I < Count; ++I)
      if (F->Each[I].Span.contains(Address))
        return &F->Each[I];
  }
  return nullptr;
}

void add(const Image &File) {
  Files *Last = &First;
  while (Last->Next)
    Last = Last->Next;
  if (Last->Count == Files::kRoom) {
    constexpr size_t kBytes = roundUp(sizeof(Files), kPage);
    void *Pages = reserveAddresses(kBytes);
    if (!Pages || !mapPagesAt(Pages, kBytes))
      return; // the next search retries
    __atomic_store_n(&Last->Next, static_cast<Files *>(Pages),
                     __ATOMIC_RELEASE);
    Last = Last->Next;
  }
  Last->Each[Last->Count] = {File.span(), File};
  __atomic_store_n(&Last->Count, Last->Count + 1, __ATOMIC_RELEASE);
}

struct Search {
  uintptr_t Address;
  bool MayAdd; ///< another thread may be adding
  Image *Found;
  bool IsFound = false;
};

int visit(struct dl_phdr_info *Info, size_t, void *Context) {
  auto &S = *static_cast<Search *>(Context);
  const Image File = Image::of(*Info);
  const AddressRange Span = File.span();
  if (Span.contains(S.Address)) {
    *S.Found = File;
    S.IsFound = true;
  }
  if (S.MayAdd && Span.End && !find(Span.Start))
    add(File);
  return 0;
}

} // namespace

bool findKnownFile(uintptr_t Address, Image &Found) {
  if (const KnownFile *Known = find(Address)) {
    Found = Known->File;
    return true;
  }
  // A signal handler must not query the loader while its thread holds the
  // loader's lock.
  SignalsBlocked Meanwhile;
  Search S = {Address, !__atomic_exchange_n(&Adding, true, __ATOMIC_ACQUIRE),
              &Found};
  dl_iterate_phdr(visit, &S);
  if (S.MayAdd)
    __atomic_store_n(&Adding, false, __ATOMIC_RELEASE);
  return S.IsFound;
}

} // namespace inmem::rt
