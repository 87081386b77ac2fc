//===- Scopes.cpp - scope_api.h -------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Scopes.h"

#include "Modules.h"
#include "OrderedMap.h"
#include "Recorder.h"
#include "Refusal.h"
#include "Runtime.h"
#include "SiteRegistry.h"
#include "Threads.h"

#define INMEM_API __attribute__((visibility("default")))
#include "inmem/scope_api.h"

#include <sched.h>
#include <string.h>

namespace inmem::rt {

using namespace trace;

namespace {

/// Of a row, what a scope subtracts.
struct RowCounts {
  uint64_t Allocations, Bytes, Frees, FreedBytes;
};

RowCounts countsOf(const Row &R) {
  return {R.Allocations - R.MovedOut, R.Bytes - R.MovedOutBytes, R.Frees,
          R.FreedBytes};
}

/// A thread's rows at the scope's start: Bases[First ...], in order of age.
struct BlockBase {
  ThreadBlock *Block;
  uint32_t First, Rows;
};

/// One site (type) in a scope.
struct Tally {
  uint32_t Key; ///< site id (type index)
  uint32_t Chain;
  uint32_t Type;
  uint64_t Allocations, Bytes, Frees, FreedBytes;
  int64_t Live, LiveBytes, PeakBytes;
  uint64_t Lives, Longest, Sum, Age; ///< ticks

  static uint64_t hash(uint32_t K) { return K; }

  void allocate(uint64_t Size) {
    Allocations += 1;
    Bytes += Size;
    Live += 1;
    LiveBytes += static_cast<int64_t>(Size);
    if (LiveBytes > PeakBytes)
      PeakBytes = LiveBytes;
  }
  /// One of the scope's own blocks is gone.
  void lose(uint64_t Size) {
    Live -= 1;
    LiveBytes -= static_cast<int64_t>(Size);
  }
  void enterLife(uint64_t Life) {
    Lives += 1;
    Sum += Life;
    Longest = Life > Longest ? Life : Longest;
  }
};

/// A block that an observing scope saw being made.
struct Follow {
  uintptr_t Key;
  uint32_t Chain;
  uint32_t Site;
  uint64_t Size, Birth; ///< as in the index: tells the block from a later one

  static uint64_t hash(uintptr_t K) { return K >> 4; }
};

} // namespace

} // namespace inmem::rt

using namespace inmem::rt;
using namespace inmem::trace;

struct inmem_scope {
  inmem_scope *Next; ///< of the open ones of a thread, or of the free ones
  uint32_t Pid;
  bool Observes, Ended;
  bool Linked;           ///< among its thread's
  Relaxed<bool> GivenUp; ///< by another thread
  bool Incomplete;
  Relaxed<bool> Busy;  ///< its tallies are being changed; a jump leaves it so
  uintptr_t Subject;   ///< a thread pointer, or INMEM_ALL_THREADS
  char *Opener;        ///< thread pointer
  uint32_t SubjectTid; ///< 0: the subject had not been seen yet
  int64_t Live, Peak;  ///< bytes of the calling thread; counting
  Pages<BlockBase> Blocks;
  Pages<RowCounts> Bases;
  Map<Tally> Sites, Types;
  Tally Total;
  Map<Follow> Followed;
  const Module *LeftOut; ///< its own blocks do not count; or null
};

