//===- OtlpImport.cpp - Heap profiles of OpenTelemetry --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OTLP has a profile for each figure. They are merged into one pprof profile:
// its samples have all figures of a stack and its attributes.
//
//===----------------------------------------------------------------------===//
#include "report/import/Imported.h"
#include "report/import/Offsets.h"

#include "formats/otlp.pb.h"
#include "formats/pprof.pb.h"

#include <algorithm>
#include <climits>

namespace inmem::report {

namespace {

class OtlpReader {
public:
  explicit OtlpReader(const otlp::ProfilesData &From)
      : P(From), Words(From.dictionary()) {}

  pprof::Profile run() {
    textOf("");
    for (const otlp::Function &F : Words.function_table()) {
      pprof::Function *New = Out.add_function();
      New->set_id(static_cast<uint64_t>(Out.function_size()));
      New->set_name(textOf(text(F.name_strindex())));
      New->set_system_name(textOf(text(F.system_name_strindex())));
      New->set_filename(textOf(text(F.filename_strindex())));
    }
    for (const otlp::Mapping &M : Words.mapping_table()) {
      pprof::Mapping *New = Out.add_mapping();
      New->set_id(static_cast<uint64_t>(Out.mapping_size()));
      New->set_filename(textOf(text(M.filename_strindex())));
    }
    for (const otlp::Location &L : Words.location_table())
      addLocation(L);
    for (const auto &R : P.resource_profiles())
      for (const auto &S : R.scope_profiles())
        for (const otlp::Profile &One : S.profiles())
          addProfile(One);
    for (auto &[Key, Values] : Samples) {
      pprof::Sample *S = Out.add_sample();
      if (Key.Stack >= 0 && Key.Stack < Words.stack_table_size())
        for (const int32_t I : Words.stack_table(Key.Stack).location_indices())
          S->add_location_id(static_cast<uint64_t>(I) + 1);
      Values.resize(static_cast<size_t>(Out.sample_type_size()));
      for (const int64_t Value : Values)
        S->add_value(Value);
      if (!Key.Type.empty()) {
        pprof::Label *L = S->add_label();
        L->set_key(textOf("type"));
        L->set_str(textOf(Key.Type));
      }
    }
    return std::move(Out);
  }

private:
  std::string text(int32_t Index) const {
    return Index >= 0 && Index < Words.string_table_size()
               ? Words.string_table(Index)
               : std::string();
  }
  int64_t textOf(const std::string &Text) {
    const auto [At, IsNew] = Texts.try_emplace(Text, Out.string_table_size());
    if (IsNew)
      Out.add_string_table(Text);
    return At->second;
  }

  void addLocation(const otlp::Location &L) {
    pprof::Location *New = Out.add_location();
    New->set_id(static_cast<uint64_t>(Out.location_size()));
    New->set_address(L.address());
    New->set_mapping_id(static_cast<uint64_t>(L.mapping_index()) + 1);
    for (const otlp::Line &Line : L.lines())
      if (Line.function_index() >= 0 &&
          Line.function_index() < Words.function_table_size()) {
        pprof::Line *To = New->add_line();
        To->set_function_id(static_cast<uint64_t>(Line.function_index()) + 1);
        To->set_line(Line.line());
      }
  }

  std::string typeOf(const otlp::Sample &S) const {
    for (const int32_t I : S.attribute_indices())
      if (I >= 0 && I < Words.attribute_table_size() &&
          text(Words.attribute_table(I).key_strindex()) == "type")
        return Words.attribute_table(I).value().string_value();
    return {};
  }

  void addProfile(const otlp::Profile &One) {
    const std::string Type = text(One.sample_type().type_strindex());
    const auto [At, IsNew] =
        Figures.try_emplace(Type, static_cast<size_t>(Out.sample_type_size()));
    if (IsNew) {
      pprof::ValueType *V = Out.add_sample_type();
      const std::string Unit = text(One.sample_type().unit_strindex());
      V->set_type(textOf(Type));
      V->set_unit(textOf(Unit == "By" ? "bytes" : Unit));
    }
    if (One.time_unix_nano() > 0)
      Out.set_time_nanos(static_cast<int64_t>(One.time_unix_nano()));
    if (One.duration_nano() > 0)
      Out.set_duration_nanos(static_cast<int64_t>(One.duration_nano()));
    for (const otlp::Sample &S : One.samples()) {
      std::vector<int64_t> &Values = Samples[{S.stack_index(), typeOf(S)}];
      Values.resize(std::max(Values.size(), At->second + 1));
      for (const int64_t Value : S.values())
        Values[At->second] += std::max<int64_t>(Value, 0);
    }
  }

  struct SampleKey {
    int32_t Stack;
    std::string Type;
    auto operator<=>(const SampleKey &) const = default;
  };
  const otlp::ProfilesData &P;
  const otlp::ProfilesDictionary &Words;
  pprof::Profile Out;
  std::map<std::string, int64_t> Texts;
  std::map<std::string, size_t> Figures; ///< value index by sample type
  std::map<SampleKey, std::vector<int64_t>> Samples;
};

} // namespace

trace::Result<Imported> readOtlp(const trace::Buffer &File) {
  const auto Bytes = File.bytes();
  if (Bytes.size() > INT_MAX)
    return trace::Status::error(File.name(),
                                "a profile of 2 GiB or more cannot be read");
  otlp::ProfilesData P;
  const auto Bad = firstBadByte(Bytes, *P.GetDescriptor());
  if (Bad || !P.ParseFromArray(Bytes.data(), static_cast<int>(Bytes.size())) ||
      P.dictionary().string_table_size() == 0)
    return trace::Status::at(
        File.name(), Bad.value_or(0), "no OpenTelemetry profile",
        "a message ProfilesData with a dictionary",
        Bad.value_or(0) < Bytes.size() ? "other bytes" : "the end of the file");
  return importPprof(OtlpReader(P).run(), File);
}

bool isHeapProfile(const trace::Buffer &File) {
  // Both protobufs begin with a field 1 that has a length.
  constexpr std::byte kField{0x0a};
  return isHeapText(File) ||
         (!File.bytes().empty() && File.bytes()[0] == kField);
}

trace::Result<std::shared_ptr<const trace::Buffer>>
traceOfProfile(const trace::Buffer &File) {
  pprof::Profile P;
  const bool IsPprof =
      isHeapText(File) || !firstBadByte(File.bytes(), *P.GetDescriptor());
  auto Read = IsPprof ? readPprof(File) : readOtlp(File);
  if (!Read)
    return Read.status();
  auto Trace = Read->write();
  if (!Trace)
    return Trace.status();
  return trace::Buffer::fromBytes(std::move(*Trace), File.name());
}

} // namespace inmem::report
