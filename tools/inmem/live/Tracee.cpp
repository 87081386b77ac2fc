//===- Tracee.cpp ---------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "live/Tracee.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <elf.h>
#include <filesystem>
#include <fstream>
#include <map>
#include <sched.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace inmem::tools {

namespace {

constexpr size_t kMostStack = 256 << 10;
constexpr int kGetMask = 0x420a, kSetMask = 0x420b; // PTRACE_*SIGMASK

/// A direct system call: musl's ptrace() takes an int, glibc's an enum.
template <class Request>
long trace(Request What, pid_t Tid, uint64_t Address, const void *Data) {
  return syscall(SYS_ptrace, static_cast<long>(What), Tid, Address, Data);
}

void pauseFor(std::chrono::microseconds Time) {
  std::this_thread::sleep_for(Time);
}

char stateOf(pid_t Pid, pid_t Tid) {
  std::ifstream In("/proc/" + std::to_string(Pid) + "/task/" +
                   std::to_string(Tid) + "/stat");
  std::string Line;
  std::getline(In, Line);
  const size_t End = Line.rfind(')'); // names may contain any character
  return End == std::string::npos || End + 2 >= Line.size() ? 'X'
                                                            : Line[End + 2];
}

/// True if the thread waits in a system call that a stop does not interrupt
/// (signal(7): epoll_wait and a few others fail with EINTR).
bool waitsUndisturbed(pid_t Pid, pid_t Tid) {
#if defined(__x86_64__)
  static constexpr long kCalls[] = {
      SYS_read,     SYS_poll,           SYS_select, SYS_nanosleep,
      SYS_wait4,    SYS_futex,          SYS_waitid, SYS_clock_nanosleep,
      SYS_pselect6, SYS_ppoll,          SYS_pause,  SYS_rt_sigsuspend,
      SYS_write,    SYS_restart_syscall};
#else
  static constexpr long kCalls[] = {SYS_read, SYS_futex};
#endif
  std::ifstream In("/proc/" + std::to_string(Pid) + "/task/" +
                   std::to_string(Tid) + "/syscall");
  long Call = -1;
  return In >> Call && std::ranges::find(kCalls, Call) != std::end(kCalls);
}

} // namespace

struct Tracee::Registers {
#if defined(__x86_64__)
  user_regs_struct R;

  uint64_t pc() const { return R.rip; }
  uint64_t sp() const { return R.rsp; }
  uint64_t threadPointer() const { return R.fs_base; }
  int64_t systemCall() const { return static_cast<int64_t>(R.orig_rax); }
  uint64_t result() const { return R.rax; }
  std::vector<uint64_t> inDwarfOrder() const {
    return {R.rax, R.rdx, R.rcx, R.rbx, R.rsi, R.rdi, R.rbp, R.rsp, R.r8,
            R.r9,  R.r10, R.r11, R.r12, R.r13, R.r14, R.r15, R.rip};
  }
  /// Sets the registers to the start of a function that returns to address 0.
  void enter(uint64_t Function, uint64_t Sp, uint64_t A, uint64_t B) {
    constexpr uint64_t kTrap = 0x100, kDirection = 0x400;
    R.rip = Function;
    R.rsp = Sp;
    R.rdi = A;
    R.rsi = B;
    R.rax = 0;
    R.orig_rax = UINT64_MAX; // no system call to restart
    R.eflags &= ~(kTrap | kDirection);
  }
#else
  uint64_t R[64];
  uint64_t pc() const { return 0; }
  uint64_t sp() const { return 0; }
  uint64_t threadPointer() const { return 0; }
  int64_t systemCall() const { return -1; }
  uint64_t result() const { return 0; }
  std::vector<uint64_t> inDwarfOrder() const { return {}; }
  void enter(uint64_t, uint64_t, uint64_t, uint64_t) {}
#endif
};

bool canTrace() {
#if defined(__x86_64__)
  return true;
#else
  return false;
#endif
}