namespace inmem::rt {

constinit Relaxed<uint32_t> SharedObservers = {}, SharedBudgets = {};

namespace {

/// What other threads than the opener count in too. Taken after the runtime's
/// mutex, if both are; held while no callback runs.
struct {
  Lock Mutex;
  inmem_scope *Scopes;
  inmem_budget *Budgets;
  /// Threads that are to tell one of Budgets, or do.
  Relaxed<uint32_t> Acting;
} constinit Shared = {};

constinit inmem_scope *FreeScopes = nullptr;
/// Those of a given thread that has not yet counted anything.
constinit inmem_scope *Awaiting = nullptr;

void removeFrom(inmem_scope *&List, inmem_scope &S) {
  for (inmem_scope **At = &List; *At; At = &(*At)->Next)
    if (*At == &S) {
      *At = S.Next;
      return;
    }
}

/// For the next one. With the mutex.
void keep(inmem_scope &S) {
  removeFrom(Awaiting, S);
  if (S.Busy)
    return; // its memory is of no use any more
  S.Next = FreeScopes;
  FreeScopes = &S;
}

bool isHeap(const Row &R) {
  uint8_t Kind = kindOfSite(R.Site);
  return Kind != INMEM_SITE_OBJECT && Kind != INMEM_SITE_HELD;
}

/// Rows of \p B in order of age: the list of extents has the newest first.
template <class Visitor> void forEachRow(const ThreadBlock &B, Visitor Visit) {
  for (RowExtent *E = B.RowExtents; E; E = E->Next) {
    auto *Rows = reinterpret_cast<const Row *>(E->Extent + 1);
    uint64_t Used = __atomic_load_n(&E->Extent->Used, __ATOMIC_ACQUIRE);
    for (uint64_t I = 0; I < Used; ++I)
      Visit(E->First + I, Rows[I]);
  }
}

bool copyRows(inmem_scope &S, ThreadBlock &B) {
  uint64_t Rows = 0;
  if (RowExtent *E = B.RowExtents)
    Rows = E->First + __atomic_load_n(&E->Extent->Used, __ATOMIC_ACQUIRE);
  BlockBase *Base = S.Blocks.add();
  if (!Base || !S.Bases.reserve(S.Bases.Count + Rows))
    return false;
  *Base = {&B, S.Bases.Count, static_cast<uint32_t>(Rows)};
  forEachRow(B, [&](uint64_t I, const Row &R) {
    if (I < Rows)
      S.Bases[static_cast<uint32_t>(Base->First + I)] = countsOf(R);
  });
  S.Bases.Count += static_cast<uint32_t>(Rows);
  return true;
}

ThreadBlock *blockOf(uintptr_t ThreadPointer) {
  for (ThreadBlock *B = ThreadBlocks; B; B = B->Next)
    if (B->State &&
        reinterpret_cast<uintptr_t>(B->ThreadPointer) == ThreadPointer)
      return B;
  return nullptr;
}

/// Adds what \p B counted since \p Base (null: since ever) to the scope's
/// sites.
void addDifference(inmem_scope &S, const ThreadBlock &B,
                   const BlockBase *Base) {
  forEachRow(B, [&](uint64_t I, const Row &R) {
    RowCounts C = countsOf(R);
    if (Base && I < Base->Rows) {
      const RowCounts &Old = S.Bases[static_cast<uint32_t>(Base->First + I)];
      C.Allocations -= Old.Allocations;
      C.Bytes -= Old.Bytes;
      C.Frees -= Old.Frees;
      C.FreedBytes -= Old.FreedBytes;
    }
    if (!(C.Allocations | C.Bytes | C.Frees) || !isHeap(R))
      return;
    Tally *Site = S.Sites.at(plainSite(R.Site));
    Tally *Type = S.Types.at(R.Type);
    if (!Site || !Type) {
      S.Incomplete = true;
      return;
    }
    Site->Type = R.Type;
    Tally *const All[] = {Site, Type, &S.Total};
    for (Tally *T : All) {
      T->Allocations += C.Allocations;
      T->Bytes += C.Bytes;
      T->Frees += C.Frees;
      T->FreedBytes += C.FreedBytes;
      T->Live += static_cast<int64_t>(C.Allocations - C.Frees);
      T->LiveBytes += static_cast<int64_t>(C.Bytes - C.FreedBytes);
    }
  });
}

/// With the mutex.
int countDifferences(inmem_scope &S) {
  S.Sites.clear();
  S.Types.clear();
  S.Total = {};
  if (S.Subject == INMEM_ALL_THREADS) {
    for (ThreadBlock *B = ThreadBlocks; B; B = B->Next) {
      const BlockBase *Base = nullptr;
      for (uint32_t I = 0; I < S.Blocks.Count; ++I)
        if (S.Blocks[I].Block == B)
          Base = &S.Blocks[I];
      addDifference(S, *B, Base);
    }
  } else if (S.Blocks.Count) {
    if (S.Blocks[0].Block->Tid != S.SubjectTid)
      return INMEM_SCOPE_THREAD_ENDED;
    addDifference(S, *S.Blocks[0].Block, &S.Blocks[0]);
  }
  S.Total.PeakBytes = -1;
  if (S.Linked) {
    const Cell &C = *Thread.Process;
    S.Total.PeakBytes = S.Live + C.High > S.Peak ? S.Live + C.High : S.Peak;
  }
  return INMEM_SCOPE_OK;
}

bool isShared(const inmem_scope &S) {
  return S.Observes && S.Subject != reinterpret_cast<uintptr_t>(S.Opener);
}

/// What another thread freed, which the scope has not been told of, is gone.
/// What is left of Followed is alive. A shared scope will be told, if it is not
/// \p Last.
void settle(inmem_scope &S, uint64_t Now, bool Last) {
  auto Drop = [&](const Follow &F, auto Action) {
    uint32_t Type = typeOfSite(F.Site);
    Tally *Site = S.Sites.find(F.Site), *Kind = S.Types.find(Type);
    Tally *const All[] = {Site, Kind, &S.Total};
    for (Tally *T : All)
      if (T)
        Action(*T);
  };
  Map<Tally> *const Maps[] = {&S.Sites, &S.Types};
  for (Map<Tally> *M : Maps)
    for (uint32_t I = 0; I < M->Elements.Count; ++I)
      M->Elements[I].Age = 0;
  S.Total.Age = 0;
  for (uint32_t I = S.Followed.Elements.Count; I-- > 0;) {
    Follow &F = S.Followed.Elements[I];
    Block B = peekBlock(reinterpret_cast<void *>(F.Key));
    if (B.birth() != F.Birth || B.Size != F.Size) {
      if (isShared(S) && !Last)
        continue;
      Drop(F, [&](Tally &T) { T.lose(F.Size); });
      S.Followed.remove(&F);
      continue;
    }
    uint64_t Age = lifeSince(F.Birth, Now);
    Drop(F, [&](Tally &T) { T.Age = Age > T.Age ? Age : T.Age; });
  }
}

void unlinkShared(inmem_scope &S) {
  Locked L(Shared.Mutex);
  removeFrom(Shared.Scopes, S);
  SharedObservers = SharedObservers - 1;
}

void unlinkScope(ThreadState &T, inmem_scope &S) {
  removeFrom(T.Scopes, S);
  S.Linked = false;
  T.Observers -= S.Observes;
  updateFastPath(T);
}

/// Ends what other threads gave up. \returns whether the thread has scopes.
bool dropGivenUp(ThreadState &T) {
  for (inmem_scope *S = T.Scopes, *Next; S; S = Next) {
    Next = S->Next;
    if (!S->GivenUp)
      continue;
    unlinkScope(T, *S);
    Locked L(Process.Mutex);
    keep(*S);
  }
  return T.Scopes != nullptr;
}

/// Sends the next event of each thread to the slow path, which sees the shared
/// scopes and budgets. With the mutex, after they have been counted; false if
/// the kernel cannot do it.
bool closeAllFastPaths() {
  // After the first fence no thread opens its fast path without having seen
  // the count, so that what is closed then stays so.
  if (!fenceAllThreads())
    return false;
  updateAllFastPaths();
  return fenceAllThreads();
}

/// Whether a shared scope counts what the thread allocates.
bool isSubject(inmem_scope &S, const ThreadState &T) {
  if (S.Subject == INMEM_ALL_THREADS)
    return true;
  if (S.Subject != reinterpret_cast<uintptr_t>(threadPointer()) || !T.Block)
    return false;
  if (!S.SubjectTid)
    S.SubjectTid = T.Block->Tid;
  return S.SubjectTid == T.Block->Tid; // else a later thread on its stack
}

/// Changes the tallies of \p S, unless a jump has left them half changed.
template <class Action> void change(inmem_scope &S, Action Act) {
  if (S.Busy) {
    S.Incomplete = true;
    return;
  }
  S.Busy = true;
  orderStores();
  Act();
  orderStores();
  S.Busy = false;
}

template <class Action> void forEachObserver(ThreadState &T, Action Act) {
  bool Any = false;
  for (inmem_scope *S = T.Scopes; S; S = S->Next) {
    Any |= S->GivenUp;
    if (S->Observes && !S->GivenUp)
      change(*S, [&] { Act(*S, /*OfSubject=*/true); });
  }
  if (INMEM_UNLIKELY(Any))
    dropGivenUp(T);
  if (SharedObservers) {
    Locked L(Shared.Mutex);
    for (inmem_scope *S = Shared.Scopes; S; S = S->Next)
      change(*S, [&] { Act(*S, isSubject(*S, T)); });
  }
}

/// Brings site, type and total of \p Site up to \p Act; false without memory.
template <class Action> bool tally(inmem_scope &S, uint32_t Site, Action Act) {
  uint32_t TypeIndex = typeOfSite(Site);
  Tally *One = S.Sites.at(Site), *Type = S.Types.at(TypeIndex);
  if (!One || !Type)
    return !(S.Incomplete = true);
  One->Type = TypeIndex;
  Tally *const All[] = {One, Type, &S.Total};
  for (Tally *T : All)
    Act(*T);
  return true;
}

bool leavesOut(const inmem_scope &S, uint32_t Site) {
  const struct inmem_site *Source = S.LeftOut ? sourceOfSite(Site) : nullptr;
  return Source && Source->kind == INMEM_SITE_CALLER &&
         reinterpret_cast<const CallerSite *>(Source)->Owner == S.LeftOut;
}

uint64_t nanoseconds(uint64_t Ticks) {
  const FileHeader &H = *Process.Trace.header();
  if (H.Clock == ClockKind::Events)
    return Ticks;
  double Scale =
      H.TicksPerSecond ? 1e9 / static_cast<double>(H.TicksPerSecond) : 1;
  return static_cast<uint64_t>(static_cast<double>(Ticks) *
                               static_cast<double>(uint64_t{1} << H.TickShift) *
                               Scale);
}

inmem_scope_counts resultOf(const Tally &T, const inmem_scope &S) {
  inmem_scope_counts R = {};
  R.allocations = T.Allocations;
  R.allocated_bytes = T.Bytes;
  R.frees = T.Frees;
  R.freed_bytes = T.FreedBytes;
  R.live = T.Live;
  R.live_bytes = T.LiveBytes;
  R.peak_bytes = S.Observes || &T == &S.Total ? T.PeakBytes : -1;
  R.lives = T.Lives;
  R.longest_ns = nanoseconds(T.Longest);
  R.sum_ns = nanoseconds(T.Sum);
  R.age_ns = nanoseconds(T.Age);
  return R;
}

/// May the calling thread use \p S now?
int checkUse(const inmem_scope &S) {
  if (S.Pid != processId())
    return INMEM_SCOPE_FORKED;
  if (Process.Stage == Phase::Off)
    return INMEM_SCOPE_OFF;
  bool OneThread = S.Subject == reinterpret_cast<uintptr_t>(S.Opener);
  if (OneThread && S.Opener != threadPointer())
    return INMEM_SCOPE_WRONG_THREAD;
  return INMEM_SCOPE_OK;
}

/// Brings the scope's tallies up to now, for the \p Last time if it ends. With
/// the guard, without the mutex.
int refresh(inmem_scope &S, bool Last = false) {
  if (int Wrong = checkUse(S))
    return Wrong;
  int Status = INMEM_SCOPE_OK;
  Locked L(Process.Mutex);
  updateClock();
  if (!S.Ended) {
    if (S.Observes) {
      Locked Tallies(Shared.Mutex);
      change(S, [&] { settle(S, ticksNow(Thread), Last); });
    } else
      Status = countDifferences(S);
  }
  if (Process.Stage ==
      Phase::Off) // what was read may be of a file that was cut
    return INMEM_SCOPE_OFF;
  return Status ? Status : S.Incomplete ? INMEM_SCOPE_INCOMPLETE : Status;
}

constexpr uint32_t kMostPlaces = 32;

/// Describes site \p Id. \p Places has room for kMostPlaces.
inmem_scope_site describe(uint32_t Id, struct inmem_place *Places) {
  inmem_scope_site R = {};
  const struct inmem_site *Source = sourceOfSite(Id);
  uint32_t Type = typeOfSite(Id);
  R.type = nameOfType(Type);
  R.type_id = idOfType(Type);
  R.type_size = sizeOfType(Type);
  R.places = Places;
  if (!Source)
    return R; // its library is gone
  if (Source->kind == INMEM_SITE_CALLER) {
    auto &C = *reinterpret_cast<const CallerSite *>(Source);
    R.return_address = reinterpret_cast<const void *>(C.ReturnAddress);
    R.module = C.Owner ? C.Owner->Path : nullptr;
    Places[0] = {C.Symbol, nullptr, 0, 0};
    R.place_count = 1;
    return R;
  }
  Places[0] = {relative(Source->function), relative(Source->file), Source->line,
               Source->column};
  R.place_count = 1;
  auto *Frames = relative<struct inmem_frame>(Source->inlined);
  for (uint32_t I = 0;
       Frames && I < Source->inlined_count && R.place_count < kMostPlaces; ++I)
    Places[R.place_count++] = {relative(Frames[I].function),
                               relative(Frames[I].file), Frames[I].line,
                               Frames[I].column};
  return R;
}

/// Ignores what the thread allocates while a callback of the program runs.
class Ignored {
public:
  explicit Ignored(ThreadState &T) : T(T) { suspend(T); }
  ~Ignored() { resume(T); }

private:
  ThreadState &T;
};

} // namespace

namespace {

/// Whether a shared budget is about what the thread allocates.
bool limits(const inmem_budget &B) {
  return B.owner == INMEM_ALL_THREADS ||
         B.owner == reinterpret_cast<uintptr_t>(threadPointer());
}

/// Counts a block of \p Size bytes. \returns whether that is more than allowed.
bool use(inmem_budget &B, uint64_t Size, uint64_t Type) {
  B.used_bytes += Size;
  B.used_blocks += 1;
  bool Over = B.used_bytes > B.bytes || B.used_blocks > B.blocks;
  for (uint32_t I = 0; I < B.type_count; ++I) {
    inmem_type_limit &Limit = B.types[I];
    if (Limit.type_id != Type)
      continue;
    Limit.used_bytes += Size;
    Limit.used_blocks += 1;
    Over |= Limit.used_bytes > Limit.bytes || Limit.used_blocks > Limit.blocks;
  }
  return Over;
}

} // namespace

void watchAllocation(ThreadState &T, void *P, uint64_t Size, uint32_t Id) {
  Id = plainSite(Id);
  // Its own entry says when it was born.
  uint64_t Birth = peekBlock(P).birth();
  forEachObserver(T, [&](inmem_scope &S, bool OfSubject) {
    if (!OfSubject || leavesOut(S, Id))
      return;
    if (!tally(S, Id, [&](Tally &One) { One.allocate(Size); }))
      return;
    Follow *F = S.Followed.at(reinterpret_cast<uintptr_t>(P));
    if (!F) {
      S.Incomplete = true;
      return;
    }
    if (F->Birth) // another thread freed the one that was here
      tally(S, F->Site, [&](Tally &One) { One.lose(F->Size); });
    F->Site = Id;
    F->Size = Size;
    F->Birth = Birth;
  });
  uint64_t Type = idOfType(typeOfSite(Id));
  // Of nested budgets the innermost that is exceeded acts, before shared ones.
  auto Use = [&](inmem_budget &B) {
    if (!use(B, Size, Type) || T.Excess)
      return false;
    T.Excess = &B;
    T.ExcessSite = Id;
    T.ExcessSize = Size;
    return true;
  };
  for (inmem_budget *B = T.Budgets; B; B = B->next)
    Use(*B);
  if (SharedBudgets) {
    Locked L(Shared.Mutex);
    for (inmem_budget *B = Shared.Budgets; B; B = B->next)
      if (limits(*B) && Use(*B)) {
        T.ActsOnShared = true;
        Shared.Acting = Shared.Acting + 1;
      }
  }
}

void watchFree(ThreadState &T, void *P, Block B) {
  forEachObserver(T, [&](inmem_scope &S, bool OfSubject) {
    if (leavesOut(S, plainSite(B.site())))
      return;
    if (OfSubject && !tally(S, plainSite(B.site()), [&](Tally &One) {
          One.Frees += 1;
          One.FreedBytes += B.Size;
        }))
      return;
    Follow *F = S.Followed.find(reinterpret_cast<uintptr_t>(P));
    if (!F)
      return;
    bool Same = F->Birth == B.birth();
    uint64_t Life = lifeSince(B.birth(), T.LastTicks);
    tally(S, F->Site, [&](Tally &One) {
      One.lose(F->Size);
      if (Same)
        One.enterLife(Life);
    });
    S.Followed.remove(F);
  });
}

void watchMove(ThreadState &T, void *P, Block B, uint32_t From) {
  From = plainSite(From);
  uint32_t To = plainSite(B.site());
  forEachObserver(T, [&](inmem_scope &S, bool) {
    Follow *F = S.Followed.find(reinterpret_cast<uintptr_t>(P));
    if (!F || F->Site != From)
      return;
    // The total takes part twice: nothing changes there but the peak, which
    // must not.
    int64_t Peak = S.Total.PeakBytes;
    tally(S, From, [&](Tally &One) {
      One.Allocations -= 1;
      One.Bytes -= B.Size;
      One.lose(B.Size);
    });
    tally(S, To, [&](Tally &One) { One.allocate(B.Size); });
    S.Total.PeakBytes = Peak;
    F->Site = To;
  });
}

void beginAwaited(ThreadBlock &B) {
  auto Subject = reinterpret_cast<uintptr_t>(B.ThreadPointer);
  for (inmem_scope **At = &Awaiting; *At;) {
    inmem_scope &S = **At;
    if (S.Subject != Subject) {
      At = &S.Next;
      continue;
    }
    *At = S.Next;
    S.SubjectTid = B.Tid;
    S.Incomplete |= !copyRows(S, B);
  }
}

void watchFlush(ThreadState &T, const Cell &C) {
  for (inmem_scope *S = T.Scopes; S; S = S->Next) {
    int64_t Candidate = S->Live + C.High;
    S->Peak = Candidate > S->Peak ? Candidate : S->Peak;
    S->Live += C.Delta;
  }
}

void forgetScopes() {
  Awaiting = nullptr;
  Shared.Mutex.reset();
  Shared.Scopes = nullptr;
  Shared.Budgets = nullptr;
  Shared.Acting = 0;
  SharedObservers = SharedBudgets = 0;
}

void dropScopes(ThreadState &T) {
  while (inmem_scope *S = T.Scopes) {
    T.Scopes = S->Next;
    S->Linked = false;
    if (S->GivenUp)
      keep(*S);
  }
  T.Observers = 0;
  T.Budgets = nullptr;
}

namespace {

/// Says in \p E which limit of \p B the last allocation went over.
void nameLimit(const inmem_budget &B, uint64_t Type, inmem_excess &E) {
  auto Exceeded = [&E](const char *What, uint64_t Used, uint64_t Limit) {
    if (Used <= Limit)
      return false;
    E.what = What;
    E.reached = Used;
    E.limit = Limit;
    return true;
  };
  for (uint32_t I = 0; I < B.type_count; ++I) {
    const inmem_type_limit &L = B.types[I];
    if (L.type_id == Type && (Exceeded("blocks", L.used_blocks, L.blocks) ||
                              Exceeded("bytes", L.used_bytes, L.bytes))) {
      E.type = L.type;
      return;
    }
  }
  if (!Exceeded("blocks", B.used_blocks, B.blocks))
    Exceeded("bytes", B.used_bytes, B.bytes);
}

/// \returns whether it was in the list.
bool unlink(inmem_budget *&List, const inmem_budget &B) {
  for (inmem_budget **At = &List; *At; At = &(*At)->next)
    if (*At == &B) {
      *At = B.next;
      return true;
    }
  return false;
}

/// \returns false if it is not a shared one.
bool unlinkShared(inmem_budget &B) {
  Locked L(Shared.Mutex);
  if (!unlink(Shared.Budgets, B))
    return false;
  B.owner = 0;
  SharedBudgets = SharedBudgets - 1;
  return true;
}

/// What does not come about is not used either.
void giveBack(ThreadState &T, uint64_t Size, uint64_t Type) {
  auto From = [&](inmem_budget &B) {
    B.used_bytes -= Size;
    B.used_blocks -= 1;
    for (uint32_t I = 0; I < B.type_count; ++I)
      if (B.types[I].type_id == Type) {
        B.types[I].used_bytes -= Size;
        B.types[I].used_blocks -= 1;
      }
  };
  for (inmem_budget *B = T.Budgets; B; B = B->next)
    From(*B);
  Locked L(Shared.Mutex);
  for (inmem_budget *B = Shared.Budgets; B; B = B->next)
    if (limits(*B))
      From(*B);
}

} // namespace

void actOnExcess(ThreadState &T, void *P, bool MayThrow) {
  inmem_budget *B = T.Excess;
  T.Excess = nullptr;
  struct inmem_place Places[kMostPlaces];
  inmem_excess E = {};
  {
    SlowPath Inside(T);
    E.site = describe(T.ExcessSite, Places);
    E.size = T.ExcessSize;
    E.site.counts.allocations = 1;
    E.site.counts.allocated_bytes = E.size;
    {
      Locked L(Shared.Mutex);
      nameLimit(*B, E.site.type_id, E);
      B->excesses += 1;
    }
    // A thread may know nothing of a shared budget: there somebody must catch.
    E.may_throw = MayThrow && B->throws &&
                  canRefuse(/*ToNobody=*/!T.ActsOnShared, E.why_not_thrown);
    if (E.may_throw)
      giveBack(T, E.size, E.site.type_id);
  }

  if (!E.may_throw) {
    Ignored I(T);
    return B->act(B, &E);
  }
  refuse(P);
  // An exception leaves from here: nothing may wait for a destructor, so act
  // itself ends the ignoring.
  suspend(T);
  B->act(B, &E);
  resume(T);
}

void releaseScopeLocks(ThreadState &T) {
  if (Shared.Mutex.isOwn()) {
    // Other threads take Busy for another's work: those that are ours say so.
    for (inmem_scope *S = Shared.Scopes; S; S = S->Next)
      S->Incomplete |= S->Busy;
    Shared.Mutex.release();
  }
  if (T.ActsOnShared && T.Excess)
    leaveSharedBudget(T);
}

void leaveSharedBudget(ThreadState &T) {
  Guarded G(T);
  T.ActsOnShared = false;
  Locked L(Shared.Mutex);
  Shared.Acting = Shared.Acting - 1;
}

} // namespace inmem::rt

