//===- Platform.cpp - Linux -----------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "platform/Platform.h"

#ifdef INMEM_CHECK_LOCKS
#include "threads/ThreadState.h"
#endif

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <signal.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

namespace inmem::rt {

// mmap and friends go through syscall(2) so that a program that interposes
// mmap, or a hook on it, never sees the runtime's own memory.
static void *rawMap(void *At, size_t Bytes, int Prot, int Flags, int Fd,
                    uint64_t Offset) {
  long Result = syscall(SYS_mmap, At, Bytes, Prot, Flags, Fd, Offset);
  return Result == -1 ? nullptr : reinterpret_cast<void *>(Result);
}

#if !defined(__x86_64__)
size_t pageSize() {
  static constinit Relaxed<size_t> Size = {};
  if (size_t Known = Size)
    return Known;
  size_t Asked = getauxval(AT_PAGESZ);
  Size = Asked ? Asked : kPage;
  return Size;
}
#endif

void *mapPages(size_t Bytes) {
  // One or two pages are used at once: the system need not be asked for each.
  int Touched = Bytes <= 2 * kPage ? MAP_POPULATE : 0;
  const int Saved = errno;
  void *P =
      rawMap(nullptr, roundUp(Bytes, kPage), PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | Touched, -1, 0);
  errno = Saved;
  return P;
}

void *mapPagesWipedByFork(size_t Bytes) {
  void *P = mapPages(Bytes);
  if (P)
    syscall(SYS_madvise, P, roundUp(Bytes, kPage), MADV_WIPEONFORK);
  return P;
}

void *reserveAddresses(size_t Bytes) {
  return rawMap(nullptr, roundUp(Bytes, kPage), PROT_NONE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

static constinit bool AddressesStay = false;

void keepAddressesReadable() { AddressesStay = true; }

/// Zeros where a mapping was. \returns whether they are there.
static bool mapZeros(void *Start, size_t Bytes) {
  constexpr int kFlags =
      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
  return rawMap(Start, roundUp(Bytes, kPage), PROT_READ, kFlags, -1, 0);
}

void unmapPages(void *Start, size_t Bytes) {
  if (!AddressesStay || !mapZeros(Start, Bytes))
    syscall(SYS_munmap, Start, roundUp(Bytes, kPage));
}

void *growPages(void *Start, size_t Bytes, size_t NewBytes) {
  const int Saved = errno;
  long Result = syscall(SYS_mremap, Start, roundUp(Bytes, kPage),
                        roundUp(NewBytes, kPage), MREMAP_MAYMOVE);
  if (AddressesStay && Result != -1 && Result != reinterpret_cast<long>(Start))
    mapZeros(Start, Bytes);
  errno = Saved;
  return Result == -1 ? nullptr : reinterpret_cast<void *>(Result);
}

long readOwnMemory(void *To, uintptr_t From, size_t Bytes) {
  const int Saved = errno;
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  struct iovec Local = {To, Bytes},
               Remote = {reinterpret_cast<void *>(From), Bytes};
  long Got = syscall(SYS_process_vm_readv, long{processId()}, &Local, 1UL,
                     &Remote, 1UL, 0UL);
  if (Got < 0 && (errno == EPERM || errno == ENOSYS))
    Got = kNotPermitted;
  errno = Saved;
  return Got;
}

size_t dropPages(void *Start, size_t Bytes) {
  return syscall(SYS_madvise, Start, Bytes, MADV_DONTNEED) == 0 ? Bytes : 0;
}

void populatePages(void *Start, size_t Bytes) {
#ifndef MADV_POPULATE_WRITE
  constexpr int MADV_POPULATE_WRITE = 23; // Linux 5.14
#endif
  const uintptr_t From =
      reinterpret_cast<uintptr_t>(Start) / pageSize() * pageSize();
  const uintptr_t End = reinterpret_cast<uintptr_t>(Start) + Bytes;
  syscall(SYS_madvise, From, End - From, MADV_POPULATE_WRITE);
}

bool findResident(void *Start, size_t Bytes, unsigned char *Resident) {
  return syscall(SYS_mincore, Start, Bytes, Resident) == 0;
}

bool fenceAllThreads() {
  auto Fence = [] {
    return syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0;
  };
  return Fence() ||
         (syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0,
                  0) == 0 &&
          Fence());
}

bool mapFile(void *At, size_t Bytes, int Fd, uint64_t Offset) {
  return rawMap(At, Bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, Fd,
                Offset) != nullptr;
}

bool mapPrivateCopy(void *At, size_t Bytes, int Fd) {
  return rawMap(At, Bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, Fd,
                0) != nullptr;
}

bool mapPagesAt(void *At, size_t Bytes) {
  return rawMap(At, Bytes, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1,
                0) != nullptr;
}

bool isReadable(const void *Address) {
  // rt_sigprocmask reads the set, unless it is null, before it looks at `how`.
  int Saved = errno;
  long Result = syscall(SYS_rt_sigprocmask, ~0, Address, nullptr, 8);
  bool Readable = Address && (Result == 0 || errno != EFAULT);
  errno = Saved;
  return Readable;
}

AddressRange alternateStack() {
  const int Saved = errno;
  stack_t Stack = {};
  const long Result = syscall(SYS_sigaltstack, nullptr, &Stack);
  errno = Saved;
  const auto Start = reinterpret_cast<uintptr_t>(Stack.ss_sp);
  return Result == 0 && !(Stack.ss_flags & SS_DISABLE)
             ? AddressRange{Start, Start + Stack.ss_size}
             : AddressRange{};
}

uintptr_t mainStackEnd() {
  // The kernel puts the first arguments there.
  return getauxval(AT_RANDOM) & ~uintptr_t{15};
}

void syncPages(void *Start, size_t Bytes) {
  syscall(SYS_msync, Start, Bytes, MS_SYNC);
}

void sleepNs(uint64_t Ns) {
  const struct timespec Wait = {static_cast<time_t>(Ns / 1000000000u),
                                static_cast<long>(Ns % 1000000000u)};
  syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &Wait, nullptr);
}

void waitForChild(int Pid) {
  while (syscall(SYS_wait4, Pid, nullptr, 0, nullptr) < 0 && errno == EINTR) {
  }
}

int forkQuietly() {
  // No signal at its end, and so none of those that wait() is for.
  long Result = syscall(SYS_clone, 0UL, nullptr, nullptr, nullptr, 0UL);
  return Result < 0 ? -errno : static_cast<int>(Result);
}

ChildState reapWriter(int Pid, bool Wait) {
  const int Saved = errno;
  int Status = 0;
  long Result;
  do
    Result = syscall(SYS_wait4, Pid, &Status, __WCLONE | (Wait ? 0 : WNOHANG),
                     nullptr);
  while (Result < 0 && errno == EINTR);
  errno = Saved;
  if (Result == 0)
    return ChildState::Runs;
  // An error: the program has waited for it.
  return Result < 0 || Status == 0 ? ChildState::Done : ChildState::Failed;
}

void forEachTask(void (*Visit)(void *, uint32_t), void *Context) {
  const int Saved = errno;
  long Fd = syscall(SYS_openat, AT_FDCWD, "/proc/self/task",
                    O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  // struct linux_dirent64: inode, offset, length, kind, name.
  struct Entry {
    uint64_t Inode, Offset;
    uint16_t Length;
    uint8_t Kind;
    char Name[5];
  };
  alignas(Entry) char Buffer[1024];
  for (long Got; Fd >= 0 && (Got = syscall(SYS_getdents64, Fd, Buffer,
                                           sizeof Buffer)) > 0;)
    for (long At = 0; At < Got;) {
      auto *E = reinterpret_cast<const Entry *>(Buffer + At);
      uint32_t Tid = 0;
      const char *Name = E->Name;
      for (; *Name >= '0' && *Name <= '9'; ++Name)
        Tid = Tid * 10 + static_cast<uint32_t>(*Name - '0');
      if (Tid)
        Visit(Context, Tid);
      At += E->Length;
    }
  if (Fd >= 0)
    syscall(SYS_close, Fd);
  errno = Saved;
}

uintptr_t stackPointerOf(uint32_t Tid) {
  char Path[64] = "/proc/self/task/", Digits[12], Text[256];
  size_t Length = strlen(Path), Digit = sizeof Digits;
  do
    Digits[--Digit] = static_cast<char>('0' + Tid % 10);
  while ((Tid /= 10) != 0);
  while (Digit < sizeof Digits)
    Path[Length++] = Digits[Digit++];
  strcpy(Path + Length, "/syscall");
  if (!readSmallFile(Path, Text, sizeof Text))
    return 0;
  // "number, six arguments, stack pointer, program counter", or "running".
  char *Last = strrchr(Text, ' ');
  if (!Last || Last == Text)
    return 0;
  *Last = 0;
  const char *Before = strrchr(Text, ' ');
  uintptr_t Value = 0;
  if (!Before || strncmp(Before, " 0x", 3) != 0)
    return 0;
  for (const char *C = Before + 3; *C; ++C)
    Value = Value << 4 |
            static_cast<uintptr_t>(*C <= '9' ? *C - '0' : *C - 'a' + 10);
  return Value;
}

// As the C library calls it itself: sanitizers have a sigaction of their own,
// which must not be called before they have begun.
extern "C" int __sigaction(int, const struct sigaction *, struct sigaction *);

static constinit bool (*MendPage)(const void *) = nullptr;

static void onBusError(int, siginfo_t *Info, void *) {
  const bool FromKernel = Info->si_code > 0;
  const int Saved = errno;
  const bool Mended = FromKernel && MendPage(Info->si_addr);
  errno = Saved;
  if (Mended)
    return;
  // As if we were not here: the access fails once more, or the signal that
  // somebody sent comes once more.
  struct sigaction Default = {};
  Default.sa_handler = SIG_DFL;
  __sigaction(SIGBUS, &Default, nullptr);
  if (!FromKernel)
    syscall(SYS_tgkill, processId(), threadId(), SIGBUS);
}

void mendLostPages(bool (*Mend)(const void *Address)) {
  struct sigaction Before, Ours = {};
  if (__sigaction(SIGBUS, nullptr, &Before) != 0 ||
      Before.sa_handler != SIG_DFL)
    return;
  MendPage = Mend;
  Ours.sa_sigaction = onBusError;
  Ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  __sigaction(SIGBUS, &Ours, nullptr);
}

static uint64_t clockNs(clockid_t Id) {
  struct timespec T;
  clock_gettime(Id, &T);
  return static_cast<uint64_t>(T.tv_sec) * 1000000000u +
         static_cast<uint64_t>(T.tv_nsec);
}
uint64_t realtimeNs() {
  // Also at the end of a process that may not read the processor's clock.
  struct timespec T = {};
  syscall(SYS_clock_gettime, CLOCK_REALTIME, &T);
  return static_cast<uint64_t>(T.tv_sec) * 1000000000u +
         static_cast<uint64_t>(T.tv_nsec);
}
uint64_t monotonicNs() { return clockNs(CLOCK_MONOTONIC); }

uint32_t threadId() { return static_cast<uint32_t>(syscall(SYS_gettid)); }
uint32_t processId() { return static_cast<uint32_t>(syscall(SYS_getpid)); }
uint32_t parentProcessId() { return static_cast<uint32_t>(getppid()); }

void exitNow(int Status) {
  for (;;)
    syscall(SYS_exit_group, Status);
}

/// Moves to the stack that ends at \p Top for one call.
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
  // The lowest part stays without access: what goes beyond is noticed.
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

bool processExists(uint32_t Pid) {
  return syscall(SYS_kill, Pid, 0) == 0 || errno != ESRCH;
}
bool threadExists(uint32_t Pid, uint32_t Tid) {
  return syscall(SYS_tgkill, Pid, Tid, 0) == 0 || errno != ESRCH;
}

/// All of /proc/self/environ in pages of its own; null if it cannot be read.
/// \p Capacity is how many bytes they are, \p Length how many are used.
static char *readOwnEnvironment(size_t &Capacity, size_t &Length) {
  for (Capacity = 256 * 1024;; Capacity *= 4) {
    auto *All = static_cast<char *>(mapPages(Capacity));
    if (!All)
      return nullptr;
    Length = readSmallFile("/proc/self/environ", All, Capacity);
    if (Length + 1 < Capacity)
      return All;
    unmapPages(All, Capacity); // there is more of it
  }
}

bool withEnvironmentVariable(const char *Name, void (*Use)(const char *Value)) {
  const size_t NameLength = strlen(Name);
  auto IsNamed = [&](const char *Entry) {
    return strncmp(Entry, Name, NameLength) == 0 && Entry[NameLength] == '=';
  };
  if (environ) {
    for (char **E = environ; *E; ++E)
      if (IsNamed(*E)) {
        Use(*E + NameLength + 1);
        return true;
      }
    return false;
  }
  // So early that libc does not know its environment yet.
  size_t Capacity, Length;
  char *All = readOwnEnvironment(Capacity, Length);
  if (!All)
    return false;
  bool Found = false;
  for (size_t I = 0; I < Length && !Found; I += strlen(All + I) + 1)
    if (IsNamed(All + I)) {
      Found = true;
      Use(All + I + NameLength + 1);
    }
  unmapPages(All, Capacity);
  return Found;
}

bool randomBytes(void *Buffer, size_t Size) {
  return syscall(SYS_getrandom, Buffer, Size, 0) == static_cast<long>(Size);
}

bool runsWithRaisedPrivileges() { return getauxval(AT_SECURE) != 0; }

Message &Message::text(const char *S) {
  if (PieceCount < kPieces)
    Pieces[PieceCount++] = S;
  return *this;
}

Message &Message::number(uint64_t N) {
  if (NumberCount == kNumbers)
    return *this;
  char *const To = Digits[NumberCount++];
  size_t I = sizeof Digits[0];
  To[--I] = 0;
  do
    To[--I] = static_cast<char>('0' + N % 10);
  while (N /= 10);
  return text(To + I);
}

void Message::emit() {
  char Line[1024];
  size_t Length = 0;
  for (unsigned I = 0; I < PieceCount; ++I)
    for (const char *S = Pieces[I]; *S && Length < sizeof Line - 1; ++S)
      Line[Length++] = *S;
  Line[Length++] = '\n';
  syscall(SYS_write, 2, Line, Length);
}

#ifdef INMEM_CHECK_LOCKS
static void requireGuard() {
  if (Thread.Guard != 0)
    return;
  Message().text("a lock is taken without the thread's guard").emit();
  __builtin_trap();
}
#else
static void requireGuard() {}
#endif

namespace {

constexpr uint64_t kSleepers = 1;
/// Then a sleeper looks again: a jump may have left a holder between releasing
/// the lock and waking it.
constexpr struct timespec kLongest = {0, 20000000};

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

// As in Drepper, "Futexes Are Tricky", with the holder's name for "held".
void Lock::acquire() {
  requireGuard();
  uint64_t Found = 0;
  if (__atomic_compare_exchange_n(&Holder, &Found, self(), false,
                                  __ATOMIC_ACQUIRE, __ATOMIC_RELAXED) ||
      isOwn())
    return;
  const int Saved = errno; // EAGAIN where the lock has come free meanwhile
  for (;;) {
    // Whoever slept does not know of others that still do.
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
  errno = Saved;
}

void Lock::release() {
  if (__atomic_exchange_n(&Holder, 0, __ATOMIC_RELEASE) & kSleepers)
    syscall(SYS_futex, lowHalf(&Holder), FUTEX_WAKE_PRIVATE, 1, nullptr,
            nullptr, 0);
}

} // namespace inmem::rt
