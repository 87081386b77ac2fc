//===- Stacks.cpp ---------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stacks/Stacks.h"

#include "platform/Errors.h"
#include "platform/Mappings.h"
#include "registry/Modules.h"
#include "registry/RecordBuilder.h"
#include "registry/SiteRegistry.h"
#include "stacks/SymbolNames.h"
#include "state/Runtime.h"
#include "state/ThreadRows.h"
#include "tables/Hash.h"
#include "tables/Numbers.h"
#include "unwind/UnwindTables.h"

#include <string.h>

namespace inmem::rt {

using namespace trace;

namespace {

constinit Numbers ByHash; ///< hash of site and frames -> id
constinit Numbers ByPair; ///< site, stack -> id
constinit Numbers Nodes;  ///< parent, code address, flags -> stack
constinit Numbers ByCode; ///< module and offset -> code address
constinit Numbers ByPc;   ///< current load address -> code address
constinit Numbers Jumps;  ///< caller, callee -> jumpBetween() + 1
constinit uint32_t NumStacks = 0, NumAddresses = 0;
constinit uint32_t KnownGeneration = 0;

/// The number of the code at \p Pc, which is written to the trace at its first
/// use; 0 without room. Call without the mutex.
uint32_t codeAddress(uintptr_t Pc) {
  if (uint32_t Known = ByPc.find(Pc))
    return Known;
  Module *M = findModule(Pc);
  uint32_t SymbolOffset = 0;
  const char *Symbol = symbolAt(Pc, SymbolOffset);
  bool Signal = isSignalFrame(Pc);
  Locked L(Process.Mutex);
  uint32_t ModuleId = M ? writeModule(M) : 0;
  uint64_t Offset = M ? Pc - M->Base : traceAddress(Pc);
  uint64_t CodeKey = uint64_t{ModuleId} << 48 | (Offset & 0xffffffffffff);
  uint32_t Id = ByCode.find(CodeKey);
  if (!Id) {
    AddressRecord R = {};
    RecordBuilder Builder(RecordKind::Address, sizeof R);
    R.Id = Id = ++NumAddresses;
    R.Module = ModuleId;
    R.Offset = Offset;
    R.Function = Builder.string(Symbol);
    R.SymbolOffset = SymbolOffset;
    R.Flags = Signal ? uint32_t{kAddressSignal} : 0u;
    if (!Builder.append(&R, sizeof R))
      return 0;
    // If stacks were not requested, reports look names up.
    if (M && !Signal && Process.Config.NamesCode)
      awaitName(M, Offset, Id, /*Named=*/Symbol != nullptr);
    ByCode.insert(CodeKey, Id);
  }
  ByPc.insert(Pc, Id);
  return Id;
}

/// The frames above main are the same in every stack. After the first complete
/// walk, later walks end before them.
void leaveOutStartUp(StackWalk &W) {
  if (W.Cut || W.Lost || W.Count < 2 || !isEntryFunction(W.End))
    return;
  Module *Program = findModule(W.End);
  Module *Last = findModule(W.Frames[W.Count - 1]);
  unsigned Own = W.Count;
  while (Own > 0 && findModule(W.Frames[Own - 1]) == Last)
    --Own;
  if (Last == Program || W.Count - Own > 2)
    return;
  setStartUp(W.Frames[Own]);
  forgetCode(); // rows that say otherwise
  W.Count = Own;
}

/// The function that \p Caller called, if it is not the one around \p Callee,
/// to which it made a tail call.
uintptr_t jumpedFrom(CodeAddress Caller, CodeAddress Callee) {
  if (isSignalFrame(Caller) || isSignalFrame(Callee))
    return 0;
  uintptr_t Called = calledFunction(Caller), Now = functionStart(Callee);
  return Called && Now && Called != Now && !isHook(Called) &&
                 functionStart(Called) == Called
             ? Called
             : 0;
}

/// The number of the code that jumpedFrom() finds; 0: none. Cached, because it
/// reads tables of the file, and stacks consist of few pairs.
uint32_t jumpBetween(CodeAddress Caller, CodeAddress Callee) {
  const uint64_t Key = mix(Caller, Callee);
  if (uint32_t Known = Jumps.find(Key))
    return Known - 1;
  const uintptr_t Called = jumpedFrom(Caller, Callee);
  const uint32_t Address = Called ? codeAddress(Called) : 0;
  Locked L(Process.Mutex);
  Jumps.insert(Key, Address + 1);
  return Address;
}

uint32_t nodeFor(uint32_t Parent, uint32_t Address, uint32_t Flags) {
  uint64_t Key = uint64_t{Parent} << 32 | uint64_t{Address} << 4 | Flags;
  if (uint32_t Known = Nodes.find(Key))
    return Known;
  StackRecord R = {};
  R.Header = {RecordKind::Stack, 0, sizeof R};
  const uint32_t Id = ++NumStacks;
  R.Id = Id;
  R.Parent = Parent;
  R.Address = Address;
  R.Flags = Flags;
  if (!Process.Trace.appendRecord(&R.Header))
    return 0;
  Nodes.insert(Key, Id);
  return Id;
}

/// \returns the id of the pair; \p Site if there is no room for another. The
/// caller holds the mutex.
uint32_t pairOf(uint32_t Site, uint32_t Stack) {
  if (!Stack)
    return Site;
  uint64_t Key = uint64_t{Site} << 32 | Stack;
  if (uint32_t Known = ByPair.find(Key))
    return Known;
  uint32_t Id = registerStackedSite(Site, Stack);
  if (!Id)
    return Site;
  ByPair.insert(Key, Id);
  return Id;
}

uint32_t intern(StackState &S, uint32_t Site) {
  uint32_t Stack = stackOfWalk(S);
  Locked L(Process.Mutex);
  return pairOf(Site, Stack);
}

/// Forgets numbers by load address, once other code may be loaded there.
void checkGeneration() {
  if (__atomic_load_n(&KnownGeneration, __ATOMIC_RELAXED) == codeGeneration())
    return;
  Locked L(Process.Mutex);
  ByPc.clear();
  Jumps.clear();
  ByHash.clear();
  __atomic_store_n(&KnownGeneration, codeGeneration(), __ATOMIC_RELAXED);
}

INMEM_COLD uint32_t findWithStack(StackState &S, uint64_t Hash, uint32_t Site) {
  const SavedErrno Kept;
  checkGeneration();
  uint32_t Id = ByHash.find(Hash);
  if (!Id) {
    Id = intern(S, Site);
    Locked L(Process.Mutex);
    ByHash.insert(Hash, Id);
  }
  return Id;
}

} // namespace

StackState *makeStackState() {
  auto *S = static_cast<StackState *>(mapPagesWipedByFork(sizeof(StackState)));
  if (S)
    S->Generation = codeGeneration() - 1; // nothing is cached yet
  return S;
}

uint32_t stackOfWalk(StackState &S) {
  StackWalk &W = S.Walked;
  Chain &C = S.Path;
  checkGeneration();
  leaveOutStartUp(W);
  C.Count = 0;
  for (unsigned I = 0; I < W.Count; ++I) {
    if (uint32_t Jump = jumpBetween(W.Frames[I], I ? W.Frames[I - 1] : W.Hook))
      C.add(Jump, kStackTailCall);
    uint32_t Address = codeAddress(W.Frames[I]);
    if (!Address)
      return 0;
    C.add(Address, 0);
  }
  if (C.Count == 0)
    return 0;
  C.Flags[C.Count - 1] |=
      (W.Cut ? uint32_t{kStackCut} : 0u) | (W.Lost ? uint32_t{kStackLost} : 0u);
  Locked L(Process.Mutex);
  uint32_t Stack = 0;
  for (unsigned I = C.Count; I-- > 0;)
    if (!(Stack = nodeFor(Stack, C.Addresses[I], C.Flags[I])))
      return 0;
  return Stack;
}

uint32_t codeAddressOf(uintptr_t Pc) {
  checkGeneration();
  return codeAddress(Pc);
}

uint32_t siteWithStack(ThreadState &T, uint32_t Site) {
  StackState *S = T.Rows->Stacks;
  if (INMEM_UNLIKELY(!S))
    return Site;
  if (INMEM_UNLIKELY(S->Generation != codeGeneration())) {
    memset(S->Sites, 0, sizeof S->Sites);
    forgetCachedStacks(*S);
    S->Generation = codeGeneration();
  }
  StackWalk &W = S->Walked;
  walkStack(S->Unwind, W, static_cast<unsigned>(Process.Config.Stacks));
  uint64_t Hash = (W.Hash ^ Site) * 0xC2B2AE3D27D4EB4Fu;
  Hash ^= Hash >> 32;
  Hash += Hash == 0;
  StackState::Known &K = S->Sites[Hash % StackState::kKnown];
  if (INMEM_LIKELY(K.Hash == Hash))
    return K.Site;
  uint32_t Id = findWithStack(*S, Hash, Site);
  K.Hash = 0;
  orderStores();
  K.Site = Id;
  orderStores();
  K.Hash = Hash;
  return Id;
}

uint32_t siteWithStackOf(uint32_t Site, uint32_t Other) {
  Locked L(Process.Mutex);
  return pairOf(Site, stackOfSite(Other));
}

void forgetStacks() {
  Numbers *const All[] = {&ByHash, &ByPair, &Nodes, &ByCode, &ByPc, &Jumps};
  for (Numbers *N : All)
    N->clear();
  NumStacks = NumAddresses = 0;
  forgetAwaitedNames();
}

} // namespace inmem::rt
