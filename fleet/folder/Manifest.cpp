//===- Manifest.cpp -------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fleet/folder/Manifest.h"

#include "fleet/tables/Durable.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace inmem::fleet {

namespace fs = std::filesystem;
using trace::Result;
using trace::Status;
using Json = nlohmann::ordered_json;

constexpr char kManifestSchema[] = "inmem-fleet-manifest/1";
/// Generations that are kept for readers that have begun to read one.
constexpr size_t kKeptGenerations = 10;
/// A generation that was the newest until this long ago is kept.
constexpr std::chrono::minutes kKeptAge{1};

std::string Manifest::write() const {
  Json Out = {{"schema", kManifestSchema},
              {"generation", Generation},
              {"files", Json::array()},
              {"tombstones", Json::array()}};
  for (const FileEntry &F : Files) {
    Json Row = {{"table", F.Table}, {"path", F.Path}, {"schema", F.Schema}};
    if (!F.Date.empty()) {
      Row["date"] = F.Date;
      Row["service"] = F.Service;
    }
    Row["rows"] = F.Rows;
    Row["bytes"] = F.Bytes;
    if (F.Traces != 0)
      Row["traces"] = F.Traces;
    if (!F.Builds.empty())
      Row["builds"] = F.Builds;
    Out["files"].push_back(std::move(Row));
  }
  for (const Tombstone &T : Tombstones) {
    Json Row = {{"path", T.Path}, {"since", T.Since}};
    if (!T.Into.empty())
      Row["into"] = T.Into;
    if (T.Deleting)
      Row["deleting"] = true;
    Out["tombstones"].push_back(std::move(Row));
  }
  return Out.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

/// A path of a manifest leads to a file below the folder, or nowhere.
static bool isInside(const std::string &Path) {
  const fs::path P(Path);
  return !P.empty() && P.is_relative() &&
         std::ranges::none_of(P, [](const fs::path &Part) {
           return Part == ".." || Part == ".";
         });
}

Result<Manifest> Manifest::read(const std::string &Text,
                                const std::string &Name) {
  const auto Wrong = [&](const std::string &What) {
    return Status::error(Name, "is not a manifest of a fleet: " + What);
  };
  const Json In = Json::parse(Text, nullptr, false);
  if (In.is_discarded() || !In.is_object())
    return Wrong("expected a JSON object");
  Manifest Out;
  try {
    if (const std::string Schema = In.at("schema"); Schema != kManifestSchema)
      return Wrong(
          fmt::format("expected schema {}, found {}", kManifestSchema, Schema));
    Out.Generation = In.at("generation");
    for (const Json &Row : In.at("files")) {
      FileEntry F;
      F.Table = Row.at("table");
      F.Path = Row.at("path");
      F.Schema = Row.at("schema");
      F.Date = Row.value("date", "");
      F.Service = Row.value("service", "");
      F.Rows = Row.at("rows");
      F.Bytes = Row.at("bytes");
      F.Traces = Row.value("traces", uint64_t{0});
      F.Builds = Row.value("builds", std::vector<std::string>());
      if (!isInside(F.Path))
        return Wrong("a path leads out of the folder: " + F.Path);
      Out.Files.push_back(std::move(F));
    }
    for (const Json &Row : In.at("tombstones")) {
      Out.Tombstones.push_back({Row.at("path"), Row.at("since"),
                                Row.value("into", ""),
                                Row.value("deleting", false)});
      if (!isInside(Out.Tombstones.back().Path))
        return Wrong("a path leads out of the folder: " +
                     Out.Tombstones.back().Path);
    }
  } catch (const Json::exception &Error) {
    return Wrong(Error.what());
  }
  return Out;
}

ManifestIndex::ManifestIndex(const Manifest &Of) {
  for (const FileEntry &F : Of.Files)
    Named.insert(F.Path);
  for (const Tombstone &T : Of.Tombstones)
    Buried.emplace(T.Path, &T);
}

const Tombstone *ManifestIndex::tombstoneOf(const std::string &Path) const {
  const auto Found = Buried.find(Path);
  return Found == Buried.end() ? nullptr : Found->second;
}

bool ManifestIndex::isMerged(const std::string &Path) const {
  const Tombstone *At = tombstoneOf(Path);
  // A merged file may have been merged again. A manifest of another origin may
  // form a cycle.
  for (size_t I = 0; At && I < Buried.size(); ++I) {
    if (has(At->Into))
      return true;
    At = tombstoneOf(At->Into);
  }
  return false;
}

Status notAFleet(const std::string &Folder) {
  return Status::error(Folder, "is not a fleet's folder: it has no _manifest "
                               "(inmem export --format parquet makes one)");
}

Status checkSchemas(const std::string &Folder, const Manifest &Of) {
  for (const FileEntry &F : Of.Files)
    if (!isKnownSchema(F.Schema))
      return Status::error(Folder, "has files of schema " + F.Schema +
                                       ", which this inmem does not know");
  return {};
}

fs::path FleetFolder::fileOf(uint64_t Generation) const {
  return Root / "_manifest" / fmt::format("{:012}.json", Generation);
}

std::vector<uint64_t> FleetFolder::generations() const {
  std::vector<uint64_t> Out;
  std::error_code Error;
  for (const auto &File : fs::directory_iterator(Root / "_manifest", Error)) {
    const std::string Name = File.path().filename().string();
    uint64_t Number = 0;
    const auto [End, Failed] =
        std::from_chars(Name.data(), Name.data() + Name.size(), Number);
    if (Failed == std::errc() && std::string_view(End) == ".json")
      Out.push_back(Number);
  }
  std::ranges::sort(Out);
  return Out;
}

Result<Manifest> FleetFolder::newest() const {
  const std::vector<uint64_t> All = generations();
  if (All.empty())
    return Manifest();
  const fs::path File = fileOf(All.back());
  const auto Text = readAll(File);
  if (!Text)
    return Text.status();
  return Manifest::read(*Text, File.string());
}

Status FleetFolder::removeOldGenerations() const {
  const std::vector<uint64_t> All = generations();
  if (All.size() <= kKeptGenerations)
    return {};
  const auto WrittenAt = [&](size_t I) {
    std::error_code Error;
    const auto Time = fs::last_write_time(fileOf(All[I]), Error);
    return Error ? fs::file_time_type::max() : Time;
  };
  // The file system's clock, which several hosts may share.
  const fs::file_time_type Now = WrittenAt(All.size() - 1);
  for (size_t I = 0; I + kKeptGenerations < All.size(); ++I) {
    if (WrittenAt(I + 1) > Now - kKeptAge)
      break;
    if (Status Removed = removeDurably(fileOf(All[I])); !Removed.ok())
      return Removed;
  }
  return {};
}

Status FleetFolder::update(
    const std::function<Result<bool>(Manifest &)> &Change) const {
  if (Status Made = makeFolder(Root / "_manifest"); !Made.ok())
    return Made;
  while (true) {
    auto Next = newest();
    if (!Next)
      return Next.status();
    ++Next->Generation;
    const auto Wanted = Change(*Next);
    if (!Wanted)
      return Wanted.status();
    if (!*Wanted)
      return {};
    const auto Written = createDurably(fileOf(Next->Generation), Next->write());
    if (!Written)
      return Written.status();
    if (*Written)
      break;
  }
  return removeOldGenerations();
}

} // namespace inmem::fleet
