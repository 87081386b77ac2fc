//===- Head.cpp - What ran, and its totals --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/text/Printer.h"
#include <algorithm>
#include <fmt/format.h>

namespace inmem::report {

static std::string joined(const std::vector<std::string> &Words) {
  std::string Out;
  for (const std::string &W : Words)
    Out += (Out.empty() ? "" : " ") + W;
  return Out;
}

void Printer::head() {
  constexpr size_t kMost = 8;
  for (size_t I = 0; I < P.Processes.size() && I < kMost; ++I) {
    const ProcessResult &One = P.Processes[I];
    std::string Facts = fmt::format("pid {}", One.Pid);
    if (One.DurationNs)
      Facts += dot() + humanLife(*One.DurationNs, Unit::Nanoseconds, S.Unicode);
    if (!One.Complete)
      Facts += dot() + std::string("not complete");
    const size_t Room =
        S.Width > Facts.size() + 14 ? S.Width - Facts.size() - 10 : 12;
    const std::string Command =
        shorten(S, printable(S, joined(One.Command)), Room);
    const char *Lead = P.Processes.size() == 1 ? "inmem  " : "  ";
    line(shorten(S, fmt::format("{}{}  ({})", Lead, Command, Facts), S.Width));
  }
  if (P.Processes.size() > kMost)
    line(fmt::format("  and {} more processes", P.Processes.size() - kMost));
  notes();
  line("");
  totals();
}

void Printer::notes() {
  constexpr std::string_view kLead = "note: ";
  for (const std::string &Note : P.Notes)
    paragraph(Note, kLead.size(), kLead, Paint::Yellow);
}

void Printer::totals() {
  const Counts &T = P.Totals;
  const auto Named = static_cast<uint64_t>(
      std::count_if(P.Types.begin(), P.Types.end(), [](const TypeResult &Type) {
        return Type.Name && Type.Sum.Allocations > 0;
      }));
  Table Sums;
  for (const char *Title : {"", "bytes", "blocks"})
    Sums.column({Title, *Title != '\0', false, 0, Paint::None});
  Sums.column({"", false, true, 0, Paint::Dim});
  const auto From = [&](const Counts &C) {
    return C.Allocations == 0
               ? std::string()
               : fmt::format("{}, {}, {} a block",
                             counted(P.Sites.size(), "site"),
                             counted(Named, "type"),
                             humanBytes(C.AllocatedBytes / C.Allocations));
  };
  Sums.row({"allocated", humanBytes(T.AllocatedBytes),
            humanCount(T.Allocations),
            P.Filtered ? "the whole process" : From(T)});
  if (T.Estimated)
    Sums.row({"", "± " + humanBytes(T.bytesWithin()),
              "± " + humanCount(T.allocationsWithin()),
              "95 % confidence: blocks were sampled"});
  Sums.row({"freed", humanBytes(T.FreedBytes), humanCount(T.Frees),
            T.Temporary > 0
                ? fmt::format("{} temporary ({})", humanCount(T.Temporary),
                              humanShare(T.Temporary, T.Allocations))
                : ""});
  Sums.row(
      {"still alive", humanBytes(T.LiveBytes), humanCount(T.LiveAllocations),
       T.CarriedAllocations > 0 ? fmt::format("{} blocks from before",
                                              humanCount(T.CarriedAllocations))
                                : ""});
  if (P.Inherited) {
    const Counts &Before = P.Inherited->Sum;
    Sums.row({"before the fork", humanBytes(Before.AllocatedBytes),
              humanCount(Before.Allocations),
              fmt::format("from the parent; {} in {} still alive",
                          humanBytes(Before.LiveBytes),
                          humanCount(Before.LiveAllocations))});
  }
  if (P.Filtered) {
    Counts Chosen;
    for (const TypeResult &Type : P.Types)
      Chosen.add(Type.Sum);
    Sums.row({"chosen of it", humanBytes(Chosen.AllocatedBytes),
              humanCount(Chosen.Allocations), From(Chosen)});
  }
  if (P.PeakLiveBytes)
    Sums.row({"peak", humanBytes(*P.PeakLiveBytes), "",
              P.Processes.size() > 1 ? "sum over processes" : ""});
  Out += Sums.render(S);
}

} // namespace inmem::report
