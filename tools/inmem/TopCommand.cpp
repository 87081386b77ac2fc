//===- TopCommand.cpp - inmem top -----------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the trace of a running program at intervals. The program is not
// involved.
//
//===----------------------------------------------------------------------===//
#include "ReportOptions.h"
#include "cli/Command.h"
#include "cli/Output.h"
#include "cli/Terminal.h"
#include "files/Inputs.h"
#include "live/LiveHistory.h"
#include "live/LiveProcess.h"
#include "live/LiveTypes.h"
#include "report/base/Units.h"
#include "trace/read/Reader.h"

#include <clocale>
#include <curses.h>
#include <fstream>
#include <poll.h>
#include <thread>
#include <unistd.h>

namespace inmem::tools {

namespace {

struct TopState {
  std::string What, MinBytes = "0";
  TopOrder Order = TopOrder::Live;
  std::vector<std::string> Types, Sites, Threads;
  double Interval = 1;
  size_t Batch = 0, Top = 20;
  bool Once = false, ByThread = false;
};

/// The resident memory of a process; 0 if unknown.
uint64_t residentBytes(pid_t Pid) {
  std::ifstream In("/proc/" + std::to_string(Pid) + "/statm");
  uint64_t All = 0, Resident = 0;
  return In >> All >> Resident
             ? Resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE))
             : 0;
}

/// The trace of a process, or of a file.
class Source {
public:
  static trace::Result<Source> open(const std::string &What, Globs Filter,
                                    bool ByThread) {
    Source Out;
    Out.Filter = std::move(Filter);
    Out.ByThread = ByThread;
    Out.Path = What;
    if (What.find_first_not_of("0123456789") != std::string::npos ||
        What.size() > 9)
      return Out;
    Out.Pid = static_cast<pid_t>(std::stol(What));
    auto P = LiveProcess::attach(Out.Pid, false);
    if (!P)
      return P.status();
    Out.Path = P->path();
    Out.Process = std::make_shared<LiveProcess>(std::move(*P));
    return Out;
  }
  /// Reads the program's current state.
  trace::Result<Moment> look() const {
    const auto Traces = trace::readTraces(Path);
    if (!Traces)
      return Traces.status();
    if (!Process)
      Damage = firstDamage(*Traces);
    Moment Out = ByThread ? threadsOf(Traces->front(), Filter)
                          : momentOf(Traces->front(), Names, Filter);
    Out.Running = Out.Running && (!Process || !Process->hasEnded());
    if (const uint64_t Now = Process ? residentBytes(Pid) : 0)
      Out.ResidentBytes = Now;
    return Out;
  }

  /// The state of the file when it was last read. A running program may be in
  /// the middle of a record.
  const std::optional<trace::Status> &damage() const { return Damage; }

private:
  std::string Path;
  mutable std::optional<trace::Status> Damage;
  mutable BlockNames Names;
  Globs Filter;
  bool ByThread = false;
  pid_t Pid = 0;
  std::shared_ptr<LiveProcess> Process;
};

/// A look one interval before the first, with the same counts.
Moment beginningOf(const Moment &First,
                   std::chrono::duration<double> Interval) {
  Moment Out = First;
  Out.When -=
      std::chrono::duration_cast<std::chrono::steady_clock::duration>(Interval);
  return Out;
}

/// Prints a table every interval.
Outcome printTables(const Source &From, const TopState &S) {
  const report::Style Look = styleFor(fileno(stdout), ColourMode::Never);
  const std::chrono::duration<double> Interval(S.Interval);
  auto Before = From.look();
  if (!Before)
    return Outcome::unreadable(Before.status());
  LiveHistory History;
  if (!Before->Running) { // show the state at its end
    const Moment Begin = beginningOf(*Before, Interval);
    const std::string Text =
        topTable({Begin, *Before, History, S.Order, S.Top}, Look).Text;
    if (const auto Done = writeText("", stdout, Text); !Done.ok())
      return Outcome::unwritable(Done);
    return From.damage() ? Outcome::unreadable(*From.damage()) : Outcome();
  }
  History.add(*Before);
  for (size_t I = 0; I < S.Batch && Before->Running; ++I) {
    std::this_thread::sleep_for(Interval);
    auto Now = From.look();
    if (!Now) // it has ended, and its file is gone
      return {};
    History.add(*Now);
    const std::string Text =
        (I ? "\n" : "") +
        topTable({*Before, *Now, History, S.Order, S.Top}, Look).Text;
    if (const auto Done = writeText("", stdout, Text); !Done.ok())
      return Outcome::unwritable(Done);
    *Before = std::move(*Now);
  }
  return {};
}

/// Controls the terminal during its lifetime.
class Screen {
public:
  Screen() {
    std::setlocale(LC_ALL, "");
    Terminal = newterm(nullptr, stdout, stdin);
    if (!Terminal)
      return;
    cbreak();
    noecho();
    keypad(stdscr, TRUE);
    curs_set(0);
  }
  ~Screen() {
    if (!Terminal)
      return;
    endwin();
    delscreen(Terminal);
  }
  Screen(const Screen &) = delete;
  Screen &operator=(const Screen &) = delete;
  explicit operator bool() const { return Terminal != nullptr; }

  void show(const TopText &Shown, const std::string &Foot) {
    const std::string_view Text = Shown.Text;
    erase();
    int Line = 0;
    for (size_t From = 0; From < Text.size() && Line < LINES - 1; ++Line) {
      const size_t End = std::min(Text.find('\n', From), Text.size());
      if (static_cast<size_t>(Line) == Shown.TitleLine)
        attron(A_REVERSE);
      mvaddnstr(Line, 0, Text.data() + From, static_cast<int>(End - From));
      attroff(A_REVERSE);
      From = End + 1;
    }
    mvaddnstr(LINES - 1, 0, Foot.data(),
              std::min<int>(COLS, static_cast<int>(Foot.size())));
    refresh();
  }

private:
  SCREEN *Terminal = nullptr;
};

