//===- TypedProfile.cpp ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TypedProfile.h"

#include "HeapTextProfile.h"
#include "SafePoint.h"
#include "debuginfo/ProgramFile.h"
#include "debuginfo/TypeFinder.h"

#include "formats/pprof.pb.h"

#include <algorithm>
#include <charconv>
#include <gelf.h>
#include <map>
#include <optional>

namespace inmem::tools {

namespace {

std::string_view nameIn(std::string_view Path) {
  return Path.substr(Path.rfind('/') + 1);
}

/// Build ids are hexadecimal in profiles. Empty: it is not one.
std::string rawBuildId(std::string_view Text) {
  std::string Out;
  for (; Text.size() >= 2; Text.remove_prefix(2)) {
    uint8_t Byte = 0;
    const auto [End, Error] =
        std::from_chars(Text.data(), Text.data() + 2, Byte, 16);
    if (Error != std::errc() || End != Text.data() + 2)
      return {};
    Out += static_cast<char>(Byte);
  }
  return Text.empty() ? Out : std::string();
}

/// Functions and libraries that allocate for their callers, as profilers leave
/// them on stacks.
bool isAllocator(std::string_view Library, std::string_view Function) {
  static constexpr std::string_view kLibraries[] = {
      "libjemalloc", "libtcmalloc", "libc.so",
      "libc-2.",     "libmimalloc", "libinmem_rt"};
  static constexpr std::string_view kFunctions[] = {
      "malloc",        "calloc", "realloc", "memalign",    "posix_memalign",
      "aligned_alloc", "valloc", "pvalloc", "reallocarray"};
  static constexpr std::string_view kPrefixes[] = {
      "_Znw",       "_Zna",    "je_",          "tc_",
      "prof_",      "imalloc", "_ZN8tcmalloc", "_ZN10__jemalloc",
      "do_rallocx", "arena_"};
  const auto StartsWith = [](std::string_view Text, auto &All) {
    return std::ranges::any_of(
        All, [&](std::string_view One) { return Text.starts_with(One); });
  };
  return StartsWith(Library, kLibraries) || StartsWith(Function, kPrefixes) ||
         std::ranges::find(kFunctions, Function) != std::end(kFunctions);
}

class Typer {
public:
  Typer(pprof::Profile &Of, const std::vector<std::string> &Given)
      : P(Of), Binaries(Given) {}

  void run(bool Frames, TypedProfile &Out);

private:
  /// A mapping and its file.
  struct Module {
    const pprof::Mapping *Map = nullptr;
    std::string Path, BuildId;
    debuginfo::ProgramFile *File = nullptr; ///< null: it is not found
  };
  struct Call {
    const Module *In = nullptr; ///< null: it is not known
    uint64_t Address = 0;       ///< of the file; the call's last byte
    bool Allocates = false;
  };

  std::string_view text(int64_t Index) const {
    return Index >= 0 && Index < P.string_table_size()
               ? std::string_view(P.string_table(static_cast<int>(Index)))
               : std::string_view();
  }
  int64_t textOf(const std::string &Text) {
    const auto [At, IsNew] = Texts.try_emplace(Text, P.string_table_size());
    if (IsNew)
      P.add_string_table(Text);
    return At->second;
  }
  void findModules();
  void openFile(Module &M);
  Call callAt(const pprof::Location &L) const;
  static uint64_t addressIn(const Module &M, uint64_t FileOffset);
  std::optional<std::string> typeOf(const pprof::Sample &S);
  debuginfo::BlockSizes sizesOf(const pprof::Sample &S) const;
  void chooseFigures();
  uint64_t frameOf(const std::string &Type);