int inmem_scope_possible(void) {
  ThreadState &T = Thread;
  SlowPath Inside(T);
  if (!ensureStarted() || !Process.Recording)
    return INMEM_SCOPE_OFF;
  const Options &O = Process.Config;
  if (Process.Filtered || O.Include.Value[0] || O.Exclude.Value[0])
    return INMEM_SCOPE_SAMPLED;
  return INMEM_SCOPE_OK;
}

int inmem_scope_lives_in_ns(void) {
  return Process.Config.Clock.Index != Options::ClockEvents;
}

/// With the mutex. If it fails the scope is free again.
static bool beginShared(inmem_scope &S) {
  if (S.Subject != INMEM_ALL_THREADS)
    if (const ThreadBlock *B = blockOf(S.Subject))
      S.SubjectTid = B->Tid;
  {
    Locked L(Shared.Mutex);
    S.Next = Shared.Scopes;
    Shared.Scopes = &S;
    SharedObservers = SharedObservers + 1;
  }
  if (closeAllFastPaths())
    return true;
  unlinkShared(S);
  keep(S);
  return false;
}

struct inmem_scope *inmem_scope_begin(int Kind, uintptr_t Subject) {
  ThreadState &T = Thread;
  if (isInside(T) || inmem_scope_possible() != INMEM_SCOPE_OK)
    return nullptr;
  SlowPath Inside(T);
  if (T.Scopes)
    dropGivenUp(T);
  if (!T.Block) {
    Locked L(Process.Mutex);
    if (!attachThread(T))
      return nullptr;
  }
  flushCell(T.Process); // also tells the enclosing scopes; takes the mutex
  Locked L(Process.Mutex);
  inmem_scope *S = FreeScopes;
  if (S)
    FreeScopes = S->Next;
  else
    S = static_cast<inmem_scope *>(arenaAllocate(sizeof(inmem_scope)));
  if (!S)
    return nullptr;
  auto Self = reinterpret_cast<uintptr_t>(threadPointer());
  S->Next = nullptr;
  S->Pid = processId();
  S->Observes = Kind == INMEM_SCOPE_OBSERVE;
  S->Ended = S->GivenUp = S->Incomplete = false;
  S->Subject = Subject ? Subject : Self;
  S->Opener = threadPointer();
  S->SubjectTid = 0;
  S->Live = S->Peak = 0;
  S->Blocks.Count = S->Bases.Count = 0;
  S->Sites.clear();
  S->Types.clear();
  S->Followed.clear();
  S->Total = {};
  S->LeftOut = nullptr;
  S->Linked = S->Subject == Self;
  if (S->Linked) {
    S->Next = T.Scopes;
    T.Scopes = S;
    S->SubjectTid = T.Block->Tid;
  }
  if (isShared(*S))
    return beginShared(*S) ? S : nullptr;
  if (S->Observes) {
    ++T.Observers;
    updateFastPath(T);
    return S;
  }
  bool Copied = true;
  if (S->Linked) {
    Copied = copyRows(*S, *T.Block);
  } else if (Subject == INMEM_ALL_THREADS) {
    for (ThreadBlock *B = ThreadBlocks; B; B = B->Next)
      Copied &= copyRows(*S, *B);
  } else if (ThreadBlock *B = blockOf(Subject)) {
    S->SubjectTid = B->Tid;
    Copied = copyRows(*S, *B);
  } else {
    S->Next = Awaiting;
    Awaiting = S;
  }
  S->Incomplete = !Copied;
  return S;
}

