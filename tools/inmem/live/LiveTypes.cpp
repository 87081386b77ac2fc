//===- LiveTypes.cpp ------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "live/LiveTypes.h"

#include "live/LiveHistory.h"
#include "report/base/Units.h"
#include "report/model/Match.h"
#include "report/model/ShownNames.h"
#include "report/names/TypeName.h"
#include "report/text/LocationText.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace inmem::tools {

using namespace report;

namespace {

constexpr TopOrderName kOrders[] = {
    {TopOrder::Live, "live"},     {TopOrder::Blocks, "blocks"},
    {TopOrder::Growth, "growth"}, {TopOrder::Rate, "rate"},
    {TopOrder::Churn, "churn"},   {TopOrder::Total, "allocated"},
    {TopOrder::Total, "total"}, // its older name
    {TopOrder::Name, "name"}};

struct Row {
  std::string Name;
  TypeCounts Now;
  double Rate = 0;   ///< bytes allocated per second
  double Blocks = 0; ///< blocks allocated per second
  double Churn = 0;  ///< blocks freed per second
  int64_t Grown = 0; ///< change of live bytes over the last minutes
};

Row rowOf(const std::string &Name, const TypeCounts &Before,
          const TypeCounts &Now, double Seconds) {
  const auto Each = [&](uint64_t Old, uint64_t New) {
    return New > Old ? static_cast<double>(New - Old) / Seconds : 0;
  };
  return {Name,
          Now,
          Each(Before.Bytes, Now.Bytes),
          Each(Before.Allocations, Now.Allocations),
          Each(Before.Frees, Now.Frees),
          0};
}

double keyOf(const Row &R, TopOrder Order) {
  switch (Order) {
  case TopOrder::Live:
    return static_cast<double>(R.Now.liveBytes());
  case TopOrder::Blocks:
    return static_cast<double>(R.Now.live());
  case TopOrder::Rate:
    return R.Rate;
  case TopOrder::Churn:
    return R.Churn;
  case TopOrder::Growth:
    return static_cast<double>(R.Grown);
  case TopOrder::Total:
    return static_cast<double>(R.Now.Bytes);
  case TopOrder::Name:
    return 0;
  }
  return 0;
}

std::vector<std::string> cellsOf(const Row &R) {
  const auto Whole = [](double Value) { return static_cast<uint64_t>(Value); };
  const uint64_t By = static_cast<uint64_t>(R.Grown < 0 ? -R.Grown : R.Grown);
  return {R.Name,
          humanBytes(R.Now.liveBytes()),
          By == 0 ? "-" : (R.Grown < 0 ? "-" : "+") + humanBytes(By),
          humanCount(R.Now.live()),
          humanBytes(Whole(R.Rate)),
          humanCount(Whole(R.Blocks)),
          humanCount(Whole(R.Churn)),
          humanBytes(R.Now.Bytes)};
}

} // namespace

std::span<const TopOrderName> topOrders() { return kOrders; }

std::optional<TopOrder> topOrder(int Key) {
  for (const auto &[Order, Name] : kOrders)
    if (static_cast<int>(Order) == Key)
      return Order;
  return std::nullopt;
}

std::string_view wordOf(TopOrder Of) {
  for (const auto &[Order, Name] : kOrders)
    if (Order == Of)
      return Name;
  return "";
}

void TypeCounts::add(const trace::RowTotals &R) {
  // In a single thread's totals, moved-out allocations may belong to another
  // thread.
  Allocations += R.Allocations - std::min(R.MovedOut, R.Allocations);
  Bytes += R.Bytes - std::min(R.MovedOutBytes, R.Bytes);
  Frees += R.Frees;
  FreedBytes += R.FreedBytes;
}

/// Counts of the selected threads, whose blocks other threads may have freed.
static trace::RowTotals totalsOf(const trace::Trace &T, const trace::Entry &E,
                                 const RowFilter &Of) {
  trace::RowTotals Out;
  for (uint32_t I = E.FirstRow; I != trace::RowRef::kNone; I = T.Rows[I].Next)
    if (Of.thread(T.Rows[I].Thread))
      Out.add(T.row(T.Rows[I]));
  return Out;
}

