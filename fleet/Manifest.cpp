//===- Manifest.cpp -------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fleet/Manifest.h"

#include "fleet/Durable.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace inmem::fleet {

namespace fs = std::filesystem;
using trace::Result;
using trace::Status;
using Json = nlohmann::ordered_json;

constexpr char kManifestSchema[] = "inmem-fleet-manifest/1";
/// Generations that are kept for those who have begun to read one.
constexpr size_t kKeptGenerations = 10;

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
  for (const Tombstone &T : Tombstones)
    Out["tombstones"].push_back({{"path", T.Path}, {"since", T.Since}});
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
      Out.Tombstones.push_back({Row.at("path"), Row.at("since")});
      if (!isInside(Out.Tombstones.back().Path))
        return Wrong("a path leads out of the folder: " +
                     Out.Tombstones.back().Path);
    }
  } catch (const Json::exception &Error) {
    return Wrong(Error.what());
  }
  return Out;
}

bool Manifest::has(const std::string &Path) const {
  return std::ranges::find(Files, Path, &FileEntry::Path) != Files.end();
}

bool Manifest::hasExpired(const std::string &Path) const {
  return std::ranges::find(Tombstones, Path, &Tombstone::Path) !=
         Tombstones.end();
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
  std::vector<uint64_t> All = generations();
  for (size_t I = 0; I + kKeptGenerations < All.size(); ++I)
    if (Status Removed = removeDurably(fileOf(All[I])); !Removed.ok())
      return Removed;
  return {};
}

} // namespace inmem::fleet
