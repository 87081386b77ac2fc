//===- TypedOtlp.cpp - Types in OpenTelemetry's profiles ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "profiles/TypedProfile.h"

#include "formats/otlp.pb.h"

#include <algorithm>

namespace inmem::tools {

namespace {

class OtlpTyper {
public:
  OtlpTyper(otlp::ProfilesData &Of, SampleTypes &By)
      : P(Of), Words(*Of.mutable_dictionary()), Types(By) {}

  TypedCounts run(bool Frames);

private:
  template <class Table> static bool has(const Table &Of, int32_t Index) {
    return Index >= 0 && Index < static_cast<int64_t>(std::size(Of));
  }
  std::string_view text(int32_t Index) const {
    return has(Words.string_table(), Index)
               ? std::string_view(Words.string_table(Index))
               : std::string_view();
  }
  int32_t textOf(const std::string &Text) {
    const auto [At, IsNew] = Texts.try_emplace(Text, Words.string_table_size());
    if (IsNew)
      Words.add_string_table(Text);
    return At->second;
  }
  /// The value of an attribute, or empty.
  template <class Indices>
  std::string_view attribute(const Indices &Of, std::string_view Key) const {
    for (const int32_t Index : Of)
      if (has(Words.attribute_table(), Index) &&
          text(Words.attribute_table(Index).key_strindex()) == Key)
        return Words.attribute_table(Index).value().string_value();
    return {};
  }
  void findCalls();
  void sumSizes();
  TypedCounts typeProfile(otlp::Profile &Of, bool Frames);
  std::optional<SampleType> typeOf(int32_t Stack);
  int32_t attributeOf(const std::string &Type);
  int32_t stackWith(int32_t Stack, const std::string &Type);

