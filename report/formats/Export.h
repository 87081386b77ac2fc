//===- Export.h - Profiles for other tools --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each format follows its own documentation. docs/export.md names it, and the
// tools that read the format.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_REPORT_EXPORT_H
#define INMEM_REPORT_EXPORT_H

#include "report/model/Profile.h"

namespace inmem::report {

/// The figures that a format requires, besides names and stacks.
struct ExportNeeds {
  bool Allocated = true;   ///< bytes that were allocated
  bool Freed = false;      ///< blocks that were freed, or are alive
  bool Timeline = false;   ///< Profile::Timeline
  bool Phases = false;     ///< Profile::Phases, if there are any
  bool Parts = false;      ///< ProfileOptions::Parts
  bool EachBlock = false;  ///< one line per allocation
  bool EachSample = false; ///< one packet per sample
};

struct ExportFormat {
  std::string_view Name, Help;
  /// The whole file; bytes or text.
  std::string (*Write)(const Profile &P);
  ExportNeeds Needs = {};
  /// As Write, for samples of threads; null if the format cannot show them.
  std::string (*WriteTimes)(const Profile &P) = nullptr;
  /// As Write, with types as innermost frames; null if Write has such frames,
  /// or the format has no stacks.
  std::string (*WriteTypeFrames)(const Profile &P) = nullptr;
};
/// All formats, in the order of the help text.
std::span<const ExportFormat> exportFormats();

} // namespace inmem::report

#endif
