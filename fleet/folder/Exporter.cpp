//===- Exporter.cpp -------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fleet/folder/Exporter.h"

#include "fleet/tables/Durable.h"
#include "fleet/tables/LifetimeGrid.h"
#include "report/import/Imported.h"
#include "trace/read/Reader.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace inmem::fleet {

using trace::Result;
using trace::Status;

/// Rows are sorted by the columns that queries select, so that statistics
/// exclude row groups. Bloom filters would make up 5 % of a small file.
std::string parquetOptions(std::string_view Schema) {
  return "FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 3, "
         "WRITE_BLOOM_FILTER false, "
         "KV_METADATA {inmem_schema: " +
         sqlText(Schema) + '}';
}

std::string fileList(const FleetFolder &Folder,
                     const std::vector<const FileEntry *> &Files) {
  std::string Out = "[";
  for (const FileEntry *F : Files)
    (Out += Out.size() > 1 ? ", " : "") += sqlText((Folder / F->Path).string());
  return Out + ']';
}

Exporter::Exporter(FleetFolder Folder, Duck Engine, ExportOptions Options)
    : Folder(std::move(Folder)), Engine(std::move(Engine)),
      Options(std::move(Options)),
      LastCommit(std::chrono::steady_clock::now()) {}

Result<Exporter> Exporter::open(const std::string &Folder,
                                ExportOptions Options) {
  Limits Own;
  Own.Memory = "128MB";
  Own.Threads = 1;
  auto Engine = Duck::open(Own);
  if (!Engine)
    return Engine.status();
  return Exporter(FleetFolder(Folder), std::move(*Engine), std::move(Options));
}

/// The processes of a trace, or of another tool's heap profile.
static Result<std::vector<trace::Trace>> readEither(const std::string &File) {
  if (const auto Bytes = trace::Buffer::open(File);
      Bytes && report::isHeapProfile(**Bytes)) {
    const auto Made = report::traceOfProfile(**Bytes);
    return Made ? trace::readTraces(*Made)
                : Result<std::vector<trace::Trace>>(Made.status());
  }
  return trace::readTraces(File);
}

Status Exporter::add(const std::string &File) {
  const auto Traces = readEither(File);
  if (!Traces)
    return Traces.status();
  for (const trace::Trace &T : *Traces) {
    for (const trace::Diagnostic &F : T.Diagnostics)
      if (F.Severity == trace::Diagnostic::Level::Damage)
        return F.status(T.fileName());
    if (Status Done = addTrace(T); !Done.ok())
      return Done;
  }
  return {};
}

Status Exporter::addTrace(const trace::Trace &T) {
  const FleetConfig &Config = Options.Config;
  TraceKey Key = keyOf(T, Config.Labels);
  if (Config.Services.contains(Key.Service))
    Key = keyOf(T, Config.labelsOf(Key.Service));
  const auto Known = isKnown(Key);
  if (!Known) {
    Failed = true;
    return Known.status();
  }
  if (*Known) {
    ++Sum.Known;
    return {};
  }
  const auto P = report::buildProfile({&T, 1});
  if (!P)
    return Status::error(T.fileName(), P.status().str());
  Batch &B = Batches.try_emplace({Key.Date, Key.Service}, Key.Date, Key.Service)
                 .first->second;
  B.add(T, *P, Key);
  KnownByDate[Key.Date].insert(Key.TraceId);
  ++Sum.Traces;
  Status Done;
  if (B.traceIds().size() >= Options.BatchTraces) {
    Done = flush(B);
    Batches.erase({Key.Date, Key.Service});
  } else if (waitingBytes() > Options.BatchBytes) {
    Done = flushLargest();
  }
  Failed = Failed || !Done.ok();
  return Done;
}

size_t Exporter::waitingBytes() const {
  size_t Bytes = 0;
  for (const auto &[Key, B] : Batches)
    Bytes += B.bytes();
  return Bytes;
}

Status Exporter::flushLargest() {
  const auto Largest = std::ranges::max_element(
      Batches, {}, [](const auto &Each) { return Each.second.bytes(); });
  Status Done = flush(Largest->second);
  Batches.erase(Largest);
  return Done;
}

Result<bool> Exporter::isKnown(const TraceKey &Key) {
  if (!KnownByDate.contains(Key.Date)) {
    const auto M = Folder.newest();
    if (!M)
      return M.status();
    if (Status Done = loadKnown(Key.Date, *M); !Done.ok())
      return Done;
  }
  return KnownByDate[Key.Date].contains(Key.TraceId);
}

Status Exporter::loadKnown(const std::string &Date, const Manifest &M) {
  std::unordered_set<int64_t> &Known = KnownByDate[Date];
  std::vector<const FileEntry *> Files;
  for (const FileEntry &F : M.Files)
    if (F.Table == "processes" && F.Date == Date)
      Files.push_back(&F);
  if (Files.empty())
    return {};
  const auto Ids =
      Engine.query("SELECT trace_id FROM read_parquet(" +
                   fileList(Folder, Files) + ", hive_partitioning = false)");
  if (!Ids)
    return Ids.status();
  for (const auto &Row : Ids->Rows) {
    int64_t Id = 0;
    const std::string &Text = *Row[0];
    std::from_chars(Text.data(), Text.data() + Text.size(), Id);
    Known.insert(Id);
  }
  return {};
}