static uint64_t keyOf(const trace::Entry &E) {
  return uint64_t{E.Site} << 32 | E.Type;
}

BlockNames::BlockNames() : Files(std::make_shared<Types>()) {}

std::optional<trace::SiteType>
BlockNames::Types::typeOf(const trace::Trace &T, const trace::Entry &E) {
  const auto [At, IsNew] = Inferred.try_emplace(keyOf(E));
  if (IsNew)
    At->second = Symbolizer::typeOf(T, E);
  return At->second;
}

const std::string &BlockNames::of(const trace::Trace &T,
                                  const trace::Entry &E) {
  if (const auto At = Known.find(keyOf(E)); At != Known.end())
    return At->second;
  // New sites are rare once a program runs, so describe all of them again.
  ProfileOptions Build;
  Build.ByReadableName = true;
  Build.Resolver = Files.get();
  if (const auto P = buildProfile(std::span(&T, 1), Build))
    for (const EntryRow &Row : P->Entries)
      Known[Row.Entry] = shownBlocks(*P, P->Sites[Row.Site]);
  return Known.try_emplace(keyOf(E), kUnknownType).first->second;
}

/// The process's own figures, and the totals of its blocks.
static Moment processOf(const trace::Trace &T) {
  Moment Out;
  Out.When = std::chrono::steady_clock::now();
  for (const trace::Entry &E : T.Entries)
    if (T.site(E.Site).ofBlocks())
      Out.All.add(E.Totals);
  Out.PeakBytes = std::max<int64_t>(0, T.Process.Peak);
  Out.ResidentBytes = T.Header.ResidentBytes;
  Out.Threads = T.Threads.size();
  Out.Recording = T.Recording;
  Out.Running = T.Header.State == trace::RunState::Running;
  for (const std::string_view Word : T.Command)
    Out.Command += (Out.Command.empty() ? "" : " ") + std::string(Word);
  return Out;
}

Moment momentOf(const trace::Trace &T, BlockNames &Names, const Globs &Filter) {
  Moment Out = processOf(T);
  // MinBytes applies to a type over all its sites, and type names are matched
  // as shown, so both are checked later.
  Globs Rows = Filter;
  Rows.Types.clear();
  Rows.MinBytes = 0;
  const RowFilter Of(T, Rows);
  const auto TypeWanted = [&](const std::string &Name,
                              std::string_view Spelling) {
    return Filter.Types.empty() ||
           std::any_of(Filter.Types.begin(), Filter.Types.end(),
                       [&](const std::string &G) {
                         return G == Name || matchesGlob(G, Name) ||
                                matchesGlob(G, Spelling);
                       });
  };
  for (const trace::Entry &E : T.Entries) {
    if (!T.site(E.Site).ofBlocks())
      continue;
    const std::string &Name = Names.of(T, E);
    if (TypeWanted(Name, T.type(E.Type).Name) && Of.site(E.Site)) {
      const trace::RowTotals Counted =
          Filter.Threads.empty() ? E.Totals : totalsOf(T, E, Of);
      if (Counted.Allocations + Counted.Frees > 0)
        Out.Types[Name].add(Counted);
    }
  }
  std::erase_if(Out.Types, [&](const auto &One) {
    return One.second.Bytes < Filter.MinBytes;
  });
  return Out;
}

Moment threadsOf(const trace::Trace &T, const Globs &Filter) {
  Moment Out = processOf(T);
  Out.ByThread = true;
  for (const trace::LivedThread &L : T.LivedThreads) {
    if (L.Tid == 0 || L.EndedNs != 0)
      continue;
    const trace::Thread Known{L.Index, L.Tid, 0, L.Name, {}};
    if (!Filter.Threads.empty() &&
        std::none_of(Filter.Threads.begin(), Filter.Threads.end(),
                     [&](const std::string &G) {
                       return matchesThread(G, L.Index, &Known);
                     }))
      continue;
    if (L.Counts.Bytes < Filter.MinBytes)
      continue;
    TypeCounts &C = Out.Types[fmt::format("{} {}", L.Name, L.Tid)];
    C.Allocations = L.Counts.Allocations;
    C.Bytes = L.Counts.Bytes;
    C.Frees = L.Counts.Frees;
    C.FreedBytes = L.Counts.FreedBytes;
  }
  Out.Threads = Out.Types.size();
  return Out;
}

