//===- CollectCommand.cpp - inmem collect ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/Command.h"
#include "cli/FleetOptions.h"
#include "cli/Terminal.h"
#include "fleet/ship/Collector.h"
#include "report/base/Units.h"

#include <algorithm>
#include <csignal>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <thread>

namespace inmem::tools {

namespace fs = std::filesystem;

namespace {

struct CollectState {
  std::string From, To, SpoolFolder, Interval = "10s", Settle = "10s",
                                     KilledAfter = "1d", Bandwidth,
                                     DiskLimit = "1GB", PartSize = "8MB";
  size_t Attempts = 5;
  bool Daemon = false;
};

volatile std::sig_atomic_t Ending = 0;

/// On a signal, finishes shipping the current trace.
void endOnSignals() {
  struct sigaction Action{};
  Action.sa_handler = [](int) { Ending = 1; };
  sigaction(SIGTERM, &Action, nullptr);
  sigaction(SIGINT, &Action, nullptr);
}

bool sameLocation(const fs::path &A, const fs::path &B) {
  std::error_code Error;
  return fs::weakly_canonical(A, Error) == fs::weakly_canonical(B, Error);
}

void sayCounts(const CollectState &S, const fleet::CollectCounts &Sum) {
  std::string Text = fmt::format("{} to {}", counted(Sum.Added, "trace"), S.To);
  if (Sum.Present != 0)
    Text += fmt::format(", {} already there", Sum.Present);
  if (Sum.Running != 0)
    Text += fmt::format(", {} not ended", Sum.Running);
  if (Sum.Waiting != 0)
    Text += fmt::format(", {} waiting", Sum.Waiting);
  fmt::print(stderr, "inmem: collect: {}\n", Text);
}

size_t sayUnreadable(fleet::Collector &From) {
  const auto Bad = From.takeUnreadable();
  for (const trace::Status &Why : Bad)
    fmt::print(stderr, "inmem: {}\n", Why.str());
  return Bad.size();
}

void sleepWhileWanted(std::chrono::milliseconds Time) {
  constexpr std::chrono::milliseconds kPiece{100};
  for (; Time.count() > 0 && !Ending; Time -= kPiece)
    std::this_thread::sleep_for(std::min(Time, kPiece));
}

Outcome collectForever(const CollectState &S, fleet::Collector &From,
                       std::chrono::milliseconds Interval) {
  constexpr std::chrono::milliseconds kLongest{300'000};
  uint64_t Moved = 0;
  std::string Last; // the last error, to report it only once
  auto Wait = Interval;
  while (!Ending) {
    const trace::Status Done = From.pass();
    sayUnreadable(From);
    const fleet::CollectCounts &Sum = From.counts();
    if (const std::string Why = Done.str(); Why != Last) {
      Last = Why;
      if (!Done.ok())
        fmt::print(stderr, "inmem: collect: {}\n", Why);
    }
    if (Moved != Sum.Added + Sum.Present) {
      Moved = Sum.Added + Sum.Present;
      sayCounts(S, Sum);
    }
    Wait =
        Done.ok() ? Interval : std::min(Wait * 2, std::max(kLongest, Interval));
    sleepWhileWanted(Wait);
  }
  sayCounts(S, From.counts());
  return {};
}

Outcome collect(const CollectState &S) {
  const auto Interval = report::parseDuration(S.Interval);
  if (!Interval || *Interval == 0)
    return Outcome::usage(
        "--interval: expected a duration such as 10s, found '" + S.Interval +
        '\'');
  const auto Settle = secondsOf(S.Settle);
  if (!Settle)
    return wrongDuration("--settle", S.Settle);
  const auto KilledAfter = secondsOf(S.KilledAfter);
  if (!KilledAfter)
    return wrongDuration("--killed-after", S.KilledAfter);
  const auto DiskLimit = report::parseBytes(S.DiskLimit);
  if (!DiskLimit)
    return wrongSize("--disk-limit", S.DiskLimit);
  const auto Bandwidth =
      S.Bandwidth.empty() ? 0 : report::parseBytes(S.Bandwidth);
  if (!Bandwidth || (*Bandwidth == 0 && !S.Bandwidth.empty()))
    return wrongSize("--bandwidth", S.Bandwidth);
  const auto PartSize = report::parseBytes(S.PartSize);
  if (!PartSize || *PartSize == 0)
    return wrongSize("--part-size", S.PartSize);
  std::error_code Error;
  if (!fs::is_directory(S.From, Error))
    return Outcome::usage("--from: expected a folder, found '" + S.From + '\'');
  auto To = fleet::openStore(S.To, *Bandwidth, *PartSize);
  if (!To)
    return Outcome::usage("--to: " + To.status().str());
  const fs::path Spool = S.SpoolFolder.empty() ? fs::path(S.From) / "_spool"
                                               : fs::path(S.SpoolFolder);
  if (sameLocation(S.From, S.To) || sameLocation(S.From, Spool) ||
      sameLocation(Spool, S.To))
    return Outcome::usage(
        "collect: --from, --to and --spool are three folders");
  auto Own = fleet::Spool::open(Spool);
  if (!Own)
    return Outcome::unwritable(Own.status());
  endOnSignals();
  fleet::CollectOptions Options;
  Options.From = S.From;
  Options.SpoolBytes = *DiskLimit;
  Options.Settle = std::chrono::seconds(*Settle);
  Options.KilledAfter = std::chrono::seconds(*KilledAfter);
  Options.Stop = [] { return Ending != 0; };
  // A daemon retries later anyway.
  Options.Attempts = S.Daemon ? 1 : static_cast<unsigned>(S.Attempts);
  fleet::Collector From(std::move(*Own), **To, std::move(Options));
  if (S.Daemon)
    return collectForever(S, From,
                          std::chrono::milliseconds(*Interval / 1'000'000));
  std::optional<Progress> Working("uploading");
  const trace::Status Done = From.pass();
  Working.reset();
  const size_t Unreadable = sayUnreadable(From);
  sayCounts(S, From.counts());
  if (!Done.ok())
    return Outcome::unwritable(Done);
  if (Unreadable != 0)
    return {kUnreadable, counted(Unreadable, "file") + " passed over"};
  return {};
}

} // namespace

Action setUpCollect(CommandLine &App) {
  const auto S = std::make_shared<CollectState>();
  App.option("--from", S->From, "the folder that programs write traces to")
      .valueName("DIR")
      .required();
  App.option("--to", S->To,
             "the store: a folder, file:///FOLDER or s3://BUCKET/PREFIX")
      .valueName("URL")
      .required();
  App.flag("--daemon", S->Daemon, "go on until SIGTERM or SIGINT");
  App.option("--interval", S->Interval, "with --daemon: time between two looks")
      .valueName("DURATION")
      .showDefault();
  App.option("--settle", S->Settle,
             "how long a trace that has ended must not have changed")
      .valueName("DURATION")
      .showDefault();
  App.option("--killed-after", S->KilledAfter,
             "time without a change after which a trace's process counts as "
             "killed")
      .valueName("DURATION")
      .showDefault();
  App.option("--spool", S->SpoolFolder,
             "folder for traces on their way; default: _spool in --from")
      .valueName("DIR");
  App.option("--disk-limit", S->DiskLimit,
             "most that the spool may take; other traces stay in --from")
      .valueName("SIZE")
      .showDefault();
  App.option("--attempts", S->Attempts,
             "how often a store that is away is tried, after longer and longer "
             "waits; a daemon continues")
      .valueName("N")
      .showDefault();
  App.option("--bandwidth", S->Bandwidth,
             "most bytes a second; default: no limit")
      .valueName("SIZE");
  App.option("--part-size", S->PartSize,
             "with s3://: larger traces are sent in parts of this size")
      .valueName("SIZE")
      .showDefault();
  App.footer("Traces leave --from when they have ended.\n\n"
             "Examples:\n"
             "  inmem collect --from traces --to /mnt/traces\n"
             "  inmem collect --from traces --to /mnt/traces --daemon "
             "--bandwidth 1MB\n"
             "  inmem collect --from traces --to s3://bucket/traces\n\n"
             "For s3://, the environment has AWS_ACCESS_KEY_ID, "
             "AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN,\nAWS_REGION, "
             "AWS_ENDPOINT_URL (of a store that is not AWS) and "
             "AWS_CA_BUNDLE.");
  return [S] { return collect(*S); };
}

} // namespace inmem::tools
