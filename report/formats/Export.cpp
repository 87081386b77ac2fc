//===- Export.cpp - pprof, flame graphs, DHAT, massif, trace viewers ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/formats/Export.h"

#include "report/formats/Json.h"
#include "report/formats/Samples.h"
#include "report/model/Match.h"
#include "report/names/TypeName.h"

#include <algorithm>
#include <fmt/format.h>

namespace inmem::report {

namespace {

std::string dumped(const Json &J) {
  return J.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

/// A frame of the folded form: its separators would end it.
std::string folded(std::string_view Text) {
  std::string Out = utf8(Text);
  std::replace(Out.begin(), Out.end(), ';', ':');
  return Out;
}

std::string writeCollapsed(const Profile &P) {
  std::string Out;
  for (const ExportSample &S : samplesOf(P)) {
    std::string Line;
    for (size_t I = S.Chain.size(); I > 0; --I)
      Line += folded(functionOf(S.Chain[I - 1])) + ';';
    Out += fmt::format("{}{} {}\n", Line, folded(simplifyName(S.Type)),
                       S.Sum.AllocatedBytes);
  }
  return Out;
}

/// How long freed blocks lived, added up; without what was never freed.
std::string writeLived(const Profile &P) {
  std::string Out;
  for (const ExportSample &S : samplesOf(P)) {
    if (S.Lived == 0)
      continue;
    std::string Line;
    for (size_t I = S.Chain.size(); I > 0; --I)
      Line += folded(functionOf(S.Chain[I - 1])) + ';';
    Out +=
        fmt::format("{}{} {}\n", Line, folded(simplifyName(S.Type)), S.Lived);
  }
  return Out;
}

std::string writeSpeedscope(const Profile &P) {
  std::map<std::string, size_t> Index;
  Json Frames = Json::array();
  const auto Frame = [&](const std::string &Key, Json Value) {
    const auto [Where, New] = Index.try_emplace(Key, Frames.size());
    if (New)
      Frames.push_back(std::move(Value));
    return Where->second;
  };
  Json Stacks = Json::array();
  const std::vector<ExportSample> Samples = samplesOf(P);
  for (const ExportSample &S : Samples) {
    Json Stack = Json::array();
    for (size_t I = S.Chain.size(); I > 0; --I) {
      const Place &At = S.Chain[I - 1];
      Json Value = {{"name", functionOf(At)}};
      if (!At.File.empty()) {
        Value["file"] = At.File;
        Value["line"] = At.Line;
      }
      Stack.push_back(Frame(frameText(At), std::move(Value)));
    }
    const std::string Type = simplifyName(S.Type);
    Stack.push_back(Frame("type " + Type, {{"name", Type}}));
    Stacks.push_back(std::move(Stack));
  }
  const auto Weighted = [&](const char *Name, const char *Unit, auto Member) {
    uint64_t Sum = 0;
    Json Weights = Json::array();
    for (const ExportSample &S : Samples) {
      Weights.push_back(S.Sum.*Member);
      Sum += S.Sum.*Member;
    }
    return Json{{"type", "sampled"}, {"name", Name},    {"unit", Unit},
                {"startValue", 0},   {"endValue", Sum}, {"samples", Stacks},
                {"weights", Weights}};
  };
  Json Profiles = Json::array();
  Profiles.push_back(
      Weighted("bytes allocated", "bytes", &Counts::AllocatedBytes));
  Profiles.push_back(
      Weighted("blocks allocated", "none", &Counts::Allocations));
  Profiles.push_back(
      Weighted("bytes still alive", "bytes", &Counts::LiveBytes));
  Json Out;
  Out["$schema"] = "https://www.speedscope.app/file-format-schema.json";
  Out["shared"]["frames"] = std::move(Frames);
  Out["profiles"] = std::move(Profiles);
  Out["name"] = commandOf(P);
  Out["exporter"] = "inmem";
  return dumped(Out);
}

/// Live bytes of all types at a moment of Profile::Timeline.
uint64_t liveAt(const Profile &P, size_t Moment) {
  uint64_t Sum = 0;
  for (const TypeResult &T : P.Types)
    if (Moment < T.LiveBytesAt.size())
      Sum += T.LiveBytesAt[Moment];
  return Sum;
}

/// The tree of massif below the total: the largest types, the rest in one.
std::string massifTree(const Profile &P, size_t Moment) {
  std::vector<std::pair<uint64_t, std::string>> Types;
  for (const TypeResult &T : P.Types) {
    const uint64_t Bytes =
        Moment < T.LiveBytesAt.size() ? T.LiveBytesAt[Moment] : 0;
    if (Bytes > 0)
      Types.emplace_back(Bytes, T.Name.value_or(std::string(kUnknownType)));
  }
  std::sort(Types.rbegin(), Types.rend());
  constexpr size_t kMost = 20;
  const size_t Shown = std::min(Types.size(), kMost);
  std::string Out =
      fmt::format("n{}: {} (heap allocation functions) by type\n",
                  Shown + (Types.size() > Shown), liveAt(P, Moment));
  uint64_t Rest = 0;
  for (size_t I = 0; I < Types.size(); ++I)
    if (I < Shown)
      Out += fmt::format(" n0: {} 0x{:X}: {} (type)\n", Types[I].first, I + 1,
                         utf8(Types[I].second));
    else
      Rest += Types[I].first;
  if (Types.size() > Shown)
    Out += fmt::format(" n0: {} in {} places, all below massif's threshold "
                       "(1.00%)\n",
                       Rest, Types.size() - Shown);
  return Out;
}

std::string writeMassif(const Profile &P) {
  std::string Out = fmt::format(
      "desc: written by inmem\ncmd: {}\ntime_unit: ms\n", utf8(commandOf(P)));
  size_t Peak = 0;
  for (size_t I = 0; I < P.Timeline.size(); ++I)
    if (liveAt(P, I) > liveAt(P, Peak))
      Peak = I;
  for (size_t I = 0; I < P.Timeline.size(); ++I) {
    const bool Last = I + 1 == P.Timeline.size();
    Out += fmt::format("#-----------\nsnapshot={}\n#-----------\ntime={}\n"
                       "mem_heap_B={}\nmem_heap_extra_B=0\nmem_stacks_B=0\n",
                       I, P.Timeline[I].Ns / 1000000, liveAt(P, I));
    if (I == Peak || Last)
      Out += fmt::format("heap_tree={}\n{}", I == Peak ? "peak" : "detailed",
                         massifTree(P, I));
    else
      Out += "heap_tree=empty\n";
  }
  return Out;
}

/// Trace Event Format: counters of live bytes by type, and the phases.
std::string writeChrome(const Profile &P) {
  const uint64_t Pid = P.Processes.empty() ? 0 : P.Processes[0].Pid;
  Json Events = Json::array();
  constexpr size_t kMost = 20;
  for (size_t I = 0; I < P.Timeline.size(); ++I) {
    Json Args = Json::object();
    uint64_t Rest = 0;
    for (size_t Type = 0; Type < P.Types.size(); ++Type) {
      const TypeResult &T = P.Types[Type];
      const uint64_t Bytes = I < T.LiveBytesAt.size() ? T.LiveBytesAt[I] : 0;
      if (Type < kMost)
        Args[T.Name.value_or(std::string(kUnknownType))] = Bytes;
      else
        Rest += Bytes;
    }
    if (P.Types.size() > kMost)
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

/// DHAT's viewer, version 2 of its file: totals only. What else it can show
/// (each site's own peak) nobody has counted.
std::string writeDhat(const Profile &P) {
  std::map<std::string, size_t> Index;
  Json Frames = {"[root]"}, Points = Json::array();
  for (const ExportSample &S : samplesOf(P)) {
    Json Stack = Json::array();
    const auto Push = [&](const std::string &Text) {
      const auto [Where, New] = Index.try_emplace(Text, Frames.size());
      if (New)
        Frames.push_back(Text);
      Stack.push_back(Where->second);
    };
    Push(fmt::format("type {}", S.Type));
    for (const Place &At : S.Chain)
      Push(frameText(At));
    Points.push_back({{"tb", S.Sum.AllocatedBytes},
                      {"tbk", S.Sum.Allocations},
                      {"fs", std::move(Stack)}});
  }
  const uint64_t Us =
      P.Processes.empty() ? 0 : P.Processes[0].DurationNs.value_or(0) / 1000;
  Json Out = {{"dhatFileVersion", 2},
              {"mode", "heap"},
              {"verb", "Allocated"},
              {"bklt", false},
              {"bkacc", false},
              {"tu", "microsecs"},
              {"Mtu", "secs"},
              {"cmd", commandOf(P)},
              {"pid", P.Processes.empty() ? 0 : P.Processes[0].Pid},
              {"te", Us},
              {"pps", std::move(Points)},
              {"ftbl", std::move(Frames)}};
  return dumped(Out);
}

constexpr ExportFormat kFormats[] = {
    {"pprof", "profile.proto, not compressed: go tool pprof", writePprof},
    {"collapsed", "a line a stack, by bytes: flamegraph.pl, speedscope",
     writeCollapsed},
    {"collapsed-lived",
     "the same by lifetime: of all blocks that were freed, added up",
     writeLived},
    {"speedscope", "JSON of speedscope.app", writeSpeedscope},
    {"dhat", "JSON of DHAT's viewer: totals", writeDhat},
    {"massif", "live bytes over time: ms_print, massif-visualizer",
     writeMassif},
    {"chrome", "live bytes over time and phases: Perfetto, chrome://tracing",
     writeChrome},
    {"perfetto", "a heap profile and live bytes over time: ui.perfetto.dev",
     writePerfetto},
    {"heaptrack", "heaptrack_print, heaptrack_gui: the same sums in some order",
     writeHeaptrack},
    {"otlp", "ProfilesData of OpenTelemetry, v1development", writeOtlp}};

} // namespace

std::span<const ExportFormat> exportFormats() { return kFormats; }

} // namespace inmem::report
