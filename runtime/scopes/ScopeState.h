//===- ScopeState.h - State that the parts of scopes share ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CountingScopes.cpp has scopes that subtract counts, ObservingScopes.cpp
// scopes that follow each block, Budgets.cpp limits, ScopeApi.cpp scope_api.h.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_SCOPESTATE_H
#define INMEM_RUNTIME_SCOPESTATE_H

#include "hot/FastPath.h"
#include "hot/Recorder.h"
#include "hot/Threads.h"
#include "platform/ExportedApi.h"
#include "platform/Tasks.h"
#include "registry/Modules.h"
#include "scopes/Scopes.h"
#include "tables/OrderedMap.h"

#include "inmem/scope_api.h"

namespace inmem::rt {

/// The counts of a row that a scope subtracts.
struct RowCounts {
  uint64_t Allocations, Bytes, Frees, FreedBytes;
};

/// A thread's rows at the scope's start: Bases[First ...], in order of age.
struct RowsBase {
  ThreadRows *Of;
  uint32_t First, Rows;
};

/// The counts of one site (or type) in a scope.
struct Tally {
  uint32_t Key; ///< site id or type index
  uint32_t Type;
  uint64_t Allocations, Bytes, Frees, FreedBytes;
  int64_t Live, LiveBytes, PeakBytes;
  uint64_t Lifetimes, Longest, Sum, Age; ///< in ticks

  static uint64_t hash(uint32_t K) { return K; }

  void allocate(uint64_t Size) {
    Allocations += 1;
    Bytes += Size;
    Live += 1;
    LiveBytes += static_cast<int64_t>(Size);
    if (LiveBytes > PeakBytes)
      PeakBytes = LiveBytes;
  }
  /// Counts the end of one of the scope's own blocks.
  void lose(uint64_t Size) {
    Live -= 1;
    LiveBytes -= static_cast<int64_t>(Size);
  }
  void enterLifetime(uint64_t Lifetime) {
    Lifetimes += 1;
    Sum += Lifetime;
    Longest = Lifetime > Longest ? Lifetime : Longest;
  }
};

/// A block that was allocated while an observing scope watched.
struct Follow {
  uintptr_t Key; ///< address
  uint32_t Site;
  uint64_t Size,
      Birth; ///< as in the index: distinguishes the block from later ones there

  static uint64_t hash(uintptr_t K) { return K >> 4; }
};

} // namespace inmem::rt

struct inmem_scope {
  inmem_scope *Next; ///< next in the thread's open list, or in the free list
  uint32_t Pid;
  bool Observes, Ended;
  bool Linked;                      ///< in its thread's list
  inmem::rt::Relaxed<bool> GivenUp; ///< another thread gave it up
  bool Incomplete;
  inmem::rt::Relaxed<bool>
      Busy;            ///< tallies are being changed; remains set after a jump
  uintptr_t Subject;   ///< from subjectOf()
  char *Opener;        ///< thread pointer
  uint32_t SubjectTid; ///< 0: the subject has not been seen yet
  int64_t Live, Peak;  ///< for counting scopes: bytes of the calling thread
  inmem::rt::PagedArray<inmem::rt::RowsBase> ThreadBases;
  inmem::rt::PagedArray<inmem::rt::RowCounts> Bases;
  inmem::rt::OrderedMap<inmem::rt::Tally> Sites, Types;
  inmem::rt::Tally Total;
  inmem::rt::OrderedMap<inmem::rt::Follow> Followed;
  const inmem::rt::Module
      *LeftOut; ///< module whose blocks do not count; or null
};

namespace inmem::rt {

/// State that threads other than the opener update. Taken after the runtime's
/// mutex, if both are; never held while a callback runs.
struct SharedScopes {
  Lock Mutex;
  inmem_scope *Scopes;
  inmem_budget *Budgets;
  /// The number of threads that are about to notify one of Budgets, or are
  /// doing so.
  Relaxed<uint32_t> Acting;
};
extern SharedScopes Shared;

/// Free scopes, and those for a given thread that has not counted anything yet.
/// Guarded by the mutex.
extern inmem_scope *FreeScopes, *Awaiting;

/// \p Given: a thread as users specify it: a pthread_t, INMEM_ALL_THREADS or 0.
/// \returns its thread pointer, or one of the other two unchanged
inline uintptr_t subjectOf(uintptr_t Given) {
  return Given == 0 || Given == INMEM_ALL_THREADS ? Given
                                                  : threadPointerOf(Given);
}

void removeFrom(inmem_scope *&List, inmem_scope &S);
/// Keeps a scope that is no longer needed for reuse. Needs the mutex.
void recycleScope(inmem_scope &S);

/// True if threads other than the opener report events to the scope.
inline bool isShared(const inmem_scope &S) {
  return S.Observes && S.Subject != reinterpret_cast<uintptr_t>(S.Opener);
}

/// Sends each thread's next event to the slow path, which notices shared scopes
/// and budgets. Needs the mutex. Call after they were counted. False if the
/// kernel does not support it.
bool closeAllFastPaths();

/// Closes scopes that other threads gave up. \returns whether the thread has
/// scopes
bool dropGivenUp(ThreadState &T);
/// Removes the scope from this thread's open ones.
void unlinkScope(ThreadState &T, inmem_scope &S);
/// Removes a scope of all threads, or of another one, from the shared ones.
void unlinkShared(inmem_scope &S);

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

inline constexpr uint32_t kMostPlaces = 32;
/// Describes site \p Id. \p Places has room for kMostPlaces.
inmem_scope_site describe(uint32_t Id, struct inmem_source_location *Places);

/// Ignores the thread's allocations while a callback of the program runs.
class Ignored {
public:
  explicit Ignored(ThreadState &T) : T(T) { suspend(T); }
  ~Ignored() { resume(T); }

private:
  ThreadState &T;
};

} // namespace inmem::rt

#endif
