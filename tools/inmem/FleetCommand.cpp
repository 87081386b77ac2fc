//===- FleetCommand.cpp - inmem fleet -------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Steps.h"
#include "cli/Command.h"
#include "cli/FleetOptions.h"
#include "cli/Terminal.h"
#include "files/FleetTemp.h"
#include "fleet/upkeep/Upkeep.h"

#include <chrono>
#include <fmt/format.h>
#include <memory>
#include <optional>

namespace inmem::tools {

namespace {

enum class FleetAction { Compact, Expire, Options };

struct FleetState {
  FleetAction What = FleetAction::Compact;
  std::string Folder, OlderThan, DeleteAfter = "1h", SweepAfter = "1d",
                                 FileSize = "128MB", Memory = "128MB", Temp,
                                 TempLimit = "10GB";
  std::vector<std::string> Labels;
  std::string Service;
  bool Exact = false;
  size_t Threads = 2;
};

std::string upkeepText(const fleet::UpkeepCounts &Of) {
  std::string Out = fmt::format("{} deleted, {} wait", Of.Deleted, Of.Waiting);
  if (Of.Swept != 0)
    Out +=
        fmt::format("; {} left by a killed process", counted(Of.Swept, "file"));
  return Out;
}

Outcome expire(const FleetState &S, const fleet::FleetFolder &Folder,
               const fleet::UpkeepOptions &Upkeep) {
  if (S.OlderThan.empty())
    return Outcome::usage("fleet expire: expected --older-than DURATION");
  const auto Keep = secondsOf(S.OlderThan);
  if (!Keep)
    return wrongDuration("--older-than", S.OlderThan);
  std::optional<Progress> Working("expiring");
  const auto Done = fleet::expire(Folder, {.Upkeep = Upkeep, .Keep = *Keep});
  Working.reset();
  if (!Done)
    return Outcome::unwritable(Done.status());
  fmt::print(stderr, "inmem: {}: {} expired in {}; {}\n", S.Folder,
             counted(Done->Traces, "trace"), counted(Done->Expired, "file"),
             upkeepText(Done->Upkeep));
  return {};
}

Outcome compact(const FleetState &S, const fleet::FleetFolder &Folder,
                const fleet::UpkeepOptions &Upkeep) {
  if (!S.OlderThan.empty())
    return Outcome::usage("fleet compact: --older-than is for expire");
  const auto FileBytes = report::parseBytes(S.FileSize);
  if (!FileBytes || *FileBytes == 0)
    return wrongSize("--file-size", S.FileSize);
  const TempFolder Temp(S.Temp);
  if (Temp.Path.empty())
    return Outcome::usage("fleet: " + std::string(kNoTempFolder));
  const fleet::Limits Database{.Memory = S.Memory,
                               .TempFolder = Temp.Path,
                               .TempLimit = S.TempLimit,
                               .Threads = S.Threads};
  // Without DuckDB, or with an invalid limit, nothing was done.
  if (const auto Tried = fleet::Duck::open(Database); !Tried)
    return Outcome::usage("fleet: " + Tried.status().str());
  std::optional<Progress> Working("compacting");
  const auto Done = fleet::compact(
      Folder,
      {.Upkeep = Upkeep, .FileBytes = *FileBytes, .Database = Database});
  Working.reset();
  if (!Done)
    return Outcome::unwritable(Done.status());
  fmt::print(stderr, "inmem: {}: {} compacted into {}; {}\n", S.Folder,
             counted(Done->Sources, "file"), Done->Files,
             upkeepText(Done->Upkeep));
  return {};
}

Outcome maintain(const FleetState &S) {
  if (S.What == FleetAction::Options)
    return printRunOptions(S.Folder, S.Service, S.Labels, S.Exact);
  const auto Delay = secondsOf(S.DeleteAfter);
  if (!Delay)
    return wrongDuration("--delete-after", S.DeleteAfter);
  const auto Sweep = secondsOf(S.SweepAfter);
  if (!Sweep)
    return wrongDuration("--sweep-after", S.SweepAfter);
  const fleet::FleetFolder Folder(S.Folder);
  const auto Before = Folder.newest();
  if (!Before)
    return Outcome::unreadable(Before.status());
  if (Before->Generation == 0)
    return Outcome::usage("fleet: " + fleet::notAFleet(S.Folder).str());
  if (trace::Status Known = fleet::checkSchemas(S.Folder, *Before); !Known.ok())
    return Outcome::unreadable(Known);
  const auto Now = std::chrono::duration_cast<std::chrono::seconds>(
      std::chrono::system_clock::now().time_since_epoch());
  const fleet::UpkeepOptions Upkeep{
      .Now = Now.count(), .DeleteAfter = *Delay, .SweepAfter = *Sweep};
  return S.What == FleetAction::Compact ? compact(S, Folder, Upkeep)
                                        : expire(S, Folder, Upkeep);
}

} // namespace

Action setUpFleet(CommandLine &App) {
  const auto S = std::make_shared<FleetState>();
  App.choice(
         "WHAT", S->What,
         {{"compact", FleetAction::Compact},
          {"expire", FleetAction::Expire},
          {"options", FleetAction::Options}},
         "compact: merge small files of a day and service; expire: take old "
         "days out of the folder; options: print a service's INMEM_OPTIONS")
      .required();
  App.option("DIR", S->Folder, "the fleet's folder; options: fleet.toml")
      .required();
  App.option("--older-than", S->OlderThan,
             "age from which days expire, by their end in UTC: 12h, 90d, 4w")
      .valueName("DURATION");
  App.option("--delete-after", S->DeleteAfter,
             "how long files stay after they expired or were merged, for "
             "readers that have begun")
      .valueName("DURATION")
      .showDefault();
  App.option("--sweep-after", S->SweepAfter,
             "age from which files that a killed export left are removed")
      .valueName("DURATION")
      .showDefault();
  App.option("--file-size", S->FileSize,
             "compact: size up to which files are merged")
      .valueName("SIZE")
      .showDefault();
  App.option("--memory", S->Memory, "compact: most memory to use")
      .valueName("SIZE")
      .showDefault();
  App.option("--temp", S->Temp,
             "compact: folder for what does not fit; default: TMPDIR")
      .valueName("DIR");
  App.option("--temp-limit", S->TempLimit,
             "compact: most that temporary files may take")
      .valueName("SIZE")
      .showDefault();
  App.option("--threads", S->Threads,
             "compact: 0: as many as there are processors; each takes memory")
      .valueName("N")
      .showDefault();
  App.option("--service", S->Service, "options: the service that will run")
      .valueName("NAME");
  App.option("--label", S->Labels, "options: a label of this run; repeat it")
      .valueName("NAME=VALUE")
      .oneValue();
  App.flag("--exact", S->Exact, "options: record each allocation, as in CI");
  App.footer("Examples:\n"
             "  inmem fleet compact fleet\n"
             "  export INMEM_OPTIONS=$(inmem fleet options fleet.toml "
             "--service web --label build=13)\n"
             "  inmem fleet expire fleet --older-than 90d");
  return [S] { return maintain(*S); };
}

} // namespace inmem::tools
