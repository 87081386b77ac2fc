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

/// The inverse of INMEM_CONTEXT_FACTOR, modulo 2^64.
constexpr uint64_t inverseFactor() {
  uint64_t Inverse = 1;
  for (int I = 0; I < 6; ++I) // each step doubles the correct bits
    Inverse *= 2 - INMEM_CONTEXT_FACTOR * Inverse;
  return Inverse;
}
static_assert(INMEM_CONTEXT_FACTOR * inverseFactor() == 1);

/// Returns the first frame from which the return addresses, up to the thread's
/// first function with contexts, make up \p Context; 0 if there is none. Its
/// callee is the innermost function that stores contexts.
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

/// Returns true if learning does not pay, because most learned stacks do not
/// recur. Checked grows by one for 1024 stacks found, so the limit is eight
/// finds for each stack learned. Beyond it, one in 64 is still learned.
bool learnsInVain(StackCache &C) {
  constexpr uint32_t kFirst = 4096, kEachCheck = 128, kOneIn = 64;
  return C.Learned > kFirst + C.Checked * kEachCheck &&
         ++C.Missed % kOneIn != 0;
}

/// The location at which a stack was walked.
struct StackPosition {
  HookFrame Hook;
  HookCaller At;
  uint32_t Site, Id;
};

/// Fills a group with the \p Count words at \p From. If there are fewer than a
/// group holds, repeats the last one.
void fill(StackWords &Group, const Retrace::Word *From, unsigned Count,
          uintptr_t Base) {
  for (unsigned I = 0; I < StackWords::kCount; ++I) {
    const Retrace::Word &Word = From[I < Count ? I : Count - 1];
    Group.Offsets[I] = static_cast<uint32_t>(Word.Address - Base);
    Group.Values[I] = Word.Value;
  }
}

/// Caches the stack that \p R retraced, by \p Context and the words that lead
/// to its frame \p Frames.
void keepByContext(StackCache &C, const StackPosition &Of, const Retrace &R,
                   unsigned Frames, uint64_t Context) {
  const unsigned NumWords = R.Before[Frames];
  if (NumWords > ContextStack::kMostWords)
    return;
  const HookCaller &At = Of.At;
  ContextStack &E = C.Contexts.oldest(StackCache::contextKey(At, Context));
  E = {};
  if (NumWords && R.Words[NumWords - 1].Address - At.Sp > UINT32_MAX)
    return;
  if (NumWords)
    fill(E.Words, R.Words, NumWords, At.Sp);
  E.HasWords = NumWords > 0;
  E.UsesFp = R.FpFrom < Frames;
  E.At = At;
  E.Context = Context;
  E.Known = {Of.Site, Of.Id, {}};
}

/// Adds the words between \p Of.Hook and the hook's caller, which depend on
/// the frame pointer if \p UsesFp, and orders all by address.
void addHookWords([[maybe_unused]] const StackCache &C, const StackPosition &Of,
                  bool UsesFp, Retrace &R, unsigned &NumWords) {
  const uintptr_t Base = Of.Hook.Base;
#if defined(__aarch64__)
  R.Words[NumWords++] = {Base + 8, Of.At.Return};
  if (UsesFp)
    R.Words[NumWords++] = {Base, Of.At.Fp};
#else
  const uintptr_t Sp = Of.At.Sp, InHook = Of.Hook.inHook();
  R.Words[NumWords++] = {Base + 8, InHook};
  R.Words[NumWords++] = {Sp - 8, Of.At.Return};
  if (UsesFp) {
    const int32_t Saved = C.Exits[StackCache::exitOf(InHook)].SavedFp;
    R.Words[NumWords++] = {
        Saved ? Sp + static_cast<uintptr_t>(intptr_t{Saved}) : Base, Of.At.Fp};
  }
#endif
  for (unsigned I = 1; I < NumWords; ++I)
    for (unsigned At = I;
         At > 0 && R.Words[At].Address < R.Words[At - 1].Address; --At) {
      const Retrace::Word Word = R.Words[At];
      R.Words[At] = R.Words[At - 1];
      R.Words[At - 1] = Word;
    }
}

/// Returns true if word \p I and the next one are a pair at or above \p From.
/// The hook has just stored the words below in 8-byte stores, from which a
/// processor cannot forward a 16-byte load.
bool isPair(const Retrace &R, unsigned I, unsigned NumWords, uintptr_t From) {
  return I + 1 < NumWords && R.Words[I].Address >= From &&
         R.Words[I + 1].Address == R.Words[I].Address + 8;
}

