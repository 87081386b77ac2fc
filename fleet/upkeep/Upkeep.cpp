//===- Upkeep.cpp ---------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fleet/upkeep/Upkeep.h"

#include "fleet/tables/Durable.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <unordered_set>

namespace inmem::fleet {

namespace fs = std::filesystem;
using trace::Result;
using trace::Status;

MaintenanceLock::MaintenanceLock(const FleetFolder &Folder) {
  const std::string Name = (Folder / "_manifest" / "_lock").string();
  File = open(Name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (File < 0 || flock(File, LOCK_EX | LOCK_NB) != 0)
    Failure = Status::error(
        Name, errno == EWOULDBLOCK
                  ? "is locked: another process compacts or expires"
                  : std::string("cannot be locked: ") + strerror(errno));
}

MaintenanceLock::~MaintenanceLock() {
  if (File >= 0)
    close(File);
}

/// Marks files that all readers have had time to finish; from then on nothing
/// names them. \returns all marked files
static Result<std::unordered_set<std::string>>
markDeletable(const FleetFolder &Folder, const UpkeepOptions &Options,
              UpkeepCounts &Counts) {
  std::unordered_set<std::string> Marked;
  Status Done = Folder.update([&](Manifest &Next) -> Result<bool> {
    const ManifestIndex Index(Next);
    Marked.clear();
    bool Changed = false;
    for (Tombstone &T : Next.Tombstones) {
      if (Index.has(T.Path))
        continue;
      if (!T.Deleting && T.Since <= Options.Now - Options.DeleteAfter)
        T.Deleting = Changed = true;
      if (T.Deleting)
        Marked.insert(T.Path);
    }
    Counts.Deleted = Marked.size();
    Counts.Waiting = Next.Tombstones.size() - Marked.size();
    return Changed;
  });
  if (!Done.ok())
    return Done;
  return Marked;
}

static Status removeBuried(const FleetFolder &Folder,
                           const UpkeepOptions &Options, UpkeepCounts &Counts) {
  const auto Marked = markDeletable(Folder, Options, Counts);
  if (!Marked)
    return Marked.status();
  for (const std::string &Path : *Marked)
    if (Status Done = removeDurably(Folder / Path); !Done.ok())
      return Done;
  return Folder.update([&](Manifest &Next) -> Result<bool> {
    return std::erase_if(Next.Tombstones, [&](const Tombstone &T) {
             return Marked->contains(T.Path);
           }) != 0;
  });
}

static bool isOlder(const fs::path &File, int64_t Than) {
  struct stat Is{};
  return lstat(File.c_str(), &Is) == 0 && S_ISREG(Is.st_mode) &&
         Is.st_mtime <= Than;
}

/// Deletes unfinished files. \returns the paths of finished ones, whether or
/// not the manifest names them
static Result<std::vector<std::string>>
oldFiles(const FleetFolder &Folder, int64_t Than, UpkeepCounts &Counts) {
  std::vector<std::string> Out, Folders = {"_manifest"};
  for (const TableSpec &Spec : tables())
    Folders.emplace_back(Spec.Name);
  std::error_code Error;
  for (const std::string &Each : Folders)
    for (const auto &File :
         fs::recursive_directory_iterator(Folder / Each, Error)) {
      const std::string Name = File.path().filename().string();
      const bool Part = isPart(Name);
      if ((!Part && (Each == "_manifest" || !Name.ends_with(".parquet"))) ||
          !isOlder(File.path(), Than))
        continue;
      if (!Part) {
        Out.push_back(File.path().lexically_relative(Folder.root()).string());
        continue;
      }
      if (Status Done = removeDurably(File.path()); !Done.ok())
        return Done;
      ++Counts.Swept;
    }
  return Out;
}

static Status sweep(const FleetFolder &Folder, const UpkeepOptions &Options,
                    UpkeepCounts &Counts) {
  const auto Old = oldFiles(Folder, Options.Now - Options.SweepAfter, Counts);
  if (!Old)
    return Old.status();
  const uint64_t Parts = Counts.Swept;
  return Folder.update([&](Manifest &Next) -> Result<bool> {
    Counts.Swept = Parts;
    const ManifestIndex Index(Next);
    std::vector<Tombstone> New;
    for (const std::string &Path : *Old)
      // An export that uses a file updates its time first.
      if (!Index.has(Path) && !Index.tombstoneOf(Path) &&
          isOlder(Folder / Path, Options.Now - Options.SweepAfter))
        New.push_back({Path, Options.Now});
    Counts.Swept = Parts + New.size();
    Next.Tombstones.insert(Next.Tombstones.end(), New.begin(), New.end());
    return !New.empty();
  });
}

Result<UpkeepCounts> removeUnneeded(const FleetFolder &Folder,
                                    const UpkeepOptions &Options) {
  UpkeepCounts Counts;
  Status Done = sweep(Folder, Options, Counts);
  if (Done.ok())
    Done = removeBuried(Folder, Options, Counts);
  if (!Done.ok())
    return Done;
  return Counts;
}

} // namespace inmem::fleet