  pprof::Profile &P;
  const std::vector<std::string> &Binaries;
  debuginfo::ProgramFiles Files;
  debuginfo::TypeFinder Types{Files};
  std::map<uint64_t, Module> Modules;
  std::map<uint64_t, Call> Calls; ///< by location
  std::map<std::string, int64_t> Texts;
  std::map<std::string, uint64_t> FrameOfType; ///< locations
  /// By the locations of the innermost calls.
  std::map<std::vector<uint64_t>, std::optional<std::string>> Known;
  uint64_t NextId = 1;         ///< of locations and functions
  int Blocks = -1, Bytes = -1; ///< values of samples
};

void Typer::openFile(Module &M) {
  M.File = M.Path.empty() ? nullptr : Files.open(M.Path, M.BuildId);
  for (const std::string &Binary : Binaries) {
    if (M.File)
      return;
    if (M.BuildId.empty() && !M.Path.empty() &&
        nameIn(Binary) != nameIn(M.Path))
      continue;
    if ((M.File = Files.open(Binary, M.BuildId)))
      M.Path = Binary;
  }
}

void Typer::findModules() {
  for (const pprof::Mapping &Map : P.mapping()) {
    Module &M = Modules[Map.id()];
    M = {&Map, std::string(text(Map.filename())),
         rawBuildId(text(Map.build_id())), nullptr};
    openFile(M);
  }
}

/// Where the segment with that offset of the file is loaded.
uint64_t Typer::addressIn(const Module &M, uint64_t FileOffset) {
  size_t Count = 0;
  if (Elf *File = M.File->elf(); File && elf_getphdrnum(File, &Count) == 0)
    for (size_t I = 0; I < Count; ++I) {
      GElf_Phdr Segment;
      if (gelf_getphdr(File, static_cast<int>(I), &Segment) &&
          Segment.p_type == PT_LOAD && FileOffset >= Segment.p_offset &&
          FileOffset - Segment.p_offset < Segment.p_filesz)
        return FileOffset - Segment.p_offset + Segment.p_vaddr;
    }
  return FileOffset;
}

Typer::Call Typer::callAt(const pprof::Location &L) const {
  const auto At = Modules.find(L.mapping_id());
  if (At == Modules.end() || !At->second.File)
    return {};
  const Module &M = At->second;
  // Without bounds, addresses are the file's.
  uint64_t Address = L.address();
  if (M.Map->memory_limit() > 0)
    Address =
        addressIn(M, Address - M.Map->memory_start() + M.Map->file_offset());
  const auto FollowsCall = [&](uint64_t End) {
    constexpr uint64_t kLongest = 7;
    const auto Code = M.File->bytesAt(End - kLongest);
    return Code.size() >= kLongest && endsWithCall(Code.first(kLongest));
  };
  // Some profilers keep return addresses, others subtract 1.
  if (FollowsCall(Address) && !FollowsCall(Address + 1))
    --Address;
  const debuginfo::ProgramFile::Symbol *Function = M.File->symbolAt(Address);
  return {&M, Address,
          isAllocator(nameIn(M.Path), Function ? Function->Name : "")};
}

debuginfo::BlockSizes Typer::sizesOf(const pprof::Sample &S) const {
  const auto Value = [&](int Index) {
    return Index >= 0 && Index < S.value_size() && S.value(Index) > 0
               ? static_cast<uint64_t>(S.value(Index))
               : uint64_t{0};
  };
  return {Value(Blocks), Value(Bytes)};
}

std::optional<std::string> Typer::typeOf(const pprof::Sample &S) {
  constexpr size_t kMostCalls = 24;
  std::vector<uint64_t> Key;
  std::vector<debuginfo::CallAddress> Found;
  for (const uint64_t Id : S.location_id()) {
    const auto At = Calls.find(Id);
    const Call C = At == Calls.end() ? Call() : At->second;
    if (Found.empty() && C.Allocates)
      continue;
    if (!C.In || Found.size() == kMostCalls)
      break;
    Found.push_back({C.In->Path, C.In->BuildId, C.Address});
    Key.push_back(Id);
  }
  const auto [At, IsNew] = Known.try_emplace(std::move(Key));
  if (IsNew && !Found.empty())
    if (const auto Type = Types.find(Found, sizesOf(S));
        Type && !Type->Name.empty())
      At->second = Type->Name;
  return At->second;
}

void Typer::chooseFigures() {
  for (int I = 0; I < P.sample_type_size(); ++I) {
    const std::string_view Unit = text(P.sample_type(I).unit());
    if (Unit == "count")
      Blocks = I;
    if (Unit == "bytes")
      Bytes = I;
  }
}

uint64_t Typer::frameOf(const std::string &Type) {
  const auto [At, IsNew] = FrameOfType.try_emplace(Type, NextId);
  if (!IsNew)
    return At->second;
  pprof::Function *F = P.add_function();
  F->set_id(NextId);
  F->set_name(textOf(Type));
  F->set_system_name(F->name());
  pprof::Location *L = P.add_location();
  L->set_id(NextId);
  L->add_line()->set_function_id(NextId);
  ++NextId;
  return At->second;
}

void Typer::run(bool Frames, TypedProfile &Out) {
  for (int I = 0; I < P.string_table_size(); ++I)
    Texts.try_emplace(P.string_table(I), I);
  if (P.string_table_size() == 0)
    textOf("");
  findModules();
  chooseFigures();
  for (const pprof::Location &L : P.location()) {
    Calls[L.id()] = callAt(L);
    NextId = std::max(NextId, L.id() + 1);
  }
  for (const pprof::Function &F : P.function())
    NextId = std::max(NextId, F.id() + 1);
  const int64_t Key = textOf("type");
  for (pprof::Sample &S : *P.mutable_sample()) {
    std::optional<std::string> Type;
    bool HadType = false;
    for (const pprof::Label &L : S.label())
      if (L.key() == Key && L.str() > 0) {
        HadType = true;
        Type = text(L.str());
      }
    if (!HadType)
      Type = typeOf(S);
    if (Type && !HadType) {
      pprof::Label *L = S.add_label();
      L->set_key(Key);
      L->set_str(textOf(*Type));
    }
    if (Frames)
      S.add_location_id(frameOf(Type.value_or("(unknown type)")));
    const uint64_t Size = sizesOf(S).Bytes;
    Out.Samples += 1;
    Out.SampledBytes += Size;
    Out.TypedSamples += Type ? 1 : 0;
    Out.TypedBytes += Type ? Size : 0;
  }
}

} // namespace

trace::Result<TypedProfile> addTypes(const trace::Buffer &File,
                                     const std::vector<std::string> &Binaries,
                                     bool Frames) {
  const auto Given = File.bytes();
  pprof::Profile P;
  const std::string_view Text(reinterpret_cast<const char *>(Given.data()),
                              Given.size());
  if (isHeapText(Text)) {
    if (const trace::Status Wrong = readHeapText(Text, File.name(), P);
        !Wrong.ok())
      return Wrong;
  } else if (Given.size() > INT32_MAX ||
             !P.ParseFromArray(Given.data(), static_cast<int>(Given.size())) ||
             P.sample_type_size() == 0) {
    return trace::Status::at(File.name(), 0, "not a heap profile",
                             "pprof's protobuf, 'heap profile:' or 'heap_v2/'",
                             "other bytes");
  }
  TypedProfile Out;
  Typer(P, Binaries).run(Frames, Out);
  Out.Bytes = P.SerializeAsString();
  return Out;
}

} // namespace inmem::tools