/// \returns the number of pairs to compare as such: a group of four costs what
/// six words do.
unsigned pairsToUse(const Retrace &R, unsigned NumWords, uintptr_t From) {
  unsigned Pairs = 0;
  for (unsigned I = 0; I < NumWords; ++I)
    if (isPair(R, I, NumWords, From))
      ++Pairs, ++I;
  const unsigned Rest = Pairs % StackPairs::kCount;
  return Rest < 3 ? Pairs - Rest : Pairs;
}

/// Caches the stack that \p R retraced, by the first \p NumWords of its words,
/// which lead to its frame \p Frames. Sorts the words.
void keepByWords(StackCache &C, const StackPosition &Of, Retrace &R,
                 unsigned NumWords, unsigned Frames) {
  addHookWords(C, Of, R.FpFrom < Frames, R, NumWords);
  const uintptr_t Base = Of.Hook.Base;
#if defined(__aarch64__)
  const uintptr_t From = Base; // frame records are stored as register pairs
#else
  const uintptr_t From = Of.At.Sp;
#endif
  const unsigned Pairs = pairsToUse(R, NumWords, From);
  const unsigned PairGroups = (Pairs + 3) / StackPairs::kCount;
  const unsigned Singles = NumWords - 2 * Pairs;
  const unsigned WordGroups = (Singles + 3) / StackWords::kCount;
  const size_t PairsEnd = PairGroups * sizeof(StackPairs),
               WordsEnd = PairsEnd + WordGroups * sizeof(StackWords);
  if (WordsEnd > sizeof(WordStack::Words) ||
      R.Words[NumWords - 1].Address - Base > UINT32_MAX)
    return;
  WordStack &E = C.Words.oldest(StackCache::wordsKey(Of.Hook, Of.Site));
  memset(&E, 0, sizeof E);
  auto *PairsAt = reinterpret_cast<StackPairs *>(E.Words);
  unsigned Paired = 0, Left = 0;
  for (unsigned I = 0; I < NumWords; ++I) {
    const Retrace::Word &Word = R.Words[I];
    if (Paired == Pairs || !isPair(R, I, NumWords, From)) {
      R.Words[Left++] = Word;
      continue;
    }
    // The last pair fills its group.
    const unsigned Until =
        ++Paired < Pairs ? Paired : PairGroups * StackPairs::kCount;
    for (unsigned P = Paired - 1; P < Until; ++P) {
      StackPairs &Group = PairsAt[P / StackPairs::kCount];
      Group.Offsets[P % StackPairs::kCount] =
          static_cast<uint32_t>(Word.Address - Base);
      Group.Values[P % StackPairs::kCount][0] = Word.Value;
      Group.Values[P % StackPairs::kCount][1] = R.Words[I + 1].Value;
    }
    ++I;
  }
  auto *WordsAt = reinterpret_cast<StackWords *>(E.Words + PairsEnd);
  for (unsigned I = 0; I < Left; I += StackWords::kCount)
    fill(*WordsAt++, R.Words + I, Left - I, Base);
  E.PairsEnd = E.Words + PairsEnd;
  E.WordsEnd = E.Words + WordsEnd;
  E.At = Of.Hook;
  E.Known = {Of.Site, Of.Id, {}};
}

