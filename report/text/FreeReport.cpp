//===- FreeReport.cpp - Freeing against allocating code -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/text/ViewReports.h"

#include "report/base/Units.h"
#include "report/model/View.h"
#include "report/names/TypeName.h"
#include "report/text/LocationText.h"

#include <algorithm>
#include <fmt/format.h>

namespace inmem::report {

namespace {

constexpr const char *kNoRecord =
    "  frees by caller were not recorded (use frees=on)\n";

struct Group : FreeTotals {
  std::string First;
  std::vector<std::pair<std::string, FreeTotals>> Seconds;
};

std::vector<Group> grouped(const std::vector<FreePair> &Pairs, auto FirstOf,
                           auto SecondOf) {
  std::map<std::string, std::map<std::string, FreeTotals>> Cells;
  for (const FreePair &Pair : Pairs)
    Cells[FirstOf(Pair)][SecondOf(Pair)].add(*Pair.Cell);
  std::vector<Group> Out;
  const auto More = [](const FreeTotals &A, const std::string &Name,
                       const FreeTotals &B, const std::string &Other) {
    return std::tuple(B.Bytes, B.Frees, Name) <
           std::tuple(A.Bytes, A.Frees, Other);
  };
  for (const auto &[First, Seconds] : Cells) {
    Group G;
    G.First = First;
    for (const auto &[Second, Part] : Seconds) {
      G.Frees += Part.Frees;
      G.Bytes += Part.Bytes;
      G.Seconds.emplace_back(Second, Part);
    }
    std::sort(G.Seconds.begin(), G.Seconds.end(),
              [&](const auto &A, const auto &B) {
                return More(A.second, A.first, B.second, B.first);
              });
    Out.push_back(std::move(G));
  }
  std::sort(Out.begin(), Out.end(), [&](const Group &A, const Group &B) {
    return More(A, A.First, B, B.First);
  });
  return Out;
}

std::string render(const std::vector<Group> &Groups, const char *Title,
                   uint64_t Whole, size_t Top, unsigned Indent,
                   const Style &S) {
  Table T;
  T.column({"freed"});
  T.column({"share", true, false, 2});
  T.column({"blocks"});
  // Freeing functions are indented under the allocating one.
  Table::Column Who = locationColumn(Title, Paint::Bold);
  Who.Level = nullptr;
  Who.Tree = true;
  T.column(std::move(Who));
  const auto Row = [&](const FreeTotals &Part, const std::string &Name,
                       unsigned Depth) {
    T.row({humanBytes(Part.Bytes), humanShare(Part.Bytes, Whole),
           humanCount(Part.Frees),
           std::string(Depth, ' ') + printable(S, Name)});
  };
  size_t Shown = 0;
  for (const Group &G : Groups) {
    if (Top != 0 && Shown++ >= Top)
      break;
    Row(G, G.First, 0);
    for (size_t I = 0; I < G.Seconds.size() && (Top == 0 || I < Top); ++I)
      Row(G.Seconds[I].second, (S.Unicode ? "→ " : "> ") + G.Seconds[I].first,
          2);
  }
  return T.render(S, Indent);
}

std::string functionWord(const Style &S, const SourceLocation &P) {
  return P.Function.empty() ? "(not known)" : locationText(S, P);
}

std::string threadWord(const ThreadName &T, bool Several) {
  if (T.Index == 0)
    return "(not known)";
  return fmt::format("{}{} {} (tid {})",
                     Several ? fmt::format("pid {}, ", T.Pid) : "thread ",
                     T.Index, T.Name, T.Tid);
}

} // namespace

std::string freesText(const Profile &P, const View &V, const Style &S) {
  if (P.Frees.empty())
    return kNoRecord;
  const std::vector<FreePair> Pairs = freePairs(P, V);
  const auto Allocating = [&](const FreePair &Pair) {
    return functionWord(S, Pair.Allocating);
  };
  const auto Freeing = [&](const FreePair &Pair) {
    return functionWord(S, Pair.Freeing);
  };
  const char *const Functions = "allocated by, freed by";
  std::string Out = render(grouped(Pairs, Allocating, Freeing), Functions,
                           P.Totals.FreedBytes, V.Top, 2, S);
  const bool Several = P.Processes.size() > 1;
  Out +=
      '\n' + render(grouped(
                        Pairs,
                        [&](const FreePair &Pair) {
                          return threadWord(Pair.Cell->AllocatedIn, Several);
                        },
                        [&](const FreePair &Pair) {
                          return threadWord(Pair.Cell->FreedIn, Several);
                        }),
                    "allocated in, freed in", P.Totals.FreedBytes, V.Top, 2, S);
  constexpr size_t kEach = 5;
  const size_t Few = V.Top == 0 ? 0 : std::min(V.Top, kEach);
  for (const TypeRow &R : selectTypeRows(P, V)) {
    std::vector<FreePair> Own;
    std::copy_if(Pairs.begin(), Pairs.end(), std::back_inserter(Own),
                 [&](const FreePair &Pair) {
                   return R.has(P, Pair.Cell->Type, Pair.Cell->Site);
                 });
    if (Own.empty())
      continue;
    Out += '\n' +
           paint(S, Paint::Bold,
                 "  " + shortenName(S, typeText(S, R), S.Width - 2)) +
           '\n' +
           render(grouped(Own, Allocating, Freeing), Functions,
                  R.sum().FreedBytes, Few, 4, S);
  }
  return Out;
}

} // namespace inmem::report
