//===- LiveHistory.h - The last minutes of a running program --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Live bytes at each look of `inmem top`, in total and by type, for its curve
// and its growth column.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_TOOLS_LIVEHISTORY_H
#define INMEM_TOOLS_LIVEHISTORY_H

#include "live/LiveTypes.h"

#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace inmem::tools {

class LiveHistory {
public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::minutes kLongest{5};

  /// Adds a look. Drops looks older than kLongest, and every second one if
  /// there are more than kMost.
  void add(const Moment &Now);

  /// Growth in bytes of a row of \p Now since the oldest look; negative if it
  /// has shrunk. Rows that did not exist then count as zero.
  int64_t grown(const std::string &Name, const TypeCounts &Now) const;
  /// As above, for the sum of all rows.
  int64_t grown(const TypeCounts &All) const;
  /// Time between the oldest look and the newest.
  std::chrono::duration<double> span() const;

  /// The curve of all live bytes with its scales, as \p Lines lines of text.
  /// Empty after only one look, or if it does not fit.
  std::vector<std::string> curve(size_t Lines, const report::Style &S) const;

private:
  struct Look {
    Clock::time_point When;
    uint64_t Live = 0;
    std::vector<uint64_t> Types; ///< by index; missing ones were 0
  };
  static constexpr size_t kMost = 600;

  std::deque<Look> Looks;
  std::unordered_map<std::string, size_t> Indices; ///< row indices by name
};

} // namespace inmem::tools

#endif
