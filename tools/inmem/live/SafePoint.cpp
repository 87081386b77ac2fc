//===- SafePoint.cpp ------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "live/SafePoint.h"

#include <algorithm>
#include <sys/syscall.h>

namespace inmem::tools {

namespace {

/// C library functions in which a thread may hold locks that dlopen or the
/// runtime's start needs, or may be about to end.
constexpr std::string_view kUnsafeFunctions[] = {"fork",
                                                 "_Fork",
                                                 "vfork",
                                                 "dlopen",
                                                 "dlmopen",
                                                 "dlclose",
                                                 "dlsym",
                                                 "dlvsym",
                                                 "dladdr",
                                                 "dladdr1",
                                                 "dlinfo",
                                                 "dlerror",
                                                 "exit",
                                                 "quick_exit",
                                                 "_exit",
                                                 "pthread_exit",
                                                 "pthread_create",
                                                 "pthread_detach",
                                                 "__cxa_atexit",
                                                 "__cxa_finalize",
                                                 "__cxa_at_quick_exit",
                                                 "on_exit",
                                                 "daemon",
                                                 "__register_atfork",
                                                 "posix_spawn",
                                                 "posix_spawnp",
                                                 "system",
                                                 "popen",
                                                 "execve",
                                                 "dl_iterate_phdr",
                                                 "pthread_cancel",
                                                 "longjmp",
                                                 "__libc_dlopen_mode",
                                                 "pthread_key_create"};

constexpr std::string_view kAllocatorFunctions[] = {
    "malloc",      "calloc",         "realloc",       "free",
    "memalign",    "posix_memalign", "valloc",        "pvalloc",
    "malloc_trim", "mallinfo2",      "aligned_alloc", "malloc_usable_size",
    "malloc_info", "malloc_stats"};

/// True for waiting system calls in which a thread holds no C library lock that
/// its stack does not show.
bool isWaiting(int64_t Call) {
  static constexpr int64_t kCalls[] = {SYS_read,
                                       SYS_recvfrom,
                                       SYS_recvmsg,
                                       SYS_accept,
                                       SYS_accept4,
                                       SYS_nanosleep,
                                       SYS_futex,
                                       SYS_wait4,
                                       SYS_waitid,
                                       SYS_clock_nanosleep,
                                       SYS_rt_sigtimedwait,
                                       SYS_pselect6,
                                       SYS_ppoll,
                                       SYS_epoll_pwait,
                                       SYS_rt_sigsuspend,
                                       SYS_restart_syscall,
                                       SYS_flock,
                                       SYS_semtimedop,
                                       SYS_msgrcv,
                                       SYS_write,
                                       SYS_writev,
                                       SYS_sendto,
                                       SYS_sendmsg,
                                       SYS_sched_yield,
#ifdef SYS_poll
                                       SYS_poll,
                                       SYS_select,
                                       SYS_epoll_wait,
                                       SYS_pause
#endif
  };
  return std::ranges::find(kCalls, Call) != std::end(kCalls);
}

bool isIn(const std::vector<CodeRange> &Sorted, uint64_t Address) {
  const auto After =
      std::ranges::upper_bound(Sorted, Address, {}, &CodeRange::Start);
  // A few ranges may overlap.
  for (auto R = After; R != Sorted.begin();) {
    --R;
    if (R->contains(Address))
      return true;
    constexpr uint64_t kLongest = 64 << 20;
    if (Address - R->Start > kLongest)
      break;
  }
  return false;
}

/// Finds `mov $15, %rax; syscall`: __restore_rt, which other runtimes also
/// contain.
void findRestorers(uint64_t Start, std::span<const uint8_t> Bytes,
                   std::vector<uint64_t> &Into) {
  static constexpr uint8_t kCode[] = {0x48, 0xc7, 0xc0, 0x0f, 0,
                                      0,    0,    0x0f, 0x05};
  for (auto At = Bytes.begin();
       (At = std::search(At, Bytes.end(), std::begin(kCode),
                         std::end(kCode))) != Bytes.end();
       ++At)
    Into.push_back(Start + static_cast<uint64_t>(At - Bytes.begin()));
}

/// The allocator of the C library \p I; empty: it has none. Its inner functions
/// have no names: they are around the exported ones.
CodeRange allocatorOf(const RemoteImage &I) {
  constexpr uint64_t kBelow = 16 << 10, kAbove = 1 << 10;
  CodeRange Out = {UINT64_MAX, 0};
  for (const std::string_view Name : kAllocatorFunctions)
    if (const CodeRange Code = I.find(Name); Code.Start) {
      Out.Start = std::min(Out.Start, Code.Start - kBelow);
      Out.End = std::max(Out.End, Code.End + kAbove);
    }
  return Out.End ? Out : CodeRange{};
}

} // namespace

bool endsWithCall(std::span<const uint8_t> Before) {
  const auto Back = [&](size_t N) {
    return N <= Before.size() ? Before[Before.size() - N] : uint8_t{0};
  };
  if (Back(5) == 0xe8)
    return true;
  // FF /2: a call through a register or memory, with any displacement.
  constexpr uint8_t kRegister = 0x38, kCall = 0x10;
  for (const size_t Length : {2u, 3u, 4u, 6u, 7u})
    if (Back(Length) == 0xff && (Back(Length - 1) & kRegister) == kCall)
      return true;
  return false;
}

const SafePointRules::KnownCode &SafePointRules::know(const CodeRange &Code) {
  constexpr uint64_t kMost = 64 << 20;
  const auto Is = std::ranges::find(Known, Code.Start, &KnownCode::Start);
  if (Is != Known.end())
    return *Is;
  KnownCode &Out = Known.emplace_back(KnownCode{Code.Start, {}});
  Out.Bytes.resize(std::min<uint64_t>(Code.End - Code.Start, kMost));
  Out.Bytes.resize(Read(Code.Start, Out.Bytes.data(), Out.Bytes.size()));
  return Out;
}

void SafePointRules::addImage(const RemoteImage &I, bool IsProgram) {
  const auto AddAll = [&](std::vector<CodeRange> &To) {
    To.insert(To.end(), I.Code.begin(), I.Code.end());
    for (const CodeRange &Code : I.Code)
      know(Code);
  };
  if (I.find("__inmem_attach").Start)
    return AddAll(Runtime); // it also defines malloc
  const bool IsAllocator = I.find("malloc").Start && I.find("free").Start;
  if (I.isNamed("ld-linux") || I.isNamed("ld-2.") ||
      (IsAllocator && !I.isLibc()))
    AddAll(Unsafe);
  if (I.isNamed("libgcc_s") || I.isNamed("[vdso]"))
    Library.insert(Library.end(), I.Code.begin(), I.Code.end());
  if (I.isLibc() || I.isNamed("libpthread") || I.isNamed("libdl")) {
    AddAll(Library);
    for (const RemoteImage::Symbol &S : I.Exported)
      if (std::ranges::find(kUnsafeFunctions, S.Name) !=
          std::end(kUnsafeFunctions))
        Unsafe.push_back(S.Code);
  }
  if (I.isLibc())
    if (const CodeRange Allocator = allocatorOf(I); Allocator.End)
      Unsafe.push_back(Allocator);
  if (I.isLibc() || IsProgram)
    for (const CodeRange &Code : I.Code)
      findRestorers(Code.Start, know(Code).Bytes, Restorers);
}

SafePointRules::SafePointRules(const std::vector<RemoteImage> &Images,
                               Reader ReadCode)
    : Read(std::move(ReadCode)) {
  for (const RemoteImage &I : Images)
    addImage(I, &I == &Images.front());
  for (std::vector<CodeRange> *Ranges : {&Unsafe, &Library, &Runtime}) {
    std::ranges::sort(*Ranges, {}, &CodeRange::Start);
    for (const CodeRange &R : *Ranges)
      Noted = {std::min(Noted.Start, R.Start), std::max(Noted.End, R.End)};
  }
  std::ranges::sort(Restorers);
  std::ranges::sort(Known, {}, &KnownCode::Start);
}

bool SafePointRules::followsCall(uint64_t Address) const {
  constexpr size_t kLongest = 7;
  const auto After =
      std::ranges::upper_bound(Known, Address, {}, &KnownCode::Start);
  if (After != Known.begin()) {
    const KnownCode &Code = *std::prev(After);
    const uint64_t Offset = Address - Code.Start;
    if (Offset >= kLongest && Offset <= Code.Bytes.size())
      return endsWithCall(
          std::span(Code.Bytes).subspan(Offset - kLongest, kLongest));
  }
  uint8_t Before[kLongest];
  return Read(Address - sizeof Before, Before, sizeof Before) !=
             sizeof Before ||
         endsWithCall(Before);
}

bool SafePointRules::isInRuntime(const StoppedThread &T) const {
  if (isIn(Runtime, T.Pc))
    return true;
  // The runtime calls the program only to start a thread, or in its operators.
  if (!isIn(Library, T.Pc) && !isIn(Unsafe, T.Pc))
    return false;
  // Its own frames are small, and so are its callees' frames.
  constexpr size_t kNear = 128;
  const auto Near = T.Stack.first(std::min(kNear, T.Stack.size()));
  return std::ranges::any_of(Near, [&](uint64_t Word) {
    return isIn(Runtime, Word) && followsCall(Word);
  });
}

/// The runtime starts threads, so its frame among the outermost three does not
/// count.
bool SafePointRules::returnsToRuntime(std::span<const uint64_t> Returns) const {
  constexpr size_t kStart = 3;
  for (size_t I = 0; I + kStart < Returns.size(); ++I)
    if (isIn(Runtime, Returns[I] - 1))
      return true;
  return false;
}

bool SafePointRules::isOutsideRuntime(const StoppedThread &T) const {
  // A handler may have interrupted the runtime on another stack. If a large
  // stack was cut, the rest is unknown.
  if (isIn(Runtime, T.Pc) || isInHandler(T) || T.StackIsCut)
    return false;
  return std::ranges::none_of(T.Stack, [&](uint64_t Word) {
    return Noted.contains(Word) && isIn(Runtime, Word) && followsCall(Word);
  });
}

bool SafePointRules::isOutsideRuntime(const StoppedThread &T,
                                      std::span<const uint64_t> Returns) const {
  return !isIn(Runtime, T.Pc) && !returnsToRuntime(Returns) &&
         std::ranges::none_of(Returns, [&](uint64_t Address) {
           return std::ranges::binary_search(Restorers, Address);
         });
}

bool SafePointRules::isInHandler(const StoppedThread &T) const {
  return std::ranges::any_of(T.Stack, [&](uint64_t Word) {
    return std::ranges::binary_search(Restorers, Word);
  });
}

bool SafePointRules::isAtSafePc(const StoppedThread &T) const {
  // Within the C library, functions without a name may hold its locks.
  return !isIn(Unsafe, T.Pc) && (!isIn(Library, T.Pc) || isWaiting(T.Syscall));
}

bool SafePointRules::isSafe(const StoppedThread &T,
                            std::span<const uint64_t> Returns) const {
  if (!isAtSafePc(T) || isIn(Runtime, T.Pc) || returnsToRuntime(Returns))
    return false;
  return std::ranges::none_of(Returns, [&](uint64_t Address) {
    return isIn(Unsafe, Address - 1) ||
           std::ranges::binary_search(Restorers, Address);
  });
}

bool SafePointRules::isSafe(const StoppedThread &T) const {
  if (!isAtSafePc(T) || isInRuntime(T) || isInHandler(T))
    return false;
  return std::ranges::none_of(T.Stack, [&](uint64_t Word) {
    return Noted.contains(Word) && isIn(Unsafe, Word) && followsCall(Word);
  });
}

} // namespace inmem::tools
