//===- ScopeState.cpp -----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scopes/ScopeState.h"

#include "platform/Process.h"
#include "registry/SiteRegistry.h"
#include "state/Runtime.h"

namespace inmem::rt {

constinit SharedScopes Shared = {};
constinit inmem_scope *FreeScopes = nullptr, *Awaiting = nullptr;

void removeFrom(inmem_scope *&List, inmem_scope &S) {
  for (inmem_scope **At = &List; *At; At = &(*At)->Next)
    if (*At == &S) {
      *At = S.Next;
      return;
    }
}

void recycleScope(inmem_scope &S) {
  removeFrom(Awaiting, S);
  if (S.Busy)
    return; // its memory is no longer valid
  S.Next = FreeScopes;
  FreeScopes = &S;
}

void unlinkShared(inmem_scope &S) {
  Locked L(Shared.Mutex);
  removeFrom(Shared.Scopes, S);
  SharedObservers = SharedObservers - 1;
}

void unlinkScope(ThreadState &T, inmem_scope &S) {
  removeFrom(T.Scopes.Newest, S);
  S.Linked = false;
  T.Scopes.Observers -= S.Observes;
  updateFastPath(T);
}

bool dropGivenUp(ThreadState &T) {
  for (inmem_scope *S = T.Scopes.Newest, *After; S; S = After) {
    After = S->Next;
    if (!S->GivenUp)
      continue;
    unlinkScope(T, *S);
    Locked L(Process.Mutex);
    recycleScope(*S);
  }
  return T.Scopes.Newest != nullptr;
}

bool closeAllFastPaths() {
  // After the first fence each thread that opens its fast path sees the count,
  // so a fast path that is closed then stays closed.
  if (!fenceAllThreads())
    return false;
  updateAllFastPaths();
  return fenceAllThreads();
}

static inmem_scope_site withCaller(inmem_scope_site R,
                                   struct inmem_source_location *Places,
                                   const UserCall *Caller) {
  if (!Caller)
    return R;
  // If there is no room, drops the outermost inlined location, which matters
  // less than the caller.
  R.place_count -= R.place_count == kMostPlaces;
  Places[R.place_count++] = {Caller->Function, Caller->File, Caller->Line,
                             Caller->Column};
  R.caller = R.place_count;
  return R;
}

inmem_scope_site describe(uint32_t Id, struct inmem_source_location *Places) {
  inmem_scope_site R = {};
  const struct inmem_site *Source = sourceOfSite(plainSite(Id));
  const UserCall *Caller = callerOfSite(Id);
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
    Places[R.place_count++] = {C.Symbol, nullptr, 0, 0};
    return withCaller(R, Places, Caller);
  }
  Places[0] = {textAt(Source->function), textAt(Source->file), Source->line,
               Source->column};
  R.place_count = 1;
  auto *Frames = relative<struct inmem_frame>(Source->inlined);
  for (uint32_t I = 0;
       Frames && I < Source->inlined_count && R.place_count < kMostPlaces; ++I)
    Places[R.place_count++] = {textAt(Frames[I].function),
                               textAt(Frames[I].file), Frames[I].line,
                               Frames[I].column};
  return withCaller(R, Places, Caller);
}

} // namespace inmem::rt
