//===- SplitPackage.h - Packages of split DWARF (.dwp) ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A package has the units of many .dwo files, and two tables with the parts of
// its sections that belong to each (DWARF 5, 7.3.5; version 2: GNU's Debug
// Fission for DWARF 4). Debian 12's libdw reads .dwo files alone.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_DEBUGINFO_SPLITPACKAGE_H
#define INMEM_DEBUGINFO_SPLITPACKAGE_H

#include <array>
#include <cstdint>
#include <libelf.h>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace inmem::debuginfo {

/// Not thread-safe.
class SplitPackage {
public:
  /// \param Problem gets a line that names the file, if the file is damaged
  /// \returns null if the file is missing or damaged
  static std::unique_ptr<SplitPackage> open(const std::string &Path,
                                            std::string &Problem);
  /// A .dwo file as a package. \param Fd of the file, which the package closes
  /// \returns null if no types are in units of their own, whose sections libdw
  /// ignores, or the file is damaged
  static std::unique_ptr<SplitPackage> ofUnits(int Fd);
  ~SplitPackage();
  SplitPackage(const SplitPackage &) = delete;
  SplitPackage &operator=(const SplitPackage &) = delete;

  bool has(uint64_t Id) const { return rowOf(Id) != nullptr; }
  /// A .dwo file in memory with the unit \p Id and the types that it refers to;
  /// the caller closes it. -1 if the package has no such unit, or a damaged
  /// one.
  int unit(uint64_t Id) const;

  /// Sections of a unit, with their numbers in version 5's tables. Version 2
  /// stores types as units.
  enum Part : uint8_t {
    kUnit = 1,
    kAbbreviations = 3,
    kLines,
    kLocations,
    kStringOffsets,
    kMacros,
    kRanges,
    kParts
  };
  using Bytes = std::span<const unsigned char>;
  struct Row {
    std::array<Bytes, kParts> Parts;
    unsigned Version = 0; ///< the table's version
  };
  /// The unit of types with that signature; null if there is none.
  const Row *types(uint64_t Signature) const;
  /// All strings, at the offsets that units have.
  Bytes strings() const { return Strings; }

private:
  SplitPackage() = default;
  static std::unique_ptr<SplitPackage> begin(int Fd);
  const Row *rowOf(uint64_t Id) const;
  bool readUnits(bool OfTypes);
  std::vector<Bytes> sections(std::string_view Name);
  Bytes section(std::string_view Name);
  bool readTable(Bytes Table, bool OfTypes, std::map<uint64_t, Row> &Out);

  int Fd = -1;
  Elf *File = nullptr;
  uint64_t FileSize = 0;
  std::string Damage; ///< empty if undamaged
  Bytes Strings;
  bool IsOneUnit = false;               ///< a .dwo file
  std::map<uint64_t, Row> Units, Types; ///< by identifier
};

} // namespace inmem::debuginfo

#endif
