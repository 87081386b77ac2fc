//===- SampleTypes.h - Types of samples of heap profiles --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_TOOLS_SAMPLETYPES_H
#define INMEM_TOOLS_SAMPLETYPES_H

#include "debuginfo/ProgramFile.h"
#include "debuginfo/TypeFinder.h"
#include "debuginfo/TypeTable.h"

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace inmem::tools {

/// A mapping of a profile.
struct ProfileModule {
  std::string Path;
  std::string BuildId;         ///< hexadecimal; empty if unknown
  uint64_t Start = 0, End = 0; ///< End 0: addresses are the file's
  uint64_t FileOffset = 0;     ///< of Start
};

/// The call that a location of a profile is.
struct ProfileCall {
  uint32_t Module = UINT32_MAX; ///< UINT32_MAX: unknown
  uint64_t Address = 0;         ///< of the file; the call's last byte
  /// A frame of an allocator, or a function that programs allocate with.
  bool OfAllocator = false, IsEntry = false;

  auto operator<=>(const ProfileCall &) const = default;
};

/// The type of a sample's blocks.
struct SampleType {
  std::string Name;
  /// The allocator's size class, and the size that the program asked for; 0:
  /// not to be converted.
  uint64_t Class = 0, Requested = 0;

  /// Bytes of classes as those asked for.
  int64_t requested(int64_t Bytes) const;
};

/// Names the types of samples by the files of the profile's modules: by the
/// table that the plugin left there, else by debug information. Not
/// thread-safe.
class SampleTypes {
public:
  /// \param Binaries files for modules that are not at their paths, by build id
  /// or, if the profile has none, by name
  /// \param Recorded when the profile was taken; newer files of modules without
  /// a build id are not used. None: unknown
  SampleTypes(const std::vector<std::string> &Binaries,
              std::optional<std::filesystem::file_time_type> Recorded)
      : Given(Binaries), Recorded(Recorded) {}

  /// The profile has sizes of jemalloc's classes, not the requested ones.
  void setRounded() { RoundsSizes = true; }
  /// Types say the sizes asked for, if the class leaves one.
  void setRequested() { WantsRequested = true; }

  /// \returns its number
  uint32_t addModule(const ProfileModule &M);
  /// \param Address as the profile has it: behind a call, or in its last byte
  ProfileCall callAt(uint32_t Module, uint64_t Address);

  /// The type of the blocks that a stack allocated.
  /// \param Calls innermost first
  /// \param Sizes estimates, which sampling may have scaled
  std::optional<SampleType> typeOf(std::span<const ProfileCall> Calls,
                                   debuginfo::BlockSizes Sizes);

  /// Files that were not used, and why, a line each.
  std::vector<std::string> notes() const;

private:
  struct Module {
    ProfileModule Of;
    std::string RawId;
    debuginfo::ProgramFile *File = nullptr; ///< null: not found
    std::string Path;                       ///< of File
    /// The note that explains why there is no file, for samples in it.
    std::set<std::string> SampleTypes::*Missing = nullptr;
    std::optional<debuginfo::TypeTable> Table;
  };
  void open(Module &M);
  debuginfo::ProgramFile *openGiven(const Module &M, const std::string &Binary);
  const debuginfo::TypeTable &tableOf(Module &M);
  /// The function that \p Call calls, if it is not on the stack: it ends by a
  /// jump to the allocator. None: the allocator itself, or not known.
  std::optional<debuginfo::CallAddress> jumpedThrough(const ProfileCall &Call);
  static uint64_t addressIn(const Module &M, uint64_t Address);
  std::optional<debuginfo::FoundType>
  byTable(std::span<const ProfileCall> Calls, debuginfo::BlockSizes Sizes);
  std::optional<debuginfo::FoundType>
  inferred(std::span<const ProfileCall> Calls, debuginfo::BlockSizes Sizes);

  std::vector<std::string> Given;
  std::optional<std::filesystem::file_time_type> Recorded;
  debuginfo::ProgramFiles Files;
  debuginfo::TypeFinder Types{Files};
  std::vector<Module> Modules;
  std::set<std::string> Missing, Newer, Others; ///< paths
  bool RoundsSizes = false; ///< sizes are jemalloc's size classes
  bool WantsRequested = false;
  struct Key {
    std::vector<ProfileCall> Calls;
    uint64_t Size;
    auto operator<=>(const Key &) const = default;
  };
  std::map<Key, std::optional<SampleType>> Known;
};

} // namespace inmem::tools

#endif
