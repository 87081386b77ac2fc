//===- PprofImport.cpp - Heap profiles of pprof ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Profiles with samples of live memory (inuse_objects, inuse_space), and
// possibly of all allocations (alloc_objects, alloc_space): Go's, and profiles
// of gperftools and jemalloc. A label "type", as `inmem export` writes it, is
// the type.
//
//===----------------------------------------------------------------------===//
#include "report/import/Imported.h"

#include "report/formats/ExportSamples.h"
#include "report/import/LineReader.h"
#include "report/import/Offsets.h"
#include "trace/format/Format.h"

#include "formats/pprof.pb.h"

#include <algorithm>
#include <climits>
#include <fmt/format.h>

namespace inmem::report {

namespace {

class PprofReader {
public:
  PprofReader(const pprof::Profile &From, const trace::Buffer &Of)
      : P(From), File(Of) {}

  trace::Result<Imported> run() {
    if (!chooseFigures())
      return wrong(pprof::Profile::kSampleTypeFieldNumber, 0, "no heap profile",
                   "sample types inuse_space or alloc_space in bytes",
                   Found.empty() ? "none" : foundText(Found));
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
    nameProgram();
    for (const pprof::Mapping &M : P.mapping())
      Modules[M.id()] = text(M.filename());
    for (const pprof::Function &F : P.function())
      Functions[F.id()] = &F;
    for (At = 0; At < P.location_size(); ++At)
      if (trace::Status Wrong = location(P.location(At)); !Wrong.ok())
        return Wrong;
    for (At = 0; At < P.sample_size(); ++At)
      if (trace::Status Wrong = sample(P.sample(At)); !Wrong.ok())
        return Wrong;
    return std::move(Out);
  }

private:
  /// \param Field,Index the element of the profile that contains it
  trace::Status wrong(int Field, int Index, std::string What,
                      std::string Expected, std::string Got) const {
    return trace::Status::at(
        File.name(), offsetOfElement(File.bytes(), Field, Index),
        std::move(What), std::move(Expected), std::move(Got));
  }
  trace::Status wrongLocation(std::string What, std::string Expected,
                              std::string Got) const {
    return wrong(pprof::Profile::kLocationFieldNumber, At, std::move(What),
                 std::move(Expected), std::move(Got));
  }
  trace::Status wrongSample(std::string What, std::string Expected,
                            std::string Got) const {
    return wrong(pprof::Profile::kSampleFieldNumber, At, std::move(What),
                 std::move(Expected), std::move(Got));
  }

  /// The first mapping is the program's. In a profile of `inmem export`, the
  /// comment is the command; other tools may write anything there.
  void nameProgram() {
    const bool Ours =
        P.mapping_size() == 0 ||
        std::ranges::any_of(P.mapping(), [&](const pprof::Mapping &M) {
          return text(M.filename()) == kLibraryModule;
        });
    for (const pprof::Mapping &M : P.mapping())
      if (const std::string Path = text(M.filename());
          Out.Command.empty() && !Ours && !Path.empty() && Path[0] != '[' &&
          !Path.starts_with("//anon"))
        Out.Command = {Path};
    for (const int64_t Comment : P.comment()) {
      if (text(Comment).empty())
        continue;
      if (Out.Command.empty() && Ours)
        Out.Command = {text(Comment)};
      else
        Out.Notes.push_back("comment in the profile: " + text(Comment));
    }
  }

  std::string text(int64_t Index) const {
    return Index > 0 && Index < P.string_table_size()
               ? P.string_table(static_cast<int>(Index))
               : "";
  }

  /// Determines the meaning of a sample's values.
  bool chooseFigures() {
    for (int I = 0; I < P.sample_type_size(); ++I) {
      const std::string Type = text(P.sample_type(I).type());
      Found += (Found.empty() ? "" : ", ") + Type;
      // gperftools writes neither "inuse" nor "alloc" for live memory.
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
      const auto Function = Functions.find(Line.function_id());
      if (Function == Functions.end())
        return wrongLocation(fmt::format("line of location {}", L.id()),
                             "a function of the profile",
                             std::to_string(Line.function_id()));
      ImportedLocation Location{
          text(Function->second->name()), text(Function->second->filename()),
          static_cast<uint32_t>(std::clamp<int64_t>(Line.line(), 0, UINT_MAX))};
      if (Location.Function.empty())
        Location.Function = text(Function->second->system_name());
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
      return wrongSample("values of a sample",
                         std::to_string(P.sample_type_size()),
                         std::to_string(S.value_size()));
    for (const int64_t Value : S.value())
      if (Value < 0)
        return wrongSample("value of a sample", "0 or more",
                           std::to_string(Value));
    uint32_t Stack = 0;
    for (int I = S.location_id_size(); I > 0; --I) {
      const auto Location = Locations.find(S.location_id(I - 1));
      if (Location == Locations.end())
        return wrongSample("location of a sample", "one of the profile",
                           std::to_string(S.location_id(I - 1)));
      Stack = Out.stack(Stack, Location->second);
    }
    uint32_t Type = 0;
    for (const pprof::Label &L : S.label())
      if ((text(L.key()) == "type" && Type == 0 &&
           text(L.str()) != "(unknown type)") ||
          text(L.key()) == "spelling")
        Type = Out.type(text(L.str()));
    const auto Figure = [&](int Index) {
      return Index < 0 ? 0 : static_cast<uint64_t>(S.value(Index));
    };
    const uint64_t Live = Figure(LiveBytes), LiveCount = Figure(LiveBlocks);
    uint64_t Bytes = Figure(AllocBytes), Blocks = Figure(AllocBlocks);
    // Makes unknown figures consistent with known ones; sampled sums may cross.
    Bytes = std::max(Bytes, Live);
    Blocks = std::max(Blocks, LiveCount);
    if (Bytes == 0)
      return {};
    if (Blocks == 0)
      Blocks = 1; // only bytes are known
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
  const trace::Buffer &File;
  int At = 0; ///< location or sample being read
  Imported Out;
  std::string Found;
  int AllocBytes = -1, AllocBlocks = -1, LiveBytes = -1, LiveBlocks = -1;
  std::unordered_map<uint64_t, std::string> Modules;
  std::unordered_map<uint64_t, const pprof::Function *> Functions;
  std::unordered_map<uint64_t, uint32_t> Locations; ///< id -> frame of Out
};

} // namespace

trace::Result<Imported> importPprof(const pprof::Profile &From,
                                    const trace::Buffer &File) {
  return PprofReader(From, File).run();
}

trace::Result<Imported> readPprof(const trace::Buffer &File) {
  if (isHeapText(File))
    return readHeapText(File);
  const auto Bytes = File.bytes();
  if (Bytes.size() > INT_MAX)
    return trace::Status::error(File.name(),
                                "a profile of 2 GiB or more cannot be read");
  pprof::Profile P;
  if (const auto Bad = firstBadByte(Bytes, *P.GetDescriptor());
      Bad || !P.ParseFromArray(Bytes.data(), static_cast<int>(Bytes.size())))
    return trace::Status::at(
        File.name(), Bad.value_or(0), "no pprof profile",
        "a message of profile.proto",
        Bad.value_or(0) < Bytes.size() ? "other bytes" : "the end of the file");
  if (P.string_table_size() == 0 || !P.string_table(0).empty())
    return trace::Status::at(
        File.name(),
        offsetOfElement(Bytes, pprof::Profile::kStringTableFieldNumber, 0),
        "no pprof profile", "a table of strings that begins with an empty one",
        P.string_table_size() == 0 ? "none" : foundText(P.string_table(0)));
  return importPprof(P, File);
}

} // namespace inmem::report
