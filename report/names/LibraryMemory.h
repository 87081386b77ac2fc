//===- LibraryMemory.h - The runtime libraries' own blocks --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_LIBRARYMEMORY_H
#define INMEM_REPORT_LIBRARYMEMORY_H

#include "report/model/Profile.h"

namespace inmem::report {

/// Whether a site's blocks are what the C and C++ libraries keep for themselves
/// in each process: libstdc++'s pool for exceptions in time of need, the C
/// library's buffers of its streams and the loader's tables. They stay
/// allocated by design and are nobody's leak.
bool isLibraryMemory(const SiteResult &S);

} // namespace inmem::report

#endif
