//===- MapHooks.cpp - mmap and its relatives ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Interposed functions of the C library. Each behaves as the one it replaces,
// errno included, and makes the same system call.
//
//===----------------------------------------------------------------------===//
#include "allocator/Allocator.h"
#include "hot/CallerPaths.h"
#include "hot/Mapped.h"
#include "hot/StaticHooks.h"
#include "platform/Errors.h"
#include "platform/ProgramMaps.h"

#include <stdarg.h>

using namespace inmem::rt;
using inmem::trace::MapCall;

namespace {

bool isOff() { return RecordsMappings == MapRecording::Off; }

uintptr_t addressOf(const void *P) { return reinterpret_cast<uintptr_t>(P); }
uintptr_t endOf(const void *P, size_t Bytes) {
  return addressOf(P) + roundUp(Bytes, pageSize());
}

void *mapAndNote(void *At, size_t Bytes, int Protection, int Flags, int Fd,
                 off_t Offset, uintptr_t Return, const uintptr_t *Back) {
  void *P = mapForProgram(At, Bytes, Protection, Flags, Fd, Offset);
  const SavedErrno Kept;
  if (!isMapFailure(P))
    noteMapped(addressOf(P), endOf(P, Bytes), MapCall::Mmap, Return, Back);
  return P;
}

void *remapAndNote(void *At, size_t Bytes, size_t NewBytes, int Flags,
                   void *NewAt, uintptr_t Return, const uintptr_t *Back) {
  Unmapping Old(addressOf(At),
                keepsOldMapping(Bytes, Flags) ? 0 : endOf(At, Bytes));
  void *P = remapForProgram(At, Bytes, NewBytes, Flags, NewAt);
  const SavedErrno Kept;
  if (isMapFailure(P)) {
    Old.undo();
    return P;
  }
  Old.done();
  noteMapped(addressOf(P), endOf(P, NewBytes), MapCall::Mremap, Return, Back);
  return P;
}

void *growBreakAndNote(intptr_t Bytes, uintptr_t Return,
                       const uintptr_t *Back) {
  void *P = moveBreakForProgram(Bytes);
  const SavedErrno Kept;
  if (!isMapFailure(P))
    noteMapped(addressOf(P), addressOf(P) + static_cast<size_t>(Bytes),
               MapCall::Sbrk, Return, Back);
  return P;
}

void *shrinkBreakAndNote(intptr_t Bytes) {
  const uintptr_t End = addressOf(moveBreakForProgram(0));
  Unmapping Old(End + static_cast<uintptr_t>(Bytes), End);
  void *P = moveBreakForProgram(Bytes);
  const SavedErrno Kept;
  if (isMapFailure(P))
    Old.undo();
  else
    Old.done();
  return P;
}

} // namespace

#define INMEM_ENTRY INMEM_EXPORT INMEM_IN_HOOKS INMEM_WEAK
/// The arguments that follow a hook's own.
#define INMEM_CALLER                                                           \
  reinterpret_cast<uintptr_t>(__builtin_return_address(0)), INMEM_RETURN_SLOT()

INMEM_ENTRY void *INMEM_INTERPOSED(mmap)(void *At, size_t Bytes, int Protection,
                                         int Flags, int Fd, off_t Offset) {
  if (isOff())
    return mapForProgram(At, Bytes, Protection, Flags, Fd, Offset);
  return mapAndNote(At, Bytes, Protection, Flags, Fd, Offset, INMEM_CALLER);
}

INMEM_ENTRY void *INMEM_INTERPOSED(mmap64)(void *At, size_t Bytes,
                                           int Protection, int Flags, int Fd,
                                           off_t Offset) {
  if (isOff())
    return mapForProgram(At, Bytes, Protection, Flags, Fd, Offset);
  return mapAndNote(At, Bytes, Protection, Flags, Fd, Offset, INMEM_CALLER);
}

INMEM_ENTRY int INMEM_INTERPOSED(munmap)(void *At, size_t Bytes) {
  if (isOff())
    return unmapForProgram(At, Bytes);
  Unmapping Old(addressOf(At), endOf(At, Bytes));
  const int Result = unmapForProgram(At, Bytes);
  const SavedErrno Kept;
  if (Result)
    Old.undo();
  else
    Old.done();
  return Result;
}

INMEM_ENTRY void *INMEM_INTERPOSED(mremap)(void *At, size_t Bytes,
                                           size_t NewBytes, int Flags, ...) {
  va_list More; // read even if the flags do not use it
  va_start(More, Flags);
  void *NewAt = va_arg(More, void *);
  va_end(More);
  if (isOff())
    return remapForProgram(At, Bytes, NewBytes, Flags, NewAt);
  return remapAndNote(At, Bytes, NewBytes, Flags, NewAt, INMEM_CALLER);
}

INMEM_ENTRY void *INMEM_INTERPOSED(sbrk)(intptr_t Bytes) {
  if (isOff() || Bytes == 0)
    return moveBreakForProgram(Bytes);
  return Bytes > 0 ? growBreakAndNote(Bytes, INMEM_CALLER)
                   : shrinkBreakAndNote(Bytes);
}
