//===- Head.cpp - The command, and its totals -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/text/LocationText.h"
#include "report/text/Sections.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <functional>
#include <map>

namespace inmem::report {

static std::string joined(const std::vector<std::string> &Words) {
  std::string Out;
  for (const std::string &W : Words)
    Out += (Out.empty() ? "" : " ") + W;
  return Out;
}

namespace {

/// Processes that ran the same command.
struct Runs {
  std::vector<const ProcessResult *> All;
  uint64_t Incomplete = 0, Bytes = 0;
};

} // namespace

/// `4 runs of `; `4 processes of ` if one started the others; `2 runs (8
/// processes) of `.
static std::string runsText(const Runs &R) {
  const auto Started = [&](const ProcessResult *P) {
    return P->ParentPid != 0 &&
           std::ranges::any_of(R.All, [&](const ProcessResult *Other) {
             return Other != P && Other->Pid == P->ParentPid &&
                    Other->Host == P->Host &&
                    Other->StartUnixNs <= P->StartUnixNs;
           });
  };
  const auto First =
      static_cast<size_t>(std::ranges::count_if(R.All, std::not_fn(Started)));
  if (First == R.All.size())
    return fmt::format("{} runs of ", First);
  return First <= 1
             ? fmt::format("{} processes of ", R.All.size())
             : fmt::format("{} runs ({} processes) of ", First, R.All.size());
}

static std::string factsOf(const Runs &R, std::string_view Dot, bool Unicode,
                           bool Alone) {
  const ProcessResult &First = *R.All.front();
  std::string Out =
      First.Pid > 0 ? fmt::format("pid {}", First.Pid) : "pid not known";
  std::optional<uint64_t> Least, Most;
  for (const ProcessResult *P : R.All)
    if (P->DurationNs) {
      Least = std::min(Least.value_or(~uint64_t{0}), *P->DurationNs);
      Most = std::max(Most.value_or(0), *P->DurationNs);
    }
  const auto Time = [&](uint64_t Ns) {
    return humanLifetime(Ns, Unit::Nanoseconds, Unicode);
  };
  if (R.All.size() > 1)
    Out += " and others";
  if (Least)
    Out += fmt::format("{}{}", Dot, Time(*Least));
  if (Least != Most)
    Out += " to " + Time(*Most);
  if (!Alone)
    Out += fmt::format("{}{}", Dot, humanBytes(R.Bytes));
  if (R.Incomplete > 0)
    Out += fmt::format("{}{}not complete", Dot,
                       R.All.size() > 1 ? humanCount(R.Incomplete) + " "
                                        : std::string());
  return Out;
}

/// The command, and the facts on the same line. They get a separate line if the
/// program's name would have to be cut for them.
static void commandLine(Sheet &To, const ReportContext &In,
                        std::string_view Lead, const std::string &Command,
                        const std::string &Facts) {
  constexpr size_t kGap = 2;
  const auto Room = [&](size_t Used) {
    return std::max<size_t>(In.S.Width - std::min<size_t>(In.S.Width, Used), 1);
  };
  const size_t End = std::min(Command.find(' '), Command.size());
  std::string Least = Command.substr(0, End);
  Least = printable(In.S, Least.substr(Least.rfind('/') + 1));
  if (End < Command.size())
    Least += In.S.Unicode ? " …" : " ..";
  const size_t CommandWidth =
      Room(displayWidth(Lead) + kGap + displayWidth(Facts));
  if (displayWidth(Least) <= CommandWidth) {
    To.line(fmt::format("{}{}  {}", Lead,
                        fitCommand(In.S, Command, CommandWidth), Facts));
    return;
  }
  To.line(std::string(Lead) +
          fitCommand(In.S, Command, Room(displayWidth(Lead))));
  std::vector<std::string> Parts;
  for (std::string_view Rest = Facts;;) {
    const size_t Dot = std::min(Rest.find(dot(In.S)), Rest.size());
    Parts.emplace_back(Rest.substr(0, Dot));
    if (Dot == Rest.size())
      break;
    Rest.remove_prefix(Dot + dot(In.S).size());
  }
  To.wrapped(Parts, kGap);
}

void notesSection(Sheet &To, const ReportContext &In, size_t Most) {
  constexpr std::string_view kLead = "note: ";
  size_t Used = 0, Left = In.P.Notes.size();
  for (const std::string &Note : In.P.Notes) {
    Sheet One(In.S);
    One.paragraph(Note, kLead.size(), kLead, Paint::Yellow);
    if (Used + One.lines() > Most && Left < In.P.Notes.size())
      break;
    Used += One.lines();
    --Left;
    To.append(std::move(One).take());
  }
  if (Left > 0)
    To.line(paint(
        In.S, Paint::Yellow,
        fmt::format("{} more {}: --full", Left, Left == 1 ? "note" : "notes")));
}

/// The number of blocks by source of their type; empty if all are the
/// compiler's, or no block has a type.
static std::string sourcesOf(const Profile &P) {
  std::array<uint64_t, 5> Blocks{};
  for (const SiteResult &S : P.Sites)
    Blocks[static_cast<size_t>(S.Source)] += S.Sum.Allocations;
  const auto [None, Compiler, Certain, Inferred, Symbol] = Blocks;
  if (Inferred + Symbol == 0)
    return {};
  std::string Out;
  for (const auto &[Count, Word] : {std::pair(Compiler, "by the compiler"),
                                    {Certain, "certain"},
                                    {Inferred, "~inferred"},
                                    {Symbol, "~by symbols"},
                                    {None, "unknown"}})
    if (Count > 0)
      Out += fmt::format("{}{} {}", Out.empty() ? "" : ", ", humanCount(Count),
                         Word);
  return Out;
}

static void totals(Sheet &To, const ReportContext &In) {
  const Counts &T = In.P.Totals;
  const auto Named = static_cast<uint64_t>(std::count_if(
      In.P.Types.begin(), In.P.Types.end(), [](const TypeResult &Type) {
        return Type.Name && Type.Sum.Allocations > 0;
      }));
  Table Sums;
  for (const char *Title : {"", "bytes", "blocks"})
    Sums.column({Title, *Title != '\0', false, 0, Paint::None});
  // The facts for which there is room.
  const auto Facts = [](const Style &, std::string_view Text, size_t Width) {
    while (displayWidth(Text) > Width) {
      const size_t Last = Text.find_last_of(",(");
      Text = Text.substr(0, Last == std::string_view::npos ? 0 : Last);
      while (Text.ends_with(' '))
        Text.remove_suffix(1);
    }
    return std::string(Text);
  };
  Sums.column({"", false, true, 0, Paint::Dim, Facts, 8});
  const auto From = [&](const Counts &C) {
    return C.allocations().value_or(0) == 0
               ? std::string()
               : fmt::format("{}, {}, {} a block",
                             counted(In.P.Sites.size(), "site"),
                             counted(Named, "type"),
                             humanBytes(C.AllocatedBytes / C.Allocations));
  };
  Sums.row({"allocated", humanBytes(T.allocatedBytes()),
            humanCount(T.allocations()),
            In.P.Filtered ? "the whole process" : From(T)});
  if (T.Estimated)
    Sums.row({"", "± " + humanBytes(T.bytesWithin()),
              "± " + humanCount(T.allocationsWithin()),
              "95 % confidence: blocks were sampled"});
  Sums.row({"freed", humanBytes(T.freedBytes()), humanCount(T.frees()),
            T.Temporary > 0
                ? fmt::format("{} temporary ({})", humanCount(T.Temporary),
                              humanShare(T.Temporary, T.Allocations))
                : ""});
  Sums.row({"still alive", humanBytes(T.liveBytes()),
            humanCount(T.liveAllocations()),
            T.CarriedAllocations > 0
                ? counted(T.CarriedAllocations, "block") + " from before"
                : ""});
  if (In.P.Inherited) {
    const Counts &Before = In.P.Inherited->Sum;
    Sums.row({"before the fork", humanBytes(Before.AllocatedBytes),
              humanCount(Before.Allocations),
              fmt::format("from the parent; {} in {} still alive",
                          humanBytes(Before.LiveBytes),
                          humanCount(Before.LiveAllocations))});
  }
  if (In.P.Filtered) {
    Counts Chosen;
    for (const TypeResult &Type : In.P.Types)
      Chosen.add(Type.Sum);
    Sums.row({"chosen of it", humanBytes(Chosen.allocatedBytes()),
              humanCount(Chosen.allocations()), From(Chosen)});
  }
  if (const std::string Sources = sourcesOf(In.P); !Sources.empty())
    Sums.row({"types", "", "", Sources});
  if (In.P.PeakLiveBytes)
    Sums.row({"peak", humanBytes(*In.P.PeakLiveBytes), "",
              In.P.Processes.size() > 1 ? "sum over processes" : ""});
  To.table(Sums);
}

void processSection(Sheet &To, const ReportContext &In) {
  std::vector<Runs> Rows;
  std::map<std::string, size_t> ByCommand;
  for (const ProcessResult &One : In.P.Processes) {
    const auto [At, New] =
        ByCommand.try_emplace(joined(One.Command), Rows.size());
    if (New)
      Rows.emplace_back();
    Rows[At->second].All.push_back(&One);
    Rows[At->second].Incomplete += !One.Complete;
    Rows[At->second].Bytes += One.AllocatedBytes;
  }
  std::ranges::stable_sort(Rows, std::ranges::greater(), &Runs::Bytes);
  constexpr size_t kMost = 8;
  size_t Left = In.P.Processes.size();
  const auto Labels = [](const ProcessResult &Of) {
    std::string Text;
    for (const auto &[Key, Value] : Of.Labels)
      Text += fmt::format("{}{}={}", Text.empty() ? "" : ", ", Key, Value);
    return Text;
  };
  for (size_t I = 0; I < Rows.size() && I < kMost; ++I) {
    const Runs &R = Rows[I];
    Left -= R.All.size();
    const std::string Facts =
        factsOf(R, dot(In.S), In.S.Unicode, Rows.size() == 1);
    std::string Lead = In.P.Processes.size() == 1 ? "inmem  " : "  ";
    if (R.All.size() > 1)
      Lead += runsText(R);
    commandLine(To, In, Lead, joined(R.All.front()->Command),
                '(' + Facts + ')');
    std::vector<std::string> Kinds; // label texts of the runs
    for (const ProcessResult *One : R.All)
      if (const std::string Text = Labels(*One); !Text.empty())
        Kinds.push_back(Text);
    std::ranges::sort(Kinds);
    Kinds.erase(std::ranges::unique(Kinds).begin(), Kinds.end());
    for (size_t K = 0; K < std::min<size_t>(Kinds.size(), kMost); ++K)
      To.paragraph(printable(In.S, Kinds[K]), 8, "labels: ");
  }
  if (Left > 0)
    To.line(fmt::format("  and {} more {}", Left,
                        Left == 1 ? "process" : "processes"));
}

void headSection(Sheet &To, const ReportContext &In) {
  processSection(To, In);
  notesSection(To, In, ~size_t{0});
  To.line("");
  totals(To, In);
}

} // namespace inmem::report