int inmem_scope_leave_out(struct inmem_scope *S, const void *Code) {
  SlowPath Inside(Thread);
  if (int Wrong = checkUse(*S))
    return Wrong;
  const Module *Found = findModule(reinterpret_cast<uintptr_t>(Code));
  Locked L(Shared.Mutex);
  S->LeftOut = Found;
  return INMEM_SCOPE_OK;
}

int inmem_scope_end(struct inmem_scope *S) {
  ThreadState &T = Thread;
  SlowPath Inside(T);
  int Status = refresh(*S, /*Last=*/true);
  if (Status == INMEM_SCOPE_WRONG_THREAD || Status == INMEM_SCOPE_FORKED)
    return Status;
  if (isShared(*S) && !S->Ended)
    unlinkShared(*S);
  S->Ended = true;
  if (S->Linked)
    unlinkScope(T, *S);
  return Status;
}

int inmem_scope_read(struct inmem_scope *S, struct inmem_scope_counts *Totals) {
  SlowPath Inside(Thread);
  int Status = refresh(*S);
  *Totals = {};
  Locked L(Shared.Mutex);
  if (Status == INMEM_SCOPE_OK || Status == INMEM_SCOPE_INCOMPLETE)
    *Totals = resultOf(S->Total, *S);
  return Status;
}

