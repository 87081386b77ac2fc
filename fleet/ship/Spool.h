//===- Spool.h - Traces on their way to a store ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A folder that holds traces from the moment they leave the folder that
// programs write to, until the store has them. It survives the end of the
// process at any moment. Each file's path in it is its key in the store.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_FLEET_SPOOL_H
#define INMEM_FLEET_SPOOL_H

#include "trace/read/Status.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace inmem::fleet {

class Spool {
public:
  /// Creates the folder, and removes half-written files of a killed collector.
  /// A spool that another process uses is an error.
  static trace::Result<Spool> open(const std::filesystem::path &Folder);
  Spool(Spool &&From) noexcept;
  Spool &operator=(Spool &&) = delete;
  ~Spool();

  /// Compresses a trace and keeps it under a key.
  trace::Status take(const std::string &Key, std::span<const std::byte> Trace);
  struct StoredTrace {
    std::string Key;
    uint64_t Bytes = 0;
    std::filesystem::file_time_type Taken;
  };
  /// Waiting entries, the oldest first.
  std::vector<StoredTrace> entries() const;
  std::filesystem::path fileOf(const std::string &Key) const {
    return Folder / Key;
  }
  trace::Status drop(const std::string &Key) const;

private:
  Spool(std::filesystem::path Folder, int Lock)
      : Folder(std::move(Folder)), Lock(Lock) {}
  std::filesystem::path Folder;
  int Lock;
};

/// Writes a trace in the spool's format.
trace::Status compressTo(const std::filesystem::path &File,
                         std::span<const std::byte> Trace);

} // namespace inmem::fleet

#endif
