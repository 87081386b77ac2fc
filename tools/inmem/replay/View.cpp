//===- View.cpp -----------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "replay/View.h"

#include "report/text/Sheet.h"

#include <algorithm>

namespace inmem::tools {

using namespace report;

namespace {

struct Range {
  uint64_t Low = UINT64_MAX, High = 0;
};

Range rangeOf(const ReplayedRow &Row, uint64_t ReplayedSize::*Of) {
  Range Out;
  for (const ReplayedSize &Size : Row.Sizes) {
    Out.Low = std::min(Out.Low, Size.*Of);
    Out.High = std::max(Out.High, Size.*Of);
  }
  return Out;
}

std::string textOf(const Range &R) {
  const std::string Low = humanBytes(R.Low), High = humanBytes(R.High);
  return Low == High ? Low : Low + " to " + High;
}

Json jsonOf(const Range &R) { return {{"low", R.Low}, {"high", R.High}}; }

} // namespace

std::string replayText(const ReplayView &V, const Style &Look) {
  Sheet Out(Look);
  Out.line(paint(Look, Paint::Bold, "REPLAY") + "  " +
           counted(V.Steps.Events, "event") + " of " +
           counted(V.Steps.Threads.size(), "thread") + " in " +
           counted(V.Orders.size(), "order"));
  Table Sizes;
  Sizes.column(
      {.Title = "resident heap with", .Right = false, .Flexible = true});
  Sizes.column({.Title = "peak"});
  Sizes.column({.Title = "at the end"});
  Sizes.column({.Title = "after malloc_trim(0)", .Importance = 1});
  std::string Missing;
  for (const ReplayedRow &Row : V.Rows) {
    if (Row.Sizes.empty()) {
      Missing += (Missing.empty() ? "" : ", ") + Row.With.Name;
      continue;
    }
    Sizes.row({printable(Look, Row.With.Text),
               textOf(rangeOf(Row, &ReplayedSize::Peak)),
               textOf(rangeOf(Row, &ReplayedSize::End)),
               textOf(rangeOf(Row, &ReplayedSize::Trimmed))});
  }
  Out.table(Sizes);
  if (!Missing.empty())
    Out.paragraph("not installed: " + Missing, 2);
  const auto &H = V.Of.Header;
  std::string Recorded =
      "recorded: " + humanBytes(V.Steps.PeakLiveBytes) + " live at the peak";
  if (H.PeakResidentBytes)
    Recorded += "; the process had " + humanBytes(H.PeakResidentBytes) +
                " resident, with its code, its stacks and inmem's own memory";
  Out.paragraph(Recorded, 2);
  // Reasons why a real run may be outside the range.
  if (V.Steps.LargeAtPeak * 4 >= V.Steps.PeakLiveBytes)
    Out.paragraph(humanBytes(V.Steps.LargeAtPeak) + " of it in blocks of " +
                      humanBytes(Script::kLarge) +
                      " and more, which a replay writes whole: a program that "
                      "does not has less resident (--unwritten 128k)",
                  2);
  if (V.Steps.Handed * 20 >= V.Steps.Events)
    Out.paragraph(counted(V.Steps.Handed, "block") +
                      " freed by another thread than allocated it: real runs "
                      "may overlap threads less than these orders",
                  2);
  if (V.Steps.Unpaired)
    Out.paragraph(counted(V.Steps.Unpaired, "free") +
                      " of blocks whose allocation is not in the trace "
                      "left out",
                  2);
  return std::move(Out).take();
}

Json replayJson(const ReplayView &V) {
  const auto &H = V.Of.Header;
  Json Out = {{"schema", "inmem-replay/1"},
              {"pid", H.Pid},
              {"events", V.Steps.Events},
              {"threads", V.Steps.Threads.size()},
              {"unpaired_frees", V.Steps.Unpaired},
              {"handed_blocks", V.Steps.Handed},
              {"peak_live_bytes", V.Steps.PeakLiveBytes},
              {"peak_large_bytes", V.Steps.LargeAtPeak},
              {"recorded_peak_rss_bytes", orNull(H.PeakResidentBytes)},
              {"orders", Json::array()},
              {"allocators", Json::array()}};
  for (const Order &O : V.Orders)
    Out["orders"].push_back(O.Name);
  for (const ReplayedRow &Row : V.Rows) {
    Json One = {{"malloc", Row.With.Name},
                {"settings", Row.With.Settings},
                {"installed", !Row.Sizes.empty()}};
    if (!Row.Sizes.empty()) {
      One["peak_rss_bytes"] = jsonOf(rangeOf(Row, &ReplayedSize::Peak));
      One["end_rss_bytes"] = jsonOf(rangeOf(Row, &ReplayedSize::End));
      One["trimmed_rss_bytes"] = jsonOf(rangeOf(Row, &ReplayedSize::Trimmed));
      One["runs"] = Json::array();
      for (size_t I = 0; I < Row.Sizes.size(); ++I)
        One["runs"].push_back({{"order", V.Orders[I].Name},
                               {"peak_rss_bytes", Row.Sizes[I].Peak},
                               {"end_rss_bytes", Row.Sizes[I].End},
                               {"trimmed_rss_bytes", Row.Sizes[I].Trimmed}});
    }
    Out["allocators"].push_back(std::move(One));
  }
  return Out;
}

} // namespace inmem::tools
