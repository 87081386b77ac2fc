//===- AttachedSlots.h - The program's words that lead to us --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `inmem attach` loads us last, so that no symbol resolves to us. Instead, the
// import slots of all loaded files are pointed at the functions that we
// interpose. So are initialised pointers to them (R_X86_64_64) that still have
// their first value. The loader's own words stay: it relies on them.
//
// The loader's lock, which dl_iterate_phdr holds, guards the list of words.
// Call these functions without a lock of ours.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_ATTACHEDSLOTS_H
#define INMEM_RUNTIME_ATTACHEDSLOTS_H

#include "tables/PagedArray.h"
#include "trace/format/AttachFormat.h"

namespace inmem::rt {

/// A function of ours that only attached programs call, such as dlopen.
struct AttachedFunction {
  const char *Name;
  void *Function;
};

/// Points the words of all files that were loaded since the last call at our
/// functions, and at \p Extra[\p Count]. Cheap if there is no new file.
void redirectNewFiles(const AttachedFunction *Extra, size_t Count);

/// Restores all words that the program has not changed since.
void restoreFiles();

/// All words that were changed, in order.
const PagedArray<trace::PatchedSlot> &patchedSlots();

} // namespace inmem::rt

#endif