/// Calls \p Tell with a copy of each tally of \p Which that has events. Outside
/// of the guard: it may allocate, unseen.
template <class Visitor>
static int visitTallies(inmem_scope &S, Map<Tally> inmem_scope::*Which,
                        Visitor Tell) {
  ThreadState &T = Thread;
  Map<Tally> &All = S.*Which;
  uint32_t Count;
  {
    SlowPath Inside(T);
    if (int Wrong = refresh(S); Wrong && Wrong != INMEM_SCOPE_INCOMPLETE)
      return Wrong;
    Locked L(Shared.Mutex);
    Count = All.Elements.Count;
  }
  Ignored Own(T);
  for (uint32_t I = 0; I < Count; ++I) {
    Tally One;
    {
      SlowPath Inside(T);
      Locked L(Shared.Mutex); // other threads may add to it, and move it
      One = All.Elements[I];
    }
    if (One.Allocations | One.Frees)
      Tell(One);
  }
  return S.Incomplete ? INMEM_SCOPE_INCOMPLETE : INMEM_SCOPE_OK;
}

int inmem_scope_sites(struct inmem_scope *S,
                      void (*Visit)(const struct inmem_scope_site *, void *),
                      void *Data) {
  return visitTallies(*S, &inmem_scope::Sites, [&](const Tally &Site) {
    struct inmem_place Places[kMostPlaces];
    inmem_scope_site R;
    {
      SlowPath Inside(Thread);
      R = describe(Site.Key, Places);
      R.counts = resultOf(Site, *S);
      R.counts.peak_bytes = -1;
    }
    Visit(&R, Data);
  });
}

