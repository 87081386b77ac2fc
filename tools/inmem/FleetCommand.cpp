//===- FleetCommand.cpp - inmem fleet -------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Command.h"
#include "fleet/Retention.h"

#include <chrono>
#include <fmt/format.h>
#include <memory>

namespace inmem::tools {

namespace {

struct FleetState {
  std::string What, Folder, OlderThan, DeleteAfter = "1h";
};

Outcome wrongDuration(const char *Option, const std::string &Text) {
  return Outcome::usage(
      fmt::format("{}: expected a duration such as 12h, 90d or 4w, found '{}'",
                  Option, Text));
}

std::string counted(uint64_t Number, const char *Of) {
  return fmt::format("{} {}{}", Number, Of, Number == 1 ? "" : "s");
}

Outcome expire(const FleetState &S) {
  if (S.OlderThan.empty())
    return Outcome::usage("fleet expire: expected --older-than DURATION");
  const auto Keep = fleet::durationOf(S.OlderThan);
  if (!Keep)
    return wrongDuration("--older-than", S.OlderThan);
  const auto Delay = fleet::durationOf(S.DeleteAfter);
  if (!Delay)
    return wrongDuration("--delete-after", S.DeleteAfter);
  const fleet::FleetFolder Folder(S.Folder);
  const auto Before = Folder.newest();
  if (!Before)
    return Outcome::unreadable(Before.status());
  if (Before->Generation == 0)
    return Outcome::usage("fleet: " + S.Folder +
                          " is no fleet's folder: it has no _manifest");
  const auto Now = std::chrono::duration_cast<std::chrono::seconds>(
      std::chrono::system_clock::now().time_since_epoch());
  const auto Done = fleet::expire(
      Folder, {.Now = Now.count(), .Keep = *Keep, .DeleteAfter = *Delay});
  if (!Done)
    return Outcome::unwritable(Done.status());
  fmt::print(stderr, "inmem: {}: {} expired in {}; {} deleted, {} wait\n",
             S.Folder, counted(Done->Traces, "trace"),
             counted(Done->Expired, "file"), Done->Deleted, Done->Waiting);
  return {};
}

} // namespace

Action setUpFleet(CommandLine &App) {
  const auto S = std::make_shared<FleetState>();
  App.option("WHAT", S->What, "expire: take old days out of the folder")
      .required()
      .oneOf({"expire"});
  App.option("DIR", S->Folder, "the fleet's folder").required();
  App.option("--older-than", S->OlderThan,
             "age from which days expire, by their end in UTC: 12h, 90d, 4w")
      .valueName("DURATION");
  App.option("--delete-after", S->DeleteAfter,
             "how long files stay after they expired, for readers that have "
             "begun")
      .valueName("DURATION")
      .showDefault();
  App.footer("Examples:\n"
             "  inmem fleet expire fleet --older-than 90d");
  return [S] { return expire(*S); };
}

} // namespace inmem::tools
