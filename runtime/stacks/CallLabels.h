//===- CallLabels.h - Which line of the user's a call is ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks return addresses up in the tables of inmem_call that instrumented files
// bring. A label counts only if the code behind it leads straight to the call:
// no other is taken for it.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_CALLLABELS_H
#define INMEM_RUNTIME_CALLLABELS_H

#include "inmem/abi.h"
#include "platform/Compiler.h"

namespace inmem::rt {

/// Some file has labels.
INMEM_HIDDEN extern Relaxed<bool> HasCallLabels;

/// Follows a stack from the code that allocated outwards, until it is known
/// which call of the user's led there, or that it is unknown.
class CallSearch {
public:
  /// \param Function start of the function that allocated; 0: not known
  explicit CallSearch(uintptr_t Function) : Inner(Function) {}

  enum Step : uint8_t {
    Outwards, ///< code without labels, or a library's call: look at its caller
    Found,    ///< frame() is the user's
    Unknown   ///< the user's code, but not a labelled call, or a frame may be
              ///< missing: a function called in between may have jumped
  };
  /// The next frame, which the call that returns to \p Return is in. Without
  /// the mutex.
  Step look(uintptr_t Return);
  const struct inmem_frame *frame() const { return Frame; }

private:
  uintptr_t Inner; ///< start of the function called
  const struct inmem_frame *Frame = nullptr;
};

/// Takes note of changes in the registered files, and of options. With the
/// mutex.
void noteCallLabels();

} // namespace inmem::rt

#endif
