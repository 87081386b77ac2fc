//===- JsonParts.cpp ------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/formats/JsonParts.h"

#include "report/findings/Findings.h"
#include "report/formats/Reports.h"
#include "report/model/LibraryCode.h"
#include "report/model/OverTime.h"
#include "report/model/ShownNames.h"
#include "report/model/View.h"
#include "report/text/ViewReports.h"

#include <fmt/format.h>
#include <map>

namespace inmem::report {

namespace {

Json objectsOf(const std::optional<ObjectCounts> &O) {
  if (!O)
    return nullptr;
  return {
      {"constructed", O->constructed()},
      {"destroyed", O->DestructorKnown ? Json(O->Destroyed) : Json(nullptr)},
      {"carried", O->DestructorKnown ? orNull(O->Carried) : Json(nullptr)},
      {"alive", orNull(O->alive())},
      {"copied", O->Copied},
      {"moved", O->Moved},
      {"peak_alive", orNull(O->PeakAlive)}};
}

Json slopeJson(const std::optional<Slope> &Rise) {
  if (!Rise)
    return nullptr;
  return {{"bytes_per_second", Rise->Middle},
          {"low", Rise->Low},
          {"high", Rise->High}};
}

Json threadJson(const ThreadName &T) {
  if (T.Index == 0)
    return nullptr;
  return {{"pid", T.Pid}, {"index", T.Index}, {"tid", T.Tid}, {"name", T.Name}};
}

Json locationJson(const SourceLocation &P) {
  if (P.Function.empty())
    return nullptr;
  return {{"function", P.Function},
          {"file", orNull(P.File)},
          {"line", orNull(P.Line)}};
}

/// Adds up cells that differ only in their counts, in order of their first
/// occurrence.
class JsonSums {
public:
  /// \returns the number of the cell
  size_t add(const Json &Key, const FreeResult &R) {
    return add(Key.dump(), R, [&] { return Key; });
  }
  /// As above. \p Make() makes the cell if it is the first of \p Key.
  template <class F> size_t add(std::string Key, const FreeResult &R, F Make) {
    const auto [At, New] = Index.try_emplace(std::move(Key), Rows.size());
    if (New)
      Rows.emplace_back(Make(), FreeTotals{});
    Rows[At->second].second.add(R);
    return At->second;
  }
  Json take() {
    Json Out = Json::array();
    for (auto &[Row, Part] : Rows) {
      Row["frees"] = Part.Frees;
      Row["freed_bytes"] = Part.Bytes;
      Out.push_back(std::move(Row));
    }
    return Out;
  }

private:
  std::map<std::string, size_t> Index;
  std::vector<std::pair<Json, FreeTotals>> Rows;
};

void putTotals(Json &Out, const StackTotals &T) {
  putCounts(Out, T.Sum);
  Out["temporary_allocations"] = orNull(T.Sum.temporary());
  const auto Mean = T.meanLifetime();
  Out["mean_lifetime"] = orNull(Mean);
}

Json nodeJson(const Profile &P, const StackNode &N) {
  Json Out = frameJson(P.Calls.Frames[N.Frame]);
  Out["recursive"] = N.Recursive;
  putTotals(Out, N.Inclusive);
  putTotals(Out["self"], N.Self);
  Out["children"] = Json::array();
  for (const StackNode &C : N.Children)
    Out["children"].push_back(nodeJson(P, C));
  return Out;
}

Json shareJson(const BlameShare &S) {
  return {{"allocations", S.Blocks},
          {"allocated_bytes", S.Bytes},
          {"live_bytes", S.LiveBytes},
          {"direct_allocations", S.DirectBlocks},
          {"direct_bytes", S.DirectBytes}};
}

Json classesJson(const BlameResult &B) {
  Json Out = Json::array();
  for (const BlameRow &R : B.Classes) {
    Json Row = shareJson(R);
    Row["class"] = R.Name;
    Row["methods"] = Json::array();
    for (const BlameShare &M : R.Methods) {
      Row["methods"].push_back(shareJson(M));
      Row["methods"].back()["method"] = M.Name;
    }
    Out.push_back(std::move(Row));
  }
  return Out;
}

} // namespace

Json phasesJson(const Profile &P) {
  Json Out = Json::array();
  for (const PhaseResult &Phase : P.Phases) {
    Json Row = {{"pid", Phase.Pid},
                {"name", orNull(Phase.Name)},
                {"begin_ns", Phase.BeginNs},
                {"duration_ns", Phase.DurationNs}};
    putCounts(Row, Phase.Sum);
    Row["peak_live_bytes"] = orNull(Phase.PeakLiveBytes);
    Row["constructed"] = orNull(Phase.Constructed);
    Row["destroyed"] = orNull(Phase.Destroyed);
    Row["copied"] = orNull(Phase.Copied);
    Row["types"] = Json::array();
    for (const PhaseResult::Part &Part : Phase.Types) {
      Json Type = {{"type", orNull(Part.Type)}};
      putCounts(Type, Part.Sum);
      Type["peak_live_bytes"] = orNull(Part.PeakLiveBytes);
      Type["objects"] = objectsOf(Part.Objects);
      Row["types"].push_back(std::move(Type));
    }
    Out.push_back(std::move(Row));
  }
  return Out;
}

Json timelineJson(const Profile &P) {
  if (P.Timeline.empty())
    return nullptr;
  Json Out;
  if (!P.TimelineUnit.empty())
    Out["unit"] = P.TimelineUnit;
  Out["points"] = Json::array();
  for (const TimePoint &Point : P.Timeline) {
    Json Row = {
        {"ns", Point.Ns}, {"kind", Point.Kind}, {"name", orNull(Point.Name)}};
    if (Point.ResidentBytes)
      Row["rss_bytes"] = *Point.ResidentBytes;
    Out["points"].push_back(std::move(Row));
  }
  Out["types"] = Json::array();
  for (const TypeGrowth &G : growthOfTypes(P)) {
    const TypeResult &Type = P.Types[G.Type];
    Out["types"].push_back(
        {{"type", orNull(Type.Name)},
         {"live_bytes", G.LiveBytes},
         {"slope", slopeJson(G.Of.Rise)},
         {"grows_without_bound",
          G.Of.Rise ? Json(G.Of.Unbounded) : Json(nullptr)}});
  }
  return Out;
}

/// The lines of a finding's function that allocate its blocks.
Json linesJson(const Profile &P, const Finding &F) {
  std::map<uint32_t, uint64_t> Blocks;
  for (const size_t Site : F.Sites)
    if (const SourceLocation &At = locationOf(P.Sites[Site]);
        At.Line != 0 && At.File == F.Where.File &&
        At.Function == F.Where.Function)
      Blocks[At.Line] += P.Sites[Site].Sum.Allocations;
  Json Out = Json::array();
  for (const auto &[Line, Allocations] : Blocks)
    Out.push_back({{"line", Line}, {"allocations", Allocations}});
  return Out;
}

/// The line in the user's code that allocates, if the finding is about its
/// caller because the function returns memory. Null if they are the same.
const SourceLocation *innerSite(const Profile &P, const Finding &F) {
  if (F.Sites.empty())
    return nullptr;
  const SiteResult &S = P.Sites[F.Sites.front()];
  return S.Caller && *S.Caller == F.Where && !isInLibrary(S) &&
                 !S.Where.File.empty() && S.Where.Line != 0
             ? &S.Where
             : nullptr;
}

Json findingSite(const SourceLocation &At) {
  return {{"function", orNull(At.Function)},
          {"file", orNull(At.File)},
          {"line", orNull(At.Line)}};
}

Json findingsJson(const Profile &P, const View &V) {
  Json Out = Json::array();
  for (const Finding &F : findingsOf(P, V.Findings.value_or(~size_t{0}))) {
    const bool Named = F.Type && P.Types[*F.Type].Name;
    Out.push_back(
        {{"rule", nameOf(F.Rule)},
         {"severity", nameOf(F.severity())},
         {"type", Named ? Json(*P.Types[*F.Type].Name) : Json(nullptr)},
         {"about", aboutOf(P, F)},
         {"site", findingSite(F.Where)},
         {"caller_known", !F.CallerUnknown},
         {"bytes", F.Bytes},
         {"allocations", F.Allocations},
         {"saves_bytes", F.SavesBytes},
         {"saves_allocations", F.SavesAllocations},
         {"saves_peak_bytes", F.SavesPeakBytes},
         {"saves_streamed_bytes", F.SavesStreamedBytes},
         {"measure", nameOf(F.By)},
         {"scores", {{"traffic", F.Traffic}, {"footprint", F.Footprint}}},
         {"message", F.Message},
         {"advice", F.Advice}});
    if (F.Ends)
      Out.back()["final_size"] = {{"p50", F.Ends->P50}, {"p99", F.Ends->P99}};
    if (F.Reserve)
      Out.back()["reserve"] = F.Reserve;
    if (!F.Fields.empty())
      Out.back()["fields"] = F.Fields;
    if (const SourceLocation *Inner = innerSite(P, F))
      Out.back()["allocates_at"] = findingSite(*Inner);
    if (Json Lines = linesJson(P, F); Lines.size() > 1)
      Out.back()["lines"] = std::move(Lines);
  }
  return Out;
}

Json frameJson(const StackFrame &F) {
  return {{"function", F.Where.Function},
          {"file", orNull(F.Where.File)},
          {"line", orNull(F.Where.Line)},
          {"module", orNull(F.Module)},
          {"kind", wordFor(F.How)}};
}

Json stackTreeJson(const Profile &P, const View &V) {
  Json Out;
  Out["direction"] = V.Stacks.BottomUp ? "bottom-up" : "top-down";
  Out["roots"] = Json::array();
  for (const StackNode &N : buildTree(P, V.Stacks).Children)
    Out["roots"].push_back(nodeJson(P, N));
  return Out;
}

Json stacksOfTypeJson(const Profile &P, size_t Type) {
  Json Out = Json::array();
  for (const StackResult &R : P.Calls.Stacks) {
    if (R.Type != Type)
      continue;
    Json Row;
    StackTotals Totals;
    Totals.add(R);
    putTotals(Row, Totals);
    Row["frames"] = Json::array();
    for (auto F = R.Frames.rbegin(); F != R.Frames.rend(); ++F)
      Row["frames"].push_back(frameJson(P.Calls.Frames[*F]));
    Out.push_back(std::move(Row));
  }
  return Out;
}

Json blameJson(const Profile &P, const View &V) {
  const BlameResult All = blame(P, V.Blame);
  Json Out;
  Out["classes"] = classesJson(All);
  Out["nobody"] = {{"allocations", All.NobodyBlocks},
                   {"allocated_bytes", All.NobodyBytes}};
  Out["types"] = Json::array();
  for (const size_t I : selectTypes(P, V)) {
    Json Row;
    Row["type"] = orNull(P.Types[I].Name);
    const TypeRow Of = {&P.Types[I]};
    Row["classes"] = classesJson(blame(P, V.Blame, &Of));
    Out["types"].push_back(std::move(Row));
  }
  return Out;
}

/// Numbers frames. Equal frames, which occur in many stacks, get one number.
class FrameNumbers {
public:
  explicit FrameNumbers(const CallStacks &Of)
      : Frames(Of.Frames), Numbers(Frames.size(), kNone) {}
  size_t of(size_t Frame) {
    if (Numbers[Frame] == kNone) {
      Json Row = frameJson(Frames[Frame]);
      const auto [At, New] = Known.try_emplace(Row.dump(), Known.size());
      if (New)
        Rows.push_back(std::move(Row));
      Numbers[Frame] = At->second;
    }
    return Numbers[Frame];
  }
  /// The frames by number.
  Json take() { return std::move(Rows); }

private:
  static constexpr size_t kNone = ~size_t{0};
  const std::vector<StackFrame> &Frames;
  std::vector<size_t> Numbers;
  std::map<std::string, size_t> Known;
  Json Rows = Json::array();
};

Json freesJson(const Profile &P, const View &V) {
  // Cells also contain the frames, as in earlier versions, unless there are
  // many: deep stacks made hundreds of megabytes.
  constexpr size_t kMostSpelledOut = 20000;
  size_t SpelledOut = 0;
  JsonSums Cells, Functions, Threads;
  FrameNumbers Numbers(P.Calls);
  for (const FreePair &Pair : freePairs(P, V)) {
    const FreeResult &R = *Pair.Cell;
    const TypeResult &Type = P.Types[R.Type];
    Json Both = {{"type", orNull(Type.Name)},
                 {"name", shownBlocks(P, P.Sites[R.Site])},
                 {"allocated_by", locationJson(Pair.Allocating)},
                 {"freed_by", locationJson(Pair.Freeing)}};
    Json In = {{"allocated_in", threadJson(R.AllocatedIn)},
               {"freed_in", threadJson(R.FreedIn)}};
    const size_t Function = Functions.add(Both, R), Thread = Threads.add(In, R);
    if (!V.CellsOfFrees)
      continue;
    std::string Key = fmt::format("{} {}", Function, Thread);
    for (const auto F : R.Freeing)
      Key += fmt::format(" {}", Numbers.of(F));
    Cells.add(std::move(Key), R, [&] {
      Json Cell = Both;
      Cell.update(In);
      Cell["stack"] = Json::array();
      Cell["frames"] = Json::array();
      SpelledOut += R.Freeing.size();
      for (auto F = R.Freeing.rbegin(); F != R.Freeing.rend(); ++F) {
        Cell["stack"].push_back(Numbers.of(*F));
        if (SpelledOut <= kMostSpelledOut)
          Cell["frames"].push_back(frameJson(P.Calls.Frames[*F]));
      }
      return Cell;
    });
  }
  Json Out;
  Out["functions"] = Functions.take();
  Out["threads"] = Threads.take();
  if (V.CellsOfFrees) {
    Out["cells"] = Cells.take();
    Out["frames"] = Numbers.take();
  }
  return Out;
}

} // namespace inmem::report
