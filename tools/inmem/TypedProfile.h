//===- TypedProfile.h - Types of the samples of a pprof profile -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_TOOLS_TYPEDPROFILE_H
#define INMEM_TOOLS_TYPEDPROFILE_H

#include "trace/Buffer.h"
#include "trace/Status.h"

#include <cstdint>
#include <string>
#include <vector>

namespace inmem::tools {

struct TypedProfile {
  std::string Bytes; ///< the profile with types, in protobuf's form
  uint64_t Samples = 0, TypedSamples = 0;
  /// By the profile's last kind of value in bytes.
  uint64_t SampledBytes = 0, TypedBytes = 0;
};

/// Gives each sample of a heap profile a label `type`, inferred from the code
/// that its innermost call is in (debuginfo/TypeFinder.h). Samples with such a
/// label keep it. The rest of the profile stays as it is.
/// \param File a profile of pprof, or the text of jemalloc (heap_v2) or
/// gperftools, of which it makes one
/// \param Binaries programs and libraries, for mappings that are not found by
/// their path; by build id, or without one by name
/// \param Frames adds a frame with the type's name at the root of each stack
trace::Result<TypedProfile> addTypes(const trace::Buffer &File,
                                     const std::vector<std::string> &Binaries,
                                     bool Frames);

} // namespace inmem::tools

#endif
