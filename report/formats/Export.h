//===- Export.h - Profiles for other tools --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each format is written as its own documentation says; docs/export.md names
// it and the tools that read it.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_REPORT_EXPORT_H
#define INMEM_REPORT_EXPORT_H

#include "report/model/Profile.h"

namespace inmem::report {

struct ExportFormat {
  std::string_view Name, Help;
  /// The whole file; bytes or text.
  std::string (*Write)(const Profile &P);
  /// As Write, for samples of where threads were; null: cannot show them.
  std::string (*WriteTimes)(const Profile &P) = nullptr;
};
/// All formats, in the order of the help.
std::span<const ExportFormat> exportFormats();

} // namespace inmem::report

#endif
