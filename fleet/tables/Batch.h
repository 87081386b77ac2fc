//===- Batch.h - Traces to rows -------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Traces of one day and service become rows of all tables. Each table's file is
// written from a batch, because a file for each trace would cost readers more
// than its rows.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_FLEET_BATCH_H
#define INMEM_FLEET_BATCH_H

#include "fleet/tables/TableRows.h"
#include "report/model/Profile.h"
#include "trace/read/Trace.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace inmem::fleet {

/// Longer labels, and those beyond this number, are cut: labels are users'
/// data, and with an id in a label each trace would have its own value.
inline constexpr size_t kMostLabels = 32, kLongestLabel = 256;

/// The key under which a trace is filed.
struct TraceKey {
  int64_t TraceId = 0;
  std::string Date;    ///< UTC date of its start, such as `2026-11-25`
  std::string Service; ///< label `service`, else the executable's name
  std::string Build;   ///< label `build`, else the build ID
  std::vector<std::pair<std::string, std::string>> Labels;
};

/// Labels for traces that lack them (fleet.toml), by name.
using DefaultLabels = std::map<std::string, std::string, std::less<>>;

/// The id identifies the process: host, pid and start. A copy of a trace, or
/// its part of a merged file, has the same id. Traces of other tools have no
/// start: their id is a hash of their bytes.
TraceKey keyOf(const trace::Trace &T, const DefaultLabels &Defaults = {});

/// A name that is valid for a folder: letters, digits, `.`, `_` and `-`.
std::string partitionName(std::string_view Text);

/// Not thread-safe.
class Batch {
public:
  Batch(std::string Date, std::string Service);
  Batch(const Batch &) = delete;
  Batch &operator=(const Batch &) = delete;

  /// Adds a trace and its profile P, built without a selection.
  void add(const trace::Trace &T, const report::Profile &P,
           const TraceKey &Key);
  /// Adds the rows that are sums over the traces. Call it before rows().
  void finish();

  const std::string &date() const { return Date; }
  const std::string &service() const { return Service; }
  const std::vector<int64_t> &traceIds() const { return Ids; }
  /// Build ids of the processes, each once.
  const std::set<std::string> &builds() const { return Builds; }
  const Rows &rows(TableId Id) const { return Tables[static_cast<size_t>(Id)]; }
  /// The approximate memory of the rows.
  size_t bytes() const;

private:
  struct Source {
    const report::Profile &P;
    int64_t TraceId, Build;
  };
  Rows &rowsOf(TableId Id) { return Tables[static_cast<size_t>(Id)]; }
  void addProcess(const trace::Trace &T, const TraceKey &Key, const Source &S);
  void addTypes(const Source &S);
  void addLifetimes(const report::TypeResult &T, int64_t TypeId,
                    const Source &S);
  void addSites(const Source &S);
  void addDaily();
  void addTimeline(const Source &S);
  void addResident(const Source &S);
  void addFindings(const Source &S);
  void addObjects(const report::TypeResult &T, int64_t TypeId, const Source &S);
  void addFrees(const Source &S);
  int64_t nameType(const report::TypeResult &T);
  int64_t nameSite(const report::SiteResult &S);
  int64_t nameLocation(const report::SourceLocation &P);

  std::string Date, Service;
  TextPool Texts;
  std::vector<Rows> Tables;
  std::vector<int64_t> Ids;
  std::set<std::string> Builds;
  std::set<int64_t> NamedTypes, NamedSites;
};

} // namespace inmem::fleet

#endif
