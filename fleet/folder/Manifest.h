//===- Manifest.h - Which files of a fleet's folder are valid -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `_manifest/GENERATION.json` names every file that readers may open; they
// never list folders. A change writes the next generation. If two processes
// write the same one, one of them starts again. A file that is no longer named
// has a tombstone for some time, so that readers of an earlier generation can
// finish.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_FLEET_MANIFEST_H
#define INMEM_FLEET_MANIFEST_H

#include "fleet/tables/Schema.h"
#include "trace/read/Status.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace inmem::fleet {

/// The manifest names files older than this; each commit writes it again with
/// all files.
inline constexpr std::chrono::seconds kCommitEvery{5};

struct FileEntry {
  std::string Table, Path; ///< Path: in the fleet's folder
  std::string Schema;      ///< the schema it was written with
  std::string Date, Service;
  uint64_t Rows = 0, Bytes = 0;
  uint64_t Traces = 0; ///< for `processes`, else 0
  std::vector<std::string> Builds;
};

struct Tombstone {
  std::string Path;
  int64_t Since = 0;     ///< seconds of Unix time
  std::string Into = {}; ///< file that now has its rows; empty if they are gone
  /// A process is deleting the file, or was killed while it did.
  bool Deleting = false;
};

struct Manifest {
  uint64_t Generation = 0; ///< 0: not yet
  std::vector<FileEntry> Files;
  std::vector<Tombstone> Tombstones;

  std::string write() const;
  static trace::Result<Manifest> read(const std::string &Text,
                                      const std::string &Name);
};

/// Finds the files of a manifest, which must not change while this object is
/// used.
class ManifestIndex {
public:
  explicit ManifestIndex(const Manifest &Of);
  /// True if the file is valid.
  bool has(const std::string &Path) const { return Named.contains(Path); }
  /// Null if the file has no tombstone.
  const Tombstone *tombstoneOf(const std::string &Path) const;
  /// True if the rows of a file with a tombstone are in a valid file.
  bool isMerged(const std::string &Path) const;

private:
  std::unordered_set<std::string_view> Named;
  std::unordered_map<std::string_view, const Tombstone *> Buried;
};

/// Error for a folder without a manifest.
trace::Status notAFleet(const std::string &Folder);

/// An error if \p Folder has files of a schema that this version cannot read.
trace::Status checkSchemas(const std::string &Folder, const Manifest &Of);

/// A fleet's folder. Several processes may use it at the same time.
class FleetFolder {
public:
  explicit FleetFolder(std::filesystem::path Of) : Root(std::move(Of)) {}

  const std::filesystem::path &root() const { return Root; }
  std::filesystem::path operator/(const std::string &Path) const {
    return Root / Path;
  }
  /// Generation 0 if the folder is empty or missing.
  trace::Result<Manifest> newest() const;
  /// Makes the next generation from the newest by Change, and repeats that if
  /// another process was faster. \param Change returns false if there is
  /// nothing to change
  trace::Status
  update(const std::function<trace::Result<bool>(Manifest &)> &Change) const;

private:
  std::filesystem::path fileOf(uint64_t Generation) const;
  std::vector<uint64_t> generations() const;
  trace::Status removeOldGenerations() const;
  std::filesystem::path Root;
};

} // namespace inmem::fleet

#endif
