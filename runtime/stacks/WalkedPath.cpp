//===- WalkedPath.cpp -----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stacks/WalkedPath.h"

#include "registry/Modules.h"
#include "registry/SiteRegistry.h"
#include "state/Runtime.h"
#include "trace/format/FeatureRecords.h"
#include "unwind/UnwindTables.h"

namespace inmem::rt {

namespace {

/// Walks to a labelled call of instrumented code.
void walkLabels(Unwinder &U, const uintptr_t *Back, WalkedPath &Out) {
  struct Search {
    CallSearch Of{0};
    bool Begun = false;
    const uintptr_t *Function;
    CallSearch::Step Last = CallSearch::Outwards;
  } S;
  uintptr_t Function = 0;
  S.Function = &Function;
  Out.Count = walkCallers(
      U, reinterpret_cast<uintptr_t>(Back), Out.Frames, WalkedPath::kMostFrames,
      Function,
      [](void *Of, uintptr_t Return) {
        auto &Asked = *static_cast<Search *>(Of);
        if (!Asked.Begun) {
          Asked.Begun = true;
          Asked.Of = CallSearch(functionStart(*Asked.Function));
        }
        Asked.Last = Asked.Of.look(Return);
        return Asked.Last == CallSearch::Outwards;
      },
      &S);
  Out.Caller = S.Last == CallSearch::Found ? S.Of.frame() : nullptr;
}

/// Walks to the program's own code, in a program without labels.
void walkToProgram(Unwinder &U, const uintptr_t *Back, WalkedPath &Out) {
  struct Search {
    ProgramSearch Of;
    ProgramSearch::Step Last = ProgramSearch::Outwards;
  } S;
  uintptr_t Function = 0;
  Out.Count = walkCallers(
      U, reinterpret_cast<uintptr_t>(Back), Out.Frames, WalkedPath::kMostFrames,
      Function,
      [](void *Of, uintptr_t Return) {
        auto &Asked = *static_cast<Search *>(Of);
        Asked.Last = Asked.Of.look(Return);
        return Asked.Last == ProgramSearch::Outwards;
      },
      &S);
  Out.EndsInProgram = S.Last == ProgramSearch::Found;
}

/// Writes \p Calls to the trace for \p Id, the pair of a site and its caller.
/// Takes the mutex, so that no other thread's calls come between them.
void writeCalls(uint32_t Id, const WalkedPath &Calls) {
  Module *Modules[WalkedPath::kMostFrames];
  for (unsigned I = 0; I < Calls.Count; ++I)
    Modules[I] = findModule(Calls.Frames[I].Return - 1);
  Locked L(Process.Mutex);
  for (unsigned I = 0; I < Calls.Count; ++I) {
    trace::CallerCallRecord R = {};
    R.Header = {trace::RecordKind::CallerCall, 0, sizeof R};
    R.Id = Id;
    R.Offset = Calls.Frames[I].Return - 1;
    if (Module *M = Modules[I]) {
      R.Module = writeModule(M);
      R.Offset -= M->Base;
    }
    Process.Trace.appendRecord(&R.Header);
  }
}

} // namespace

void walkPath(Unwinder &U, const uintptr_t *Back, WalkedPath &Out) {
  Out.Caller = nullptr;
  Out.EndsInProgram = false;
  if (HasCallLabels)
    walkLabels(U, Back, Out);
  else
    walkToProgram(U, Back, Out);
}

uint32_t idOfPath(const struct inmem_site &Site, uint32_t Id,
                  const WalkedPath &Calls) {
  UserCall Caller = {};
  if (Calls.Caller) {
    const struct inmem_frame &C = *Calls.Caller;
    Caller = {textAt(C.function), textAt(C.file), C.line, C.column, 0};
  } else if (Calls.EndsInProgram && Calls.Count > 1) {
    Caller.Return = Calls.Frames[Calls.Count - 1].Return;
  }
  if (FollowsProgram && Calls.Count > 1)
    noteSearch(Site, Calls.EndsInProgram);
  if (!Calls.Caller && !Caller.Return)
    return Id;
  bool IsNew = false;
  uint32_t With = Id;
  {
    Locked L(Process.Mutex);
    if (uint32_t Pair = registerCalledSite(Id, Caller, IsNew))
      With = Pair;
  }
  if (IsNew)
    writeCalls(With, Calls);
  return With;
}

} // namespace inmem::rt
