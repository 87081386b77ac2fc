//===- Lock.cpp -----------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "platform/Lock.h"

#include "platform/Compiler.h"
#include "platform/CpuClock.h"
#include "platform/Errors.h"
#ifdef INMEM_CHECK_LOCKS
#include "platform/Message.h"
#endif

#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace inmem::rt {

#ifdef INMEM_CHECK_LOCKS
constinit bool (*HoldsGuard)() = nullptr;

static void requireGuard() {
  if (!HoldsGuard || HoldsGuard())
    return;
  Message().text("a lock is taken without the thread's guard").emit();
  __builtin_trap();
}
#else
static void requireGuard() {}
#endif

namespace {

constexpr uint64_t kSleepers = 1;
/// Longest sleep: a longjmp may have removed the holder between releasing the
/// lock and waking us.
constexpr struct timespec kLongest = {0, 20000000};
/// Sleepers that are woken at a time. One alone would be next after it has got
/// a processor, and the rest would sleep until then, one after the other.
constexpr int kWoken = 16;

uint64_t self() { return reinterpret_cast<uintptr_t>(threadPointer()); }

/// The half of \p Holder that a futex can wait for.
uint32_t *lowHalf(uint64_t *Holder) {
  constexpr bool kLittle = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
  return reinterpret_cast<uint32_t *>(Holder) + (kLittle ? 0 : 1);
}

} // namespace

bool Lock::isOwn() const {
  return (__atomic_load_n(&Holder, __ATOMIC_RELAXED) & ~kSleepers) == self();
}

// As in Drepper, "Futexes Are Tricky", with the holder's thread pointer in
// place of 1.
void Lock::acquire() {
  requireGuard();
  uint64_t Found = 0;
  if (__atomic_compare_exchange_n(&Holder, &Found, self(), false,
                                  __ATOMIC_ACQUIRE, __ATOMIC_RELAXED) ||
      isOwn())
    return;
  const SavedErrno Kept; // futex sets EAGAIN if the lock was released
  for (;;) {
    // A woken thread cannot know whether others still sleep, so it keeps the
    // bit.
    Found = 0;
    if (__atomic_compare_exchange_n(&Holder, &Found, self() | kSleepers, false,
                                    __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
      break;
    const uint64_t Awaited = Found | kSleepers;
    if (Found == Awaited ||
        __atomic_compare_exchange_n(&Holder, &Found, Awaited, false,
                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
      syscall(SYS_futex, lowHalf(&Holder), FUTEX_WAIT_PRIVATE,
              static_cast<uint32_t>(Awaited), &kLongest, nullptr, 0);
  }
}

void Lock::release() {
  if (__atomic_exchange_n(&Holder, 0, __ATOMIC_RELEASE) & kSleepers)
    syscall(SYS_futex, lowHalf(&Holder), FUTEX_WAKE_PRIVATE, kWoken, nullptr,
            nullptr, 0);
}

void waitWhile(const uint32_t &Word, uint32_t Value, uint64_t Ns) {
  const struct timespec Longest = timespecOf(Ns);
  syscall(SYS_futex, &Word, FUTEX_WAIT_PRIVATE, Value, &Longest, nullptr, 0);
}

void wakeAll(const uint32_t &Word) {
  syscall(SYS_futex, &Word, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

} // namespace inmem::rt
