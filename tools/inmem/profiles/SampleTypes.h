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
  std::string BuildId;         ///< in hex; empty if unknown
  uint64_t Start = 0, End = 0; ///< End 0: addresses are file addresses
  uint64_t FileOffset = 0;     ///< file offset of Start
};

/// The call at a location of a profile.
struct ProfileCall {
  uint32_t Module = UINT32_MAX; ///< UINT32_MAX: unknown
  uint64_t Address = 0;         ///< in the file; the call's last byte
  /// True for an allocator's frame, and for a function that programs call to
  /// allocate.
  bool OfAllocator = false, IsEntry = false;

  auto operator<=>(const ProfileCall &) const = default;
};

/// The type of a sample's blocks.
struct SampleType {
  std::string Name;
  /// The allocator's size class and the size that the program requested; 0 if
  /// not to be converted.
  uint64_t Class = 0, Requested = 0;

  /// Converts bytes of size classes to requested bytes.
  int64_t requested(int64_t Bytes) const;
};

/// Finds the types of samples from the files of the profile's modules: from the
/// plugin's table in them, or else from debug information. Not thread-safe.
class SampleTypes {
public:
  /// \param Binaries files for modules that are not at their paths, by build ID
  /// or, if the profile has none, by name \param Recorded when the profile was
  /// taken; newer files of modules without a build ID are not used. nullopt if
  /// unknown
  SampleTypes(const std::vector<std::string> &Binaries,
              std::optional<std::filesystem::file_time_type> Recorded)
      : Given(Binaries), Recorded(Recorded) {}

  /// Call if the profile has sizes of jemalloc's classes, not requested sizes.
  void setRounded() { RoundsSizes = true; }
  /// Adds the requested size to types, if the class allows only one.
  void setRequested() { WantsRequested = true; }

  /// \returns its number
  uint32_t addModule(const ProfileModule &M);
  /// \param Address as in the profile: after a call, or its last byte
  ProfileCall callAt(uint32_t Module, uint64_t Address);

  /// The type of the blocks that a stack allocated.
  /// \param Calls innermost first
  /// \param Sizes estimates, which sampling may have scaled
  std::optional<SampleType> typeOf(std::span<const ProfileCall> Calls,
                                   debuginfo::BlockSizes Sizes);

  /// Files that were not used and the reasons, one a line.
  std::vector<std::string> notes() const;

private:
  struct Module {
    ProfileModule Of;
    std::string RawId;
    debuginfo::ProgramFile *File = nullptr; ///< null: not found
    std::string Path;                       ///< File's path
    /// The note to show for samples in this module if its file is missing.
    std::set<std::string> SampleTypes::*Missing = nullptr;
    std::optional<debuginfo::TypeTable> Table;
  };
  void open(Module &M);
  debuginfo::ProgramFile *openGiven(const Module &M, const std::string &Binary);
  const debuginfo::TypeTable &tableOf(Module &M);
  /// The function that \p Call calls, if it is not on the stack because it ends
  /// with a jump to the allocator. nullopt if \p Call calls the allocator
  /// itself, or the function is unknown.
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
