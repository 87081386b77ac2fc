//===- TypeRows.h - Types, as one row in all traces -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_MODEL_TYPEROWS_H
#define INMEM_REPORT_MODEL_TYPEROWS_H

#include "report/model/Profile.h"

#include <map>
#include <unordered_map>

namespace inmem::report {

/// Finds the row of a type, or adds one.
class TypeRows {
public:
  TypeRows(const ProfileOptions &With, std::vector<TypeResult> &Rows)
      : Options(With), Rows(Rows) {}

  /// The row of a type, identified by name and id in any process.
  size_t of(const trace::Trace &T, uint32_t Index);
  /// The row of a type that no record of the trace describes, or the row with
  /// the same name. \p Size 0 if unknown
  size_t named(const std::string &Name, uint64_t Size);
  /// The row of a class with counted objects.
  size_t ofClass(const trace::Trace &T, const trace::Object &O);
  /// The row of a class whose objects are counted so far, or null.
  TypeResult *followed(std::string_view ClassName);

private:
  size_t add(TypeResult Type);
  size_t addDescribed(TypeResult Type);

  const ProfileOptions &Options;
  std::vector<TypeResult> &Rows;
  std::unordered_map<std::string, size_t> ByKey; ///< id and name
  /// Options.ByReadableName: rows by the name in reports.
  std::unordered_map<std::string, size_t> Readable;
  std::unordered_map<std::string, size_t> Named; ///< added by named()
  /// Sorted by row.
  std::map<std::string, std::vector<size_t>, std::less<>> ByName;
};

} // namespace inmem::report

#endif
