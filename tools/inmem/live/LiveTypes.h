//===- LiveTypes.h - Types of a running program, moment by moment ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The figures of `inmem top`: each type's current counts, and its events since
// the previous look. Only reads the trace.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_TOOLS_LIVETYPES_H
#define INMEM_TOOLS_LIVETYPES_H

#include "files/RowFilter.h"
#include "files/Symbolizer.h"
#include "report/text/Table.h"
#include "trace/read/Trace.h"

#include <chrono>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>

namespace inmem::tools {

/// Sort orders of the table; the letter is the key that selects one.
enum class TopOrder : char {
  Live = 'l',
  Blocks = 'b',
  Rate = 'a',
  Churn = 'c',
  Growth = 'g',
  Total = 't',
  Name = 'n'
};
struct TopOrderName {
  TopOrder Order;
  std::string_view Word;
};
/// The words of --sort.
std::span<const TopOrderName> topOrders();
/// The order that a key selects.
std::optional<TopOrder> topOrder(int Key);
std::string_view wordOf(TopOrder Order);

struct TypeCounts {
  uint64_t Allocations = 0, Bytes = 0, Frees = 0, FreedBytes = 0;
  void add(const trace::RowTotals &R);
  uint64_t live() const {
    return Allocations > Frees ? Allocations - Frees : 0;
  }
  uint64_t liveBytes() const {
    return Bytes > FreedBytes ? Bytes - FreedBytes : 0;
  }
};

struct Moment {
  std::chrono::steady_clock::time_point When;
  std::map<std::string, TypeCounts> Types; ///< by printed name
  TypeCounts All;
  int64_t PeakBytes = 0;
  uint64_t ResidentBytes = 0; ///< 0 if unknown
  size_t Threads = 0;
  bool Recording = true, Running = true;
  bool ByThread = false; ///< Types lists running threads
  std::string Command;
};

/// Names that reports use for the blocks of each entry in one trace.
class BlockNames {
public:
  BlockNames();
  /// The name of the blocks of \p E. Valid until the next call.
  const std::string &of(const trace::Trace &T, const trace::Entry &E);

private:
  /// Types from debug information, inferred once for each site.
  struct Types : Symbolizer {
    std::optional<trace::SiteType> typeOf(const trace::Trace &T,
                                          const trace::Entry &E) override;
    std::unordered_map<uint64_t, std::optional<trace::SiteType>> Inferred;
  };
  std::unordered_map<uint64_t, std::string> Known; ///< see EntryRow::Entry
  std::shared_ptr<Types> Files;
};

/// \param Names reused for each look, so that only new entries are looked up
/// \param Filter selects the types that have rows, and the sites and threads
/// counted in them; MinBytes applies to a type's bytes so far. The sum includes
/// everything.
Moment momentOf(const trace::Trace &T, BlockNames &Names,
                const Globs &Filter = {});
/// As momentOf(), with a row for each running thread. Its live bytes are its
/// allocations minus its frees.
Moment threadsOf(const trace::Trace &T, const Globs &Filter = {});

class LiveHistory;

/// Head and table. Rates are computed over the time between Before and Now.
struct TopView {
  const Moment &Before, &Now;
  const LiveHistory &History;
  TopOrder Order = TopOrder::Live;
  size_t Rows = 0;  ///< most types shown; 0: all
  size_t Lines = 0; ///< height of the curve above the table; 0: none
};
struct TopText {
  std::string Text;
  size_t TitleLine = 1; ///< the number of the line with the columns' titles
};
TopText topTable(const TopView &V, const report::Style &S);

} // namespace inmem::tools

#endif