/// One line with the program and its state. If it is too long, shortens the
/// command first, then drops the least important parts.
static std::string headOf(const Moment &Now, const Row &Sum, const Style &S) {
  const std::string Command = printable(S, Now.Command);
  const std::string State = !Now.Running    ? "ended, "
                            : Now.Recording ? ""
                                            : "not recording, ";
  const std::string Parts[] = {
      State + "live " + humanBytes(Sum.Now.liveBytes()),
      " (peak " + humanBytes(static_cast<uint64_t>(Now.PeakBytes)) + ")",
      Now.ResidentBytes ? ", resident " + humanBytes(Now.ResidentBytes) : "",
      fmt::format(", allocates {}/s in {}/s",
                  humanBytes(static_cast<uint64_t>(Sum.Rate)),
                  humanCount(static_cast<uint64_t>(Sum.Blocks))),
      ", " + counted(Now.Threads, "thread")};
  constexpr size_t kLeastOfCommand = 12;
  const size_t Wanted = std::min(displayWidth(Command), kLeastOfCommand);
  std::string Tail;
  for (const std::string &Part : Parts) {
    if (!Tail.empty() && Wanted + 2 + displayWidth(Tail + Part) > S.Width)
      break;
    Tail += Part;
  }
  const size_t Used = displayWidth(Tail) + 2;
  return fitCommand(S, Now.Command, S.Width > Used ? S.Width - Used : 1) +
         "  " + Tail;
}

TopText topTable(const TopView &V, const Style &S) {
  const auto &[Before, Now, History, Order, Rows, Lines] = V;
  const double Seconds = std::max(
      1e-3, std::chrono::duration<double>(Now.When - Before.When).count());
  std::vector<Row> All;
  for (const auto &[Name, Counts] : Now.Types) {
    const auto Old = Before.Types.find(Name);
    All.push_back(rowOf(Name,
                        Old == Before.Types.end() ? TypeCounts() : Old->second,
                        Counts, Seconds));
    All.back().Grown = History.grown(Name, Counts);
  }
  std::sort(All.begin(), All.end(), [&](const Row &A, const Row &B) {
    const double X = keyOf(A, Order), Y = keyOf(B, Order);
    return X != Y ? X > Y : A.Name < B.Name;
  });
  Row Sum = rowOf(Now.ByThread ? "all threads" : "all types", Before.All,
                  Now.All, Seconds);
  Sum.Grown = History.grown(Now.All);
  TopText Out{headOf(Now, Sum, S) + '\n', 1};
  for (const std::string &Line : History.curve(Lines, S)) {
    Out.Text += Line + '\n';
    ++Out.TitleLine;
  }
  Table T;
  const auto Title = [&](TopOrder Of, const char *Text) {
    return Of == Order ? std::string(S.Unicode ? "▾" : "*") + Text : Text;
  };
  T.column({Title(TopOrder::Name, Now.ByThread ? "thread" : "type"), false,
            true, 0, Paint::Bold, shortenName});
  T.column({Title(TopOrder::Live, "live")});
  T.column({Title(TopOrder::Growth, "grown"), true, false,
            Order == TopOrder::Growth ? 0u : 1u});
  T.column({Title(TopOrder::Blocks, "blocks"), true, false, 4});
  T.column({Title(TopOrder::Rate, "bytes/s")});
  T.column({"blocks/s", true, false, 3});
  T.column({Title(TopOrder::Churn, "freed/s"), true, false, 2});
  T.column({Title(TopOrder::Total, "allocated"), true, false, 5});
  for (size_t I = 0; I < All.size() && (Rows == 0 || I < Rows); ++I)
    T.row(cellsOf(All[I]));
  T.row(cellsOf(Sum));
  Out.Text += T.render(S, 0);
  return Out;
}

} // namespace inmem::tools
