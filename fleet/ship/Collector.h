//===- Collector.h - Uploads finished traces to a shared store --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A trace that has ended is compressed into the spool, and its file is removed.
// It is then put into the store, and removed from the spool. Its key depends
// only on its bytes, so that each step can be repeated. If a process is killed
// between two steps, nothing is lost, and the next process continues.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_FLEET_COLLECTOR_H
#define INMEM_FLEET_COLLECTOR_H

#include "fleet/ship/Spool.h"
#include "fleet/ship/Store.h"

#include <chrono>
#include <functional>
#include <map>

namespace inmem::fleet {

struct CollectOptions {
  std::filesystem::path From;
  uint64_t SpoolBytes = uint64_t{1} << 30;
  /// A trace has ended when its process recorded the end and the file did not
  /// change for this time.
  std::chrono::seconds Settle{10};
  /// If a trace did not change for this time, its process was killed.
  std::chrono::seconds KilledAfter{24 * 60 * 60};
  unsigned Attempts = 5; ///< to store a trace, with growing waits
  std::chrono::milliseconds FirstWait{500};
  std::function<bool()> Stop = [] { return false; };
};

struct CollectCounts {
  uint64_t Added = 0, Present = 0; ///< Present: already in the store
  uint64_t Bytes = 0;              ///< stored size of added traces
  uint64_t Running = 0;            ///< not ended as of the last pass
  uint64_t Waiting = 0; ///< ended, not in the store as of the last pass
};

class Collector {
public:
  Collector(Spool Own, Store &To, CollectOptions Options)
      : Own(std::move(Own)), To(To), Options(std::move(Options)) {}

  /// Ships all traces that have ended. \returns the reason if some were not
  /// shipped
  trace::Status pass();
  const CollectCounts &counts() const { return Sum; }
  /// Files that are not traces, each reported once. They are not removed.
  std::vector<trace::Status> takeUnreadable();

private:
  struct Source {
    std::filesystem::path Path;
    std::string State; ///< distinguishes it from later files of the same name
    uint64_t Bytes = 0;
  };
  std::vector<Source> endedTraces();
  bool hasEnded(const std::filesystem::path &File, int64_t ChangedAt) const;
  /// \returns whether the trace has left its folder.
  trace::Result<bool> take(const Source &From);
  /// Uploads a trace that does not fit into the spool, under the key that it
  /// would have there.
  trace::Status shipFromMemory(const std::string &Key,
                               std::span<const std::byte> Trace, bool &Shipped);
  trace::Status shipSpool(bool &Shipped);
  trace::Status ship(const std::string &Key, const std::filesystem::path &File,
                     bool &Shipped);
  void sleep(std::chrono::milliseconds Time) const;

  Spool Own;
  Store &To;
  CollectOptions Options;
  CollectCounts Sum;
  std::map<std::filesystem::path, std::string> Bad; ///< with their states
  std::vector<trace::Status> NewlyBad;
};

} // namespace inmem::fleet

#endif