int inmem_scope_types(struct inmem_scope *S,
                      void (*Visit)(const struct inmem_scope_type *, void *),
                      void *Data) {
  return visitTallies(*S, &inmem_scope::Types, [&](const Tally &Type) {
    inmem_scope_type R = {nameOfType(Type.Key), idOfType(Type.Key),
                          sizeOfType(Type.Key), resultOf(Type, *S)};
    Visit(&R, Data);
  });
}

int inmem_scope_free(struct inmem_scope *S) {
  ThreadState &T = Thread;
  SlowPath Inside(T);
  if (S->Pid != processId())
    return INMEM_SCOPE_FORKED;
  if (S->Linked && S->Opener != threadPointer()) {
    S->GivenUp = true;
    return INMEM_SCOPE_WRONG_THREAD;
  }
  if (isShared(*S) && !S->Ended)
    unlinkShared(*S);
  if (S->Linked)
    unlinkScope(T, *S);
  Locked L(Process.Mutex);
  keep(*S);
  return INMEM_SCOPE_OK;
}

void inmem_ignore_begin(void) {
  ThreadState &T = Thread;
  T.IgnoredSite = nullptr;
  suspend(T);
}

void inmem_ignore_end(void) {
  ThreadState &T = Thread;
  SlowPath Inside(T);
  resume(T);
}

