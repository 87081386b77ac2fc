//===- Samples.cpp - Where threads were -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/model/Accumulators.h"
#include "report/model/Match.h"
#include "report/model/View.h"
#include "report/names/TypeName.h"

#include <array>
#include <elf.h>
#include <set>

namespace inmem::report {

using trace::Trace;

namespace {

/// System calls that threads usually wait in, by number.
struct CallName {
  int X86, Arm;
  std::string_view Name;
};
constexpr CallName kCalls[] = {{0, 63, "read"},
                               {1, 64, "write"},
                               {7, -2, "poll"},
                               {23, -2, "select"},
                               {35, 101, "nanosleep"},
                               {34, -2, "pause"},
                               {42, 203, "connect"},
                               {43, 202, "accept"},
                               {44, 206, "sendto"},
                               {45, 207, "recvfrom"},
                               {46, 211, "sendmsg"},
                               {47, 212, "recvmsg"},
                               {61, 260, "wait4"},
                               {72, 25, "fcntl"},
                               {73, 32, "flock"},
                               {74, 82, "fsync"},
                               {75, 83, "fdatasync"},
                               {128, 137, "rt_sigtimedwait"},
                               {130, 133, "rt_sigsuspend"},
                               {17, 67, "pread64"},
                               {18, 68, "pwrite64"},
                               {19, 65, "readv"},
                               {20, 66, "writev"},
                               {202, 98, "futex"},
                               {219, 128, "restart_syscall"},
                               {230, 115, "clock_nanosleep"},
                               {232, -2, "epoll_wait"},
                               {247, 95, "waitid"},
                               {270, 72, "pselect6"},
                               {271, 73, "ppoll"},
                               {281, 22, "epoll_pwait"},
                               {288, 242, "accept4"},
                               {16, 29, "ioctl"},
                               {9, 222, "mmap"},
                               {11, 215, "munmap"},
                               {257, 56, "openat"},
                               {449, 449, "futex_waitv"}};

std::string nameOf(const trace::Wait &W) {
  if (W.Call < 0)
    return "no system call";
  std::string Out = "system call " + std::to_string(W.Call);
  for (const CallName &C : kCalls)
    if ((W.Machine == EM_AARCH64 ? C.Arm : C.X86) == W.Call)
      Out = C.Name;
  return W.Target.empty() ? Out : Out + " " + std::string(W.Target);
}

bool isAllocator(std::string_view Function) {
  static const std::set<std::string_view> kNames = {"malloc",
                                                    "free",
                                                    "calloc",
                                                    "realloc",
                                                    "_int_malloc",
                                                    "_int_free",
                                                    "_int_realloc",
                                                    "malloc_consolidate",
                                                    "unlink_chunk",
                                                    "sysmalloc",
                                                    "systrim",
                                                    "tcache_get",
                                                    "tcache_put",
                                                    "cfree",
                                                    "__libc_malloc",
                                                    "__libc_free",
                                                    "__libc_calloc",
                                                    "__libc_realloc",
                                                    "aligned_alloc",
                                                    "memalign",
                                                    "posix_memalign",
                                                    "_int_free_merge_chunk",
                                                    "_int_free_create_chunk",
                                                    "tcache_init",
                                                    "arena_get2"};
  return kNames.contains(Function) || Function.starts_with("operator new") ||
         Function.starts_with("operator delete") ||
         Function.starts_with("__inmem_");
}

bool isOfSystem(const SourceLocation &P) {
  return P.Line == 0 || P.File.starts_with("/usr/") ||
         P.File.starts_with("/build/") || P.File.starts_with("./") ||
         P.File.starts_with("../sysdeps/");
}

std::vector<std::string> globsOf(std::string_view List) {
  std::vector<std::string> Out;
  for (size_t From = 0; From < List.size();) {
    const size_t Comma = std::min(List.find(',', From), List.size());
    if (Comma > From)
      Out.emplace_back(List.substr(From, Comma - From));
    From = Comma + 1;
  }
  return Out;
}

std::vector<std::pair<std::string, uint64_t>>
mostFirst(const std::map<std::string, uint64_t> &From) {
  std::vector<std::pair<std::string, uint64_t>> To(From.begin(), From.end());
  std::stable_sort(To.begin(), To.end(), [](const auto &A, const auto &B) {
    return A.second > B.second;
  });
  return To;
}

bool matchesAny(const std::vector<std::string> &Globs, std::string_view Name) {
  return std::any_of(Globs.begin(), Globs.end(), [&](const std::string &G) {
    return matchesGlob(G, Name) || matchesGlob(G, bareFunction(Name));
  });
}

/// Functions of one trace's samples.
class FunctionSums {
public:
  FunctionSums(const CallStacks &Calls, const trace::Profiling &How)
      : Calls(Calls), Include(globsOf(How.Include)),
        Exclude(globsOf(How.Exclude)) {}

