//===- SplitFiles.h - Units of split DWARF that libdw cannot find ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Debian 12's libdw opens a unit's .dwo file by the name in its skeleton. Units
// of packages, files that zstd compresses, and those with types in units of
// their own are given to it in memory: in a copy of the program's file, all
// skeletons name one file descriptor.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_DEBUGINFO_SPLITFILES_H
#define INMEM_DEBUGINFO_SPLITFILES_H

#include "debuginfo/SplitPackage.h"

#include <elfutils/libdw.h>
#include <functional>
#include <set>
#include <vector>

namespace inmem::debuginfo {

/// Belongs to one file. Not thread-safe.
class SplitFiles {
public:
  using Report = std::function<void(const std::string &)>;

  /// \param To gets a line for each damaged package or unit
  explicit SplitFiles(Report To)
      : Problems(To ? std::move(To) : [](const std::string &) {}) {}
  ~SplitFiles();
  SplitFiles(const SplitFiles &) = delete;
  SplitFiles &operator=(const SplitFiles &) = delete;

  /// \param File that has the skeletons; stays open \param Fd of the same
  /// file; stays open \param Path its path \param Programs paths beside which
  /// its package may be
  /// \returns a copy of the file, which the caller closes; -1: libdw finds all
  /// units by itself, or the file has none
  int prepare(Dwarf *File, int Fd, const std::string &Path,
              const std::vector<std::string> &Programs);

  /// Lets libdw open the unit of skeleton \p Unit before libdw looks for it
  /// itself. Does nothing for other units.
  void attach(Dwarf_Die Unit);

private:
  struct Skeleton {
    std::string Name, Folder;
  };
  int openUnit(const Skeleton &Of, bool &Changed) const;
  bool isNeeded(const std::vector<std::string> &Programs);

  Report Problems;
  std::string Folder; ///< the file's folder
  std::unique_ptr<SplitPackage> Package;
  std::string PackagePath;
  std::map<uint64_t, Skeleton> Skeletons; ///< by identifier
  std::set<uint64_t> Attached;
  int Slot = -1, Empty = -1; ///< descriptors: current unit, empty file
};

} // namespace inmem::debuginfo

#endif
