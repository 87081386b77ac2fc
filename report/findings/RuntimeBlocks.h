//===- RuntimeBlocks.h - Blocks of the runtime libraries ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_FINDINGS_RUNTIMEBLOCKS_H
#define INMEM_REPORT_FINDINGS_RUNTIMEBLOCKS_H

#include "report/model/Profile.h"

namespace inmem::report {

/// True if the C or C++ runtime library makes a site's blocks for its own use,
/// or the language does: buffers of opendir() and fopen(), exception objects
/// and their texts, frames of coroutines. No change of the program's source
/// puts them elsewhere. False for blocks that a function of the C library
/// returns to its caller, such as strdup().
bool isRuntimesOwn(const Profile &P, const SiteResult &S);

} // namespace inmem::report

#endif
