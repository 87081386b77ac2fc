//===- SampledThread.h - A thread that is asked where it is ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sample signal carries the address of the thread's SampledThread, so that
// the handler needs neither thread-local storage nor a table. The handler walks
// the stack that it interrupted, by the loader's tables and without its lock,
// into a ring that the profiler's thread empties. It takes no lock, and does
// not read the runtime's state, because it may interrupt the runtime anywhere.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_SAMPLEDTHREAD_H
#define INMEM_RUNTIME_SAMPLEDTHREAD_H

#include "platform/Signals.h"
#include "unwind/Unwind.h"

namespace inmem::rt {

struct Sample {
  StackWalk Stack;
  uint32_t Times; ///< intervals of CPU time represented
  bool Failed;    ///< the stack could not be walked at all
};

/// Valid when zero. Kept when its thread ends, for reuse.
struct SampledThread {
  static constexpr unsigned kRing = 16;
  static constexpr uint64_t kMagic = 0x1a6d5f3be8c90247;

  uint64_t Magic;
  Relaxed<uint32_t> Tid; ///< 0: free
  char *AlternateStack;  ///< null: none yet, or there is no memory

  // Written by the handler.
  uint32_t Head;             ///< samples written in total; release
  Relaxed<uint64_t> Told;    ///< intervals of CPU time reported, with clock cpu
  Relaxed<uint32_t> Dropped; ///< the ring was full
  Relaxed<uint32_t> Taken; ///< intervals in which sigwait() received the signal
  Relaxed<uint32_t> Early; ///< reported, but not yet by the timer; clock cpu
  Unwinder Unwind;
  Sample Ring[kRing];

  // Written by the profiler's thread.
  uint32_t Tail;    ///< samples read; release
  bool HasAnswered; ///< answered since it was last found to block the signal
  bool IsAwaited;   ///< the last request is unanswered
  bool IsStale;     ///< the answer is too late to count
  uint32_t Awaited; ///< intervals that the answer represents
  Relaxed<uint32_t> AskedFor; ///< by a question that no timer sent; the handler
                              ///< takes them
  uint32_t Lifetime;          ///< number of the LivedThread
  uint32_t Wait; ///< the object it waited for when the signal arrived
  uint32_t DroppedTold, TakenTold;
  uint8_t Restless;   ///< checks in a row that found it running
  uint8_t LooksSaved; ///< intervals until the next check
  bool HasLast;       ///< has not run since LastNs: its stack is unchanged
  uint64_t LastNs;    ///< CPU time
  uint32_t LastStack, LastWait;
  uintptr_t LastSp, LastPc;
  int32_t Timer;    ///< for clock cpu
  uint64_t BeganNs; ///< CPU time at the timer's start
  uint64_t FirstNs; ///< CPU time from there to the first request
  Relaxed<uint64_t>
      Left;         ///< intervals left at the thread's end, not yet requested
  uint64_t Counted; ///< intervals reported by its handler
  uint64_t Deaf;    ///< intervals while it blocked the signal
  bool HasTimer;
  bool LacksTimer; ///< started with a small stack (SmallStacks.h)
  SampledThread *TimedBefore,
      *TimedAfter;  ///< neighbours in the list of threads with timers
  uint64_t Order;   ///< order of creation
  uint16_t Session; ///< session in which its clock started
  bool IsSeen;      ///< the kernel lists it
  bool IsNew;       ///< perhaps newer than the kernel's list
};

/// True if a signal that the calling thread received by waiting is a sample
/// signal, which then counts as unanswerable.
bool isQuestionTaken(const siginfo_t &Info);

/// True if \p Signal has its default action, according to the kernel.
bool isSignalFree(int Signal);

/// Sets the handler for \p Signal, which must be free.
bool listenForSamples(int Signal, unsigned Depth);
void stopListening(int Signal);
/// Sample signals may still arrive; they are ignored.
void ignoreSamples(int Signal);
/// False if the program has set its own handler since.
bool isListening(int Signal);
/// No handler walks stacks between these two calls, because code is about to be
/// unloaded. Calls nest.
void pauseSampling();
void resumeSampling();
/// While this exists, no code is unloaded; false if unloading has begun.
class CodeHeld {
public:
  CodeHeld();
  ~CodeHeld();
  CodeHeld(const CodeHeld &) = delete;
  CodeHeld &operator=(const CodeHeld &) = delete;
  explicit operator bool() const { return Holds; }

private:
  bool Holds;
};
/// Call this after fork, in the child: no other thread is in a handler, or in
/// dlclose.
void forgetSampling();

/// Gives \p T to thread \p Tid. If that is the calling thread, it gets its
/// alternate stack before a sample signal can reach it.
void enlist(SampledThread &T, uint32_t Tid);
/// The calling thread's handlers run on \p T's stack, unless the program has
/// set its own.
void useAlternateStack(SampledThread &T);

/// QueueFull: the user's limit of queued signals (RLIMIT_SIGPENDING).
/// SmallStack: the thread must not get the signal (SmallStacks.h).
enum class SendResult { Sent, Gone, QueueFull, SmallStack };
/// Sends a thread the sample signal. The sample represents \p Intervals; if an
/// earlier signal is still on its way, that one then represents none.
SendResult askThread(SampledThread &T, int Signal, uint32_t Intervals);
/// Starts or stops a timer that sends the sample signal each time the thread
/// has run for \p Ns.
SendResult startTimer(SampledThread &T, int Signal, uint64_t Ns);
void stopTimer(SampledThread &T);

} // namespace inmem::rt

#endif
