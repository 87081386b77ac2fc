//===- ResidentCommand.cpp - inmem resident -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/Command.h"
#include "cli/Output.h"
#include "cli/Terminal.h"
#include "files/Symbolizer.h"
#include "heap/SnapshotViews.h"
#include "live/HeapFiles.h"
#include "live/LiveProcess.h"
#include "report/base/Units.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>
#include <thread>

namespace inmem::tools {

namespace {

struct ResidentState {
  std::string What, Output;
  TextOrJson Format = TextOrJson::Text;
  ColourMode Colour = ColourMode::Auto;
  size_t Top = 10;
  bool Verify = false;
};

/// A number is a process ID, unless a file has that name.
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
    constexpr std::string_view kName = "Pss:";
    if (Line.starts_with(kName))
      return std::strtoull(Line.c_str() + kName.size(), nullptr, 10) * 1024;
  }
  return std::nullopt;
}

/// Takes a snapshot of a process. \returns its path as seen by this process
trace::Result<std::string> takeSnapshot(pid_t Pid, bool Verify) {
  auto P = LiveProcess::attach(Pid, true);
  if (!P)
    return P.status();
  const HeapFiles Files = HeapFiles::of(*P, Pid);
  if (const auto Given =
          P->give(trace::CommandKind::Heap,
                  Verify ? heap::kVerifyCommand : heap::kResidentCommand);
      !Given.ok())
    return Given;
  constexpr std::chrono::milliseconds kPatience(10000);
  if (!P->waitObeyed(kPatience))
    return trace::Status::error(
        "process " + std::to_string(Pid),
        "is idle: it takes the snapshot at its next allocation or free, as " +
            Files.pattern());
  auto Taken = Files.waitForNew(*P);
  if (!Taken)
    return Taken;
  std::string Path = "/proc/" + std::to_string(Pid) + "/root" + *Taken;
  std::error_code Error;
  return std::filesystem::exists(Path, Error) ? Path : *Taken;
}

/// The numbers of the sites that are shown as one of \p Lines.
std::string sitesOf(const heap::Heap &H, const heap::Residency &R,
                    const std::vector<uint32_t> &Lines) {
  std::string Out;
  for (const auto &[Site, Number] : R.LineOfSite)
    if (std::ranges::find(Lines, Number) != Lines.end() &&
        H.Sites.contains(Site))
      Out += ' ' + std::to_string(Site);
  return Out;
}

/// Has the snapshot's child try the remedies, and sets the measured results.
trace::Status verify(const std::string &Path, const heap::Heap &H,
                     const heap::Residency &R,
                     std::vector<heap::Remedy> &Remedies) {
  using Kind = heap::Remedy::Kind;
  std::vector<heap::Remedy *> Tried;
  std::string Request;
  for (heap::Remedy &M : Remedies)
    if (M.What == Kind::Trim || M.What == Kind::Place || M.What == Kind::Copy) {
      Request += heap::nameOf(M.What) + sitesOf(H, R, M.Lines) + '\n';
      Tried.push_back(&M);
    }
  const std::string Asked = Path + ".try", Answer = Path + ".tried";
  std::error_code Ignored;
  std::filesystem::remove(Answer, Ignored);
  std::ofstream(Asked + ".part") << Request;
  std::filesystem::rename(Asked + ".part", Asked, Ignored);
  // Each trial walks all pages. Without a request, the child gives up after
  // half a minute.
  constexpr int kMostLooks = 12000;
  for (int I = 0; I < kMostLooks && !std::filesystem::exists(Answer, Ignored);
       ++I)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  std::ifstream In(Answer);
  std::string Word;
  size_t Next = 0;
  for (; Next < Tried.size() && In >> Word; ++Next)
    if (Word != "-")
      Tried[Next]->MeasuredBytes = std::strtoull(Word.c_str(), nullptr, 10);
  In.close();
  std::filesystem::remove(Asked, Ignored);
  std::filesystem::remove(Answer, Ignored);
  return Next == Tried.size()
             ? trace::Status()
             : trace::Status::error(Path, "the process has not tried the "
                                          "remedies");
}

Outcome show(const ResidentState &S) {
  std::string Path = S.What;
  std::optional<uint64_t> Pss;
  if (const auto Pid = processOf(S.What)) {
    Pss = proportionalSize(*Pid);
    auto Taken = takeSnapshot(*Pid, S.Verify);
    if (!Taken)
      return Outcome::unreadable(Taken.status());
    Path = *Taken;
  } else if (S.Verify) {
    return Outcome::usage("resident --verify: expected a running process, "
                          "found '" +
                          S.What + "'");
  }
  const auto H = readNamedHeap(Path);
  if (!H)
    return Outcome::unreadable(H.status());
  if (!H->hasResidency())
    return Outcome::unreadable(trace::Status::error(
        Path, "has no pages: the runtime that wrote it is older, or could not "
              "read /proc/self/pagemap"));
  std::optional<Progress> Working("explaining pages");
  const auto R = heap::explain(*H);
  if (!R)
    return Outcome::unreadable(R.status());
  std::vector<heap::Remedy> Remedies = heap::remedies(*H, *R);
  Working.reset();
  if (S.Verify)
    if (const auto Done = verify(Path, *H, *R, Remedies); !Done.ok())
      return Outcome::unreadable(Done);
  const heap::ResidencyView V = {*H, *R, Remedies, Pss};
  const std::string Text =
      S.Format == TextOrJson::Json
          ? report::jsonText(heap::residencyJson(V, S.Top))
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
  App.flag("--verify", S->Verify,
           "try each remedy in a copy of the process, and print what it "
           "returned");
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
      "  inmem resident --verify 4711\n"
      "  inmem resident app.heap\n"
      "  inmem resident --format json app.heap");
  return [S, Top]() -> Outcome {
    // Programs read all.
    S->Top = Top->value_or(S->Format == TextOrJson::Text ? 10 : 0);
    return show(*S);
  };
}

} // namespace inmem::tools