std::vector<pid_t> threadsOf(pid_t Pid) {
  std::vector<pid_t> Waiting, Running, Others;
  std::error_code Error;
  for (const auto &Entry : std::filesystem::directory_iterator(
           "/proc/" + std::to_string(Pid) + "/task", Error)) {
    const pid_t Tid = static_cast<pid_t>(
        std::strtol(Entry.path().filename().c_str(), nullptr, 10));
    const char State = stateOf(Pid, Tid);
    if (State == 'R')
      Running.push_back(Tid);
    else if (State != 'Z' && State != 'X' && State != 'D')
      (waitsUndisturbed(Pid, Tid) ? Waiting : Others).push_back(Tid);
  }
  Waiting.insert(Waiting.end(), Running.begin(), Running.end());
  Waiting.insert(Waiting.end(), Others.begin(), Others.end());
  return Waiting;
}

Tracee::Tracee(pid_t Process, pid_t Thread)
    : Pid(Process), Tid(Thread), Saved(std::make_unique<Registers>()) {}

bool Tracee::readRegisters(Registers &Into) const {
  iovec All = {&Into, sizeof Into};
  return trace(PTRACE_GETREGSET, Tid, NT_PRSTATUS, &All) == 0;
}

bool Tracee::writeRegisters(const Registers &From) const {
  iovec All = {const_cast<Registers *>(&From), sizeof From};
  return trace(PTRACE_SETREGSET, Tid, NT_PRSTATUS, &All) == 0;
}

bool Tracee::noteChange(int Status) {
  constexpr int kEventStop = 128; // PTRACE_EVENT_STOP
  HasEnded = !WIFSTOPPED(Status);
  if (HasEnded || Status >> 16 == kEventStop)
    return true;
  // A signal arrived first. Deliver it; the thread stops afterwards.
  trace(PTRACE_CONT, Tid, 0,
        reinterpret_cast<const void *>(uintptr_t(WSTOPSIG(Status))));
  return false;
}

bool Tracee::waitForStop() {
  for (;;) {
    int Status = 0;
    const pid_t Got = waitpid(Tid, &Status, __WALL);
    if (Got < 0 && errno == EINTR)
      continue;
    if (Got < 0)
      HasEnded = true;
    if (HasEnded || noteChange(Status))
      return !HasEnded && readRegisters(*Saved);
  }
}

std::unique_ptr<Tracee> Tracee::seize(pid_t Pid, pid_t Tid, Failure &Why) {
  Why = Failure::Gone;
  if (trace(PTRACE_SEIZE, Tid, 0, nullptr) != 0) {
    if (errno == EPERM)
      Why = Failure::Forbidden;
    return nullptr;
  }
  std::unique_ptr<Tracee> Out(new Tracee(Pid, Tid));
  trace(PTRACE_INTERRUPT, Tid, 0, nullptr);
  Why = Failure::None;
  return Out;
}

std::unique_ptr<Tracee> Tracee::stop(pid_t Pid, pid_t Tid, Failure &Why) {
  auto Out = seize(Pid, Tid, Why);
  if (!Out || Out->waitForStop())
    return Out;
  Why = Failure::Gone;
  return nullptr;
}

std::vector<ThreadCopy> copiesOf(pid_t Pid, std::span<const pid_t> Threads) {
  std::vector<ThreadCopy> Out;
  Out.reserve(Threads.size());
  const Urgent Now;
  std::map<pid_t, std::unique_ptr<Tracee>> Awaited;
  for (const pid_t Tid : Threads) {
    Tracee::Failure Why;
    if (auto One = Tracee::seize(Pid, Tid, Why))
      Awaited[Tid] = std::move(One);
  }
  while (!Awaited.empty()) {
    int Status = 0;
    const pid_t Got = waitpid(-1, &Status, __WALL);
    if (Got < 0 && errno == EINTR)
      continue;
    if (Got < 0)
      break; // no children left
    const auto At = Awaited.find(Got);
    if (At == Awaited.end() || !At->second->noteChange(Status))
      continue;
    Tracee &Is = *At->second;
    if (!Is.HasEnded && Is.readRegisters(*Is.Saved))
      Out.push_back(Is.copy());
    Awaited.erase(At);
  }
  for (auto &Rest : Awaited)
    Rest.second->HasEnded = true;
  return Out;
}

