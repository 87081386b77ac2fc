//===- KnownFiles.h - Loaded files, found without the loader's lock -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For musl, which has no _dl_find_object. A file that it has loaded stays where
// it is (its dlclose does nothing), so a table of them only grows.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_KNOWN_FILES_H
#define INMEM_RUNTIME_KNOWN_FILES_H

#include <stdint.h>

namespace inmem::rt {

class Image;

/// Finds the loaded file that contains \p Address. If it is not in the table,
/// asks the loader, with signals blocked, for what was loaded since.
bool findKnownFile(uintptr_t Address, Image &Found);

} // namespace inmem::rt

#endif
