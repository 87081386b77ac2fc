//===- Compiler.h - Attributes, registers and relaxed words ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_COMPILER_H
#define INMEM_RUNTIME_COMPILER_H

#include <stddef.h>
#include <stdint.h>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define INMEM_THREAD_SANITIZER
#endif
#endif

#define INMEM_LIKELY(x) __builtin_expect(!!(x), 1)
#define INMEM_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define INMEM_COLD __attribute__((noinline, cold))
/// A slow path called from a hot one: with clang the callee saves the
/// registers, so the hot path spills none for it. (Before clang 17 the callee
/// saved the result register, too.)
#if defined(__clang__) && __clang_major__ >= 17 && defined(__x86_64__) &&      \
    !defined(INMEM_THREAD_SANITIZER)
#define INMEM_KEEPS_REGISTERS __attribute__((preserve_most))
#else
#define INMEM_KEEPS_REGISTERS
#endif
#define INMEM_SLOW INMEM_COLD INMEM_KEEPS_REGISTERS
/// As INMEM_SLOW, but not rare.
#define INMEM_ASIDE __attribute__((noinline)) INMEM_KEEPS_REGISTERS
#ifdef __clang__
/// `INMEM_TAIL return f(...)` to a function of the same signature is always a
/// jump, even if the compiler would prefer a call.
#define INMEM_TAIL [[clang::musttail]]
/// Never tail-called, so that callers keep a single exit and can shrink-wrap
/// their register saves.
#define INMEM_CALLED __attribute__((not_tail_called))
#else
#define INMEM_TAIL
#define INMEM_CALLED
#endif
/// The program's entry points into the runtime, and functions that hooks
/// tail-call: a stack walk begins at the innermost frame of these (Unwind.h).
#define INMEM_IN_HOOKS __attribute__((section("inmem_hooks")))
#define INMEM_INLINE inline __attribute__((always_inline))
/// Neither likely nor unlikely: keeps the branch in place, and favours "no".
#define INMEM_MAYBE(x) __builtin_expect_with_probability(!!(x), 0, 0.7)
/// Attribute of variables that hot paths read from another file: one
/// instruction reaches them.
#define INMEM_HIDDEN __attribute__((visibility("hidden")))
#define INMEM_EXPORT extern "C" __attribute__((visibility("default")))

namespace inmem::rt {

/// Identifies the thread; its static TLS is at fixed offsets from here.
INMEM_INLINE char *threadPointer() {
  return static_cast<char *>(__builtin_thread_pointer());
}

/// The lowest address of the calling function's frame, or a little above.
INMEM_INLINE uintptr_t stackPointer() {
  uintptr_t Result;
#if defined(__x86_64__)
  __asm__ volatile("movq %%rsp, %0" : "=r"(Result));
#elif defined(__aarch64__)
  __asm__ volatile("mov %0, sp" : "=r"(Result));
#endif
  return Result;
}

/// Compiler barrier: keeps stores in order as a signal handler on the same
/// thread sees them.
INMEM_INLINE void orderStores() { __asm__ volatile("" ::: "memory"); }

/// Hides from the compiler how \p Value was computed. It stays in a register,
/// and is neither computed again nor replaced by a branch.
template <class Word> INMEM_INLINE void hideOrigin(Word &Value) {
  __asm__("" : "+r"(Value));
}
/// As hideOrigin(), for two values that are in registers at the same point.
template <class One, class Other>
INMEM_INLINE void hideOrigins(One &First, Other &Second) {
  __asm__("" : "+r"(First), "+r"(Second));
}

/// Counts down; true if the result is below 0. A single instruction with a
/// memory operand if the processor has one.
INMEM_INLINE bool countsBelowZero(int32_t &Counter) {
#if defined(__x86_64__) && !defined(INMEM_THREAD_SANITIZER)
  bool Below;
  __asm__ volatile("subl $1, %0" : "+m"(Counter), "=@ccs"(Below));
  return Below;
#else
  return --Counter < 0;
#endif
}

/// Raises \p Maximum, which other threads raise too, to at least \p Candidate.
inline void raiseTo(int64_t *Maximum, int64_t Candidate) {
  int64_t Known = __atomic_load_n(Maximum, __ATOMIC_RELAXED);
  while (Candidate > Known &&
         !__atomic_compare_exchange_n(Maximum, &Known, Candidate, true,
                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
}

/// A word that other threads may read or write at any time, without ordering.
/// Valid when zero; as cheap as a plain one.
template <class Word> class Relaxed {
public:
  Relaxed() = default;
  constexpr explicit Relaxed(Word Initial) : Value(Initial) {}
  INMEM_INLINE operator Word() const {
    Word Result;
    __atomic_load(&Value, &Result, __ATOMIC_RELAXED);
    return Result;
  }
  INMEM_INLINE Word operator=(Word New) {
    __atomic_store(&Value, &New, __ATOMIC_RELAXED);
    return New;
  }
  /// Stores \p New. \returns the previous value
  Word exchange(Word New) {
    Word Before;
    __atomic_exchange(&Value, &New, &Before, __ATOMIC_RELAXED);
    return Before;
  }

private:
  Word Value;
};

} // namespace inmem::rt

#endif
