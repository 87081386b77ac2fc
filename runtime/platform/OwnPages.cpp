//===- OwnPages.cpp -------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "platform/OwnPages.h"

#include "platform/Compiler.h"
#include "platform/Errors.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace inmem::rt {

namespace {

constexpr uintptr_t kFree = 0, kClaimed = 1;
constexpr uintptr_t kWiped = 1, kOfChild = 2, kFlags = 3;

/// Start: kFree, kClaimed while it is filled, or an address.
struct Slot {
  uintptr_t Start, EndAndFlags;
};

constexpr size_t kSlots = 255;
struct Chunk {
  Chunk *Next;
  uintptr_t Unused;
  Slot Slots[kSlots];
};
constinit Chunk First = {};
constinit uintptr_t NewFlags = 0;

/// Hint: all slots from here on were free when it was last written.
struct Hint {
  Chunk *In;
  size_t At;
};
constinit Hint Free = {&First, 0};

Chunk *nextOf(Chunk *C, bool Make) {
  Chunk *Next = __atomic_load_n(&C->Next, __ATOMIC_ACQUIRE);
  if (Next || !Make)
    return Next;
  const SavedErrno Kept;
  // Not mapPages(), which would register the pages here.
  const long Got =
      syscall(SYS_mmap, nullptr, sizeof(Chunk), PROT_READ | PROT_WRITE,
              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L);
  if (Got == -1)
    return nullptr;
  auto *Fresh = reinterpret_cast<Chunk *>(Got);
  Fresh->Slots[0] = {static_cast<uintptr_t>(Got),
                     static_cast<uintptr_t>(Got) + sizeof(Chunk)};
  if (__atomic_compare_exchange_n(&C->Next, &Next, Fresh, false,
                                  __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    return Fresh;
  syscall(SYS_munmap, Got, sizeof(Chunk));
  return Next;
}

void add(uintptr_t Start, uintptr_t EndAndFlags) {
  Chunk *C = __atomic_load_n(&Free.In, __ATOMIC_RELAXED);
  size_t From = __atomic_load_n(&Free.At, __ATOMIC_RELAXED) % kSlots;
  for (; C; C = nextOf(C, true), From = 0)
    for (size_t I = From; I < kSlots; ++I) {
      Slot &S = C->Slots[I];
      uintptr_t Expected = kFree;
      if (!__atomic_compare_exchange_n(&S.Start, &Expected, kClaimed, false,
                                       __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        continue;
      __atomic_store_n(&S.EndAndFlags, EndAndFlags, __ATOMIC_RELAXED);
      __atomic_store_n(&S.Start, Start, __ATOMIC_RELEASE);
      __atomic_store_n(&Free.In, C, __ATOMIC_RELAXED);
      __atomic_store_n(&Free.At, I, __ATOMIC_RELAXED);
      return;
    }
}

template <class Visitor> void forEachSlot(Visitor Visit) {
  for (Chunk *C = &First; C; C = nextOf(C, false))
    for (size_t I = 0; I < kSlots; ++I) {
      Slot &S = C->Slots[I];
      const uintptr_t Start = __atomic_load_n(&S.Start, __ATOMIC_ACQUIRE);
      if (Start > kClaimed)
        Visit(S, Start, __atomic_load_n(&S.EndAndFlags, __ATOMIC_RELAXED), C,
              I);
    }
}

} // namespace

void forgetOwnPages(const void *Address, size_t Bytes) {
  const auto From = reinterpret_cast<uintptr_t>(Address);
  const uintptr_t To = From + ((Bytes + kFlags) & ~kFlags);
  forEachSlot([&](Slot &S, uintptr_t Start, uintptr_t EndAndFlags, Chunk *C,
                  size_t I) {
    const uintptr_t End = EndAndFlags & ~kFlags, Flags = EndAndFlags & kFlags;
    if (End <= From || Start >= To)
      return;
    if (Start < From) {
      __atomic_store_n(&S.EndAndFlags, From | Flags, __ATOMIC_RELAXED);
      if (End > To)
        add(To, EndAndFlags);
    } else if (End > To) {
      __atomic_store_n(&S.Start, To, __ATOMIC_RELEASE);
    } else {
      __atomic_store_n(&S.Start, kFree, __ATOMIC_RELEASE);
      __atomic_store_n(&Free.In, C, __ATOMIC_RELAXED);
      __atomic_store_n(&Free.At, I, __ATOMIC_RELAXED);
    }
  });
}

void noteOwnPages(const void *Address, size_t Bytes) {
  if (!Address || Bytes == 0)
    return;
  forgetOwnPages(Address, Bytes);
  const auto Start = reinterpret_cast<uintptr_t>(Address);
  add(Start, (Start + ((Bytes + kFlags) & ~kFlags)) | NewFlags);
}

void markOwnWiped(const void *Address, bool IsWiped) {
  const auto Wanted = reinterpret_cast<uintptr_t>(Address);
  forEachSlot(
      [&](Slot &S, uintptr_t Start, uintptr_t EndAndFlags, Chunk *, size_t) {
        if (Start == Wanted)
          __atomic_store_n(&S.EndAndFlags,
                           (EndAndFlags & ~kWiped) | (IsWiped ? kWiped : 0),
                           __ATOMIC_RELAXED);
      });
}

void beginPagesOfChild() { NewFlags = kOfChild; }

void forEachOwnRange(void (*Visit)(void *Context, const OwnRange &),
                     void *Context) {
  forEachSlot([&](Slot &, uintptr_t Start, uintptr_t EndAndFlags, Chunk *,
                  size_t) {
    Visit(Context, {Start, EndAndFlags & ~kFlags, (EndAndFlags & kWiped) != 0,
                    (EndAndFlags & kOfChild) != 0});
  });
}

} // namespace inmem::rt