/// True if the terminal was closed. Without a controlling terminal, no signal
/// reports that.
bool isTerminalGone() {
  pollfd Input = {0, POLLIN, 0};
  return poll(&Input, 1, 0) > 0 &&
         (Input.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0;
}

std::string footOf(TopOrder Order, bool Paused, bool Running) {
  return std::string(Running ? "" : "the program has ended; ") +
         (Paused ? "paused; " : "") + "sorted by " +
         std::string(wordOf(Order)) +
         "   q quit  l live  g grown  b blocks  a bytes/s  c freed/s  t "
         "allocated  "
         "n name  space pause";
}

Outcome showTables(const Source &From, const TopState &S) {
  auto First = From.look();
  if (!First)
    return Outcome::unreadable(First.status());
  Screen Terminal;
  if (!Terminal)
    return Outcome::usage("top: this terminal cannot be written to (TERM); "
                          "--batch N prints tables instead");
  const std::chrono::duration<double> Interval(S.Interval);
  Moment Now = *First, Before = beginningOf(Now, Interval);
  LiveHistory History;
  History.add(Now);
  TopOrder Order = S.Order;
  bool Paused = false;
  for (auto Next = Now.When;;) {
    const auto Left = std::chrono::duration_cast<std::chrono::milliseconds>(
        Next - std::chrono::steady_clock::now());
    if (!Paused && Now.Running && Left.count() <= 0) {
      if (auto Look = From.look()) {
        Before = std::move(Now);
        Now = std::move(*Look);
        History.add(Now);
      } else {
        Now.Running = false;
      }
      if (!Now.Running)
        clearok(stdscr, TRUE);
      Next = std::chrono::steady_clock::now() +
             std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                 Interval);
    }
    report::Style Look = styleFor(-1, ColourMode::Never);
    Look.Width = static_cast<unsigned>(std::max(COLS, 40));
    // The curve takes up to a quarter of the screen; a small screen has none.
    const int Curve = LINES < 16 ? 0 : std::min(LINES / 4, 9);
    const auto Room = static_cast<size_t>(std::max(LINES - 4 - Curve, 1));
    Terminal.show(topTable({Before, Now, History, Order, Room,
                            static_cast<size_t>(Curve)},
                           Look),
                  footOf(Order, Paused, Now.Running));
    timeout(Paused || !Now.Running
                ? -1
                : static_cast<int>(std::clamp<long>(Left.count(), 1, 60000)));
    const int Key = getch();
    if (Key == ERR && isTerminalGone())
      return {};
    if (Key != ERR)
      clearok(stdscr, TRUE); // redraw everything, over other programs' output
    if (Key == 'q' || Key == 'Q')
      return {};
    if (Key == ' ')
      Paused = !Paused;
    if (const auto Chosen = topOrder(Key))
      Order = *Chosen;
  }
}

} // namespace

Action setUpTop(CommandLine &App) {
  const auto S = std::make_shared<TopState>();
  App.option("PID", S->What, "process that runs with inmem, or a trace")
      .required();
  App.option("--interval", S->Interval, "seconds between two looks")
      .valueName("SECONDS")
      .showDefault();
  App.choice("--sort", S->Order,
             choicesOf(topOrders(), &TopOrderName::Word, &TopOrderName::Order),
             "{}; keys change it")
      .valueName("KEY")
      .showDefault();
  App.option("--batch", S->Batch, "print N tables and exit").valueName("N");
  App.flag("--once", S->Once, "the same as --batch 1");
  App.flag("--threads", S->ByThread,
           "a row for each thread that runs, not for each type");
  addGlobOptions(App, S->Types, S->Sites);
  App.option("--thread", S->Threads,
             "only threads whose name matches a glob, or of this tid or index")
      .valueName("GLOB")
      .oneValue();
  App.option("--min-bytes", S->MinBytes,
             "leave out types that allocated less, such as 64k")
      .valueName("SIZE")
      .showDefault();
  App.option("--top", S->Top, "rows a printed table; 0: all")
      .valueName("N")
      .showDefault();
  App.footer(
      "live: bytes alive now. grown: more of them than at the first look, or "
      "5 minutes ago.\nbytes/s, blocks/s: allocated since the last "
      "look.\nfreed/s: churn, blocks freed. Only the trace is read: the "
      "program is not disturbed.\n\n"
      "Examples:\n"
      "  inmem top 4711\n"
      "  inmem top --once --sort rate 4711");
  return [S]() -> Outcome {
    if (!(S->Interval >= 0.01 && S->Interval <= 86400))
      return Outcome::usage("--interval: expected 0.01 to 86400 seconds");
    if (S->Once)
      S->Batch = 1;
    if (S->Batch == 0 && !(isatty(0) && isatty(1)))
      return Outcome::usage("top: expected a terminal; --batch N prints tables "
                            "instead");
    if (S->ByThread && (!S->Types.empty() || !S->Sites.empty()))
      return Outcome::usage("top --threads: it counts all types and sites");
    const auto MinBytes = report::parseBytes(S->MinBytes);
    if (!MinBytes)
      return Outcome::usage(
          "--min-bytes: expected a size such as 64k, found '" + S->MinBytes +
          "'");
    const auto From = Source::open(S->What,
                                   {splitList(S->Types), splitList(S->Sites),
                                    splitList(S->Threads), *MinBytes},
                                   S->ByThread);
    if (!From)
      return Outcome::unreadable(From.status());
    return S->Batch > 0 ? printTables(*From, *S) : showTables(*From, *S);
  };
}

} // namespace inmem::tools
