//===- HeapTextProfile.h - Heap profiles as text, for pprof -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_TOOLS_HEAPTEXTPROFILE_H
#define INMEM_TOOLS_HEAPTEXTPROFILE_H

#include "trace/Status.h"

#include <string>
#include <string_view>

namespace inmem::pprof {
class Profile;
}

namespace inmem::tools {

/// True if it begins as jemalloc's (heap_v2) or gperftools' text does.
bool isHeapText(std::string_view Text);

/// Makes a profile of the text: what is alive and what was allocated, in blocks
/// and bytes, with the mappings that the text ends with. Sampled figures are
/// scaled as jeprof and `go tool pprof` do. The error names the byte of \p
/// File.
trace::Status readHeapText(std::string_view Text, const std::string &File,
                           pprof::Profile &Into);

} // namespace inmem::tools

#endif
