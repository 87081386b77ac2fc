//===- FilePages.h - Memory of files that were read -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_DEBUGINFO_FILEPAGES_H
#define INMEM_DEBUGINFO_FILEPAGES_H

#include <libelf.h>
#include <span>

namespace inmem::debuginfo {

/// Gives back the pages of \p Bytes, a private mapping of a file that this
/// process does not write to. The kernel keeps them in its cache, and reads of
/// them fault again. Does nothing if they are anything else, such as part of a
/// mapping. \returns whether they were given back
bool releasePages(std::span<const char> Bytes);

/// As above, for all of a file that libelf has mapped but the end, from its
/// section headers on.
void releasePagesOf(Elf *File);

} // namespace inmem::debuginfo

#endif
