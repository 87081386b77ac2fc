//===- Compaction.cpp - Many small files of a day become few --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fleet/upkeep/Upkeep.h"

#include "fleet/folder/Exporter.h"
#include "fleet/tables/ContentHash.h"
#include "fleet/tables/Durable.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

namespace inmem::fleet {

namespace fs = std::filesystem;
using trace::Result;
using trace::Status;

/// Fewer files open together keep the Parquet reader's memory small.
constexpr size_t kMostSources = 1000;

namespace {

/// Files to be merged.
struct Group {
  const TableSpec *Spec = nullptr;
  std::vector<FileEntry> Sources;
};

struct Merged {
  FileEntry Into;
  std::vector<std::string> Sources;
};

class Compactor {
public:
  Compactor(const FleetFolder &Folder, const CompactionOptions &Options,
            Duck Engine)
      : Folder(Folder), Options(Options), Engine(std::move(Engine)),
        LastCommit(std::chrono::steady_clock::now()) {}

  Status merge(const Group &G);
  Status commit();
  CompactionCounts Counts;

private:
  Status write(const Group &G, const fs::path &Final);
  Result<uint64_t> numberOf(const std::string &Sql);
  Result<bool> replace(Manifest &Next);

  const FleetFolder &Folder;
  const CompactionOptions &Options;
  Duck Engine;
  std::vector<Merged> Pending; ///< written, not yet in the manifest
  std::chrono::steady_clock::time_point LastCommit;
};

} // namespace

static std::vector<Group> groupsOf(const Manifest &M, uint64_t FileBytes) {
  // All rows of a file have one schema.
  std::map<std::tuple<std::string, std::string, std::string, std::string>,
           std::vector<FileEntry>>
      Small;
  for (const FileEntry &F : M.Files)
    if (const TableSpec *Spec = tableNamed(F.Table);
        Spec && Spec->Partitioned && F.Bytes <= FileBytes / 2)
      Small[{F.Date, F.Service, F.Table, F.Schema}].push_back(F);
  std::vector<Group> Out;
  for (auto &[Key, Files] : Small) {
    // Files of the same builds are merged, so that readers of some builds of a
    // large day skip the others. After that, the smallest come first.
    std::ranges::sort(Files, [](const FileEntry &A, const FileEntry &B) {
      return std::tie(A.Builds, A.Bytes, A.Path) <
             std::tie(B.Builds, B.Bytes, B.Path);
    });
    Group Next{tableNamed(std::get<2>(Key)), {}};
    uint64_t Bytes = 0;
    const auto End = [&] {
      if (Next.Sources.size() > 1)
        Out.push_back(Next);
      Next.Sources.clear();
      Bytes = 0;
    };
    for (FileEntry &F : Files) {
      if (Bytes + F.Bytes > FileBytes || Next.Sources.size() == kMostSources)
        End();
      Bytes += F.Bytes;
      Next.Sources.push_back(std::move(F));
    }
    End();
  }
  return Out;
}

/// True if rows are sorted by build before their table's order. That is so if
/// each build fills a row group, so that readers of some builds skip the
/// others.
static bool isByBuild(const Group &G) {
  constexpr uint64_t kRowGroup = 122'880; // DuckDB's default
  std::set<std::string> Builds;
  uint64_t Rows = 0;
  for (const FileEntry &F : G.Sources) {
    if (F.Builds.empty())
      return false;
    Builds.insert(F.Builds.begin(), F.Builds.end());
    Rows += F.Rows;
  }
  return Rows / Builds.size() >= kRowGroup &&
         std::ranges::find(G.Spec->Columns, "build", &ColumnSpec::Name) !=
             G.Spec->Columns.end();
}

/// The rows of a group's sources, in the file's form.
static std::string rowsOf(const FleetFolder &Folder, const Group &G) {
  std::vector<const FileEntry *> Files;
  Files.reserve(G.Sources.size());
  for (const FileEntry &F : G.Sources)
    Files.push_back(&F);
  const TableSpec &Spec = *G.Spec;
  const bool Daily = Spec.Id == TableId::LifetimesDaily;
  std::string Columns, Keys, Order = isByBuild(G) ? "build" : "";
  for (size_t I = 0; I < Spec.Columns.size(); ++I) {
    const std::string Name(Spec.Columns[I].Name);
    const bool Summed =
        Daily && (Name == "n" || Name == "bytes" || Name == "traces");
    const bool Key = Daily ? !Summed : I < Spec.Keys;
    Columns += Columns.empty() ? "" : ", ";
    if (Summed) // counts too large for a column are stored as its maximum
      Columns += fmt::format(
          "CAST(least(sum({0}), 9223372036854775807) AS BIGINT) AS {0}", Name);
    else if (Key || Spec.Keys == 0)
      Columns += Name;
    else
      Columns += fmt::format("min({0}) AS {0}", Name);
    if (Key)
      (Keys += Keys.empty() ? "" : ", ") += Name;
  }
  for (const size_t Column : Spec.Order)
    (Order += Order.empty() ? "" : ", ") += Spec.Columns[Column].Name;
  return "SELECT " + Columns + " FROM read_parquet(" + fileList(Folder, Files) +
         ", hive_partitioning = false)" +
         (Keys.empty() ? "" : " GROUP BY " + Keys) + " ORDER BY " + Order;
}

Result<uint64_t> Compactor::numberOf(const std::string &Sql) {
  const auto Found = Engine.query(Sql);
  if (!Found)
    return Found.status();
  const std::string Text = Found->Rows.at(0).at(0).value_or("");
  uint64_t Number = 0;
  std::from_chars(Text.data(), Text.data() + Text.size(), Number);
  return Number;
}

Status Compactor::write(const Group &G, const fs::path &Final) {
  reachStep("write");
  const fs::path Part = partOf(Final);
  Status Done = Engine.run("COPY (" + rowsOf(Folder, G) + ") TO " +
                           sqlText(Part.string()) + " (" +
                           parquetOptions(G.Sources.front().Schema) + ')');
  if (Done.ok())
    Done = publish(Final);
  std::error_code Error;
  if (!Done.ok())
    fs::remove(Part, Error);
  return Done;
}

/// Files of a schema, table and place always become the same file.
static std::string nameFor(const Group &G) {
  Hash128 Hash;
  Hash.add(G.Sources.front().Schema);
  Hash.add("compacted");
  for (const FileEntry &F : G.Sources)
    Hash.add(F.Path);
  return Hash.hex();
}

Status Compactor::merge(const Group &G) {
  Merged Out;
  FileEntry &Into = Out.Into;
  Into.Table = G.Spec->Name;
  Into.Schema = G.Sources.front().Schema;
  Into.Date = G.Sources.front().Date;
  Into.Service = G.Sources.front().Service;
  Into.Path = fs::path(G.Sources.front().Path).parent_path() /
              (nameFor(G) + ".parquet");
  std::set<std::string> Builds;
  bool BuildsKnown = true;
  uint64_t Rows = 0;
  for (const FileEntry &F : G.Sources) {
    Into.Traces += F.Traces;
    Rows += F.Rows;
    BuildsKnown = BuildsKnown && !F.Builds.empty();
    Builds.insert(F.Builds.begin(), F.Builds.end());
    Out.Sources.push_back(F.Path);
  }
  if (BuildsKnown)
    Into.Builds.assign(Builds.begin(), Builds.end());
  const fs::path Final = Folder / Into.Path;
  std::error_code Error;
  // A file left by a killed compaction is complete.
  if (!fs::exists(Final, Error))
    if (Status Done = write(G, Final); !Done.ok())
      return Done;
  const auto Written =
      numberOf("SELECT count(*) FROM read_parquet([" + sqlText(Final.string()) +
               "], hive_partitioning = false)");
  if (!Written)
    return Written.status();
  const bool Sums = G.Spec->Keys != 0 || G.Spec->Id == TableId::LifetimesDaily;
  if (Sums ? *Written > Rows : *Written != Rows)
    return Status::error(
        Final.string(),
        fmt::format("has {} rows, where its sources have {}", *Written, Rows));
  Into.Rows = *Written;
  Into.Bytes = fs::file_size(Final, Error);
  Pending.push_back(std::move(Out));
  if (std::chrono::steady_clock::now() - LastCommit < kCommitEvery)
    return {};
  return commit();
}

Result<bool> Compactor::replace(Manifest &Next) {
  std::unordered_map<std::string, std::string> IntoOf;
  std::unordered_map<std::string, const FileEntry *> New;
  const ManifestIndex Index(Next);
  for (const Merged &M : Pending) {
    // Another process has replaced some sources, or their day expired.
    if (!std::ranges::all_of(M.Sources, [&](const std::string &Path) {
          return Index.has(Path);
        }))
      continue;
    const Tombstone *T = Index.tombstoneOf(M.Into.Path);
    if (T && T->Deleting)
      continue;
    for (const std::string &Path : M.Sources)
      IntoOf.emplace(Path, M.Into.Path);
    New.emplace(M.Into.Path, &M.Into);
  }
  std::erase_if(Next.Files,
                [&](const FileEntry &F) { return IntoOf.contains(F.Path); });
  std::erase_if(Next.Tombstones, [&](const Tombstone &T) {
    return New.contains(T.Path) || IntoOf.contains(T.Path);
  });
  for (const auto &[Path, Entry] : New)
    Next.Files.push_back(*Entry);
  for (const auto &[Path, Into] : IntoOf)
    Next.Tombstones.push_back({Path, Options.Upkeep.Now, Into});
  std::ranges::sort(Next.Tombstones, {}, &Tombstone::Path);
  Counts.Sources += IntoOf.size();
  Counts.Files += New.size();
  return !New.empty();
}

Status Compactor::commit() {
  LastCommit = std::chrono::steady_clock::now();
  if (Pending.empty())
    return {};
  const CompactionCounts Before = Counts;
  Status Done = Folder.update([&](Manifest &Next) {
    Counts = Before; // runs again if another process was faster
    return replace(Next);
  });
  if (Done.ok())
    Pending.clear();
  return Done;
}

Result<CompactionCounts> compact(const FleetFolder &Folder,
                                 const CompactionOptions &Options) {
  const MaintenanceLock Lock(Folder);
  if (!Lock.Failure.ok())
    return Lock.Failure;
  const auto M = Folder.newest();
  if (!M)
    return M.status();
  if (Status Known = checkSchemas(Folder.root().string(), *M); !Known.ok())
    return Known;
  auto Engine = Duck::open(Options.Database);
  if (!Engine)
    return Engine.status();
  Compactor Work(Folder, Options, std::move(*Engine));
  for (const Group &G : groupsOf(*M, Options.FileBytes))
    if (Status Done = Work.merge(G); !Done.ok())
      return Done;
  if (Status Done = Work.commit(); !Done.ok())
    return Done;
  const auto Removed = removeUnneeded(Folder, Options.Upkeep);
  if (!Removed)
    return Removed.status();
  Work.Counts.Upkeep = *Removed;
  return Work.Counts;
}

} // namespace inmem::fleet
