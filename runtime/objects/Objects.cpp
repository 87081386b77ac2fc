//===- Objects.cpp --------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "objects/Objects.h"

#include "hot/Threads.h"
#include "registry/Modules.h"
#include "registry/RecordBuilder.h"
#include "registry/SiteRegistry.h"
#include "state/Runtime.h"

#include <string.h>

static constexpr int64_t kNoDisplacements[INMEM_MAX_TABLE_MODULES] = {};
__attribute__((visibility("default"),
               tls_model("initial-exec"))) constinit __thread const int64_t
    *__inmem_displacement_table = kNoDisplacements;

namespace inmem::rt {

using namespace trace;

size_t cellBytes(const inmem_module &M) {
  return static_cast<size_t>(reinterpret_cast<char *>(M.counters_end) -
                             reinterpret_cast<char *>(M.counters_begin));
}

namespace {

constinit uint32_t LastCounterId = 0;
constinit uint32_t LastTableIndex = 0;

CounterCopy *copyOf(ThreadRows &B, RegisteredModule &M) {
  for (CounterCopy *C = B.Counters; C; C = C->Next)
    if (C->CounterId == M.CounterId)
      return C;
  size_t Bytes = cellBytes(*M.Descriptor);
  auto *C = static_cast<CounterCopy *>(arenaAllocate(sizeof(CounterCopy)));
  ExtentHeader *E = C ? Process.Trace.addExtent(ExtentKind::Counters, B.Index,
                                                M.CounterId, Bytes)
                      : nullptr;
  if (!E)
    return nullptr;
  E->Used = Bytes / sizeof(uint64_t);
  *C = {M.CounterId, reinterpret_cast<char *>(E + 1), B.Counters};
  B.Counters = C;
  return C;
}

/// Makes \p Table the displacements of thread \p B, whose static TLS is at the
/// same offset from the thread pointer as ours.
void useTable(ThreadRows &B, const int64_t *Table) {
  const ptrdiff_t Offset =
      reinterpret_cast<char *>(&__inmem_displacement_table) - threadPointer();
  __atomic_store_n(reinterpret_cast<const int64_t **>(B.ThreadPointer + Offset),
                   Table, __ATOMIC_RELEASE);
}

/// Writes thread \p B's displacement for \p M.
void setDisplacement(ThreadRows &B, const RegisteredModule &M, int64_t Value) {
  if (M.DeltaOffset)
    *reinterpret_cast<int64_t *>(B.ThreadPointer + M.DeltaOffset) = Value;
  if (!M.TableIndex || (!B.Displacements && !Value))
    return;
  if (!B.Displacements)
    B.Displacements = static_cast<int64_t *>(
        arenaAllocate(sizeof(int64_t) * INMEM_MAX_TABLE_MODULES));
  if (!B.Displacements)
    return; // it counts in the module's own cells
  B.Displacements[M.TableIndex] = Value;
  useTable(B, B.Displacements);
}

bool counts(const RegisteredModule &M) {
  return M.Descriptor && M.CounterId != 0;
}

void attachModule(ThreadRows &B, RegisteredModule &M) {
  if (!counts(M))
    return;
  if (CounterCopy *C = copyOf(B, M))
    setDisplacement(B, M,
                    C->Cells -
                        reinterpret_cast<char *>(M.Descriptor->counters_begin));
}

void writeObject(const RegisteredModule &M, const inmem_object &O) {
  auto *Cell = relative<uint64_t>(O.cell);
  if (Cell < M.Descriptor->counters_begin || Cell >= M.Descriptor->counters_end)
    return;
  ObjectRecord R = {};
  R.Module = M.CounterId;
  R.Cell = static_cast<uint32_t>(Cell - M.Descriptor->counters_begin);
  R.Type = registerType(relative<inmem_type>(O.type));
  R.Line = O.line;
  R.Column = O.column;
  R.Event = O.event;
  R.Storage = O.storage;
  R.Manner = O.manner;
  R.Times = O.times;
  R.Key = O.key;
  RecordBuilder Builder(RecordKind::Object, sizeof R);
  R.ClassName = Builder.string(textAt(O.class_name));
  R.Function = Builder.string(textAt(O.function));
  R.File = Builder.string(textAt(O.file));
  Builder.append(&R, sizeof R);
}

/// Moves the counts in \p M's own cells to the caller's copy, which no other
/// thread writes.
void collectInto(RegisteredModule &M) {
  ThreadRows *B = Thread.Rows;
  CounterCopy *Into = B ? copyOf(*B, M) : nullptr;
  if (!Into)
    return;
  auto *Copy = reinterpret_cast<uint64_t *>(Into->Cells);
  size_t N = cellBytes(*M.Descriptor) / sizeof(uint64_t);
  for (size_t I = 0; I < N; ++I)
    if (uint64_t Count = __atomic_exchange_n(&M.Descriptor->counters_begin[I],
                                             0, __ATOMIC_RELAXED))
      Copy[I] += Count;
}

} // namespace

void attachCounters(ThreadRows &B) {
  for (RegisteredModule *M = RegisteredModules; M; M = M->Next)
    attachModule(B, *M);
}

void detachCounters(ThreadRows &B) {
  for (RegisteredModule *M = RegisteredModules; M; M = M->Next)
    if (counts(*M))
      setDisplacement(B, *M, 0);
  useTable(B, kNoDisplacements); // the next thread continues in B's
}

void startCounting(RegisteredModule &M) {
  if (!M.Descriptor)
    return;
  if (FileHeader *H = Process.Trace.header(); !(H->Flags & kFlagInstrumented)) {
    Process.Trace.unseal();
    H->Flags |= kFlagInstrumented;
  }
  if (cellBytes(*M.Descriptor) == 0)
    return;
  bool IsNew = M.CounterId == 0; // else it was closed and reopened
  if (IsNew)
    M.CounterId = ++LastCounterId;
  if (M.Descriptor->table_index) {
    if (!M.TableIndex && LastTableIndex + 1 < INMEM_MAX_TABLE_MODULES)
      M.TableIndex = ++LastTableIndex;
    *M.Descriptor->table_index = M.TableIndex;
  }
  for (const inmem_object *O = M.Descriptor->objects_begin;
       IsNew && O < M.Descriptor->objects_end; ++O)
    writeObject(M, *O);
  releaseDeadThreads();
  for (ThreadRows *B = AllThreadRows; B; B = B->Next)
    if (B->State)
      attachModule(*B, M);
  collectInto(M);
}

void stopCounting(RegisteredModule &M) {
  if (!counts(M))
    return;
  releaseDeadThreads();
  for (ThreadRows *B = AllThreadRows; B; B = B->Next)
    if (B->State)
      setDisplacement(*B, M, 0);
  collectInto(M);
}

void collectCells() {
  for (RegisteredModule *M = RegisteredModules; M; M = M->Next)
    if (counts(*M))
      collectInto(*M);
}

uint32_t lastCounterId() { return LastCounterId; }

namespace {
template <class Visitor> void forEachCopy(uint32_t Id, Visitor Visit) {
  for (ThreadRows *B = AllThreadRows; B; B = B->Next)
    for (CounterCopy *C = B->Counters; C; C = C->Next)
      if (C->CounterId == Id)
        Visit(reinterpret_cast<const uint64_t *>(C->Cells),
              (reinterpret_cast<const ExtentHeader *>(C->Cells) - 1)->Used);
}
} // namespace

uint64_t counterCells(uint32_t Id) {
  uint64_t Cells = 0;
  forEachCopy(Id, [&](const uint64_t *, uint64_t Used) { Cells = Used; });
  return Cells;
}

void addCounters(uint32_t Id, uint64_t *Into) {
  forEachCopy(Id, [&](const uint64_t *Cells, uint64_t Used) {
    for (uint64_t I = 0; I < Used; ++I)
      Into[I] += __atomic_load_n(&Cells[I], __ATOMIC_RELAXED);
  });
  // Adds the counts in modules' own cells, which threads without a copy use.
  for (RegisteredModule *M = RegisteredModules; M; M = M->Next)
    for (uint64_t I = 0,
                  N = counts(*M) && M->CounterId == Id && counterCells(Id)
                          ? cellBytes(*M->Descriptor) / sizeof(uint64_t)
                          : 0;
         I < N; ++I)
      Into[I] +=
          __atomic_load_n(&M->Descriptor->counters_begin[I], __ATOMIC_RELAXED);
}

void forgetCounters() {
  for (RegisteredModule *M = RegisteredModules; M; M = M->Next) {
    if (M->DeltaOffset)
      *reinterpret_cast<int64_t *>(threadPointer() + M->DeltaOffset) = 0;
    M->CounterId = 0;
    if (M->Descriptor)
      memset(M->Descriptor->counters_begin, 0, cellBytes(*M->Descriptor));
  }
  __inmem_displacement_table = kNoDisplacements;
  LastCounterId = 0;
}

} // namespace inmem::rt
