//===- Errors.h - errno ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_ERRORS_H
#define INMEM_RUNTIME_ERRORS_H

#include "platform/Compiler.h"

#include <errno.h>

namespace inmem::rt {

/// Restores errno at the end of its scope, because hooks and signal handlers
/// must not change it.
class SavedErrno {
public:
  INMEM_INLINE SavedErrno() : Saved(errno) {}
  INMEM_INLINE ~SavedErrno() { errno = Saved; }
  SavedErrno(const SavedErrno &) = delete;
  SavedErrno &operator=(const SavedErrno &) = delete;

private:
  int Saved;
};

} // namespace inmem::rt

#endif
