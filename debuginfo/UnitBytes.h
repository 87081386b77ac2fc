//===- UnitBytes.h - A unit of debug information as bytes -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_DEBUGINFO_UNITBYTES_H
#define INMEM_DEBUGINFO_UNITBYTES_H

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <vector>

namespace inmem::debuginfo {

/// A unit of 32-bit DWARF 4 or 5 that no libdw has opened.
class UnitBytes {
public:
  using Bytes = std::span<const unsigned char>;
  /// \param Abbreviations those of the unit's file
  UnitBytes(Bytes Unit, Bytes Abbreviations)
      : Unit(Unit), Abbreviations(Abbreviations) {}

  /// Reads all entries, and adds the signatures of types that they refer to.
  /// \param OfTypes the section is .debug_types \returns false if the data is
  /// damaged, or has an unknown form
  bool read(bool OfTypes, std::set<uint64_t> &Signatures);

  uint64_t abbreviationsAt() const { return TableAt; }
  /// The offset of that number in the header.
  size_t abbreviationsField() const { return TableField; }
  /// Of the first entry.
  uint64_t rootCode() const { return Root; }
  /// The unit's table, with another attribute of the first entry, whose value
  /// is in the table.
  std::vector<unsigned char> abbreviationsWith(unsigned Attribute,
                                               uint64_t Value) const;

private:
  struct Form {
    uint64_t Attribute, Number;
  };
  struct Abbreviation {
    std::vector<Form> Forms;
    size_t End; ///< end of the last form, in the file's abbreviations
  };
  bool readTable();
  bool skip(uint64_t Number, size_t &At, std::set<uint64_t> &Signatures) const;

  Bytes Unit, Abbreviations;
  uint64_t TableAt = 0, Root = 0;
  size_t TableField = 0, TableEnd = 0;
  unsigned AddressSize = 8;
  std::map<uint64_t, Abbreviation> Table; ///< by code
};

} // namespace inmem::debuginfo

#endif
