//===- ExportSamples.h - Samples, as exporters write them -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_FORMATS_EXPORTSAMPLES_H
#define INMEM_REPORT_FORMATS_EXPORTSAMPLES_H

#include "report/model/Profile.h"

namespace inmem::report {

/// Blocks of one type that were allocated in one place.
struct ExportSample {
  /// Frames from the allocating call outwards; functions are named as in
  /// reports.
  std::vector<SourceLocation> Chain;
  std::string Type; ///< name of the blocks in reports
  /// The type as the compiler spells it; empty if unknown.
  std::string_view Spelling;
  const Counts &Sum;
  /// Summed lifetimes of freed blocks, in Profile::LifetimeUnit; 0 if unknown.
  uint64_t Lived = 0;
  std::vector<const PartResult *> Parts; ///< empty: not distinguished
  size_t Site = 0;                       ///< index into Profile::Sites
};

/// One sample for each call stack if all blocks have a stack; otherwise one for
/// each site, with the chain of inlined calls.
std::vector<ExportSample> samplesOf(const Profile &P);

/// Calls Do with the counts of each part of a sample, and with the part, which
/// is null for a sample without parts.
template <class F> void eachPart(const ExportSample &S, F Do) {
  for (const PartResult *Part : S.Parts)
    Do(Part->Sum, Part);
  if (S.Parts.empty())
    Do(S.Sum, nullptr);
}

/// The number of times that a thread was seen in one place (profile=).
struct TimeSample {
  /// Frames from the innermost call outwards; functions are named as in
  /// reports.
  std::vector<SourceLocation> Chain;
  const SampledStack &Of;
  uint64_t Ns = 0; ///< samples times the interval
};
std::vector<TimeSample> timesOf(const Profile &P);
/// True if only running threads were sampled.
bool isCpuTime(const Profile &P);

/// Labels that all processes have.
std::vector<std::pair<std::string, std::string>> commonLabels(const Profile &P);

/// The name of the module to which exports assign all library code, so that
/// viewers can hide or group it.
inline constexpr std::string_view kLibraryModule = "[library]";
/// True if a location is library code, by its function's name or its file.
bool isLibraryCode(const SourceLocation &At);
/// The module of the program's own code: its executable's name.
std::string programOf(const Profile &P);

/// Never empty.
std::string functionOf(const SourceLocation &P);
/// `f(int) (a.cpp:3)`.
std::string frameText(const SourceLocation &P);
std::string commandOf(const Profile &P);
/// Protobuf's strings are UTF-8.
std::string utf8(std::string_view Text);

// Exporters that have separate files.
std::string writeCallgrind(const Profile &P);
std::string writePprof(const Profile &P);
/// As above; the leaf of a stack is the type, and its caller the user's line.
std::string writePprofTypes(const Profile &P);
std::string writePprofTimes(const Profile &P);
std::string writePerfetto(const Profile &P);
std::string writePerfettoTimes(const Profile &P);
std::string writeOtlp(const Profile &P);
std::string writeHeaptrack(const Profile &P);
std::string writeDhat(const Profile &P);

} // namespace inmem::report

#endif
