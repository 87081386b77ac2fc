//===- TypedProfile.cpp - Forms of heap profiles for add-types ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "profiles/TypedProfile.h"

#include "report/import/HeapText.h"
#include "report/import/Offsets.h"

#include "formats/otlp.pb.h"
#include "formats/pprof.pb.h"

#include <algorithm>
#include <climits>

namespace inmem::tools {

namespace {

/// Converts a text profile to a pprof profile.
class PprofOfText {
public:
  PprofOfText(const report::HeapText &Of, pprof::Profile &Into)
      : Text(Of), P(Into) {}

  void run() {
    textOf("");
    const auto Add = [&](const char *Type, const char *Unit) {
      pprof::ValueType *V = P.add_sample_type();
      V->set_type(textOf(Type));
      V->set_unit(textOf(Unit));
    };
    if (Text.HasAll) {
      Add("alloc_objects", "count");
      Add("alloc_space", "bytes");
    }
    Add("inuse_objects", "count");
    Add("inuse_space", "bytes");
    P.set_default_sample_type(textOf("inuse_space"));
    if (Text.Period > 1) {
      P.mutable_period_type()->set_type(textOf("space"));
      P.mutable_period_type()->set_unit(textOf("bytes"));
      P.set_period(static_cast<int64_t>(Text.Period));
    }
    for (const report::HeapText::Mapping &M : Text.Maps) {
      pprof::Mapping *New = P.add_mapping();
      New->set_id(static_cast<uint64_t>(P.mapping_size()));
      New->set_memory_start(M.Start);
      New->set_memory_limit(M.End);
      New->set_file_offset(M.Offset);
      New->set_filename(textOf(M.Path));
    }
    for (const report::HeapText::Row &R : Text.Rows)
      addSample(R);
  }

private:
  int64_t textOf(const std::string &Of) {
    const auto [At, IsNew] = Texts.try_emplace(Of, P.string_table_size());
    if (IsNew)
      P.add_string_table(Of);
    return At->second;
  }

  void addSample(const report::HeapText::Row &R) {
    pprof::Sample *S = P.add_sample();
    report::HeapText::Figures F = R.Of;
    Text.scale(F.Live, F.LiveBytes);
    Text.scale(F.All, F.AllBytes);
    if (Text.HasAll) {
      S->add_value(static_cast<int64_t>(F.All));
      S->add_value(static_cast<int64_t>(F.AllBytes));
    }
    S->add_value(static_cast<int64_t>(F.Live));
    S->add_value(static_cast<int64_t>(F.LiveBytes));
    for (size_t I = 0; I < R.Addresses.size(); ++I)
      S->add_location_id(locationOf(
          R.Addresses[I], I < R.Calls.size() ? &R.Calls[I] : nullptr));
  }

  uint64_t locationOf(uint64_t Address, const report::ImportedLocation *Call) {
    const auto [At, IsNew] = Locations.try_emplace(
        Address, static_cast<uint64_t>(P.location_size() + 1));
    if (!IsNew)
      return At->second;
    pprof::Location *L = P.add_location();
    L->set_id(At->second);
    // As in all pprof readers: an address within the call.
    L->set_address(Address ? Address - 1 : 0);
    auto Behind = std::ranges::upper_bound(Text.Maps, L->address(), {},
                                           &report::HeapText::Mapping::Start);
    // The number of the mapping before Behind, from 1.
    if (Behind != Text.Maps.begin() && L->address() < std::prev(Behind)->End)
      L->set_mapping_id(static_cast<uint64_t>(Behind - Text.Maps.begin()));
    if (Call) {
      pprof::Function *F = P.add_function();
      F->set_id(static_cast<uint64_t>(P.function_size()));
      F->set_name(textOf(Call->Function));
      F->set_filename(textOf(Call->File));
      pprof::Line *Line = L->add_line();
      Line->set_function_id(F->id());
      Line->set_line(Call->Line);
    }
    return At->second;
  }

  const report::HeapText &Text;
  pprof::Profile &P;
  std::map<std::string, int64_t> Texts;
  std::map<uint64_t, uint64_t> Locations; ///< by address
};

std::optional<std::filesystem::file_time_type> timeOf(const std::string &File) {
  std::error_code Error;
  const auto Written = std::filesystem::last_write_time(File, Error);
  return Error ? std::nullopt : std::optional(Written);
}

/// The offset of the first byte that does not parse as this message type;
/// nullopt if all do.
template <class Message>
std::optional<uint64_t> parse(std::span<const std::byte> Bytes, Message &Into) {
  if (const auto Bad = report::firstBadByte(Bytes, *Into.GetDescriptor()))
    return Bad;
  return Into.ParseFromArray(Bytes.data(), static_cast<int>(Bytes.size()))
             ? std::nullopt
             : std::optional(uint64_t{0});
}

} // namespace

trace::Result<TypedProfile> addTypes(const trace::Buffer &File,
                                     const std::vector<std::string> &Binaries,
                                     bool Frames, bool Requested) {
  TypedProfile Out;
  SampleTypes Types(Binaries, timeOf(File.name()));
  if (Requested)
    Types.setRequested();
  pprof::Profile P;
  const auto Bytes = File.bytes();
  if (report::isHeapText(File)) {
    const auto Text = report::parseHeapText(File);
    if (!Text)
      return Text.status();
    if (Text->Cut)
      Out.Notes.push_back(File.name() +
                          " ends in the middle of a line, which is left out");
    PprofOfText(*Text, P).run();
    if (Text->IsOfClasses)
      Types.setRounded();
  } else {
    if (Bytes.size() > INT_MAX)
      return trace::Status::error(File.name(),
                                  "a profile of 2 GiB or more cannot be read");
    const auto Bad = parse(Bytes, P);
    if (otlp::ProfilesData O; (Bad || P.string_table_size() == 0) &&
                              !Bytes.empty() && !parse(Bytes, O) &&
                              O.dictionary().string_table_size() > 0) {
      Out.Counts = typeOtlp(O, Types, Frames);
      Out.Bytes = O.SerializeAsString();
      Out.Notes = Types.notes();
      return Out;
    }
    if (Bad || P.string_table_size() == 0 || P.sample_type_size() == 0)
      return trace::Status::at(
          File.name(), Bad.value_or(0), "not a heap profile",
          "pprof's or OTLP's protobuf, 'heap profile:' or 'heap_v2/'",
          Bad.value_or(0) < Bytes.size() ? "other bytes"
                                         : "the end of the file");
  }
  Out.Counts = typePprof(P, Types, Frames);
  Out.Bytes = P.SerializeAsString();
  const std::vector<std::string> More = Types.notes();
  Out.Notes.insert(Out.Notes.end(), More.begin(), More.end());
  return Out;
}

} // namespace inmem::tools