uint64_t inmem_ignored_type(void) {
  const struct inmem_site *Site = Thread.IgnoredSite;
  const auto *Type = Site ? relative<struct inmem_type>(Site->type) : nullptr;
  return Type ? Type->id : 0;
}

int inmem_budget_begin(struct inmem_budget *B) {
  return inmem_budget_begin_for(B, 0);
}

int inmem_budget_begin_for(struct inmem_budget *B, uintptr_t Subject) {
  ThreadState &T = Thread;
  B->used_bytes = B->used_blocks = B->excesses = 0;
  for (uint32_t I = 0; I < B->type_count; ++I)
    B->types[I].used_bytes = B->types[I].used_blocks = 0;
  B->owner = 0;
  if (int Not = inmem_scope_possible())
    return Not;
  SlowPath Inside(T);
  auto Self = reinterpret_cast<uintptr_t>(threadPointer());
  B->pid = processId();
  if (Subject && Subject != Self) {
    Locked L(Process.Mutex);
    {
      Locked Budgets(Shared.Mutex);
      B->owner = Subject;
      B->next = Shared.Budgets;
      Shared.Budgets = B;
      SharedBudgets = SharedBudgets + 1;
    }
    if (closeAllFastPaths())
      return INMEM_SCOPE_OK;
    unlinkShared(*B);
    return INMEM_SCOPE_OFF;
  }
  if (!T.Block) {
    Locked L(Process.Mutex);
    if (!attachThread(T))
      return INMEM_SCOPE_OFF;
  }
  B->owner = Self;
  B->next = T.Budgets;
  T.Budgets = B;
  updateFastPath(T);
  return INMEM_SCOPE_OK;
}

int inmem_budget_end(struct inmem_budget *B) {
  ThreadState &T = Thread;
  if (!B->owner)
    return INMEM_SCOPE_OFF;
  {
    SlowPath Inside(T);
    if (B->pid != processId())
      return INMEM_SCOPE_FORKED;
    if (!unlinkShared(*B)) {
      if (B->owner != reinterpret_cast<uintptr_t>(threadPointer()))
        return INMEM_SCOPE_WRONG_THREAD;
      B->owner = 0;
      unlink(T.Budgets, *B);
      updateFastPath(T);
      return INMEM_SCOPE_OK;
    }
  }
  // It may be its own callback that ends it.
  while (Shared.Acting > T.ActsOnShared)
    sched_yield();
  return INMEM_SCOPE_OK;
}
