//===- PprofExport.cpp - profile.proto ------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/formats/ExportSamples.h"
#include "report/names/TypeName.h"

#include "formats/pprof.pb.h"

#include <algorithm>

namespace inmem::report {

namespace {

class PprofWriter {
public:
  /// \param WithTypes the type is the innermost frame
  explicit PprofWriter(const Profile &From, bool WithTypes = false)
      : P(From), TypeFrames(WithTypes) {
    Out.add_string_table("");
    // Viewers hide code by its module's name: -hide='\[library\]'.
    for (const std::string &Name :
         {programOf(P), std::string(kLibraryModule)}) {
      pprof::Mapping *Module = Out.add_mapping();
      Module->set_id(static_cast<uint64_t>(Out.mapping_size()));
      Module->set_filename(text(Name));
      Module->set_has_functions(true);
      Module->set_has_filenames(true);
      Module->set_has_line_numbers(true);
    }
  }

  std::string write() {
    // Figures that another tool did not count are omitted.
    const auto Has = [&](const char *Type, const char *Unit,
                         uint64_t Counts::*Member, bool Known) {
      if (!Known)
        return;
      describe(Out.add_sample_type(), Type, Unit);
      Figures.push_back(Member);
    };
    const Counts &All = P.Totals;
    Has("alloc_objects", "count", &Counts::Allocations,
        All.allocations().has_value());
    Has("alloc_space", "bytes", &Counts::AllocatedBytes,
        All.allocatedBytes().has_value());
    Has("inuse_objects", "count", &Counts::LiveAllocations,
        All.liveAllocations().has_value());
    Has("inuse_space", "bytes", &Counts::LiveBytes,
        All.liveBytes().has_value());
    Out.set_default_sample_type(
        text(All.allocatedBytes() ? "alloc_space" : "inuse_space"));
    // Functions that every allocation passes through carry no information. A
    // viewer drops their callees with them, and so a type.
    if (!TypeFrames)
      Out.set_drop_frames(text(
          ".*(std::__new_allocator|std::allocator_traits|std::allocator|"
          "std::__allocate_guarded|std::_Vector_base|std::_Deque_base|"
          "__gnu_cxx::new_allocator)<.*(::allocate|::_M_allocate).*|operator "
          "new.*|malloc|calloc|realloc"));
    Labels = commonLabels(P);
    for (const ExportSample &S : samplesOf(P))
      addSample(S);
    return finished();
  }

  /// The profile of samples of threads.
  std::string writeTimes() {
    const char *Clock = isCpuTime(P) ? "cpu" : "wall";
    describe(Out.add_sample_type(), "samples", "count");
    describe(Out.add_sample_type(), Clock, "nanoseconds");
    Out.set_default_sample_type(text(Clock));
    if (P.Samples) {
      describe(Out.mutable_period_type(), Clock, "nanoseconds");
      Out.set_period(static_cast<int64_t>(P.Samples->IntervalNs));
    }
    for (const TimeSample &S : timesOf(P)) {
      pprof::Sample *Written = Out.add_sample();
      for (const SourceLocation &At : S.Chain)
        Written->add_location_id(location(At));
      Written->add_value(static_cast<int64_t>(S.Of.Count));
      Written->add_value(static_cast<int64_t>(S.Ns));
      addLabel(*Written, "thread", S.Of.Thread);
      addLabel(*Written, "state", S.Of.State);
    }
    return finished();
  }

private:
  void describe(pprof::ValueType *Value, const char *Type, const char *Unit) {
    Value->set_type(text(Type));
    Value->set_unit(text(Unit));
  }

  std::string finished() {
    if (!P.Processes.empty()) {
      const ProcessResult &First = P.Processes[0];
      Out.set_time_nanos(static_cast<int64_t>(First.StartUnixNs));
      Out.set_duration_nanos(
          static_cast<int64_t>(First.DurationNs.value_or(0)));
    }
    Out.add_comment(text(commandOf(P)));
    return Out.SerializeAsString();
  }

  int64_t text(std::string_view Text) {
    const auto [Where, New] =
        Strings.try_emplace(utf8(Text), Out.string_table_size());
    if (Where->first.empty())
      return 0;
    if (New)
      Out.add_string_table(Where->first);
    return Where->second;
  }