Tracee::~Tracee() {
  if (HasEnded)
    return;
  putBack();
  trace(PTRACE_DETACH, Tid, 0, nullptr);
  if (IsToStop)
    syscall(SYS_tgkill, Pid, Tid, SIGSTOP);
}

ThreadCopy Tracee::copy() const {
  ThreadCopy Out;
  Out.Tid = Tid;
  Out.Pc = Saved->pc();
  Out.Syscall = Saved->systemCall();
  Out.Registers = Saved->inDwarfOrder();
  Out.StackStart = Saved->sp() & ~uint64_t{7};
  // The C library puts a thread's control block at the end of its stack. Any
  // mapping may follow.
  const uint64_t Bytes = Saved->threadPointer() - Out.StackStart;
  const bool HasEnd = Bytes <= kMostStack;
  Out.Stack.resize((HasEnd ? Bytes : kMostStack) / sizeof(uint64_t));
  Out.Stack.resize(readMemory(Pid, Out.StackStart, Out.Stack.data(),
                              Out.Stack.size() * sizeof(uint64_t)) /
                   sizeof(uint64_t));
  Out.StackIsCut = !HasEnd && Out.Stack.size() == kMostStack / sizeof(uint64_t);
  return Out;
}

bool Tracee::hasRoom(const std::vector<MemoryMapping> &Maps) const {
  constexpr uint64_t kEnough = 48 << 10;
  for (const MemoryMapping &M : Maps)
    if (M.Range.contains(Saved->sp()))
      return M.Path == "[stack]" || Saved->sp() - M.Range.Start >= kEnough;
  return false;
}

void Tracee::putBack() {
  if (!HasCalled)
    return;
  writeRegisters(*Saved);
  iovec All = {Vectors.data(), Vectors.size()};
  trace(PTRACE_SETREGSET, Tid, NT_X86_XSTATE, &All);
  trace(kSetMask, Tid, sizeof Mask, &Mask);
  HasCalled = false;
}

trace::Status Tracee::waitForReturn(Registers &At) {
  using Clock = std::chrono::steady_clock;
  const auto Began = Clock::now();
  bool HasSaid = false;
  for (;;) {
    int Status = 0;
    const pid_t Got = waitpid(Tid, &Status, __WALL | WNOHANG);
    if (Got == 0) {
      if (!HasSaid && Clock::now() - Began > std::chrono::seconds(2)) {
        HasSaid = true;
        std::fprintf(stderr,
                     "inmem: process %d: waiting for a lock that another of "
                     "its threads holds\n",
                     Pid);
      }
      pauseFor(std::chrono::microseconds(HasSaid ? 10000 : 100));
      continue;
    }
    if (Got < 0 || !WIFSTOPPED(Status)) {
      HasEnded = true;
      return trace::Status::error("", "process " + std::to_string(Pid) +
                                          " has ended");
    }
    const int Signal = WSTOPSIG(Status);
    const bool IsEvent = Status >> 16 != 0;
    if (!IsEvent && Signal == SIGSEGV && readRegisters(At) && At.pc() == 0)
      return {};
    if (!IsEvent && Signal == SIGSTOP)
      IsToStop = true;
    // Other signals are blocked. Deliver a fault, which the thread itself
    // caused.
    const bool IsFault = Signal == SIGSEGV || Signal == SIGBUS ||
                         Signal == SIGILL || Signal == SIGFPE;
    trace(PTRACE_CONT, Tid, 0,
          reinterpret_cast<const void *>(
              uintptr_t(!IsEvent && IsFault ? Signal : 0)));
  }
}