/// Caches the stack that \p S has just walked.
void learn(StackState &S, const StackPosition &Of) {
  StackCache &C = S.Cache;
  const HookCaller &At = Of.At;
  const StackWalk &W = S.Walked;
  const uint64_t Context = __inmem_context;
  const auto Depth = static_cast<unsigned>(Process.Config.Stacks);
  if (W.Count == 0 || threadHasEnded() || learnsInVain(C))
    return;
  Retrace &R = C.Trace;
  retrace(S.Unwind, {withoutSignature(At.Return) - 1, At.Sp, At.Fp, 0}, R,
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
      return keepByContext(C, Of, R, First - 1, Context);
  if (R.Count > Depth)
    keepByWords(C, Of, R, R.Before[Depth], Depth);
  else if (R.Complete)
    keepByWords(C, Of, R, R.NumWords, R.Count);
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

/// As siteWithStack(), and caches the walked stack.
INMEM_COLD uint32_t siteWithNewStack(ThreadState &T, uint32_t Site,
                                     HookFrame Hook) {
  const uint32_t Id = siteWithStack(T, Site);
  StackState *S = T.Rows->Stacks;
  countFound(StacksFound.Walked);
  if (!S || S->Generation != codeGeneration())
    return Id;
  HookCaller At = S->Cache.callerOf(Hook);
  if (!At.Return) {
    learnExit(S->Cache, Hook.inHook());
    At = S->Cache.callerOf(Hook);
  }
  // A hook may have called another one.
  if (At.Return && !isHook(withoutSignature(At.Return)))
    learn(*S, {Hook, At, Site, Id});
  return Id;
}

/// As siteWithStack(), and compares the result with \p Known from the cache.
INMEM_COLD uint32_t siteChecked(ThreadState &T, uint32_t Site,
                                KnownStack &Known, bool ByContext) {
  // One in 1024 of the stacks that were found is walked all the same. If the
  // walk differs, the trace gets a warning and the entry is walked from then
  // on, so that a wrong match cannot last.
  constexpr int32_t kBetween = 1023;
  const uint32_t Before = Known.Id;
  const uint32_t Id = siteWithStack(T, Site);
  StackCache &C = T.Rows->Stacks->Cache;
  C.ToCheck = checksAll() ? 0 : kBetween;
  ++C.Checked;
  countFound(ByContext ? StacksFound.ByContext : StacksFound.ByWords);
  if (Before && Before != Id) {
    Known = {Site, 0, {}}; // ambiguous: two stacks look alike
    memset(C.Quick, 0, sizeof C.Quick);
    __atomic_fetch_add(&StacksFound.Wrong, 1, __ATOMIC_RELAXED);
    sayStackDiffered();
  }
  return Id;
}

/// Lets later events count without reading the thread's slots.
void noteSlot(const ThreadState &T, KnownStack &Known) {
  if (Known.Id < T.Rows->SlotCapacity)
    Known.Where = T.Fast.Slots[Known.Id];
}

/// Lets later events find \p Stack by its context alone.
void findQuickly(StackCache &C, const ContextStack &Stack, HookFrame Hook) {
  const uint32_t Site = Stack.Known.Site;
#if defined(__aarch64__)
  const uint32_t ReturnAt = 8;
#else
  const auto ReturnAt = static_cast<uint32_t>(Stack.At.Sp - 8 - Hook.Base);
#endif
  C.Quick[StackCache::quickOf(Hook, Site, Stack.Context)] = {
      Stack.Context,   Hook.Base,   Hook.inHook(),
      Stack.At.Return, Stack.Known, ReturnAt};
}

} // namespace

KnownStack *knownInSet(StackCache &C, uint32_t Site, HookFrame At) {
  const uint64_t Key = StackCache::wordsKey(At, Site);
  WordStack *Found = C.Words.find(Key, At, Site);
  if (!Found)
    return nullptr;
  // Not each time, because stacks may alternate.
  constexpr int32_t kOneIn = 8;
  if (C.ToCheck % kOneIn == 0) {
    const size_t Set = C.Words.setOf(Key);
    C.Words.First[Set] = static_cast<uint8_t>(Found - C.Words.Sets[Set]);
  }
  return &Found->Known;
}

uint32_t siteWithStackAt(ThreadState &T, uint32_t Site, HookFrame Hook) {
  StackState *S = T.Rows->Stacks;
  if (INMEM_UNLIKELY(!S || S->Generation != codeGeneration()))
    return siteWithNewStack(T, Site, Hook);
  StackCache &C = S->Cache;
  ContextStack *InContext = nullptr;
  if (const uint64_t Context = __inmem_context) {
    const HookCaller From = C.callerOf(Hook);
    if (INMEM_UNLIKELY(!From.Return))
      return siteWithNewStack(T, Site, Hook);
    InContext = C.Contexts.find(StackCache::contextKey(From, Context), From,
                                Site, Context);
  }
  KnownStack *Known =
      InContext ? &InContext->Known : knownByWords(C, Site, Hook);
  if (INMEM_UNLIKELY(!Known))
    return siteWithNewStack(T, Site, Hook);
  if (INMEM_UNLIKELY(--C.ToCheck < 0 || Known->Id == 0))
    return siteChecked(T, Site, *Known, InContext != nullptr);
  noteSlot(T, *Known);
  if (InContext && !InContext->HasWords && Known->Where.R)
    findQuickly(C, *InContext, Hook);
  return Known->Id;
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
