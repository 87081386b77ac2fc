//===- CallLabels.h - Which line of the user's a call is ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks return addresses up in the tables of inmem_call that instrumented files
// contain. A label counts only if the code after it leads straight to the call,
// so that it is never mistaken for another call's label.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_CALLLABELS_H
#define INMEM_RUNTIME_CALLLABELS_H

#include "inmem/abi.h"
#include "platform/Compiler.h"

namespace inmem::rt {

/// True if a registered file has labels.
INMEM_HIDDEN extern Relaxed<bool> HasCallLabels;

/// Follows a stack outwards from the code that allocated until the user's call
/// that led there is found, or turns out to be undeterminable.
class CallSearch {
public:
  /// \param Function start of the function that allocated; 0: not known
  explicit CallSearch(uintptr_t Function) : Inner(Function) {}

  enum Step : uint8_t {
    Outwards, ///< code without labels, or a library's call: try the caller
    Found,    ///< frame() is the user's
    Unknown   ///< the user's code, but not a labelled call, or a frame may be
              ///< missing: a function called in between may have jumped
  };
  /// Examines the next frame and its call, which returns to \p Return. Call
  /// without the mutex.
  Step look(uintptr_t Return);
  const struct inmem_frame *frame() const { return Frame; }

private:
  uintptr_t Inner; ///< start of the function called
  const struct inmem_frame *Frame = nullptr;
};

/// Call after files were registered or unregistered, and after options were
/// read. Needs the mutex.
void noteCallLabels();

} // namespace inmem::rt

#endif
