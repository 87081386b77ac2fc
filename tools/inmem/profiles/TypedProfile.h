//===- TypedProfile.h - Heap profiles with types ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_TOOLS_TYPEDPROFILE_H
#define INMEM_TOOLS_TYPEDPROFILE_H

#include "profiles/SampleTypes.h"
#include "trace/read/Buffer.h"
#include "trace/read/Status.h"

#include <cstdint>
#include <string>
#include <vector>

namespace inmem::pprof {
class Profile;
}
namespace inmem::otlp {
class ProfilesData;
}

namespace inmem::tools {

/// The label, or attribute, that holds a sample's type.
inline constexpr char kTypeLabel[] = "type";
/// The frame of samples without a type.
inline constexpr char kNoTypeFrame[] = "(unknown type)";

struct TypedCounts {
  uint64_t Samples = 0, Typed = 0;
  uint64_t Bytes = 0, TypedBytes = 0;
};

/// Adds types to the samples of a profile; a sample that has one keeps it.
/// \param Frames also adds a frame with the type's name at each stack's root
TypedCounts typePprof(pprof::Profile &P, SampleTypes &Types, bool Frames);
TypedCounts typeOtlp(otlp::ProfilesData &P, SampleTypes &Types, bool Frames);

struct TypedProfile {
  std::string Bytes; ///< protobuf of pprof, or of OTLP for OTLP input
  TypedCounts Counts;
  std::vector<std::string> Notes;
};

/// Adds types to a heap profile in pprof's or OTLP's format. Also accepts the
/// text format of jemalloc and gperftools, which becomes a pprof profile.
/// \param Binaries see SampleTypes \param Requested converts bytes of
/// jemalloc's size classes to requested bytes, for types of known size \returns
/// an error with the byte's position if the format is none of these
trace::Result<TypedProfile> addTypes(const trace::Buffer &File,
                                     const std::vector<std::string> &Binaries,
                                     bool Frames, bool Requested);

} // namespace inmem::tools

#endif
