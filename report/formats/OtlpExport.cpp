//===- OtlpExport.cpp - OpenTelemetry's profiles --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ProfilesData of v1development: a profile for each figure, with a common
// dictionary. Type, thread and lifetime are attributes of samples; labels are
// attributes of the resource.
//
//===----------------------------------------------------------------------===//
#include "report/formats/ExportSamples.h"

#include "formats/otlp.pb.h"

namespace inmem::report {

namespace {

class OtlpWriter {
public:
  explicit OtlpWriter(const Profile &From) : P(From) {}

  std::string write() {
    Words = Out.mutable_dictionary();
    text(""); // the first entry of each table is empty
    Words->add_mapping_table();
    Words->add_location_table();
    Words->add_function_table();
    Words->add_link_table();
    Words->add_attribute_table();
    Words->add_stack_table();
    otlp::ResourceProfiles &Resource = *Out.add_resource_profiles();
    describe(*Resource.mutable_resource());
    otlp::ScopeProfiles &Scope = *Resource.add_scope_profiles();
    Scope.mutable_scope()->set_name("inmem");
    const std::vector<ExportSample> Samples = samplesOf(P);
    const Counts &All = P.Totals;
    const auto Add = [&](const char *Type, const char *Unit,
                         uint64_t Counts::*Member, bool Known) {
      if (Known)
        addProfile(*Scope.add_profiles(), Type, Unit, Member, Samples);
    };
    Add("alloc_space", "bytes", &Counts::AllocatedBytes,
        All.allocatedBytes().has_value());
    Add("alloc_objects", "count", &Counts::Allocations,
        All.allocations().has_value());
    Add("inuse_space", "bytes", &Counts::LiveBytes,
        All.liveBytes().has_value());
    Add("inuse_objects", "count", &Counts::LiveAllocations,
        All.liveAllocations().has_value());
    return Out.SerializeAsString();
  }

private:
  int32_t text(std::string_view Text) {
    const auto [Where, New] =
        Strings.try_emplace(utf8(Text), Words->string_table_size());
    if (New)
      Words->add_string_table(Where->first);
    return Where->second;
  }

  void describe(otlp::Resource &To) {
    const auto Add = [&](const std::string &Key) -> otlp::AnyValue & {
      otlp::KeyValue *Each = To.add_attributes();
      Each->set_key(utf8(Key));
      return *Each->mutable_value();
    };
    if (!P.Processes.empty()) {
      const ProcessResult &First = P.Processes[0];
      if (First.Pid > 0)
        Add("process.pid").set_int_value(static_cast<int64_t>(First.Pid));
      if (!First.Command.empty()) {
        otlp::ArrayValue &Args =
            *Add("process.command_args").mutable_array_value();
        for (const std::string &Word : First.Command)
          Args.add_values()->set_string_value(utf8(Word));
      }
      if (!First.Executable.empty())
        Add("process.executable.path").set_string_value(utf8(First.Executable));
      if (!First.Host.empty())
        Add("host.name").set_string_value(utf8(First.Host));
    }
    for (const auto &[Key, Value] : commonLabels(P))
      Add(Key).set_string_value(utf8(Value));
  }

  int32_t attribute(const char *Key, const std::string &Value) {
    const auto [At, New] =
        Attributes.try_emplace({Key, Value}, Words->attribute_table_size());
    if (New) {
      otlp::KeyValueAndUnit *Each = Words->add_attribute_table();
      Each->set_key_strindex(text(Key));
      Each->mutable_value()->set_string_value(utf8(Value));
    }
    return At->second;
  }
  int32_t lifetime(uint64_t From) {
    const auto [At, New] = Attributes.try_emplace(
        {"lifetime", std::to_string(From)}, Words->attribute_table_size());
    if (New) {
      otlp::KeyValueAndUnit *Each = Words->add_attribute_table();
      Each->set_key_strindex(text("lifetime"));
      Each->mutable_value()->set_int_value(static_cast<int64_t>(From));
      Each->set_unit_strindex(
          text(P.LifetimeUnit == Unit::Nanoseconds ? "ns" : "By"));
    }
    return At->second;
  }

  int32_t function(const SourceLocation &At) {
    const auto [Where, New] = Functions.try_emplace(
        {At.Function, At.File}, Words->function_table_size());
    if (New) {
      otlp::Function *F = Words->add_function_table();
      F->set_name_strindex(text(functionOf(At)));
      F->set_filename_strindex(text(At.File));
    }
    return Where->second;
  }

  int32_t stack(const ExportSample &S) {
    std::vector<int32_t> Path; // innermost first
    for (const SourceLocation &At : S.Chain) {
      const auto [Where, New] = Locations.try_emplace(
          {At.Function, At.File, At.Line}, Words->location_table_size());
      if (New) {
        otlp::Line *Line = Words->add_location_table()->add_lines();
        Line->set_function_index(function(At));
        Line->set_line(At.Line);
      }
      Path.push_back(Where->second);
    }
    const auto [Where, New] =
        Stacks.try_emplace(std::move(Path), Words->stack_table_size());
    if (New) {
      otlp::Stack *Each = Words->add_stack_table();
      for (const int32_t Location : Where->first)
        Each->add_location_indices(Location);
    }
    return Where->second;
  }

  void addProfile(otlp::Profile &To, const char *Type, const char *Unit,
                  uint64_t Counts::*Member,
                  const std::vector<ExportSample> &Samples) {
    To.mutable_sample_type()->set_type_strindex(text(Type));
    To.mutable_sample_type()->set_unit_strindex(text(Unit));
    if (!P.Processes.empty()) {
      To.set_time_unix_nano(P.Processes[0].StartUnixNs);
      To.set_duration_nano(P.Processes[0].DurationNs.value_or(0));
    }
    for (const ExportSample &S : Samples)
      eachPart(S, [&](const Counts &Sum, const PartResult *Part) {
        if (Sum.*Member == 0)
          return;
        otlp::Sample *Each = To.add_samples();
        Each->set_stack_index(stack(S));
        Each->add_values(static_cast<int64_t>(Sum.*Member));
        Each->add_attribute_indices(attribute("type", std::string(S.Type)));
        if (Part && !Part->Thread.empty())
          Each->add_attribute_indices(attribute("thread.name", Part->Thread));
        if (Part && Part->LivedFrom)
          Each->add_attribute_indices(lifetime(*Part->LivedFrom));
      });
  }

  const Profile &P;
  otlp::ProfilesData Out;
  otlp::ProfilesDictionary *Words = nullptr;
  std::map<std::string, int32_t> Strings;
  std::map<std::pair<std::string, std::string>, int32_t> Attributes, Functions;
  std::map<std::tuple<std::string, std::string, uint32_t>, int32_t> Locations;
  std::map<std::vector<int32_t>, int32_t> Stacks;
};

} // namespace

std::string writeOtlp(const Profile &P) { return OtlpWriter(P).write(); }

} // namespace inmem::report
