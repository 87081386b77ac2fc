//===- RowFilter.h - Which parts of a trace the user chose ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --type, --site, --thread and --min-bytes for commands that show a trace
// directly, without building a profile.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_TOOLS_ROWFILTER_H
#define INMEM_TOOLS_ROWFILTER_H

#include "trace/text/Text.h"

#include <string>
#include <vector>

namespace inmem::tools {

/// As on the command line, but split. An empty list matches all.
struct Globs {
  std::vector<std::string> Types, Sites, Threads;
  uint64_t MinBytes = 0; ///< minimum bytes allocated by a type or site
  bool chooseRows() const {
    return !Types.empty() || !Sites.empty() || MinBytes > 0;
  }
  bool any() const { return chooseRows() || !Threads.empty(); }
};

/// A filter of one trace; T and Globs must outlive it.
class RowFilter : public trace::DumpFilter {
public:
  RowFilter(const trace::Trace &T, const Globs &Of);
  bool choosesRows() const override { return Of.chooseRows(); }
  /// True if blocks of that type from that site are selected.
  bool row(uint32_t Site, uint32_t Type) const override;
  bool type(uint32_t Index) const override;
  bool site(uint32_t Id) const override;
  /// Index 0, the process itself, is always selected.
  bool thread(uint32_t Index) const override;

private:
  bool matchesTypes(uint32_t Index) const;
  bool matchesSites(uint32_t Id) const;

  const trace::Trace &T;
  const Globs &Of;
  std::vector<bool> TypeMatches, SiteMatches; ///< match by glob only
  std::vector<bool> TypeWanted, SiteWanted;
};

} // namespace inmem::tools

#endif
