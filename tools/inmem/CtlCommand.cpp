//===- CtlCommand.cpp - inmem ctl -----------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Steps.h"
#include "cli/Command.h"
#include "cli/Output.h"
#include "cli/Terminal.h"
#include "files/Symbolizer.h"
#include "live/HeapFiles.h"
#include "live/LiveProcess.h"
#include "report/base/Units.h"
#include "report/base/Words.h"
#include "report/formats/Json.h"
#include "report/formats/Reports.h"
#include "report/model/Phases.h"
#include "report/text/TextReport.h"
#include "trace/read/Reader.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace inmem::tools {

using report::listed;

using namespace trace;

namespace {

struct CtlState {
  pid_t Pid = 0;
  std::string What, Name, How;
  TextOrJson Format = TextOrJson::Text;
};

/// A word of WHAT.
struct CommandWord {
  std::string_view Word;
  /// The command to send to the program; nullopt if the word takes more than
  /// one.
  std::optional<CommandKind> Kind = std::nullopt;
  const char *Done = "";
};
constexpr CommandWord kCommands[] = {
    {"start", CommandKind::Start, "records"},
    {"stop", CommandKind::Stop, "does not record any more"},
    {"reset", CommandKind::Reset, "counts begin again"},
    {"flush"},
    {"snapshot", CommandKind::Snapshot, "snapshot taken"},
    {"profile"},
    {"periodic"},
    {"grew"},
    {"status"}};

std::vector<std::string> commandWords() {
  std::vector<std::string> Words;
  Words.reserve(std::size(kCommands));
  for (const CommandWord &O : kCommands)
    Words.emplace_back(O.Word);
  return Words;
}

std::string knownCommands() { return listed(commandWords()); }

/// Prints `status`, in both forms.
Outcome printStatus(const LiveProcess &P, const CtlState &S) {
  const auto Traces = readTraces(P.path());
  if (!Traces)
    return Outcome::unreadable(Traces.status());
  const Trace &T = Traces->front();
  RowTotals Sum;
  for (const Entry &E : T.Entries)
    if (T.site(E.Site).ofBlocks())
      Sum.add(E.Totals);
  const uint64_t Allocations = Sum.Allocations - Sum.MovedOut;
  const uint64_t Bytes = Sum.Bytes - Sum.MovedOutBytes;
  const auto Live = static_cast<uint64_t>(std::max<int64_t>(0, T.Process.Live));
  const uint32_t Waiting = T.Header.Commands.Given - T.Header.Commands.Obeyed;
  std::string Phase;
  for (const report::TimelineMark &M : report::marksOf(T))
    if (M.BeginsPhase)
      Phase = M.Name;
  const std::string Shown = P.shownPath();
  std::string Command;
  for (const std::string_view Word : T.Command)
    Command += (Command.empty() ? "" : " ") + std::string(Word);
  const auto Mode = [&](HeaderFlags F) { return (T.Header.Flags & F) != 0; };
  if (S.Format == TextOrJson::Json) {
    const report::Json Out = {
        {"pid", S.Pid},
        {"command", Command},
        {"trace", Shown},
        {"recording", T.Recording},
        {"orders_waiting", Waiting},
        {"phase", Phase.empty() ? report::Json() : report::Json(Phase)},
        {"snapshots", T.Snapshots.size()},
        {"events", Mode(kFlagEvents)},
        {"threads", T.Threads.size()},
        {"trace_bytes", T.Header.FileBytes},
        {"dropped_events", T.Header.DroppedEvents},
        {"allocations", Allocations},
        {"allocated_bytes", Bytes},
        {"frees", Sum.Frees},
        {"freed_bytes", Sum.FreedBytes},
        {"live_bytes", Live},
        {"peak_live_bytes", std::max<int64_t>(0, T.Process.Peak)}};
    std::fputs(report::jsonText(Out).c_str(), stdout);
    return {};
  }
  using namespace report;
  const Style Look = styleFor(fileno(stdout), ColourMode::Auto);
  const auto Row = [&](const char *Key, const std::string &Value) {
    fmt::print("{:<12}{}\n", Key, printable(Look, Value));
  };
  Row("process", std::to_string(S.Pid) + "  " + Command);
  Row("trace", Shown + " (" + humanBytes(T.Header.FileBytes) + ")");
  Row("recording", T.Recording ? "on" : "off");
  if (Waiting > 0)
    Row("orders", fmt::format("{} to obey before its next event", Waiting));
  if (!Phase.empty())
    Row("phase", Phase);
  Row("snapshots", std::to_string(T.Snapshots.size()));
  Row("threads", std::to_string(T.Threads.size()));
  Row("allocated", humanBytes(Bytes) + " in " + humanCount(Allocations));
  Row("freed", humanBytes(Sum.FreedBytes) + " in " + humanCount(Sum.Frees));
  Row("live", humanBytes(Live) + ", peak " +
                  humanBytes(static_cast<uint64_t>(
                      std::max<int64_t>(0, T.Process.Peak))));
  if (T.Header.DroppedEvents > 0)
    Row("dropped", humanCount(T.Header.DroppedEvents));
  return {};
}

/// Prints the samples so far; sampling continues.
Outcome printSamples(const LiveProcess &P, const CtlState &S) {
  const auto Traces = readTraces(P.path());
  if (!Traces)
    return Outcome::unreadable(Traces.status());
  Symbolizer Symbols;
  report::ProfileOptions Build;
  Build.Resolver = &Symbols;
  const auto Found = report::buildProfile(*Traces, Build);
  if (!Found)
    return Outcome::unreadable(Found.status());
  report::View V;
  V.Tables = {report::By::Cpu};
  report::TextOptions O;
  O.Plain = true;
  O.Look = styleFor(fileno(stdout), ColourMode::Auto);
  const std::string Text = S.Format == TextOrJson::Json
                               ? report::printJson(*Found, V)
                               : report::printText(*Found, V, O);
  if (const auto Done = writeText("", stdout, Text); !Done.ok())
    return Outcome::unwritable(Done);
  return {};
}

/// Validates "10ms,cpu,64", in any order and each once, and returns the form
/// that the runtime reads.
std::optional<std::string> profileSettings(std::string_view How) {
  std::string Out;
  bool HasClock = false, HasDepth = false, HasInterval = false;
  while (!How.empty()) {
    const std::string_view Word = How.substr(0, How.find(','));
    How.remove_prefix(std::min(Word.size() + 1, How.size()));
    const bool IsNumber =
        !Word.empty() && Word.find_first_not_of("0123456789") == Word.npos;
    const auto Ns = IsNumber ? std::nullopt : report::parseDuration(Word);
    const int Depth =
        IsNumber && Word.size() < 4 ? std::stoi(std::string(Word)) : 0;
    Out += Out.empty() ? "" : ",";
    bool *Has = nullptr;
    if (Word == "cpu" || Word == "wall")
      Has = &HasClock;
    else if (Depth >= 1 && Depth <= 128)
      Has = &HasDepth;
    else if (Ns && *Ns >= 100'000 && *Ns <= 3600'000'000'000)
      Has = &HasInterval;
    if (!Has || std::exchange(*Has, true))
      return std::nullopt;
    Out += Has == &HasInterval ? std::to_string(*Ns) + "ns" : std::string(Word);
  }
  return Out;
}

Outcome profile(LiveProcess &P, const CtlState &S) {
  if (S.Name == "read")
    return printSamples(P, S);
  const bool On = S.Name == "start";
  if (const auto Given =
          P.give(On ? CommandKind::ProfileStart : CommandKind::ProfileStop,
                 *profileSettings(S.How));
      !Given.ok())
    return Outcome::unreadable(Given);
  const bool Idle = !P.waitObeyed(std::chrono::milliseconds(100));
  fmt::print("process {}: {}{}\n", S.Pid,
             On ? "takes samples" : "takes no samples any more",
             Idle ? " (it is idle: from its next event on)" : "");
  return {};
}

/// True for "5" or "5,3", as the runtime parses it: seconds, and the number of
/// resets.
bool isPeriod(const std::string &Value) {
  double Seconds = 0;
  const char *End = Value.data() + Value.size();
  const auto [Rest, Error] =
      std::from_chars(Value.data(), End, Seconds, std::chars_format::fixed);
  if (Error != std::errc() || !(Seconds == 0 || Seconds >= 0.001) ||
      Seconds > 1e9 || !std::isdigit(static_cast<unsigned char>(Value[0])))
    return false;
  if (Rest == End)
    return true;
  int64_t Resets = 0;
  const auto [Last, Wrong] = std::from_chars(Rest + 1, End, Resets);
  return *Rest == ',' && Wrong == std::errc() && Last == End && Resets >= -1;
}

Outcome setPeriod(LiveProcess &P, const CtlState &S) {
  if (const auto Given = P.give(CommandKind::Periodic, S.Name); !Given.ok())
    return Outcome::unreadable(Given);
  const bool Idle = !P.waitObeyed(std::chrono::milliseconds(100));
  const std::string Seconds = S.Name.substr(0, S.Name.find(','));
  fmt::print("process {}: {}{}\n", S.Pid,
             Seconds.find_first_not_of("0.") == Seconds.npos
                 ? std::string("writes no summaries any more")
                 : "writes a summary every " + Seconds +
                       " s; inmem report --by time shows what grows",
             Idle ? " (it is idle: from its next event on)" : "");
  return {};
}

/// Takes a heap snapshot, preceded by one of counts, and waits until its file
/// is complete.
Outcome takeHeapSnapshot(LiveProcess &P, const CtlState &S) {
  const HeapFiles Before = HeapFiles::of(P, S.Pid);
  if (const auto Given = P.give(CommandKind::Snapshot, "snapshot"); !Given.ok())
    return Outcome::unreadable(Given);
  if (const auto Given = P.give(CommandKind::Heap); !Given.ok())
    return Outcome::unreadable(Given);
  if (!P.waitObeyed(std::chrono::milliseconds(100))) {
    fmt::print("process {}: snapshot taken; that of the heap will be taken "
               "before its next event (it is idle; with profile=, periodic= "
               "or watch= it does not wait for one), as {}\n",
               S.Pid, Before.pattern());
    return {};
  }
  const auto File = Before.waitForNew(P);
  if (!File)
    return Outcome::unreadable(File.status());
  fmt::print("process {}: heap snapshot written to {}\n", S.Pid, *File);
  return {};
}

/// SECONDS of `grew`; nullopt if invalid, too short or too long.
std::optional<double> secondsOf(const CtlState &S) {
  if (S.Name.empty())
    return 10;
  const auto Ns = report::parseDuration(S.Name);
  if (!Ns || *Ns < 10'000'000 || *Ns > 86400'000'000'000)
    return std::nullopt;
  return static_cast<double>(*Ns) / 1e9;
}

Outcome control(const CtlState &S) {
  const bool Status =
      S.What == "status" || S.Name == "read" || S.What == "grew";
  auto P = LiveProcess::attach(S.Pid, !Status);
  if (!P)
    return Outcome::unreadable(P.status());
  if (S.What == "profile")
    return profile(*P, S);
  if (S.What == "periodic")
    return setPeriod(*P, S);
  if (S.What == "snapshot" &&
      S.Name.empty()) // without a name, it is a heap snapshot
    return takeHeapSnapshot(*P, S);
  if (S.What == "grew")
    return printGrowth(*P, *secondsOf(S), S.Format);
  if (Status)
    return printStatus(*P, S);
  if (S.What == "flush") {
    if (const auto Done = P->flush(); !Done.ok())
      return Outcome::unreadable(Done);
    fmt::print("process {}: its trace is on disk\n", S.Pid);
    return {};
  }
  for (const CommandWord &O : kCommands) {
    if (O.Word != S.What || !O.Kind)
      continue;
    if (const auto Given = P->give(*O.Kind, S.Name); !Given.ok())
      return Outcome::unreadable(Given);
    // A busy program executes a command within microseconds.
    constexpr std::chrono::milliseconds kPatience(100);
    const bool Idle = !P->waitObeyed(kPatience);
    fmt::print("process {}: {}{}\n", S.Pid, O.Done,
               Idle ? " (it is idle: before its next event)" : "");
    return {};
  }
  return {};
}

bool isKnown(const std::string &What) {
  return std::ranges::find(kCommands, What, &CommandWord::Word) !=
         std::end(kCommands);
}

} // namespace

Action setUpCtl(CommandLine &App) {
  const auto S = std::make_shared<CtlState>();
  App.option("PID", S->Pid, "process that runs with inmem").required();
  App.option("WHAT", S->What, knownCommands())
      .suggests(commandWords())
      .required();
  App.option(
      "NAME", S->Name,
      "of a snapshot of counts, for reports' --phase (without: of the "
      "heap); of profile: start, stop "
      "or read; of periodic: seconds, 0 for none; of grew: the seconds to "
      "wait between two looks (default: 10)");
  App.option("HOW", S->How, "of profile start: such as 10ms,cpu");
  App.format(S->Format, "of status and grew: {}");
  App.footer("Writes a command to the trace file that the process maps: this "
             "needs no signal, no thread\nand no socket, but the same user. An "
             "idle process applies the command at its next event;\nuntil then "
             "reports behave as if it had taken effect.\n\n"
             "Examples:\n"
             "  inmem ctl 4711 status\n"
             "  inmem ctl 4711 snapshot\n"
             "  inmem ctl 4711 snapshot before-upload\n"
             "  inmem ctl 4711 grew 30\n"
             "  inmem ctl 4711 reset\n"
             "  inmem ctl 4711 profile start 50ms\n"
             "  inmem ctl 4711 periodic=5");
  return [S]() -> Outcome {
    // Accept the syntax of INMEM_OPTIONS, too.
    if (S->What.starts_with("periodic=") && S->Name.empty()) {
      S->Name = S->What.substr(sizeof "periodic=" - 1);
      S->What = "periodic";
    }
    if (!isKnown(S->What))
      return Outcome::usage("ctl: expected " + knownCommands() + ", found '" +
                            S->What + "'");
    if (S->What == "profile" && S->Name != "start" && S->Name != "stop" &&
        S->Name != "read")
      return Outcome::usage(
          "ctl profile: expected start, stop or read, found '" + S->Name + "'");
    if (!S->How.empty() && S->Name != "start")
      return Outcome::usage("ctl: only profile start takes '" + S->How + "'");
    if (!profileSettings(S->How))
      return Outcome::usage("ctl profile start: expected an interval from "
                            "100us to 1h, wall or cpu, and a depth from 1 to "
                            "128, such as 10ms,cpu,64, found '" +
                            S->How + "'");
    if (S->What == "periodic") {
      if (!isPeriod(S->Name))
        return Outcome::usage("ctl periodic: expected seconds, 0 or at least "
                              "0.001, and maybe a number of resets, such as 5 "
                              "or 5,3, found '" +
                              S->Name + "'");
      return control(*S);
    }
    if (S->What == "grew" && !secondsOf(*S))
      return Outcome::usage("ctl grew: expected 0.01 seconds to a day, such as "
                            "30 or 5m, found '" +
                            S->Name + "'");
    if (!S->Name.empty() && S->What != "snapshot" && S->What != "profile" &&
        S->What != "grew")
      return Outcome::usage("ctl " + S->What + ": only a snapshot has a name");
    return control(*S);
  };
}

} // namespace inmem::tools
