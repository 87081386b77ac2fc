//===- Signals.cpp --------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "platform/Signals.h"

#include "platform/CpuClock.h"
#include "platform/Errors.h"
#include "platform/Process.h"
#include "platform/Tasks.h"

#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif

#ifdef __GLIBC__
// The C library's internal name for it.
extern "C" int __sigaction(int, const struct sigaction *, struct sigaction *);
#else // musl does not export its internal name
#define __sigaction sigaction
#endif
#ifndef sigev_notify_thread_id // before glibc 2.37
#define sigev_notify_thread_id _sigev_un._tid
#endif

namespace inmem::rt {

bool setAction(int Signal, const struct sigaction &Action) {
  return __sigaction(Signal, &Action, nullptr) == 0;
}

bool readAction(int Signal, struct sigaction &Action) {
  return __sigaction(Signal, nullptr, &Action) == 0;
}

int queueSignal(uint32_t Tid, int Signal, void *Value) {
  siginfo_t Info = {};
  Info.si_signo = Signal;
  Info.si_code = SI_QUEUE;
  Info.si_pid = static_cast<pid_t>(processId());
  Info.si_value.sival_ptr = Value;
  return syscall(SYS_rt_tgsigqueueinfo, processId(), Tid, Signal, &Info) == 0
             ? 0
             : errno;
}

int startThreadTimer(uint32_t Tid, int Signal, void *Value, uint64_t FirstNs,
                     uint64_t EveryNs, int32_t &Timer) {
  struct sigevent How = {};
  How.sigev_notify = SIGEV_THREAD_ID;
  How.sigev_signo = Signal;
  How.sigev_value.sival_ptr = Value;
  How.sigev_notify_thread_id = static_cast<pid_t>(Tid);
  if (syscall(SYS_timer_create, cpuClockOf(Tid), &How, &Timer) != 0)
    return errno;
  const struct itimerspec Each = {timespecOf(EveryNs), timespecOf(FirstNs)};
  syscall(SYS_timer_settime, Timer, 0, &Each, nullptr);
  return 0;
}

void stopThreadTimer(int32_t Timer) { syscall(SYS_timer_delete, Timer); }

static constinit bool (*MendPage)(const void *) = nullptr;

static void onBusError(int, siginfo_t *Info, void *) {
  const bool FromKernel = Info->si_code > 0;
  const SavedErrno Kept;
  if (FromKernel && MendPage(Info->si_addr))
    return;
  // Restores the default: the access faults again; a signal that was sent is
  // sent again.
  struct sigaction Default = {};
  Default.sa_handler = SIG_DFL;
  setAction(SIGBUS, Default);
  if (!FromKernel)
    syscall(SYS_tgkill, processId(), threadId(), SIGBUS);
}

void repairLostPages(bool (*Mend)(const void *Address)) {
  struct sigaction Before, Ours = {};
  if (!readAction(SIGBUS, Before) || Before.sa_handler != SIG_DFL)
    return;
  MendPage = Mend;
  Ours.sa_sigaction = onBusError;
  Ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  setAction(SIGBUS, Ours);
}

void stopRepairing() {
  struct sigaction Now;
  if (!readAction(SIGBUS, Now) || Now.sa_sigaction != onBusError)
    return;
  Now = {};
  Now.sa_handler = SIG_DFL;
  setAction(SIGBUS, Now);
}

AddressRange alternateStack() {
  const SavedErrno Kept;
  stack_t Stack = {};
  const long Result = syscall(SYS_sigaltstack, nullptr, &Stack);
  const auto Start = reinterpret_cast<uintptr_t>(Stack.ss_sp);
  return Result == 0 && !(Stack.ss_flags & SS_DISABLE)
             ? AddressRange{Start, Start + Stack.ss_size}
             : AddressRange{};
}

void setAlternateStack(AddressRange Stack) {
  stack_t Now = {};
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  Now.ss_sp = reinterpret_cast<void *>(Stack.Start);
  Now.ss_size = Stack.End - Stack.Start;
  syscall(SYS_sigaltstack, &Now, nullptr);
}

int systemAlternateStack(const stack_t *Wanted, stack_t *Before) {
  return static_cast<int>(syscall(SYS_sigaltstack, Wanted, Before));
}

size_t signalFrameBytes() {
  constexpr size_t kWithAvx512 =
      4096; // kernels before 5.14 do not report the size
  const size_t Said = getauxval(AT_MINSIGSTKSZ);
  return Said ? Said : kWithAvx512;
}

bool takePendingSignal(int Signal, siginfo_t &Info) {
  const SavedErrno Kept;
  const uint64_t Set = uint64_t{1} << (Signal - 1);
  const struct timespec None = {};
  return syscall(SYS_rt_sigtimedwait, &Set, &Info, &None, sizeof Set) == Signal;
}

/// Switches to the stack that ends at \p Top for one call.
static __attribute__((noinline)) void
callOnStack(char *Top, void (*Function)(void *), void *Context) {
#if defined(__x86_64__)
  asm volatile("movq %%rsp, %%rbx\n\t"
               "movq %[Top], %%rsp\n\t"
               "callq *%[Function]\n\t"
               "movq %%rbx, %%rsp"
               : "+D"(Context), [Top] "+r"(Top), [Function] "+r"(Function)
               :
               : "rax", "rbx", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11",
                 "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7",
                 "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14",
                 "xmm15", "memory", "cc");
#elif defined(__aarch64__)
  register void *First asm("x0") = Context;
  asm volatile("mov x20, sp\n\t"
               "mov sp, %[Top]\n\t"
               "blr %[Function]\n\t"
               "mov sp, x20"
               : "+r"(First), [Top] "+r"(Top), [Function] "+r"(Function)
               :
               : "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10",
                 "x11", "x12", "x13", "x14", "x15", "x16", "x17", "x20", "x30",
                 "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9",
                 "v10", "v11", "v12", "v13", "v14", "v15", "v16", "v17", "v18",
                 "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27",
                 "v28", "v29", "v30", "v31", "memory", "cc");
#else
#error "callOnStack is missing for this architecture"
#endif
}

SignalsBlocked::SignalsBlocked() {
  uint64_t All = ~uint64_t{0};
  constexpr int kOwn[] = {SIGSEGV, SIGBUS,  SIGILL, SIGFPE,
                          SIGTRAP, SIGABRT, SIGSYS};
  for (int Own : kOwn)
    All &= ~(uint64_t{1} << (Own - 1));
  syscall(SYS_rt_sigprocmask, SIG_BLOCK, &All, &Before, sizeof All);
}
SignalsBlocked::~SignalsBlocked() {
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &Before, nullptr, sizeof Before);
}

bool runOnOwnStack(size_t Bytes, void (*Function)(void *), void *Context) {
  // The lowest page stays inaccessible: an overflow faults.
  const size_t Guard = pageSize();
  auto *Stack = static_cast<char *>(reserveAddresses(Guard + Bytes));
  if (!Stack)
    return false;
  bool Good = mapPagesAt(Stack + Guard, Bytes);
  if (Good) {
    const uint64_t All = ~uint64_t{0};
    uint64_t Before = 0;
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &All, &Before, sizeof All);
    callOnStack(Stack + Guard + Bytes, Function, Context);
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &Before, nullptr, sizeof Before);
  }
  unmapPages(Stack, Guard + Bytes);
  return Good;
}

} // namespace inmem::rt