  uint64_t function(const SourceLocation &At) {
    const auto [Where, New] = Functions.try_emplace(
        {At.Function, At.File}, static_cast<uint64_t>(Functions.size() + 1));
    if (New) {
      pprof::Function *F = Out.add_function();
      F->set_id(Where->second);
      // No system name: pprof would remove the template arguments of a
      // name that is the same.
      F->set_name(text(functionOf(At)));
      F->set_filename(text(At.File));
    }
    return Where->second;
  }

  uint64_t location(const SourceLocation &At) {
    const auto [Where, New] =
        Locations.try_emplace({At.Function, At.File, At.Line},
                              static_cast<uint64_t>(Locations.size() + 1));
    if (New) {
      pprof::Location *L = Out.add_location();
      L->set_id(Where->second);
      constexpr uint64_t kProgram = 1, kLibrary = 2;
      L->set_mapping_id(isLibraryCode(At) ? kLibrary : kProgram);
      pprof::Line *Line = L->add_line();
      Line->set_function_id(function(At));
      Line->set_line(At.Line);
    }
    return Where->second;
  }

  void addSample(const ExportSample &S) {
    std::vector<uint64_t> Path;
    Path.reserve(S.Chain.size() + 1);
    if (TypeFrames)
      Path.push_back(location({"type " + S.Type, {}, 0, 0}));
    // A viewer shows the leaf first, which should be the user's line, not the
    // allocating function.
    const auto Leaf =
        std::ranges::find_if(S.Chain, isUserPath, &SourceLocation::File);
    if (const auto &Caller = P.Sites[S.Site].Caller;
        Leaf == S.Chain.end() && Caller) {
      SourceLocation Shown = *Caller;
      Shown.Function = shortFunction(Caller->Function);
      Path.push_back(location(Shown));
    } else {
      for (auto At = Leaf == S.Chain.end() ? S.Chain.begin() : Leaf;
           At != S.Chain.end(); ++At)
        Path.push_back(location(*At));
    }
    eachPart(S, [&](const Counts &Sum, const PartResult *Part) {
      pprof::Sample *Written = Out.add_sample();
      Written->mutable_location_id()->Add(Path.begin(), Path.end());
      for (const auto Member : Figures)
        Written->add_value(static_cast<int64_t>(Sum.*Member));
      addLabel(*Written, "type", S.Type);
      if (!S.Spelling.empty() && S.Spelling != S.Type)
        addLabel(*Written, "spelling", S.Spelling);
      if (Part && !Part->Thread.empty())
        addLabel(*Written, "thread", Part->Thread);
      if (Part && Part->LivedFrom) {
        pprof::Label *Life = Written->add_label();
        Life->set_key(text("lifetime"));
        Life->set_num(static_cast<int64_t>(*Part->LivedFrom));
        Life->set_num_unit(text(
            P.LifetimeUnit == Unit::Nanoseconds ? "nanoseconds" : "bytes"));
      }
      for (const auto &[Key, Value] : Labels)
        addLabel(*Written, Key, Value);
    });
  }

  void addLabel(pprof::Sample &To, std::string_view Key,
                std::string_view Value) {
    pprof::Label *Label = To.add_label();
    Label->set_key(text(Key));
    Label->set_str(text(Value));
  }

  const Profile &P;
  const bool TypeFrames;
  pprof::Profile Out;
  std::vector<uint64_t Counts::*> Figures;
  std::vector<std::pair<std::string, std::string>> Labels;
  std::map<std::string, int64_t> Strings;
  std::map<std::pair<std::string, std::string>, uint64_t> Functions;
  std::map<std::tuple<std::string, std::string, uint32_t>, uint64_t> Locations;
};

} // namespace

std::string writePprof(const Profile &P) { return PprofWriter(P).write(); }

std::string writePprofTypes(const Profile &P) {
  return PprofWriter(P, true).write();
}

std::string writePprofTimes(const Profile &P) {
  return PprofWriter(P).writeTimes();
}

} // namespace inmem::report