  std::map<std::string, SampledFunction> All;

  /// \p Leaf was interrupted. It is inside \p Shown, the last of \p Frames, or
  /// that frame itself.
  void addLeaf(const StackFrame &Leaf, const StackFrame &Shown,
               uint64_t Count) {
    if (Leaf.Offset)
      Offsets[Shown.Where.Function][*Leaf.Offset] += Count;
  }
  /// \p Frames: outermost first.
  void add(const std::vector<uint32_t> &Frames, bool InAllocator, bool Blocked,
           uint64_t Count) {
    std::set<std::string_view> Seen;
    bool Leaf = true, Found = false;
    for (size_t I = Frames.size(); I-- > 0;) {
      const StackFrame &F = Calls.Frames[Frames[I]];
      if (!isCode(F))
        continue;
      SampledFunction &Of = All[F.Where.Function];
      if (Of.Where.Function.empty())
        Of.Where = F.Where;
      if (Leaf) {
        Of.Self += Count;
        if (InAllocator || isAllocator(F.Where.Function))
          addAllocator(Frames, I, Count);
        Leaf = false;
      }
      if (!Found && mayMatter(F.Where)) {
        Of.Interesting += Count;
        Of.Where = F.Where;
        Found = true;
      }
      if (!Seen.insert(F.Where.Function).second)
        continue; // recursion
      Of.Total += Count;
      (Blocked ? Of.Blocked : Of.Running) += Count;
    }
  }

  /// Rows by name, with the offsets in their modules that have most samples.
  std::vector<SampledFunction> take() {
    std::vector<SampledFunction> Out;
    for (auto &[Name, F] : All) {
      auto &Own = Offsets[Name];
      for (const auto &[Offset, Self] : F.Offsets)
        Own[Offset] += Self;
      F.Offsets.assign(Own.begin(), Own.end());
      std::ranges::stable_sort(F.Offsets, std::greater(),
                               &std::pair<uint64_t, uint64_t>::second);
      Out.push_back(std::move(F));
    }
    return Out;
  }

private:
  static bool isCode(const StackFrame &F) {
    return F.How != StackFrame::Kind::Cut && F.How != StackFrame::Kind::Lost &&
           F.How != StackFrame::Kind::Signal;
  }

  /// The allocator runs in frame \p Leaf for the function that a site there
  /// would show (SiteRows.cpp), so that its bytes are on the same row: in the
  /// inlined chain that called it, the first function in the user's code,
  /// otherwise the last one.
  void addAllocator(const std::vector<uint32_t> &Frames, size_t Leaf,
                    uint64_t Count) {
    for (size_t I = Leaf + 1; I-- > 0;) {
      const StackFrame &F = Calls.Frames[Frames[I]];
      if (!isCode(F) || isAllocator(F.Where.Function))
        continue;
      if (F.How == StackFrame::Kind::Inlined && I > 0 &&
          !isUserPath(F.Where.File))
        continue;
      All[F.Where.Function].Allocator += Count;
      return;
    }
  }

  bool mayMatter(const SourceLocation &P) const {
    return (Include.empty() ? !isOfSystem(P)
                            : matchesAny(Include, P.Function)) &&
           !matchesAny(Exclude, P.Function);
  }

