//===- PprofImport.cpp - Heap profiles of pprof ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Profiles whose samples say what is alive (inuse_objects, inuse_space), and
// maybe what was allocated (alloc_objects, alloc_space): Go's, and profiles of
// gperftools and jemalloc. A label "type", as `inmem export` writes it, is the
// type.
//
//===----------------------------------------------------------------------===//
#include "report/import/Imported.h"
#include "trace/Format.h"

#include "formats/pprof.pb.h"

#include <climits>
#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>

namespace inmem::report {

namespace {

class PprofReader {
public:
  PprofReader(const pprof::Profile &From, std::string Of)
      : P(From), Name(std::move(Of)) {}

  trace::Result<Imported> run() {
    if (!chooseFigures())
      return wrong("no heap profile",
                   "sample types inuse_space or alloc_space in bytes",
                   Found.empty() ? "none" : Found);
    Out.Tool = "pprof";
    Out.Unknown =
        trace::kFlagNoTemporary | trace::kFlagNoPeak | trace::kFlagOfAMoment;
    if (AllocBytes < 0) {
      Out.Unknown |= trace::kFlagNoTotals;
      Out.Notes.push_back("the profile knows what was alive, not what was "
                          "allocated: bytes by place are those alive");
    } else if (LiveBytes < 0) {
      Out.Unknown |= trace::kFlagNoFrees;
    }
    if ((AllocBytes >= 0 ? AllocBlocks : LiveBlocks) < 0)
      Out.Unknown |= trace::kFlagNoBlocks;
    if (P.time_nanos() > 0)
      Out.StartUnixNs = static_cast<uint64_t>(P.time_nanos());
    if (P.duration_nanos() > 0)
      Out.DurationNs = static_cast<uint64_t>(P.duration_nanos());
    if (P.period() > 1 && text(P.period_type().unit()) == "bytes")
      Out.Notes.push_back(fmt::format("sampled every {} bytes on average; "
                                      "figures are estimates",
                                      P.period()));
    for (const int64_t Comment : P.comment())
      if (Out.Command.empty() && !text(Comment).empty())
        Out.Command = {text(Comment)};
    if (Out.Command.empty() && P.mapping_size() > 0)
      Out.Command = {text(P.mapping(0).filename())};
    for (const pprof::Mapping &M : P.mapping())
      Modules[M.id()] = text(M.filename());
    for (const pprof::Function &F : P.function())
      Functions[F.id()] = &F;
    for (const pprof::Location &L : P.location())
      if (trace::Status Wrong = location(L); !Wrong.ok())
        return Wrong;
    for (const pprof::Sample &S : P.sample())
      if (trace::Status Wrong = sample(S); !Wrong.ok())
        return Wrong;
    return std::move(Out);
  }

private:
  trace::Status wrong(std::string What, std::string Expected,
                      std::string Got) const {
    return trace::Status::at(Name, 0, std::move(What), std::move(Expected),
                             std::move(Got));
  }

  std::string text(int64_t Index) const {
    return Index > 0 && Index < P.string_table_size()
               ? P.string_table(static_cast<int>(Index))
               : "";
  }

  /// Which values of a sample are which.
  bool chooseFigures() {
    for (int I = 0; I < P.sample_type_size(); ++I) {
      const std::string Type = text(P.sample_type(I).type());
      Found += (Found.empty() ? "" : ", ") + Type;
      // Without "inuse" and "alloc", gperftools means what is alive.
      if (Type == "alloc_space")
        AllocBytes = I;
      else if (Type == "alloc_objects")
        AllocBlocks = I;
      else if (Type == "inuse_space" || Type == "space")
        LiveBytes = I;
      else if (Type == "inuse_objects" || Type == "objects")
        LiveBlocks = I;
      else
        continue;
      const std::string Unit = text(P.sample_type(I).unit());
      if (Unit != "bytes" && Unit != "count")
        return false;
    }
    return AllocBytes >= 0 || LiveBytes >= 0;
  }

