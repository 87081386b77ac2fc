//===- CsvReport.cpp - RFC 4180 -------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/formats/Reports.h"
#include "report/model/FieldResult.h"

#include "report/findings/Findings.h"
#include "report/model/ShownNames.h"
#include "report/model/View.h"
#include "report/text/CsvField.h"
#include "report/text/Table.h"
#include "report/text/ViewReports.h"

#include <algorithm>
#include <fmt/format.h>

namespace inmem::report {

namespace {

/// Puts fields together to lines.
class Writer {
public:
  void field(std::string_view Text) {
    Out += First ? "" : ",";
    Out += csvField(Text);
    First = false;
  }
  void field(uint64_t Value) { field(fmt::format("{}", Value)); }
  void field(const std::optional<uint64_t> &Value) {
    if (Value)
      field(*Value);
    else
      field(std::string_view());
  }
  void fields(std::span<const std::string_view> All) {
    for (const std::string_view One : All)
      field(One);
  }
  void fields(std::initializer_list<std::string_view> All) {
    fields(std::span(All.begin(), All.size()));
  }
  void end() {
    Out += "\r\n";
    First = true;
  }
  std::string take() { return std::move(Out); }

private:
  std::string Out;
  bool First = true;
};

constexpr std::string_view kCounts[] = {
    "allocations",          "allocated_bytes",  "frees",
    "freed_bytes",          "live_allocations", "live_bytes",
    "temporary_allocations"};

void counts(Writer &W, const Counts &C) {
  for (const auto &Value :
       {C.allocations(), C.allocatedBytes(), C.frees(), C.freedBytes(),
        C.liveAllocations(), C.liveBytes(), C.temporary()})
    W.field(Value);
}

std::string edge(const std::vector<uint64_t> &Edges, size_t I) {
  if (I == 0)
    return "0";
  return fmt::format("{}", Edges[I - 1]);
}

void lifetimeTitles(Writer &W, const View &V) {
  W.fields({"lifetime_unit", "lifetime_timed", "lifetime_min", "lifetime_mean",
            "lifetime_p50", "lifetime_p90", "lifetime_p99", "lifetime_max"});
  if (!V.Edges.empty())
    for (size_t I = 0; I <= V.Edges.size(); ++I) {
      const std::string Range =
          edge(V.Edges, I) + "_" +
          (I < V.Edges.size() ? edge(V.Edges, I + 1) : std::string("inf"));
      W.field("bucket_" + Range + "_count");
      W.field("bucket_" + Range + "_bytes");
    }
}

void life(Writer &W, const Lifetime &L, const Profile &P, const View &V) {
  W.field(P.LifetimeUnit == Unit::Nanoseconds ? "ns" : "bytes");
  W.field(L.Timed);
  for (const auto &Value : {L.Min, L.Mean, L.P50, L.P90, L.P99, L.Max})
    W.field(Value);
  if (!V.Edges.empty())
    for (const Bucket &B : L.Lifetimes.between(V.Edges)) {
      W.field(B.Count);
      W.field(B.Bytes);
    }
}

constexpr std::string_view kAtPeak[] = {"at_peak_bytes", "at_peak_blocks",
                                        "at_peak_bytes_at_most",
                                        "at_peak_blocks_at_most"};

void atPeak(Writer &W, const std::optional<AtPeak> &Peak) {
  std::optional<uint64_t> Bytes, Blocks, MostBytes, MostBlocks;
  if (Peak) {
    Bytes = Peak->bytes();
    Blocks = Peak->blocks();
    MostBytes = Peak->BytesAtMost;
    MostBlocks = Peak->BlocksAtMost;
  }
  for (const auto &Value : {Bytes, Blocks, MostBytes, MostBlocks})
    W.field(Value);
}

std::string types(const Profile &P, const View &V) {
  Writer W;
  W.fields({"type", "alias", "size", "align"});
  W.fields(kCounts);
  W.fields({"peak_live_bytes", "elements", "constructed", "destroyed", "copied",
            "moved"});
  lifetimeTitles(W, V);
  W.fields(kAtPeak);
  W.field("name");
  W.end();
  for (const size_t I : selectTypes(P, V)) {
    const TypeResult &T = P.Types[I];
    W.field(T.Name.value_or(""));
    W.field(T.Alias);
    W.field(T.Size);
    W.field(T.Align);
    counts(W, T.Sum);
    W.field(T.PeakLiveBytes);
    W.field(T.Elements);
    std::optional<uint64_t> Made, Gone, Copied, Moved;
    if (T.Objects) {
      Made = T.Objects->constructed();
      Gone = T.Objects->Destroyed;
      Copied = T.Objects->Copied;
      Moved = T.Objects->Moved;
    }
    for (const auto &Value : {Made, Gone, Copied, Moved})
      W.field(Value);
    life(W, T.Life, P, V);
    atPeak(W, T.Peak);
    W.field(shownType(T));
    W.end();
  }
  return W.take();
}

std::string sites(const Profile &P, const View &V) {
  Writer W;
  W.fields({"function", "file", "line", "column", "kind", "module", "type"});
  W.fields(kCounts);
  lifetimeTitles(W, V);
  W.fields(kAtPeak);
  W.fields({"caller_function", "caller_file", "caller_line", "caller_column",
            "name"});
  W.end();
  const auto Location = [&W](const report::SourceLocation &At) {
    W.field(At.Function);
    W.field(At.File);
    for (const uint32_t Number : {At.Line, At.Column})
      W.field(Number == 0 || At.File.empty() ? std::optional<uint64_t>()
                                             : std::optional<uint64_t>(Number));
  };
  for (const size_t I : selectSites(P, V)) {
    const SiteResult &S = P.Sites[I];
    Location(S.Where);
    W.field(S.Kind);
    W.field(S.Module);
    W.field(P.Types[S.Type].Name.value_or(""));
    counts(W, S.Sum);
    life(W, S.Life, P, V);
    atPeak(W, S.Peak);
    Location(S.Caller.value_or(report::SourceLocation()));
    W.field(shownBlocks(P, S));
    W.end();
  }
  return W.take();
}

std::string threads(const Profile &P, const View &V) {
  Writer W;
  W.fields({"pid", "index", "tid", "name", "allocations", "allocated_bytes",
            "frees", "freed_bytes", "temporary_allocations", "start_routine",
            "live_bytes", "created_ns", "died_ns"});
  W.end();
  for (const size_t I : selectThreads(P, V)) {
    const ThreadResult &T = P.Threads[I];
    W.field(T.Pid);
    W.field(uint64_t{T.Index});
    W.field(uint64_t{T.Tid});
    W.field(T.Name);
    for (const uint64_t Value :
         {T.Allocations, T.AllocatedBytes, T.Frees, T.FreedBytes, T.Temporary})
      W.field(Value);
    W.field(T.Start);
    W.field(std::to_string(T.liveBytes()));
    for (const auto &Value : {T.BeganNs, T.EndedNs})
      W.field(Value ? std::to_string(*Value) : "");
    W.end();
  }
  return W.take();
}

std::string functions(const Profile &P) {
  Writer W;
  W.fields({"function", "file", "line", "self", "total", "running", "blocked",
            "interesting", "allocator", "allocations", "allocated_bytes"});
  W.end();
  for (const SampledFunction &F :
       P.Samples ? P.Samples->Functions : std::vector<SampledFunction>()) {
    W.field(F.Where.Function);
    W.field(F.Where.File);
    for (const uint64_t Value :
         {uint64_t{F.Where.Line}, F.Self, F.Total, F.Running, F.Blocked,
          F.Interesting, F.Allocator, F.Allocations, F.AllocatedBytes})
      W.field(Value);
    W.end();
  }
  return W.take();
}

/// A row per stack; its functions innermost first, joined by semicolons.
std::string stacks(const Profile &P) {
  Writer W;
  W.fields({"stack", "type"});
  W.fields(kCounts);
  W.end();
  for (const StackResult &S : P.Calls.Stacks) {
    std::string Functions;
    for (auto F = S.Frames.rbegin(); F != S.Frames.rend(); ++F)
      Functions +=
          (Functions.empty() ? "" : ";") + P.Calls.Frames[*F].Where.Function;
    W.field(Functions);
    W.field(P.Types[S.Type].Name.value_or(""));
    counts(W, S.Sum);
    W.end();
  }
  return W.take();
}

std::string blames(const Profile &P, const View &V) {
  Writer W;
  W.fields({"class", "method", "direct_bytes", "direct_allocations",
            "allocated_bytes", "allocations", "live_bytes"});
  W.end();
  const auto Row = [&](const std::string &Class, const std::string &Method,
                       const BlameShare &S) {
    W.field(Class);
    W.field(Method);
    for (const uint64_t Value :
         {S.DirectBytes, S.DirectBlocks, S.Bytes, S.Blocks, S.LiveBytes})
      W.field(Value);
    W.end();
  };
  for (const BlameRow &R : blame(P, V.Blame).Classes) {
    Row(R.Name, "", R);
    for (const BlameShare &M : R.Methods)
      Row(R.Name, M.Name, M);
  }
  return W.take();
}

std::string fields(const Profile &P, const View &V) {
  Writer W;
  W.fields({"type", "field", "of", "field_type", "offset", "bytes", "reads",
            "writes", "copies", "initialised", "released", "exact", "opaque",
            "file", "line"});
  W.end();
  for (const size_t I : selectTypes(P, V))
    for (const FieldResult &F : P.Types[I].Fields) {
      W.field(P.Types[I].Name.value_or(""));
      W.field(F.Padding ? "(padding)" : F.Name);
      W.field(F.Of);
      W.field(F.Type);
      for (const uint64_t Number :
           {F.FirstBit / 8, (F.FirstBit % 8 + F.Bits + 7) / 8, F.Reads,
            F.Writes, F.Copies, F.Initialised, F.Released})
        W.field(Number);
      W.field(F.exact() ? "true" : "false");
      W.field(F.Opaque ? "true" : "false");
      W.field(F.Hottest.File);
      W.field(uint64_t{F.Hottest.Line});
      W.end();
    }
  return std::move(W).take();
}

std::string frees(const Profile &P, const View &V) {
  Writer W;
  W.fields({"type", "allocating_function", "allocating_file", "allocating_line",
            "freeing_function", "freeing_file", "freeing_line", "pid",
            "allocating_tid", "allocating_thread", "freeing_tid",
            "freeing_thread", "frees", "freed_bytes"});
  W.end();
  // Frees by several calls in a function share one row.
  std::map<std::vector<std::string>, size_t> RowOf;
  std::vector<std::pair<std::vector<std::string>, Counts>> Rows;
  for (const FreePair &Pair : freePairs(P, V)) {
    const FreeResult &R = *Pair.Cell;
    std::vector<std::string> Row = {P.Types[R.Type].Name.value_or("")};
    for (const SourceLocation *Where : {&Pair.Allocating, &Pair.Freeing})
      Row.insert(Row.end(),
                 {Where->Function, Where->File, std::to_string(Where->Line)});
    Row.push_back(std::to_string(R.FreedIn.Pid));
    for (const ThreadName *Thread : {&R.AllocatedIn, &R.FreedIn})
      Row.insert(Row.end(), {std::to_string(Thread->Tid), Thread->Name});
    const auto [At, New] = RowOf.try_emplace(Row, Rows.size());
    if (New)
      Rows.emplace_back(std::move(Row), Counts{});
    Rows[At->second].second.Frees += R.Frees;
    Rows[At->second].second.FreedBytes += R.FreedBytes;
  }
  for (const auto &[Row, Sum] : Rows) {
    for (const std::string &Cell : Row)
      W.field(Cell);
    W.field(Sum.Frees);
    W.field(Sum.FreedBytes);
    W.end();
  }
  return W.take();
}

std::string findings(const Profile &P, const View &V) {
  Writer W;
  W.fields({"rule", "severity", "type", "function", "file", "line", "bytes",
            "allocations", "saves_bytes", "saves_allocations", "message",
            "advice", "measure", "saves_peak_bytes"});
  W.end();
  for (const Finding &F : findingsOf(P, V.Findings.value_or(~size_t{0}))) {
    W.fields({nameOf(F.Rule), nameOf(F.severity()),
              F.Type ? P.Types[*F.Type].Name.value_or("") : "",
              F.Where.Function, F.Where.File});
    for (const uint64_t Value : {uint64_t{F.Where.Line}, F.Bytes, F.Allocations,
                                 F.SavesBytes, F.SavesAllocations})
      W.field(Value);
    W.fields({F.Message, F.Advice, nameOf(F.By)});
    W.field(F.SavesPeakBytes);
    W.end();
  }
  return W.take();
}

} // namespace

std::string printCsv(const Profile &P, const View &V) {
  const By What = V.Tables.empty() ? By::Type : V.Tables.front();
  switch (What) {
  case By::Type:
    return types(P, V);
  case By::Site:
    return sites(P, V);
  case By::Thread:
    return threads(P, V);
  case By::Stack:
    return stacks(P);
  case By::Blame:
    return blames(P, V);
  case By::Frees:
    return frees(P, V);
  case By::Cpu:
    return functions(P);
  case By::Field:
    return fields(P, V);
  case By::Finding:
    return findings(P, V);
  case By::Phase:
    return phasesCsv(P);
  case By::Time:
    return timelineCsv(P);
  }
  return "";
}

} // namespace inmem::report