trace::Result<uint64_t> Tracee::call(uint64_t Function, uint64_t First,
                                     uint64_t Second, const std::string *Text) {
  if (!HasCalled) {
    Vectors.resize(64 << 10);
    iovec All = {Vectors.data(), Vectors.size()};
    if (trace(PTRACE_GETREGSET, Tid, NT_X86_XSTATE, &All) != 0 ||
        trace(kGetMask, Tid, sizeof Mask, &Mask) != 0)
      return trace::Status::error("",
                                  std::string("cannot read its registers: ") +
                                      std::strerror(errno));
    Vectors.resize(All.iov_len);
    // Do not block faults: a blocked one would lose its handler.
    uint64_t Blocked = UINT64_MAX;
    for (const int Fault : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP})
      Blocked &= ~(uint64_t{1} << (Fault - 1));
    trace(kSetMask, Tid, sizeof Blocked, &Blocked);
    HasCalled = true;
  }
  constexpr uint64_t kRedZone = 128, kAlign = 64;
  uint64_t Sp = (Saved->sp() - kRedZone) & ~(kAlign - 1);
  const auto Write = [&](uint64_t To, const void *From, size_t Bytes) {
    const iovec Local = {const_cast<void *>(From), Bytes};
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    const iovec Remote = {reinterpret_cast<void *>(To), Bytes};
    return process_vm_writev(Pid, &Local, 1, &Remote, 1, 0) ==
           static_cast<ssize_t>(Bytes);
  };
  bool Good = true;
  if (Text) {
    Sp = (Sp - Text->size() - 1) & ~(kAlign - 1);
    Good = Write(Sp, Text->c_str(), Text->size() + 1);
    First = Sp;
  }
  constexpr uint64_t kNowhere = 0;
  Sp -= sizeof kNowhere;
  Registers R = *Saved;
  R.enter(Function, Sp, First, Second);
  if (!Good || !Write(Sp, &kNowhere, sizeof kNowhere) || !writeRegisters(R) ||
      trace(PTRACE_CONT, Tid, 0, nullptr) != 0)
    return trace::Status::error("", std::string("cannot call a function: ") +
                                        std::strerror(errno));
  if (trace::Status Done = waitForReturn(R); !Done.ok())
    return Done;
  return R.result();
}

namespace {

/// As the kernel has it; C libraries do not declare it.
struct Schedule {
  uint32_t Size, Policy;
  uint64_t Flags;
  int32_t Nice;
  uint32_t Priority;
  uint64_t Slice, Deadline, Period; // ns
};

Schedule Usual;
bool HasUsual = false;

bool schedule(const Schedule &As) {
  return syscall(SYS_sched_setattr, 0, &As, 0) == 0;
}

} // namespace

int Urgent::Depth = 0;

Urgent::Urgent() {
  if (Depth++ > 0)
    return;
  HasUsual = syscall(SYS_sched_getattr, 0, &Usual, sizeof Usual, 0) == 0 &&
             Usual.Policy == SCHED_OTHER;
  if (!HasUsual)
    return;
  Schedule As = Usual;
  As.Policy = SCHED_FIFO;
  As.Priority = 1;
  As.Nice = 0;
  As.Slice = 0;
  if (schedule(As))
    return;
  // Linux 6.12 lets all programs ask for short slices, which come first.
  constexpr uint64_t kShortest = 100000;
  As = Usual;
  As.Slice = kShortest;
  schedule(As);
}

Urgent::~Urgent() {
  if (--Depth == 0 && HasUsual)
    schedule(Usual);
}

Uninterrupted::Uninterrupted() {
  sigset_t Blocked;
  sigemptyset(&Blocked);
  for (const int Signal :
       {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGPIPE, SIGALRM})
    sigaddset(&Blocked, Signal);
  sigprocmask(SIG_BLOCK, &Blocked, &Before);
}

Uninterrupted::~Uninterrupted() { sigprocmask(SIG_SETMASK, &Before, nullptr); }

} // namespace inmem::tools
