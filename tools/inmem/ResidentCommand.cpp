//===- ResidentCommand.cpp - inmem resident -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Command.h"
#include "HeapFiles.h"
#include "LiveProcess.h"
#include "Output.h"
#include "Terminal.h"
#include "heap/ResidencyViews.h"
#include "report/base/Units.h"

#include <charconv>
#include <cinttypes>
#include <fstream>

namespace inmem::tools {

namespace {

struct ResidentState {
  std::string What, Output;
  TextOrJson Format = TextOrJson::Text;
  ColourMode Colour = ColourMode::Auto;
  size_t Top = 10;
};

/// A number is a process, unless a file has that name.
std::optional<pid_t> processOf(const std::string &What) {
  pid_t Pid = 0;
  const char *End = What.data() + What.size();
  const auto [Rest, Error] = std::from_chars(What.data(), End, Pid);
  std::error_code Ignored;
  if (Error != std::errc() || Rest != End || Pid <= 0 ||
      std::filesystem::exists(What, Ignored))
    return std::nullopt;
  return Pid;
}

/// The proportional set size that the kernel reports now.
std::optional<uint64_t> proportionalSize(pid_t Pid) {
  std::ifstream In("/proc/" + std::to_string(Pid) + "/smaps_rollup");
  for (std::string Line; std::getline(In, Line);) {
    uint64_t Kib = 0;
    if (std::sscanf(Line.c_str(), "Pss: %" SCNu64, &Kib) == 1)
      return Kib * 1024;
  }
  return std::nullopt;
}

/// Takes a snapshot of a process. \returns its path
trace::Result<std::string> takeSnapshot(pid_t Pid) {
  auto P = LiveProcess::attach(Pid, true);
  if (!P)
    return P.status();
  const HeapFiles Files = HeapFiles::of(*P, Pid);
  if (const auto Given = P->give(trace::CommandKind::Snapshot); !Given.ok())
    return Given;
  constexpr std::chrono::milliseconds kPatience(10000);
  if (!P->waitObeyed(kPatience))
    return trace::Status::error(
        "process " + std::to_string(Pid),
        "is idle: it takes the snapshot at its next allocation or free, as " +
            Files.pattern());
  return Files.waitForNew(*P);
}

Outcome show(const ResidentState &S) {
  std::string Path = S.What;
  std::optional<uint64_t> Pss;
  if (const auto Pid = processOf(S.What)) {
    Pss = proportionalSize(*Pid);
    auto Taken = takeSnapshot(*Pid);
    if (!Taken)
      return Outcome::unreadable(Taken.status());
    Path = "/proc/" + std::to_string(*Pid) + "/root" + *Taken;
    std::error_code Error;
    if (!std::filesystem::exists(Path, Error))
      Path = *Taken;
  }
  const auto H = heap::readHeap(Path);
  if (!H)
    return Outcome::unreadable(H.status());
  if (!H->hasResidency())
    return Outcome::unreadable(trace::Status::error(
        Path, "has no pages: the runtime that wrote it is older, or could not "
              "read /proc/self/pagemap"));
  const auto R = heap::explain(*H);
  if (!R)
    return Outcome::unreadable(R.status());
  const std::vector<heap::Remedy> Remedies = heap::remedies(*H, *R);
  const heap::ResidencyView V = {*H, *R, Remedies, Pss};
  const std::string Text =
      S.Format == TextOrJson::Json
          ? heap::residencyJson(V, S.Top).dump(
                2, ' ', false, report::Json::error_handler_t::replace) +
                '\n'
          : heap::residencyText(V, styleFor(fileno(stdout), S.Colour), S.Top);
  if (const auto Done = writeText(S.Output, stdout, Text); !Done.ok())
    return Outcome::unwritable(Done);
  return {};
}

} // namespace

Action setUpResident(CommandLine &App) {
  const auto S = std::make_shared<ResidentState>();
  const auto Top = std::make_shared<std::optional<size_t>>();
  App.option("PID|FILE", S->What,
             "a process that runs with inmem, or a heap snapshot")
      .required()
      .reads();
  App.option("--top", *Top, "rows of each table; 0: all")
      .valueName("N")
      .oneValue();
  App.format(S->Format, "{}");
  App.option("-o,--output", S->Output, "file to write; -: standard output")
      .valueName("OUT")
      .writes();
  addColourOption(App, S->Colour);
  App.footer(
      "Explains each resident page of a process, and which lines of the "
      "program keep free\nmemory from being returned. `inmem heap` shows the "
      "same snapshot as objects: what\nholds them, leaks, duplicates.\n\n"
      "Snapshots come from `inmem ctl PID snapshot`, inmem_snapshot() or "
      "INMEM_OPTIONS=snapshot=rss\n(exit, peak, a signal).\n\n"
      "Examples:\n"
      "  inmem resident 4711\n"
      "  inmem resident app.heap\n"
      "  inmem resident --format json app.heap");
  return [S, Top]() -> Outcome {
    // Programs read all.
    S->Top = Top->value_or(S->Format == TextOrJson::Text ? 10 : 0);
    return show(*S);
  };
}

} // namespace inmem::tools