  const CallStacks &Calls;
  std::vector<std::string> Include, Exclude;
  /// Offsets in modules, by name, with the Self of each.
  std::map<std::string, std::map<uint64_t, uint64_t>> Offsets;
};

} // namespace

void SampleSums::add(const Trace &T) {
  if (T.Samples.empty())
    return;
  if (Options.inPhase() || Options.Lived) {
    Out.SamplesOfWholeRun = true;
    return;
  }
  const auto HowOf = [&](const trace::ProfileCell &C) {
    return C.Session > 0 && C.Session <= T.Profilings.size()
               ? T.Profilings[C.Session - 1]
               : trace::Profiling{};
  };
  const auto ClockOf = [](const trace::Profiling &How) {
    return How.Clock == trace::ProfileClock::Cpu ? "cpu" : "wall";
  };
  const trace::Profiling Last = HowOf(T.Samples.back());
  if (!Out.Samples) {
    Out.Samples.emplace();
    Out.Samples->Clock = ClockOf(Last);
    Out.Samples->IntervalNs = Last.IntervalNs;
  }
  Sampled &S = *Out.Samples;
  FunctionSums Functions(Out.Calls, Last);
  for (SampledFunction &F : S.Functions)
    Functions.All.emplace(F.Where.Function, F);
  std::map<std::string, uint64_t> Threads(S.Threads.begin(), S.Threads.end());
  std::map<std::string, uint64_t> Waits(S.Waits.begin(), S.Waits.end());
  std::map<
      std::tuple<std::vector<uint32_t>, uint32_t, std::string, std::string>,
      size_t>
      Rows; ///< S.Stacks by frames, thread and state
  for (const trace::ProfileCell &C : T.Samples) {
    const trace::Profiling How = HowOf(C);
    if (ClockOf(How) != S.Clock || How.IntervalNs != S.IntervalNs) {
      S.Other += C.Count;
      continue;
    }
    const bool Known = C.Lifetime > 0 && C.Lifetime < T.LivedThreads.size();
    if (!Options.ThreadGlobs.empty() &&
        !(Known && selectsThread(Options, T.LivedThreads[C.Lifetime])))
      continue;
    S.Samples += C.Count;
    if (C.Flags & trace::kProfileBlocked)
      S.SignalBlocked += C.Count;
    if (C.Flags & trace::kProfileDropped)
      S.Dropped += C.Count;
    const std::string Thread(Known ? T.LivedThreads[C.Lifetime].Name : "");
    const uint32_t Tid = Known ? T.LivedThreads[C.Lifetime].Tid : 0;
    if (!Thread.empty())
      Threads[Thread] += C.Count;
    if (C.Stack == 0)
      continue;
    const bool Blocked = C.Wait != 0;
    S.Unwound += C.Count;
    (Blocked ? S.Blocked : S.Running) += C.Count;
    const std::string State = Blocked && C.Wait < T.Waits.size()
                                  ? nameOf(T.Waits[C.Wait])
                                  : "running";
    if (Blocked)
      Waits[State] += C.Count;
    const std::vector<uint32_t> Frames = Calls.framesOf(T, C.Stack);
    const std::vector<uint32_t> Callers = Calls.byModule(Frames);
    if (!Frames.empty())
      Functions.addLeaf(Out.Calls.Frames[Frames.back()],
                        Out.Calls.Frames[Callers.back()], C.Count);
    const auto [At, New] =
        Rows.try_emplace({Callers, Tid, Thread, State}, S.Stacks.size());
    if (New)
      S.Stacks.push_back({Callers, Thread, State, 0, Tid});
    S.Stacks[At->second].Count += C.Count;
    // The runtime is between the program and the allocator.
    Functions.add(
        Callers,
        isRuntime(T.module(T.address(T.stack(C.Stack).Address).Module)),
        Blocked, C.Count);
  }
  S.Functions = Functions.take();
  S.Threads = mostFirst(Threads);
  S.Waits = mostFirst(Waits);
}

void SampleSums::finish() {
  if (!Out.Samples)
    return;
  std::map<std::string_view, std::pair<uint64_t, uint64_t>> Made;
  for (const SiteResult &S : Out.Sites) {
    auto &[Blocks, Bytes] = Made[S.Where.Function];
    Blocks += S.Sum.Allocations;
    Bytes += S.Sum.AllocatedBytes;
  }
  for (SampledFunction &F : Out.Samples->Functions)
    if (const auto Found = Made.find(F.Where.Function); Found != Made.end())
      std::tie(F.Allocations, F.AllocatedBytes) = Found->second;
  std::sort(Out.Samples->Functions.begin(), Out.Samples->Functions.end(),
            [](const SampledFunction &A, const SampledFunction &B) {
              return std::tuple(B.Self, B.Total, A.Where.Function) <
                     std::tuple(A.Self, A.Total, B.Where.Function);
            });
}

} // namespace inmem::report