Status Exporter::flush(Batch &B) {
  B.finish();
  for (const TableSpec &Spec : tables())
    if (const Rows &R = B.rows(Spec.Id); R.size() > 0)
      if (Status Done = writeTable(B, R); !Done.ok())
        return Done;
  if (std::chrono::steady_clock::now() - LastCommit < kCommitEvery)
    return {};
  return commit();
}

Status Exporter::writeTable(const Batch &B, const Rows &R) {
  FileEntry Entry;
  Entry.Date = B.date();
  Entry.Service = B.service();
  Entry.Builds.assign(B.builds().begin(), B.builds().end());
  if (R.spec().Id == TableId::Processes)
    Entry.Traces = B.traceIds().size();
  return writeFile(std::move(Entry), R);
}

Status Exporter::writeFile(FileEntry Entry, const Rows &R) {
  const std::vector<uint32_t> &Order = R.sorted();
  Entry.Table = R.spec().Name;
  Entry.Schema = kSchema;
  Entry.Rows = R.size();
  Entry.Path = Entry.Table + '/';
  if (R.spec().Partitioned)
    Entry.Path += fmt::format("date={}/service={}/", Entry.Date, Entry.Service);
  Entry.Path += R.nameFor(Order) + ".parquet";
  const std::filesystem::path Final = Folder / Entry.Path;
  if (Status Made = makeFolder(Final.parent_path()); !Made.ok())
    return Made;
  std::error_code Error;
  // If a killed export left the file, its rows are the same. A new time keeps
  // it from being swept before the manifest names it.
  if (std::filesystem::exists(Final, Error)) {
    std::filesystem::last_write_time(
        Final, std::filesystem::file_time_type::clock::now(), Error);
  } else {
    reachStep("write");
    Status Done = Engine.writeParquet(R, Order, partOf(Final).string());
    if (Done.ok())
      Done = publish(Final);
    if (!Done.ok()) {
      std::filesystem::remove(partOf(Final), Error);
      return Done;
    }
  }
  Entry.Bytes = std::filesystem::file_size(Final, Error);
  ++Sum.Files;
  Sum.Rows += Entry.Rows;
  Sum.Bytes += Entry.Bytes;
  Pending.push_back(std::move(Entry));
  return {};
}

Status Exporter::writeGrid() {
  const TextPool None;
  Rows Grid(table(TableId::Buckets), None);
  for (unsigned B = 0; B < kGridBuckets; ++B)
    Grid.add({B, cell(gridStart(B)), cell(gridStart(B + 1))});
  return writeFile({}, Grid);
}

Result<bool> Exporter::nameIn(Manifest &Next) {
  const bool HasGrid = std::ranges::any_of(
      Next.Files, [](const FileEntry &F) { return F.Table == "buckets"; });
  const bool WroteGrid = std::ranges::any_of(
      Pending, [](const FileEntry &F) { return F.Table == "buckets"; });
  if (!HasGrid && !WroteGrid)
    if (Status Written = writeGrid(); !Written.ok())
      return Written;
  const size_t Before = Next.Files.size();
  const ManifestIndex Index(Next);
  std::unordered_set<std::string> New;
  std::error_code Error;
  for (const FileEntry &F : Pending) {
    // Another process added the rows. They may have been compacted since.
    if (Index.has(F.Path) || Index.isMerged(F.Path))
      continue;
    // Drops the tombstone of an expired day, or of a killed export, unless the
    // file is being removed.
    const Tombstone *T = Index.tombstoneOf(F.Path);
    if (T && T->Deleting)
      return Status::error((Folder / F.Path).string(),
                           "is being deleted: export the traces again after "
                           "inmem fleet compact or expire");
    if (!std::filesystem::exists(Folder / F.Path, Error))
      return Status::error((Folder / F.Path).string(),
                           "was deleted by another process before its rows "
                           "were added: export the traces again");
    New.insert(F.Path);
  }
  std::erase_if(Next.Tombstones,
                [&](const Tombstone &T) { return New.contains(T.Path); });
  for (const FileEntry &F : Pending)
    if (New.erase(F.Path) != 0)
      Next.Files.push_back(F);
  return Next.Files.size() > Before;
}

Status Exporter::commit() {
  LastCommit = std::chrono::steady_clock::now();
  if (Pending.empty())
    return {};
  const Status Done =
      Folder.update([&](Manifest &Next) { return nameIn(Next); });
  if (Done.ok())
    Pending.clear();
  return Done;
}

Status Exporter::finish() {
  Status Done;
  for (auto &[Key, B] : Batches) {
    Done = flush(B);
    if (!Done.ok())
      break;
  }
  Batches.clear();
  if (Done.ok())
    Done = commit();
  Failed = Failed || !Done.ok();
  return Done;
}

} // namespace inmem::fleet
