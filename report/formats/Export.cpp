//===- Export.cpp - Formats of other tools --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/formats/Export.h"

#include "report/formats/ExportSamples.h"
#include "report/formats/Json.h"
#include "report/model/View.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace inmem::report {

namespace {

std::string dumped(const Json &J) {
  return J.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

/// A frame of the folded form, without the form's separators.
std::string folded(std::string_view Text) {
  std::string Out = utf8(Text);
  std::replace(Out.begin(), Out.end(), ';', ':');
  return Out;
}

/// A line of the folded form; \p Type may be empty.
std::string foldedLine(const std::vector<SourceLocation> &Chain,
                       std::string_view Type, uint64_t Value) {
  std::vector<std::string> Names;
  for (size_t I = Chain.size(); I > 0; --I)
    Names.push_back(folded(functionOf(Chain[I - 1])));
  if (!Type.empty())
    Names.push_back(folded(Type));
  return fmt::format("{} {}\n", fmt::join(Names, ";"), Value);
}

std::string writeCollapsed(const Profile &P) {
  std::string Out;
  for (const ExportSample &S : samplesOf(P))
    Out += foldedLine(S.Chain, S.Type, S.Sum.AllocatedBytes);
  return Out;
}

/// The sum of the lifetimes of freed blocks.
std::string writeLived(const Profile &P) {
  std::string Out;
  for (const ExportSample &S : samplesOf(P))
    if (S.Lived > 0)
      Out += foldedLine(S.Chain, S.Type, S.Lived);
  return Out;
}

std::string writeCollapsedTimes(const Profile &P) {
  std::string Out;
  for (const TimeSample &S : timesOf(P))
    Out += foldedLine(S.Chain, {}, S.Ns);
  return Out;
}

/// Samples in the order of a tree with the heaviest branch first. Viewers draw
/// samples in the order of the file, and any other order would look like time.
/// \param WeightOf the weight of a sample
template <class Sample, class F>
std::vector<Sample> heaviestFirst(std::vector<Sample> All, F WeightOf) {
  // Positions in the tree: sums of branches by path, outermost call first.
  struct Branch {
    uint64_t Sum = 0;
    std::map<std::string, size_t> Callees;
  };
  std::vector<Branch> Tree(1);
  std::vector<std::vector<size_t>> Paths;
  for (const Sample &S : All) {
    std::vector<size_t> Path;
    size_t At = 0;
    for (size_t I = S.Chain.size(); I > 0; --I) {
      const auto [Callee, New] =
          Tree[At].Callees.try_emplace(frameText(S.Chain[I - 1]), Tree.size());
      At = Callee->second;
      if (New)
        Tree.emplace_back();
      Tree[At].Sum += WeightOf(S);
      Path.push_back(At);
    }
    Paths.push_back(std::move(Path));
  }
  std::vector<size_t> Order(All.size());
  std::iota(Order.begin(), Order.end(), size_t{0});
  std::ranges::stable_sort(Order, [&](size_t A, size_t B) {
    const auto [X, Y] = std::ranges::mismatch(Paths[A], Paths[B]);
    if (X == Paths[A].end() || Y == Paths[B].end())
      return (X == Paths[A].end()) > (Y == Paths[B].end());
    return Tree[*X].Sum != Tree[*Y].Sum ? Tree[*X].Sum > Tree[*Y].Sum : *X < *Y;
  });
  std::vector<Sample> Out;
  Out.reserve(All.size());
  for (const size_t I : Order)
    Out.push_back(std::move(All[I]));
  return Out;
}

/// Writes stacks with their weights.
class SpeedscopeWriter {
public:
  /// The next stack; \p Type may be empty.
  void add(const std::vector<SourceLocation> &Chain, std::string_view Type) {
    Json Stack = Json::array();
    for (size_t I = Chain.size(); I > 0; --I) {
      const SourceLocation &At = Chain[I - 1];
      Json Value = {{"name", functionOf(At)}};
      if (!At.File.empty()) {
        Value["file"] = At.File;
        Value["line"] = At.Line;
      }
      Stack.push_back(frame(frameText(At), std::move(Value)));
    }
    if (!Type.empty())
      Stack.push_back(
          frame("type " + std::string(Type), {{"name", utf8(Type)}}));
    Stacks.push_back(std::move(Stack));
  }

  /// Call this after all stacks: adds Of(sample) for each of them.
  template <class Samples, class F>
  void weigh(const char *Name, const char *Unit, const Samples &All, F Of) {
    uint64_t Sum = 0;
    Json Weights = Json::array();
    for (const auto &S : All) {
      Weights.push_back(Of(S));
      Sum += Of(S);
    }
    Profiles.push_back({{"type", "sampled"},
                        {"name", Name},
                        {"unit", Unit},
                        {"startValue", 0},
                        {"endValue", Sum},
                        {"samples", Stacks},
                        {"weights", std::move(Weights)}});
  }

  std::string write(const Profile &P) {
    Json Out;
    Out["$schema"] = "https://www.speedscope.app/file-format-schema.json";
    Out["shared"]["frames"] = std::move(Frames);
    Out["profiles"] = std::move(Profiles);
    Out["name"] = commandOf(P);
    Out["exporter"] = "inmem";
    return dumped(Out);
  }

private:
  size_t frame(const std::string &Key, Json Value) {
    const auto [Where, New] = Index.try_emplace(Key, Frames.size());
    if (New)
      Frames.push_back(std::move(Value));
    return Where->second;
  }

  std::map<std::string, size_t> Index;
  Json Frames = Json::array(), Stacks = Json::array(), Profiles = Json::array();
};

std::string writeSpeedscope(const Profile &P) {
  SpeedscopeWriter Out;
  const std::vector<ExportSample> All = heaviestFirst(
      samplesOf(P), [](const ExportSample &S) { return S.Sum.AllocatedBytes; });
  for (const ExportSample &S : All)
    Out.add(S.Chain, S.Type);
  Out.weigh("bytes allocated", "bytes", All,
            [](const ExportSample &S) { return S.Sum.AllocatedBytes; });
  Out.weigh("blocks allocated", "none", All,
            [](const ExportSample &S) { return S.Sum.Allocations; });
  Out.weigh("bytes still alive", "bytes", All,
            [](const ExportSample &S) { return S.Sum.LiveBytes; });
  return Out.write(P);
}

std::string writeSpeedscopeTimes(const Profile &P) {
  SpeedscopeWriter Out;
  const std::vector<TimeSample> All =
      heaviestFirst(timesOf(P), [](const TimeSample &S) { return S.Ns; });
  for (const TimeSample &S : All)
    Out.add(S.Chain, {});
  Out.weigh(isCpuTime(P) ? "CPU time" : "time, running or not", "nanoseconds",
            All, [](const TimeSample &S) { return S.Ns; });
  Out.weigh("samples", "none", All,
            [](const TimeSample &S) { return S.Of.Count; });
  return Out.write(P);
}

/// Live bytes of all types at a moment of Profile::Timeline.
uint64_t liveAt(const Profile &P, size_t Moment) {
  uint64_t Sum = 0;
  for (const TypeResult &T : P.Types)
    if (Moment < T.LiveBytesAt.size())
      Sum += T.LiveBytesAt[Moment];
  return Sum;
}

/// The tree of massif below \p Total: the largest types, and one entry for the
/// rest.
std::string massifTree(const Profile &P, size_t Moment, uint64_t Total) {
  std::vector<std::pair<uint64_t, std::string>> Types;
  for (const TypeRow &R : typeRowsOf(P)) {
    const std::vector<uint64_t> &Live = R.liveBytesAt();
    const uint64_t Bytes = Moment < Live.size() ? Live[Moment] : 0;
    if (Bytes > 0)
      Types.emplace_back(Bytes, R.name());
  }
  std::sort(Types.rbegin(), Types.rend());
  constexpr size_t kMost = 20;
  const size_t Shown = std::min(Types.size(), kMost);
  std::string Out = fmt::format(
      "n{}: {} (heap allocation functions) by type\n",
      Shown + (Types.size() > Shown || Total > liveAt(P, Moment)), Total);
  uint64_t Rest = Total - std::min(Total, liveAt(P, Moment));
  const bool Between = Rest > 0;
  for (size_t I = 0; I < Types.size(); ++I)
    if (I < Shown)
      Out += fmt::format(" n0: {} 0x{:X}: {} (type)\n", Types[I].first, I + 1,
                         utf8(Types[I].second));
    else
      Rest += Types[I].first;
  if (Types.size() > Shown || Between)
    Out += fmt::format(" n0: {} in {} places, all below massif's threshold "
                       "(1.00%)\n",
                       Rest, Types.size() - Shown + Between);
  return Out;
}

/// A snapshot of massif. \param Tree `empty`, `detailed` or `peak`
std::string massifSnapshot(const Profile &P, size_t Number, size_t Moment,
                           uint64_t Bytes, std::string_view Tree) {
  return fmt::format("#-----------\nsnapshot={}\n#-----------\ntime={}\n"
                     "mem_heap_B={}\nmem_heap_extra_B=0\nmem_stacks_B=0\n"
                     "heap_tree={}\n{}",
                     Number, P.Timeline[Moment].Ns / 1000000, Bytes, Tree,
                     Tree == "empty" ? "" : massifTree(P, Moment, Bytes));
}

std::string writeMassif(const Profile &P) {
  std::string Out = fmt::format(
      "desc: written by inmem\ncmd: {}\ntime_unit: ms\n", utf8(commandOf(P)));
  size_t Peak = 0;
  for (size_t I = 0; I < P.Timeline.size(); ++I)
    if (liveAt(P, I) > liveAt(P, Peak))
      Peak = I;
  // The peak may have been after the highest snapshot. Its size is exact, its
  // time is unknown.
  const bool Between = !P.Timeline.empty() && !P.Filtered &&
                       P.PeakLiveBytes.value_or(0) > liveAt(P, Peak);
  size_t Number = 0;
  for (size_t I = 0; I < P.Timeline.size(); ++I) {
    const bool Last = I + 1 == P.Timeline.size();
    Out += massifSnapshot(P, Number++, I, liveAt(P, I),
                          I == Peak && !Between ? "peak"
                          : I == Peak || Last   ? "detailed"
                                                : "empty");
    if (I == Peak && Between)
      Out += massifSnapshot(P, Number++, I, *P.PeakLiveBytes, "peak");
  }
  return Out;
}

/// Trace Event Format: counters of live bytes by type, and the phases.
std::string writeChrome(const Profile &P) {
  const uint64_t Pid = P.Processes.empty() ? 0 : P.Processes[0].Pid;
  Json Events = Json::array();
  const std::vector<TypeRow> Rows = selectTypeRows(P, {});
  constexpr size_t kMost = 20;
  for (size_t I = 0; I < P.Timeline.size(); ++I) {
    Json Args = Json::object();
    uint64_t Rest = 0;
    for (size_t Type = 0; Type < Rows.size(); ++Type) {
      const std::vector<uint64_t> &Live = Rows[Type].liveBytesAt();
      const uint64_t Bytes = I < Live.size() ? Live[I] : 0;
      if (Type < kMost) {
        Json &Of = Args[Rows[Type].name()];
        Of = Of.is_null() ? Bytes : Of.get<uint64_t>() + Bytes;
      } else
        Rest += Bytes;
    }
    if (Rows.size() > kMost)
      Args["other types"] = Rest;
    const double Us = static_cast<double>(P.Timeline[I].Ns) / 1000;
    Events.push_back({{"name", "live bytes"},
                      {"ph", "C"},
                      {"ts", Us},
                      {"pid", Pid},
                      {"args", std::move(Args)}});
  }
  for (const PhaseResult &Phase : P.Phases)
    Events.push_back({{"name", Phase.Name.empty() ? "(start)" : Phase.Name},
                      {"ph", "X"},
                      {"ts", static_cast<double>(Phase.BeginNs) / 1000},
                      {"dur", static_cast<double>(Phase.DurationNs) / 1000},
                      {"pid", Phase.Pid},
                      {"tid", 0},
                      {"args",
                       {{"allocations", Phase.Sum.Allocations},
                        {"allocated_bytes", Phase.Sum.AllocatedBytes},
                        {"live_bytes", Phase.Sum.LiveBytes}}}});
  Json Out;
  Out["traceEvents"] = std::move(Events);
  Out["displayTimeUnit"] = "ms";
  Out["otherData"] = {{"command", commandOf(P)}};
  return dumped(Out);
}

constexpr ExportFormat kFormats[] = {
    {"pprof",
     "profile.proto, not compressed: go tool pprof",
     writePprof,
     {.Allocated = false, .Parts = true},
     writePprofTimes,
     writePprofTypes},
    {"collapsed",
     "a line a stack, by bytes: flamegraph.pl, speedscope",
     writeCollapsed,
     {},
     writeCollapsedTimes},
    {"collapsed-lived",
     "the same by lifetime: of all blocks that were freed, added up",
     writeLived},
    {"speedscope",
     "JSON of speedscope.app",
     writeSpeedscope,
     {},
     writeSpeedscopeTimes},
    {"callgrind", "costs by function and line: kcachegrind, callgrind_annotate",
     writeCallgrind},
    {"dhat", "JSON of DHAT's viewer: totals, and accesses if they were counted",
     writeDhat},
    {"massif",
     "live bytes over time: ms_print, massif-visualizer",
     writeMassif,
     {.Allocated = false, .Timeline = true}},
    {"chrome",
     "live bytes over time and phases: Perfetto, chrome://tracing",
     writeChrome,
     {.Allocated = false, .Timeline = true, .Phases = true}},
    {"perfetto",
     "a heap profile and live bytes over time: ui.perfetto.dev",
     writePerfetto,
     {.Freed = true, .EachSample = true},
     writePerfettoTimes},
    {"heaptrack",
     "heaptrack_print, heaptrack_gui: the same sums in some order",
     writeHeaptrack,
     {.Freed = true, .EachBlock = true}},
    {"otlp",
     "ProfilesData of OpenTelemetry, v1development",
     writeOtlp,
     {.Allocated = false, .Parts = true}}};

} // namespace

std::span<const ExportFormat> exportFormats() { return kFormats; }

} // namespace inmem::report