  otlp::ProfilesData &P;
  otlp::ProfilesDictionary &Words;
  SampleTypes &Types;
  std::vector<ProfileCall> Calls; ///< by location
  std::map<std::string, int32_t> Texts, Attributes, FrameOfType;
  std::map<std::pair<int32_t, std::string>, int32_t> Stacks;
  /// Sums by stack: each profile contains only one figure.
  std::map<int32_t, debuginfo::BlockSizes> Sizes;
};

void OtlpTyper::findCalls() {
  std::vector<uint32_t> Modules;
  for (const otlp::Mapping &M : Words.mapping_table()) {
    std::string_view Id =
        attribute(M.attribute_indices(), "process.executable.build_id.gnu");
    Modules.push_back(Types.addModule({std::string(text(M.filename_strindex())),
                                       std::string(Id), M.memory_start(),
                                       M.memory_limit(), M.file_offset()}));
  }
  for (const otlp::Location &L : Words.location_table())
    Calls.push_back(
        L.address() != 0 && L.mapping_index() > 0 &&
                has(Modules, L.mapping_index())
            ? Types.callAt(Modules[static_cast<size_t>(L.mapping_index())],
                           L.address())
            : ProfileCall());
}

/// Sums the bytes of the first profile in bytes, and the blocks of the
/// corresponding profile.
void OtlpTyper::sumSizes() {
  const auto Each = [&](auto Visit) {
    for (const auto &R : P.resource_profiles())
      for (const auto &S : R.scope_profiles())
        for (const otlp::Profile &One : S.profiles())
          Visit(One, text(One.sample_type().type_strindex()),
                text(One.sample_type().unit_strindex()));
  };
  std::string Kind; // alloc, inuse
  const auto KindOf = [](std::string_view Type) {
    return std::string(Type.substr(0, Type.find('_')));
  };
  Each(
      [&](const otlp::Profile &, std::string_view Type, std::string_view Unit) {
        if (Kind.empty() && (Unit == "bytes" || Unit == "By"))
          Kind = KindOf(Type);
      });
  Each([&](const otlp::Profile &Of, std::string_view Type,
           std::string_view Unit) {
    if (KindOf(Type) != Kind)
      return;
    for (const otlp::Sample &S : Of.samples())
      for (const int64_t Value : S.values())
        if (Value > 0)
          (Unit == "bytes" || Unit == "By" ? Sizes[S.stack_index()].Bytes
                                           : Sizes[S.stack_index()].Blocks) +=
              static_cast<uint64_t>(Value);
  });
}

std::optional<SampleType> OtlpTyper::typeOf(int32_t Stack) {
  if (!has(Words.stack_table(), Stack))
    return std::nullopt;
  std::vector<ProfileCall> Of;
  for (const int32_t Location : Words.stack_table(Stack).location_indices())
    Of.push_back(has(Calls, Location) ? Calls[static_cast<size_t>(Location)]
                                      : ProfileCall());
  const auto At = Sizes.find(Stack);
  return Types.typeOf(Of,
                      At == Sizes.end() ? debuginfo::BlockSizes() : At->second);
}

int32_t OtlpTyper::attributeOf(const std::string &Type) {
  const auto [At, IsNew] =
      Attributes.try_emplace(Type, Words.attribute_table_size());
  if (IsNew) {
    otlp::KeyValueAndUnit *New = Words.add_attribute_table();
    New->set_key_strindex(textOf(kTypeLabel));
    New->mutable_value()->set_string_value(Type);
  }
  return At->second;
}

int32_t OtlpTyper::stackWith(int32_t Stack, const std::string &Type) {
  const auto [Known, IsNewStack] =
      Stacks.try_emplace({Stack, Type}, Words.stack_table_size());
  if (!IsNewStack)
    return Known->second;
  const auto [At, IsNew] =
      FrameOfType.try_emplace(Type, Words.location_table_size());
  if (IsNew) {
    otlp::Function *F = Words.add_function_table();
    F->set_name_strindex(textOf(Type));
    Words.add_location_table()->add_lines()->set_function_index(
        Words.function_table_size() - 1);
  }
  otlp::Stack New;
  if (has(Words.stack_table(), Stack))
    New = Words.stack_table(Stack);
  New.add_location_indices(At->second);
  *Words.add_stack_table() = std::move(New);
  return Known->second;
}

TypedCounts OtlpTyper::typeProfile(otlp::Profile &Of, bool Frames) {
  TypedCounts Out;
  const std::string_view Unit = text(Of.sample_type().unit_strindex());
  const bool InBytes = Unit == "bytes" || Unit == "By";
  for (otlp::Sample &S : *Of.mutable_samples()) {
    std::optional<std::string> Type;
    const std::string_view Had = attribute(S.attribute_indices(), kTypeLabel);
    if (!Had.empty() && Had != kNoTypeFrame) {
      Type = Had;
    } else if (const auto Found = typeOf(S.stack_index())) {
      Type = Found->Name;
      S.add_attribute_indices(attributeOf(*Type));
      for (int I = 0; InBytes && I < S.values_size(); ++I)
        S.set_values(I, Found->requested(S.values(I)));
    }
    if (Frames)
      S.set_stack_index(
          stackWith(S.stack_index(), Type.value_or(kNoTypeFrame)));
    uint64_t Bytes = 0;
    for (const int64_t Value : S.values())
      Bytes += Value > 0 && InBytes ? static_cast<uint64_t>(Value) : 0;
    Out.Samples += 1;
    Out.Bytes += Bytes;
    Out.Typed += Type ? 1 : 0;
    Out.TypedBytes += Type ? Bytes : 0;
  }
  return Out;
}

TypedCounts OtlpTyper::run(bool Frames) {
  for (int I = 0; I < Words.string_table_size(); ++I)
    Texts.try_emplace(Words.string_table(I), I);
  findCalls();
  sumSizes();
  TypedCounts Out;
  for (auto &R : *P.mutable_resource_profiles())
    for (auto &S : *R.mutable_scope_profiles())
      for (otlp::Profile &One : *S.mutable_profiles()) {
        const TypedCounts Of = typeProfile(One, Frames);
        Out.Samples += Of.Samples;
        Out.Typed += Of.Typed;
        Out.Bytes += Of.Bytes;
        Out.TypedBytes += Of.TypedBytes;
      }
  return Out;
}

} // namespace

TypedCounts typeOtlp(otlp::ProfilesData &P, SampleTypes &Types, bool Frames) {
  return OtlpTyper(P, Types).run(Frames);
}

} // namespace inmem::tools
