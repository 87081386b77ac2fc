//===- SampleTypes.cpp ----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "profiles/SampleTypes.h"

#include "live/SafePoint.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <gelf.h>

namespace inmem::tools {

namespace fs = std::filesystem;
using debuginfo::BlockSizes;

namespace {

std::string_view nameIn(std::string_view Path) {
  return Path.substr(Path.rfind('/') + 1);
}

/// The bytes of a hexadecimal build id; empty if it is not one.
std::string bytesOf(std::string_view Text) {
  std::string Out;
  for (; Text.size() >= 2; Text.remove_prefix(2)) {
    uint8_t Byte = 0;
    const std::string Digits(Text.substr(0, 2));
    const char *Behind = Digits.data() + Digits.size();
    const auto [End, Error] = std::from_chars(Digits.data(), Behind, Byte, 16);
    if (Error != std::errc() || End != Behind)
      return {};
    Out += static_cast<char>(Byte);
  }
  return Text.empty() ? Out : std::string();
}

bool beginsWithAny(std::string_view Text,
                   std::span<const std::string_view> All) {
  return std::ranges::any_of(
      All, [&](std::string_view One) { return Text.starts_with(One); });
}

bool isAllocatorFile(std::string_view Name) {
  static constexpr std::string_view kFiles[] = {
      "libjemalloc", "libtcmalloc", "libmimalloc", "libinmem_rt",
      "libc.so",     "libc-2.",     "ld-linux"};
  return beginsWithAny(Name, kFiles);
}

/// True for functions that a program calls to allocate, in any file.
bool isEntry(std::string_view Name) {
  static constexpr std::string_view kExact[] = {
      "malloc",        "calloc", "realloc",    "memalign",     "posix_memalign",
      "aligned_alloc", "valloc", "pvalloc",    "reallocarray", "mallocx",
      "rallocx",       "strdup", "strndup",    "tc_malloc",    "tc_calloc",
      "tc_realloc",    "tc_new", "tc_newarray"};
  // Operators new, and the prefixes that jemalloc and tcmalloc add.
  static constexpr std::string_view kPrefixes[] = {"_Znwm",
                                                   "_Znam",
                                                   "je_malloc",
                                                   "je_calloc",
                                                   "je_realloc",
                                                   "je_aligned_alloc",
                                                   "je_posix_memalign",
                                                   "je_mallocx",
                                                   "je_rallocx"};
  return std::ranges::find(kExact, Name) != std::end(kExact) ||
         beginsWithAny(Name, kPrefixes);
}

/// True for inner functions of allocators that are linked into a program.
bool isInner(std::string_view Name) {
  static constexpr std::string_view kPrefixes[] = {
      "je_",          "tc_",
      "prof_",        "imalloc",
      "_ZN8tcmalloc", "_ZN10__jemalloc",
      "do_rallocx",   "_ZNSt15__new_handler",
      "mi_"};
  return beginsWithAny(Name, kPrefixes);
}

bool hasBuildId(debuginfo::ProgramFile &File) {
  const unsigned char *Bits = nullptr;
  GElf_Addr At = 0;
  return dwfl_module_build_id(File.module(), &Bits, &At) > 0;
}

constexpr uint64_t kQuantum = 16; ///< spacing of jemalloc's small classes

/// The distance from one of jemalloc's size classes to the next smaller one.
uint64_t distanceToSmaller(uint64_t Class) {
  return std::max(std::bit_floor(Class - 1) / 4, kQuantum);
}

/// Returns one block if all have the same size, otherwise all of them.
BlockSizes withoutScale(BlockSizes Of, bool Rounded) {
  if (Of.Blocks == 0 || Of.Bytes == 0)
    return {};
  // Both sums were truncated to integers when scaled.
  const double Mean =
      static_cast<double>(Of.Bytes) / static_cast<double>(Of.Blocks);
  const double Near = std::round(Mean);
  const double Error = (Mean + 1) / static_cast<double>(Of.Blocks);
  if (Near < 1 || std::abs(Mean - Near) > std::max(1e-9, Error) || Error > 0.5)
    return {Of.Blocks, Of.Bytes, 0};
  BlockSizes Out{1, static_cast<uint64_t>(Near), 0};
  if (Rounded && Out.Bytes > 1)
    Out.Slack = distanceToSmaller(Out.Bytes) - 1;
  return Out;
}

/// The only size in class \p Class that holds one or more objects of \p Size; 0
/// if there are none, or several.
uint64_t requestedIn(uint64_t Class, uint64_t Size) {
  if (Size == 0 || Class == 0)
    return 0;
  // jemalloc's smallest class is half a quantum.
  const uint64_t Smaller =
      Class == kQuantum ? kQuantum / 2
                        : Class - std::min(Class, distanceToSmaller(Class));
  const uint64_t Most = Class / Size * Size;
  return Most > Smaller && Most - Smaller <= Size ? Most : 0;
}

} // namespace

debuginfo::ProgramFile *SampleTypes::openGiven(const Module &M,
                                               const std::string &Binary) {
  const bool SameName = nameIn(Binary) == nameIn(M.Of.Path);
  if (M.RawId.empty() && !SameName)
    return nullptr;
  debuginfo::ProgramFile *File = Files.open(Binary, M.RawId);
  // A file without a build ID may be any build, so its name must match.
  return File && (SameName || hasBuildId(*File)) ? File : nullptr;
}

void SampleTypes::open(Module &M) {
  const std::string &Path = M.Of.Path;
  for (const std::string &Binary : Given)
    if ((M.File = openGiven(M, Binary))) {
      M.Path = Binary;
      return;
    }
  if (Path.empty() || Path[0] == '[' || Path.starts_with("//anon"))
    return;
  std::error_code Error;
  if (M.RawId.empty() && Recorded) {
    // Only the file's time can show that it is another build.
    const auto Written = fs::last_write_time(Path, Error);
    if (!Error && Written > *Recorded) {
      M.Missing = &SampleTypes::Newer;
      return;
    }
  }
  M.File = Files.open(Path, M.RawId);
  M.Path = Path;
  if (!M.File)
    M.Missing =
        fs::exists(Path, Error) ? &SampleTypes::Others : &SampleTypes::Missing;
}

uint32_t SampleTypes::addModule(const ProfileModule &Of) {
  Module M;
  M.Of = Of;
  M.RawId = bytesOf(Of.BuildId);
  open(M);
  RoundsSizes |= nameIn(Of.Path).starts_with("libjemalloc");
  Modules.push_back(std::move(M));
  return static_cast<uint32_t>(Modules.size() - 1);
}

/// The address in the file, in which segments may not be at their offsets.
uint64_t SampleTypes::addressIn(const Module &M, uint64_t Address) {
  if (M.Of.End == 0)
    return Address;
  const uint64_t Offset = Address - M.Of.Start + M.Of.FileOffset;
  size_t Count = 0;
  if (Elf *File = M.File->elf(); File && elf_getphdrnum(File, &Count) == 0)
    for (size_t I = 0; I < Count; ++I) {
      GElf_Phdr Segment;
      if (gelf_getphdr(File, static_cast<int>(I), &Segment) &&
          Segment.p_type == PT_LOAD && Offset >= Segment.p_offset &&
          Offset - Segment.p_offset < Segment.p_filesz)
        return Offset - Segment.p_offset + Segment.p_vaddr;
    }
  return Offset;
}

ProfileCall SampleTypes::callAt(uint32_t Number, uint64_t Address) {
  ProfileCall Out;
  if (Number >= Modules.size())
    return Out;
  const Module &M = Modules[Number];
  Out.OfAllocator = isAllocatorFile(nameIn(M.Of.Path));
  if (!M.File) {
    if (M.Missing)
      (this->*M.Missing).insert(M.Of.Path);
    return Out;
  }
  Out.Module = Number;
  Out.Address = addressIn(M, Address);
  const auto FollowsCall = [&](uint64_t End) {
    constexpr uint64_t kLongest = 7;
    const auto Code = M.File->bytesAt(End - kLongest);
    return Code.size() >= kLongest && endsWithCall(Code.first(kLongest));
  };
  // Some profilers record return addresses, others subtract 1.
  if (FollowsCall(Out.Address) || !FollowsCall(Out.Address + 1))
    --Out.Address;
  if (const auto *Function = M.File->symbolAt(Out.Address)) {
    const std::string_view Name = Function->Name;
    RoundsSizes |=
        Name.starts_with("je_") || Name.starts_with("prof_backtrace");
    Out.IsEntry = isEntry(Name);
    Out.OfAllocator |= Out.IsEntry || isInner(Name);
  }
  return Out;
}

const debuginfo::TypeTable &SampleTypes::tableOf(Module &M) {
  if (!M.Table)
    M.Table.emplace(*M.File);
  return *M.Table;
}

int64_t SampleType::requested(int64_t Bytes) const {
  if (Class == 0 || Requested == 0 || Bytes <= 0)
    return Bytes;
  return std::llround(static_cast<double>(Bytes) *
                      static_cast<double>(Requested) /
                      static_cast<double>(Class));
}

std::optional<debuginfo::FoundType>
SampleTypes::byTable(std::span<const ProfileCall> Calls, BlockSizes Sizes) {
  for (const ProfileCall &Call : Calls) {
    const auto *Entry = tableOf(Modules[Call.Module]).find(Call.Address + 1);
    if (!Entry)
      return std::nullopt; // of code that the plugin has not seen
    // A wrapper has no type of its own.
    if (!Entry->Type.empty() && (!Entry->MayAllocate || Entry->Size == 0 ||
                                 Sizes.areFilledBy(Entry->Size)))
      return debuginfo::FoundType{std::string(Entry->Type), Entry->Size};
    if (!Entry->IsPassed && Entry->Type.empty())
      return std::nullopt;
  }
  return std::nullopt;
}

std::optional<debuginfo::CallAddress>
SampleTypes::jumpedThrough(const ProfileCall &Call) {
  Module &M = Modules[Call.Module];
  constexpr uint64_t kLength = 5; // e8 and a displacement
  const auto Code = M.File->bytesAt(Call.Address + 1 - kLength);
  int32_t Distance = 0;
  if (Code.size() < kLength || Code[0] != 0xe8)
    return std::nullopt;
  std::memcpy(&Distance, &Code[1], sizeof Distance);
  const uint64_t Target =
      Call.Address + 1 + static_cast<uint64_t>(int64_t{Distance});
  const char *Import = M.File->importAt(Target);
  if (!Import) {
    const auto *Of = M.File->symbolAt(Target);
    if (!Of || Of->Start != Target || isEntry(Of->Name) || isInner(Of->Name))
      return std::nullopt;
    return debuginfo::CallAddress{M.Path, M.RawId, Target};
  }
  const std::string_view Name(Import, std::strcspn(Import, "@"));
  if (isEntry(Name))
    return std::nullopt;
  for (Module &Of : Modules)
    if (Of.File && !isAllocatorFile(nameIn(Of.Path)))
      if (const auto *Found = Of.File->symbolNamed(Name))
        return debuginfo::CallAddress{Of.Path, Of.RawId, Found->Start};
  return std::nullopt;
}

std::optional<SampleType>
SampleTypes::typeOf(std::span<const ProfileCall> Calls, BlockSizes Sizes) {
  // The allocator's own frames are innermost, up to the last function that
  // programs call to allocate.
  constexpr size_t kMostInner = 24, kMostCalls = 24;
  size_t Inner = 0;
  for (size_t I = 0; I < std::min(Calls.size(), kMostInner); ++I)
    if (Calls[I].IsEntry || (Calls[I].OfAllocator && I == Inner))
      Inner = I + 1;
  Calls = Calls.subspan(Inner);
  size_t Count = 0;
  while (Count < std::min(Calls.size(), kMostCalls) &&
         Calls[Count].Module != UINT32_MAX)
    ++Count;
  Calls = Calls.first(Count);
  if (Calls.empty())
    return std::nullopt;
  const BlockSizes Each = withoutScale(Sizes, RoundsSizes);
  const auto [At, IsNew] = Known.try_emplace(
      Key{{Calls.begin(), Calls.end()}, Each.Blocks == 1 ? Each.Bytes : 0});
  if (!IsNew)
    return At->second;
  auto Found = byTable(Calls, Each);
  if (!Found)
    Found = inferred(Calls, Each);
  if (Found && !Found->Name.empty()) {
    At->second = SampleType{Found->Name};
    if (WantsRequested && RoundsSizes && Each.Blocks == 1) {
      At->second->Class = Each.Bytes;
      At->second->Requested = requestedIn(Each.Bytes, Found->Size);
    }
  }
  return At->second;
}

std::optional<debuginfo::FoundType>
SampleTypes::inferred(std::span<const ProfileCall> Calls, BlockSizes Sizes) {
  std::vector<debuginfo::CallAddress> Chain;
  if (const auto Jumped = jumpedThrough(Calls.front()))
    Chain.push_back(*Jumped);
  for (const ProfileCall &Call : Calls)
    Chain.push_back(
        {Modules[Call.Module].Path, Modules[Call.Module].RawId, Call.Address});
  return Types.find(Chain, Sizes);
}

std::vector<std::string> SampleTypes::notes() const {
  std::vector<std::string> Out;
  Out.reserve(Newer.size() + Others.size() + Missing.size());
  for (const std::string &Path : Newer)
    Out.push_back(fmt::format("{0} is newer than the profile, which has no "
                              "build id of it: no types of its code; --binary "
                              "{0} uses it",
                              Path));
  for (const std::string &Path : Others)
    Out.push_back(Path + " is another build than the profile's: no types of "
                         "its code; --binary names the right one");
  for (const std::string &Path : Missing)
    Out.push_back(Path + " does not exist: no types of its code; --binary "
                         "names another");
  return Out;
}

} // namespace inmem::tools
