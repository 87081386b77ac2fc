//===- SampledThread.cpp --------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "profiler/SampledThread.h"

#include "platform/Clocks.h"
#include "platform/Errors.h"
#include "platform/Image.h"
#include "platform/Tasks.h"
#include "profiler/SmallStacks.h"

#include <string.h>

// Sanitizers give each thread an alternate stack, unless it has one, and at its
// end unmap whichever it has.
extern "C" void __sanitizer_print_stack_trace(void) __attribute__((weak));

namespace inmem::rt {

namespace {

constexpr size_t kAlternateBytes = 256 * 1024, kGuardBytes = kPage;
/// Bytes of stack that the handler needs.
constexpr uintptr_t kNeededBytes = 2048;

constinit Relaxed<uint32_t> Depth = {};
constinit uint32_t Paused = 0, Walking = 0;

Registers registersOf(const ucontext_t &Context) {
  const auto &M = Context.uc_mcontext;
#if defined(__x86_64__)
  return {static_cast<uintptr_t>(M.gregs[REG_RIP]),
          static_cast<uintptr_t>(M.gregs[REG_RSP]),
          static_cast<uintptr_t>(M.gregs[REG_RBP]), 0};
#else
  return {M.pc, M.sp, M.regs[29], M.regs[30]};
#endif
}

/// True if the alternate stack on which the handler runs has room for it.
bool hasRoom(const ucontext_t &Context) {
  const stack_t &S = Context.uc_stack;
  const auto Here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  const uintptr_t Above = Here - reinterpret_cast<uintptr_t>(S.ss_sp);
  return (S.ss_flags & SS_DISABLE) || Above >= S.ss_size ||
         Above >= kNeededBytes;
}

void take(SampledThread &T, const ucontext_t &Context, uint32_t Times) {
  const uint32_t Head = T.Head;
  T.Told = T.Told + Times;
  if (Head - __atomic_load_n(&T.Tail, __ATOMIC_ACQUIRE) >=
      SampledThread::kRing) {
    T.Dropped = T.Dropped + Times;
    return;
  }
  Sample &S = T.Ring[Head % SampledThread::kRing];
  S.Times = Times;
  S.Stack.Count = 0;
  if (const CodeHeld Held; Held && hasRoom(Context))
    walkFrom(T.Unwind, registersOf(Context), S.Stack, Depth);
  S.Failed = S.Stack.Count == 0;
  __atomic_store_n(&T.Head, Head + 1, __ATOMIC_RELEASE);
}

/// The kernel makes uc_stack the thread's alternate stack when the handler
/// returns.
void offerStack(const SampledThread &T, ucontext_t &Context) {
  if (!T.AlternateStack || !(Context.uc_stack.ss_flags & SS_DISABLE))
    return;
  Context.uc_stack = {};
  Context.uc_stack.ss_sp = T.AlternateStack;
  Context.uc_stack.ss_size = kAlternateBytes;
}

/// The SampledThread that a signal is meant for, if the signal is ours; else
/// null. Keeps errno.
SampledThread *askedBy(const siginfo_t &Info) {
  auto *T = static_cast<SampledThread *>(Info.si_value.sival_ptr);
  // Any process may send signals; ours come from the process itself.
  return (Info.si_code == SI_QUEUE || Info.si_code == SI_TIMER) && T &&
                 (reinterpret_cast<uintptr_t>(T) & (kPage - 1)) == 0 &&
                 isReadable(T) && T->Magic == SampledThread::kMagic
             ? T
             : nullptr;
}

bool isOwn(const SampledThread &T) { return T.Tid == threadId(); }

/// The number of intervals that a sample signal represents. A timer's count
/// includes intervals for which askThread() has sent a signal, so these are
/// subtracted.
uint32_t intervalsOf(SampledThread &T, const siginfo_t &Info) {
  if (Info.si_code == SI_QUEUE) {
    const uint32_t Asked = T.AskedFor.exchange(0);
    T.Early = T.Early + Asked;
    return Asked;
  }
  const uint32_t Passed =
      Info.si_overrun > 0 ? static_cast<uint32_t>(Info.si_overrun) + 1 : 1;
  const uint32_t Early = T.Early, Known = Early < Passed ? Early : Passed;
  T.Early = Early - Known;
  return Passed - Known;
}

void onSample(int, siginfo_t *Info, void *Context) {
  const SavedErrno Kept;
  SampledThread *T = askedBy(*Info);
  if (T && isOwn(*T)) {
    auto &Interrupted = *static_cast<ucontext_t *>(Context);
    if (const uint32_t Times = intervalsOf(*T, *Info))
      take(*T, Interrupted, Times);
    offerStack(*T, Interrupted);
  }
}

} // namespace

bool isQuestionTaken(const siginfo_t &Info) {
  const SavedErrno Kept;
  SampledThread *T = askedBy(Info);
  if (T && isOwn(*T)) {
    const uint32_t Times = intervalsOf(*T, Info);
    T->Told = T->Told + Times;
    T->Taken = T->Taken + Times;
  }
  return T != nullptr;
}

bool listenForSamples(int Signal, unsigned Frames) {
  if (!Image::isFoundWithoutLock())
    return false;
  Depth = Frames;
  struct sigaction Ours = {};
  Ours.sa_sigaction = onSample;
  Ours.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
  // Not sigfillset(), which leaves out pthread_cancel's signal: the handler
  // must run to its end.
  memset(&Ours.sa_mask, 0xff, sizeof Ours.sa_mask);
  return setAction(Signal, Ours);
}

bool isSignalFree(int Signal) {
  struct sigaction Found;
  return readAction(Signal, Found) && Found.sa_handler == SIG_DFL;
}

bool isListening(int Signal) {
  struct sigaction Now;
  return readAction(Signal, Now) && Now.sa_sigaction == onSample;
}

void stopListening(int Signal) {
  struct sigaction Now;
  if (!readAction(Signal, Now) || Now.sa_sigaction != onSample)
    return; // the program's own by now
  // Sample signals may still be pending for threads that block the signal.
  // Ignoring it drops them; its default would end the process.
  Now.sa_flags &= ~SA_SIGINFO;
  Now.sa_handler = SIG_IGN;
  setAction(Signal, Now);
  Now.sa_handler = SIG_DFL;
  setAction(Signal, Now);
}

void ignoreSamples(int Signal) {
  struct sigaction Ours = {};
  Ours.sa_handler = SIG_IGN;
  setAction(Signal, Ours);
}

void pauseSampling() {
  __atomic_fetch_add(&Paused, 1, __ATOMIC_SEQ_CST);
  while (__atomic_load_n(&Walking, __ATOMIC_SEQ_CST) != 0)
    sleepNs(20000);
}
void resumeSampling() { __atomic_fetch_sub(&Paused, 1, __ATOMIC_SEQ_CST); }

CodeHeld::CodeHeld() {
  // Either the unloading thread sees us, or we see that it unloads.
  __atomic_fetch_add(&Walking, 1, __ATOMIC_SEQ_CST);
  Holds = __atomic_load_n(&Paused, __ATOMIC_SEQ_CST) == 0;
}
CodeHeld::~CodeHeld() { __atomic_fetch_sub(&Walking, 1, __ATOMIC_SEQ_CST); }

void forgetSampling() {
  __atomic_store_n(&Walking, 0, __ATOMIC_SEQ_CST);
  __atomic_store_n(&Paused, 0, __ATOMIC_SEQ_CST);
  forgetSmallStacks();
}

void enlist(SampledThread &T, uint32_t Tid) {
  T.Unwind.Low = T.Unwind.High = 0; // bounds of another stack
  T.IsAwaited = T.IsStale = T.HasLast = false;
  if (!T.AlternateStack && !__sanitizer_print_stack_trace)
    if (auto *Pages =
            static_cast<char *>(mapPages(kGuardBytes + kAlternateBytes))) {
      protectPages(Pages, kGuardBytes, Access::None);
      T.AlternateStack = Pages + kGuardBytes;
    }
  if (Tid == threadId())
    useAlternateStack(T);
  T.Tid = Tid; // signals may arrive from here on
}

void useAlternateStack(SampledThread &T) {
  const AddressRange Now = alternateStack();
  const auto Start = reinterpret_cast<uintptr_t>(T.AlternateStack);
  if (Start && Now.Start == Now.End)
    setAlternateStack({Start, Start + kAlternateBytes});
  else
    noteAlternateStack(Now);
}

static SendResult resultOf(int Error) {
  return Error == 0        ? SendResult::Sent
         : Error == EAGAIN ? SendResult::QueueFull
                           : SendResult::Gone;
}

SendResult askThread(SampledThread &T, int Signal, uint32_t Intervals) {
  const StacksHeld Held;
  if (Held.isSmall(T.Tid))
    return SendResult::SmallStack;
  T.AskedFor = Intervals;
  return resultOf(queueSignal(T.Tid, Signal, &T));
}

/// A number from 1 to \p Most. Threads draw from a common sequence.
static uint64_t drawUpTo(uint64_t Most) {
  static constinit uint64_t Sequence = 0;
  uint64_t X =
      __atomic_add_fetch(&Sequence, 0x9E3779B97F4A7C15u, __ATOMIC_RELAXED);
  X = (X ^ X >> 30) * 0xBF58476D1CE4E5B9u; // splitmix64
  X = (X ^ X >> 27) * 0x94D049BB133111EBu;
  return (X ^ X >> 31) % Most + 1;
}

SendResult startTimer(SampledThread &T, int Signal, uint64_t Ns) {
  // The first signal comes at a random time, so that threads that run for less
  // than an interval are sampled in proportion.
  T.FirstNs = drawUpTo(Ns);
  T.Early = T.AskedFor = 0;
  const StacksHeld Held;
  T.LacksTimer = Held.isSmall(T.Tid);
  if (T.LacksTimer)
    return SendResult::SmallStack;
  const SendResult Result =
      resultOf(startThreadTimer(T.Tid, Signal, &T, T.FirstNs, Ns, T.Timer));
  if (Result == SendResult::Sent)
    Held.addTimer(T);
  return Result;
}

void stopTimer(SampledThread &T) {
  T.LacksTimer = false;
  const StacksHeld Held;
  if (!T.HasTimer)
    return;
  stopThreadTimer(T.Timer);
  Held.removeTimer(T);
}

} // namespace inmem::rt