  trace::Status location(const pprof::Location &L) {
    ImportedFrame F;
    F.Module = Modules[L.mapping_id()];
    for (const pprof::Line &Line : L.line()) {
      const auto At = Functions.find(Line.function_id());
      if (At == Functions.end())
        return wrong(fmt::format("line of location {}", L.id()),
                     "a function of the profile",
                     std::to_string(Line.function_id()));
      ImportedLocation Location{
          text(At->second->name()), text(At->second->filename()),
          static_cast<uint32_t>(std::clamp<int64_t>(Line.line(), 0, UINT_MAX))};
      if (Location.Function.empty())
        Location.Function = text(At->second->system_name());
      if (Location.Function.empty())
        Location.Function = "?";
      F.Locations.push_back(std::move(Location));
    }
    if (F.Locations.empty())
      F.Locations.push_back(
          {fmt::format("{}@{:#x}", F.Module.substr(F.Module.rfind('/') + 1),
                       L.address()),
           "", 0});
    Locations[L.id()] = Out.frame(F);
    return {};
  }

  trace::Status sample(const pprof::Sample &S) {
    if (S.value_size() != P.sample_type_size())
      return wrong("values of a sample", std::to_string(P.sample_type_size()),
                   std::to_string(S.value_size()));
    for (const int64_t Value : S.value())
      if (Value < 0)
        return wrong("value of a sample", "0 or more", std::to_string(Value));
    uint32_t Stack = 0;
    for (int I = S.location_id_size(); I > 0; --I) {
      const auto At = Locations.find(S.location_id(I - 1));
      if (At == Locations.end())
        return wrong("location of a sample", "one of the profile",
                     std::to_string(S.location_id(I - 1)));
      Stack = Out.stack(Stack, At->second);
    }
    uint32_t Type = 0;
    for (const pprof::Label &L : S.label())
      if (text(L.key()) == "type" && text(L.str()) != "(unknown type)")
        Type = Out.type(text(L.str()));
    const auto Figure = [&](int Index) {
      return Index < 0 ? 0 : static_cast<uint64_t>(S.value(Index));
    };
    const uint64_t Live = Figure(LiveBytes), LiveCount = Figure(LiveBlocks);
    uint64_t Bytes = Figure(AllocBytes), Blocks = Figure(AllocBlocks);
    // Make unknown figures agree with known ones; sampled sums may cross.
    Bytes = std::max(Bytes, Live);
    Blocks = std::max(Blocks, LiveCount);
    if (Bytes == 0)
      return {};
    if (Blocks == 0)
      Blocks = 1; // counted by its bytes alone
    const uint64_t Gone =
        LiveBlocks >= 0 ? Blocks - LiveCount : uint64_t{Live == 0};
    ImportedCounts &C = Out.row(Stack, Type).Sum;
    C.Allocations += Blocks;
    C.Bytes += Bytes;
    C.Frees += LiveBytes >= 0 ? Gone : 0;
    C.FreedBytes += LiveBytes >= 0 ? Bytes - Live : 0;
    return {};
  }

  const pprof::Profile &P;
  const std::string Name;
  Imported Out;
  std::string Found;
  int AllocBytes = -1, AllocBlocks = -1, LiveBytes = -1, LiveBlocks = -1;
  std::unordered_map<uint64_t, std::string> Modules;
  std::unordered_map<uint64_t, const pprof::Function *> Functions;
  std::unordered_map<uint64_t, uint32_t> Locations; ///< frames of Out
};

} // namespace

trace::Result<Imported> readPprof(const trace::Buffer &File) {
  const auto Bytes = File.bytes();
  if (Bytes.size() > INT_MAX)
    return trace::Status::error(File.name(),
                                "a profile of 2 GiB or more cannot be read");
  google::protobuf::io::CodedInputStream In(
      reinterpret_cast<const uint8_t *>(Bytes.data()),
      static_cast<int>(Bytes.size()));
  pprof::Profile P;
  if (!P.ParseFromCodedStream(&In) || !In.ConsumedEntireMessage())
    return trace::Status::at(
        File.name(), static_cast<uint64_t>(In.CurrentPosition()),
        "no pprof profile", "a message of profile.proto", "other bytes");
  if (P.string_table_size() == 0 || !P.string_table(0).empty())
    return trace::Status::at(File.name(), 0, "no pprof profile",
                             "a table of strings that begins with an empty one",
                             P.string_table_size() == 0 ? "none" : "another");
  return PprofReader(P, File.name()).run();
}

} // namespace inmem::report
