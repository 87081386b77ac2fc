//===- StackCache.cpp -----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stacks/StackCache.h"

#include "inmem/abi.h"
#include "platform/Message.h"
#include "registry/RecordBuilder.h"
#include "stacks/Stacks.h"
#include "state/Runtime.h"
#include "state/ThreadRows.h"
#include "state/TraceFile.h"

#include <string.h>

namespace inmem::rt {

using namespace trace;

constinit StackCounts StacksFound = {};

namespace {

bool checksAll() {
  return Process.Config.CheckStacks.Index == Options::CheckStacksOn;
}

void countFound(uint64_t &Counter) {
  if (checksAll())
    __atomic_fetch_add(&Counter, 1, __ATOMIC_RELAXED);
}

/// Of INMEM_CONTEXT_FACTOR, modulo 2^64.
constexpr uint64_t inverseFactor() {
  uint64_t Inverse = 1;
  for (int I = 0; I < 6; ++I) // each step doubles the bits that are right
    Inverse *= 2 - INMEM_CONTEXT_FACTOR * Inverse;
  return Inverse;
}
static_assert(INMEM_CONTEXT_FACTOR * inverseFactor() == 1);

/// \returns the first frame whose return address and those of all further ones,
/// up to the thread's first function with contexts, make up \p Context; 0:
/// none. Its callee is the innermost function that stores contexts.
unsigned firstInContext(const Retrace &R, uint64_t Context, unsigned Most) {
  const unsigned Count = R.Count + R.Complete; // main returns to start-up code
  for (unsigned First = 1; First < Count && First <= Most; ++First) {
    uint64_t Left = Context;
    for (unsigned I = First; I < Count; ++I) {
      const CodeAddress Frame = I < R.Count ? R.Frames[I] : R.End;
      if (!(Left = (Left - (Frame + 1)) * inverseFactor()))
        return First;
    }
  }
  return 0;
}

/// True if learning does not pay: most of what was learned is not met again.
bool learnsInVain(StackCache &C) {
  constexpr uint32_t kFirst = 4096, kEachCheck = 128, kOneIn = 64;
  return C.Learned > kFirst + C.Checked * kEachCheck &&
         ++C.Missed % kOneIn != 0;
}

/// Keeps the stack that \p R retraced as far as \p NumWords of its words and
/// \p Frames frames matter; the rest is known by \p Context.
template <class Table>
void insert(Table &T, const HookCaller &At, const Retrace &R, unsigned NumWords,
            unsigned Frames, uint64_t Context, uint32_t Site, uint32_t Id) {
  if (NumWords > Table::Entry::kMost)
    return;
  const size_t Set = Table::setOf(At, Context);
  constexpr size_t kWays = sizeof T.Sets[0] / sizeof T.Sets[0][0];
  typename Table::Entry &E = T.Sets[Set][T.Next[Set]++ % kWays];
  E = {};
  // The last word again where there are fewer than a group has.
  for (unsigned I = 0; I < NumWords || I % StackWords::kCount != 0; ++I) {
    const Retrace::Word &Word = R.Words[I < NumWords ? I : NumWords - 1];
    StackWords &Group = E.Groups[I / StackWords::kCount];
    const uintptr_t Offset = Word.Address - At.Sp;
    if (Offset > UINT32_MAX)
      return;
    Group.Offsets[I % StackWords::kCount] = static_cast<uint32_t>(Offset);
    Group.Values[I % StackWords::kCount] = Word.Value;
    E.NumGroups = static_cast<uint16_t>(I / StackWords::kCount + 1);
  }
  E.At = At;
  E.Context = Context;
  E.Site = Site;
  E.Id = Id;
  E.UsesFp = R.FpFrom < Frames;
}

/// Keeps the stack that \p S has just walked.
void learn(StackState &S, const HookCaller &At, uint32_t Site, uint32_t Id) {
  StackCache &C = S.Cache;
  const StackWalk &W = S.Walked;
  const uint64_t Context = __inmem_context;
  const auto Depth = static_cast<unsigned>(Process.Config.Stacks);
  if (W.Count == 0 || threadHasEnded() || learnsInVain(C))
    return;
  Retrace &R = C.Trace;
  retrace(S.Unwind, {At.Return - 1, At.Sp, At.Fp, 0}, R,
          Context || Depth >= kMaxDepth ? kMaxDepth : Depth + 1);
  if (R.Count == 0)
    return;
  for (unsigned I = 0; I < W.Count && I < R.Count; ++I)
    if (W.Frames[I] != R.Frames[I])
      return;
  ++C.Learned;
  C.Used = true;
  if (Context)
    if (unsigned First = firstInContext(R, Context, 6))
      return insert(C.Contexts, At, R, R.Before[First - 1], First - 1, Context,
                    Site, Id);
  if (R.Count > Depth)
    insert(C.Words, At, R, R.Before[Depth], Depth, 0, Site, Id);
  else if (R.Complete)
    insert(C.Words, At, R, R.NumWords, R.Count, 0, Site, Id);
}

void learnExit(StackCache &C, uintptr_t Return) {
  HookExit Exit = {Return, 0, 0};
  if (!hookExit(Return, Exit.Cfa, Exit.SavedFp))
    return;
  C.Exits[StackCache::exitOf(Return)] = Exit;
  C.Used = true;
}

INMEM_COLD void sayStackDiffered() {
  static constinit uint32_t Said = 0;
  if (__atomic_exchange_n(&Said, 1, __ATOMIC_RELAXED))
    return;
  constexpr const char *kText = "stacks= took one stack for another; what was "
                                "counted before may have the wrong callers";
  Message().text(kText).emit();
  Locked L(Process.Mutex);
  addWarning(kText);
}

} // namespace

uint32_t siteWithNewStack(ThreadState &T, uint32_t Site, uintptr_t Frame) {
  const uint32_t Id = siteWithStack(T, Site);
  StackState *S = T.Rows->Stacks;
  countFound(StacksFound.Walked);
  if (!S || S->Generation != codeGeneration())
    return Id;
  HookCaller At = S->Cache.callerOf(Frame);
  if (!At.Return) {
    learnExit(S->Cache, reinterpret_cast<const uintptr_t *>(Frame)[1]);
    At = S->Cache.callerOf(Frame);
  }
  // A hook may have called another one.
  if (At.Return && !isHook(At.Return))
    learn(*S, At, Site, Id);
  return Id;
}

uint32_t siteChecked(ThreadState &T, uint32_t Site, uint32_t &Known,
                     bool ByContext) {
  constexpr uint32_t kBetween = 1023;
  const uint32_t Before = Known;
  const uint32_t Id = siteWithStack(T, Site);
  StackCache &C = T.Rows->Stacks->Cache;
  C.ToCheck = checksAll() ? 0 : kBetween;
  ++C.Checked;
  countFound(ByContext ? StacksFound.ByContext : StacksFound.ByWords);
  if (Before && Before != Id) {
    Known = 0; // two stacks look alike: walk
    memset(C.Quick, 0, sizeof C.Quick);
    __atomic_fetch_add(&StacksFound.Wrong, 1, __ATOMIC_RELAXED);
    sayStackDiffered();
  }
  return Id;
}

uint32_t *foundByContext(StackCache &C, uint32_t Site, const HookCaller &From,
                         uintptr_t Frame) {
  const uint64_t Context = __inmem_context;
  auto *Found = C.Contexts.find(From, Site, Context);
  if (!Found)
    return nullptr;
  if (Found->NumGroups == 0 && Found->Id && C.ToCheck)
    C.Quick[StackCache::quickOf(Frame, Site, Context)] = {
        Context,
        Frame,
        reinterpret_cast<const uintptr_t *>(Frame)[1],
        From.Return,
        Site,
        Found->Id,
        static_cast<uint32_t>(From.Sp - 8 - Frame)};
  return &Found->Id;
}

uint32_t *foundByWords(StackCache &C, uint32_t Site, uintptr_t Return,
                       uintptr_t Sp, uintptr_t Fp) {
  auto *Found = C.Words.find({Return, Sp, Fp}, Site, 0);
  return Found ? &Found->Id : nullptr;
}

uint32_t siteWithStackAt(ThreadState &T, uint32_t Site, uintptr_t Frame) {
  StackState *S = T.Rows->Stacks;
  if (INMEM_UNLIKELY(!S || S->Generation != codeGeneration()))
    return siteWithNewStack(T, Site, Frame);
  StackCache &C = S->Cache;
  const HookCaller From = C.callerOf(Frame);
  if (INMEM_UNLIKELY(!From.Return))
    return siteWithNewStack(T, Site, Frame);
  uint32_t *Id =
      __inmem_context ? foundByContext(C, Site, From, Frame) : nullptr;
  const bool ByContext = Id != nullptr;
  if (!Id)
    Id = foundByWords(C, Site, From.Return, From.Sp, From.Fp);
  if (INMEM_UNLIKELY(!Id))
    return siteWithNewStack(T, Site, Frame);
  if (INMEM_UNLIKELY(C.ToCheck == 0 || *Id == 0))
    return siteChecked(T, Site, *Id, ByContext);
  --C.ToCheck;
  return *Id;
}

void forgetCachedStacks(StackState &S) {
  if (S.Cache.Used)
    memset(&S.Cache, 0, sizeof S.Cache);
}

void reportStackCounts() {
  if (!checksAll())
    return;
  const StackCounts &C = StacksFound;
  Message()
      .text("check_stacks: known by context ")
      .number(C.ByContext)
      .text(", by words ")
      .number(C.ByWords)
      .text(", walked ")
      .number(C.Walked)
      .text(", wrong ")
      .number(C.Wrong)
      .emit();
}

} // namespace inmem::rt
