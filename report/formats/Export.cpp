//===- Export.cpp - pprof, flame graphs, DHAT, massif, trace viewers ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/formats/Export.h"

#include "report/formats/Json.h"
#include "report/model/Match.h"
#include "report/names/TypeName.h"
#include "report/text/Table.h"

#include "formats/pprof.pb.h"

#include <algorithm>
#include <fmt/format.h>

namespace inmem::report {

namespace {

std::string dumped(const Json &J) {
  return J.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

/// What each sample has a value of.
struct Measure {
  const char *Type, *Unit;       ///< as pprof names them
  const char *Title, *PlainUnit; ///< as speedscope does; null: not shown there
};
/// Blocks of one type that were made in one place, or times that a thread was
/// there.
struct Sample {
  std::vector<Place> Chain; ///< from the innermost call outwards
  std::string Type;         ///< empty: of no type
  std::vector<std::pair<const char *, std::string>> Labels;
  std::vector<uint64_t> Values; ///< by Samples::Measures
};
struct Samples {
  std::vector<Measure> Measures;
  size_t Main; ///< the measure that matters most
  uint64_t PeriodNs = 0;
  std::vector<Sample> All;
};

std::vector<Place> chainOf(const Profile &P,
                           const std::vector<uint32_t> &Frames) {
  std::vector<Place> Out;
  for (size_t I = Frames.size(); I > 0; --I)
    Out.push_back(P.Calls.Frames[Frames[I - 1]].Where);
  return Out;
}

/// By call stack if that is known of all blocks; else by site, whose chain goes
/// as far as calls were inlined.
Samples samplesOf(const Profile &P) {
  uint64_t BySite = 0, ByStack = 0;
  for (const SiteResult &S : P.Sites)
    BySite += S.Sum.Allocations + S.Sum.CarriedAllocations;
  for (const StackResult &S : P.Calls.Stacks)
    ByStack += S.Sum.Allocations + S.Sum.CarriedAllocations;
  Samples Out = {{{"alloc_objects", "count", "blocks allocated", "none"},
                  {"alloc_space", "bytes", "bytes allocated", "bytes"},
                  {"inuse_objects", "count", nullptr, nullptr},
                  {"inuse_space", "bytes", "bytes still alive", "bytes"}},
                 1,
                 0,
                 {}};
  const auto Add = [&](std::vector<Place> Chain, size_t Type, const Counts &C) {
    const TypeResult &T = P.Types[Type];
    const std::string Name = T.Name.value_or(std::string(kUnknownType));
    Out.All.push_back(
        {std::move(Chain),
         Name,
         {{"type", Name}},
         {C.Allocations, C.AllocatedBytes, C.LiveAllocations, C.LiveBytes}});
  };
  if (ByStack == 0 || ByStack != BySite)
    for (const SiteResult &S : P.Sites)
      Add(S.Chain, S.Type, S.Sum);
  else
    for (const StackResult &S : P.Calls.Stacks)
      Add(chainOf(P, S.Frames), S.Type, S.Sum);
  return Out;
}

/// Where threads were.
Samples timesOf(const Profile &P) {
  const bool Cpu = P.Samples && P.Samples->Clock == "cpu";
  Samples Out = {{{"samples", "count", "samples", "none"},
                  {Cpu ? "cpu" : "wall", "nanoseconds",
                   Cpu ? "CPU time" : "time, running or not", "nanoseconds"}},
                 1,
                 P.Samples ? P.Samples->IntervalNs : 0,
                 {}};
  if (P.Samples)
    for (const SampledStack &S : P.Samples->Stacks)
      Out.All.push_back({chainOf(P, S.Frames),
                         "",
                         {{"thread", S.Thread}, {"state", S.State}},
                         {S.Count, S.Count * Out.PeriodNs}});
  return Out;
}

std::string functionOf(const Place &P) {
  return P.Function.empty() ? "?" : P.Function;
}

/// `f(int) (a.cpp:3)`.
std::string frameText(const Place &P) {
  if (P.File.empty())
    return functionOf(P);
  return fmt::format("{} ({}:{})", functionOf(P), P.File, P.Line);
}

std::string commandOf(const Profile &P) {
  return P.Processes.empty()
             ? ""
             : fmt::format("{}", fmt::join(P.Processes[0].Command, " "));
}

/// protobuf's strings are UTF-8.
std::string utf8(std::string_view Text) { return printable(Style{}, Text); }

class PprofWriter {
public:
  PprofWriter(const Profile &From, const Samples &What) : P(From), What(What) {
    Out.add_string_table("");
  }

  std::string write() {
    const auto Describe = [&](pprof::ValueType *Value, const Measure &M) {
      Value->set_type(text(M.Type));
      Value->set_unit(text(M.Unit));
    };
    for (const Measure &M : What.Measures)
      Describe(Out.add_sample_type(), M);
    Out.set_default_sample_type(text(What.Measures[What.Main].Type));
    if (What.PeriodNs > 0) {
      Describe(Out.mutable_period_type(), What.Measures[What.Main]);
      Out.set_period(static_cast<int64_t>(What.PeriodNs));
    }
    for (const Sample &S : What.All)
      addSample(S);
    if (!P.Processes.empty()) {
      const ProcessResult &First = P.Processes[0];
      Out.set_time_nanos(static_cast<int64_t>(First.StartUnixNs));
      Out.set_duration_nanos(
          static_cast<int64_t>(First.DurationNs.value_or(0)));
    }
    Out.add_comment(text(commandOf(P)));
    return Out.SerializeAsString();
  }

private:
  int64_t text(std::string_view Text) {
    const auto [Where, New] =
        Strings.try_emplace(utf8(Text), Out.string_table_size());
    if (Where->first.empty())
      return 0;
    if (New)
      Out.add_string_table(Where->first);
    return Where->second;
  }

  uint64_t function(const Place &At) {
    const auto [Where, New] = Functions.try_emplace(
        {At.Function, At.File}, static_cast<uint64_t>(Functions.size() + 1));
    if (New) {
      pprof::Function *F = Out.add_function();
      F->set_id(Where->second);
      F->set_name(text(functionOf(At)));
      F->set_system_name(F->name());
      F->set_filename(text(At.File));
    }
    return Where->second;
  }

  uint64_t location(const Place &At) {
    const auto [Where, New] =
        Locations.try_emplace({At.Function, At.File, At.Line},
                              static_cast<uint64_t>(Locations.size() + 1));
    if (New) {
      pprof::Location *L = Out.add_location();
      L->set_id(Where->second);
      pprof::Line *Line = L->add_line();
      Line->set_function_id(function(At));
      Line->set_line(At.Line);
    }
    return Where->second;
  }

  void addSample(const Sample &S) {
    pprof::Sample *Written = Out.add_sample();
    for (const Place &At : S.Chain)
      Written->add_location_id(location(At));
    for (const uint64_t Value : S.Values)
      Written->add_value(static_cast<int64_t>(Value));
    for (const auto &[Key, Value] : S.Labels) {
      pprof::Label *L = Written->add_label();
      L->set_key(text(Key));
      L->set_str(text(Value));
    }
  }

  const Profile &P;
  const Samples &What;
  pprof::Profile Out;
  std::map<std::string, int64_t> Strings;
  std::map<std::pair<std::string, std::string>, uint64_t> Functions;
  std::map<std::tuple<std::string, std::string, uint32_t>, uint64_t> Locations;
};

template <Samples What(const Profile &)>
std::string writePprof(const Profile &P) {
  return PprofWriter(P, What(P)).write();
}

/// A frame of the folded form: its separators would end it.
std::string folded(std::string_view Text) {
  std::string Out = utf8(Text);
  std::replace(Out.begin(), Out.end(), ';', ':');
  return Out;
}

template <Samples What(const Profile &)>
std::string writeCollapsed(const Profile &P) {
  std::string Out;
  const Samples All = What(P);
  for (const Sample &S : All.All) {
    std::vector<std::string> Names;
    for (size_t I = S.Chain.size(); I > 0; --I)
      Names.push_back(folded(functionOf(S.Chain[I - 1])));
    if (!S.Type.empty())
      Names.push_back(folded(simplifyName(S.Type)));
    Out += fmt::format("{} {}\n", fmt::join(Names, ";"), S.Values[All.Main]);
  }
  return Out;
}

template <Samples What(const Profile &)>
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
  const Samples All = What(P);
  for (const Sample &S : All.All) {
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
    if (const std::string Type = simplifyName(S.Type); !Type.empty())
      Stack.push_back(Frame("type " + Type, {{"name", Type}}));
    Stacks.push_back(std::move(Stack));
  }
  const auto Weighted = [&](size_t I) {
    uint64_t Sum = 0;
    Json Weights = Json::array();
    for (const Sample &S : All.All) {
      Weights.push_back(S.Values[I]);
      Sum += S.Values[I];
    }
    const Measure &M = All.Measures[I];
    return Json{{"type", "sampled"}, {"name", M.Title}, {"unit", M.PlainUnit},
                {"startValue", 0},   {"endValue", Sum}, {"samples", Stacks},
                {"weights", Weights}};
  };
  // What matters most is shown first.
  Json Profiles = Json::array();
  Profiles.push_back(Weighted(All.Main));
  for (size_t I = 0; I < All.Measures.size(); ++I)
    if (I != All.Main && All.Measures[I].Title)
      Profiles.push_back(Weighted(I));
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
  const Samples All = samplesOf(P);
  for (const Sample &S : All.All) {
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
    Points.push_back(
        {{"tb", S.Values[1]}, {"tbk", S.Values[0]}, {"fs", std::move(Stack)}});
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
    {"pprof", "profile.proto, not compressed: go tool pprof",
     writePprof<samplesOf>, writePprof<timesOf>},
    {"collapsed", "a line a stack, by bytes: flamegraph.pl, speedscope",
     writeCollapsed<samplesOf>, writeCollapsed<timesOf>},
    {"speedscope", "JSON of speedscope.app", writeSpeedscope<samplesOf>,
     writeSpeedscope<timesOf>},
    {"dhat", "JSON of DHAT's viewer: totals", writeDhat},
    {"massif", "live bytes over time: ms_print, massif-visualizer",
     writeMassif},
    {"chrome", "live bytes over time and phases: Perfetto, chrome://tracing",
     writeChrome}};

} // namespace

std::span<const ExportFormat> exportFormats() { return kFormats; }

} // namespace inmem::report
