//===- ProgramFile.h - A program or library, and its debug information ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything is read on first use: units by their address ranges, the functions
// of a unit at the first look-up in it. Addresses are relative to the file, as
// for addr2line. Not thread-safe.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_DEBUGINFO_PROGRAMFILE_H
#define INMEM_DEBUGINFO_PROGRAMFILE_H

#include "debuginfo/SplitFiles.h"
#include "debuginfo/TypeNames.h"
#include "debuginfo/UnitLines.h"
#include "debuginfo/UnitScopes.h"

#include <elfutils/libdwfl.h>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace inmem::debuginfo {

class ProgramFile {
public:
  /// \param Problems gets a line for each damaged file of debug information
  explicit ProgramFile(SplitFiles::Report Problems = {})
      : Problems(std::move(Problems)) {}
  ~ProgramFile();
  ProgramFile(const ProgramFile &) = delete;
  ProgramFile &operator=(const ProgramFile &) = delete;

  /// Opens \p File. \param BuildId its raw bytes; empty if unknown \param
  /// DebugFolders absolute paths of trees of separate debug files, separated by
  /// colons; empty for the system's \returns false if the file cannot be read,
  /// or is of another build
  bool open(const std::string &File, std::string_view BuildId,
            const std::string &DebugFolders);

  /// The unit that contains code at \p Address; null if none does.
  Dwarf_Die *unitAt(uint64_t Address);
  /// Valid until trim(), as are lines and scopes of units.
  UnitFunctions &functionsOf(Dwarf_Die *Unit);
  const UnitLines &linesOf(Dwarf_Die Unit) { return Lines.of(Unit); }
  /// Bounds the memory: forgets units that were used longest ago, and gives
  /// back pages of the file. They are read again when they are needed.
  void trim();

  struct Symbol {
    uint64_t Start, End;
    int64_t Rank; ///< among symbols at one address, the lowest is best
    const char *Name;
  };
  /// The innermost function of the symbol table at \p Address; null if none is
  /// known.
  const Symbol *symbolAt(uint64_t Address);
  /// The function of that linkage name; null if none is known.
  const Symbol *symbolNamed(std::string_view Name);
  /// Names of all functions that begin exactly at \p Address.
  std::vector<const char *> symbolsStartingAt(uint64_t Address);
  /// The object (a vtable, a typeinfo) that begins at \p Address; null if its
  /// symbol is unknown.
  const char *objectAt(uint64_t Address);

  /// The address of the variable with that linkage name that other units may
  /// use; none if it is unknown.
  std::optional<uint64_t> objectNamed(std::string_view Name);

  /// Bytes of a loaded section from \p Address to its end; empty if the file
  /// has none there.
  std::span<const unsigned char> bytesAt(uint64_t Address);
  /// The address that the loader stores at \p Address, or the name of another
  /// file's symbol with that address.
  struct Stored {
    uint64_t Address = 0;
    const char *Symbol = nullptr;
  };
  Stored storedAt(uint64_t Address);
  /// The name of the function that the import stub at \p Address calls; null
  /// if it is not one.
  const char *importAt(uint64_t Address);

  /// EM_X86_64, EM_AARCH64, …
  int machine();
  /// True for an executable, false for a shared library.
  bool isProgram();
  /// True if the linker may have given one body to several functions.
  bool linkerMayFold();
  /// The file with code, which a separate debug file lacks.
  Elf *elf();
  Dwfl_Module *module() { return Module; }
  Dwarf_CFI *unwindTable();
  /// Spelling of its types and functions.
  TypeNames &names() { return Names; }

private:
  void findUnits();
  void findSymbols();
  void findRelocations();

  SplitFiles::Report Problems;
  std::unique_ptr<SplitFiles> Split; ///< null: libdw finds all units
  Dwfl *Session = nullptr;
  LineReader Lines;
  TypeNames Names{Lines};
  Dwfl_Module *Module = nullptr;
  uint64_t Bias = 0; ///< added to the file's addresses by the session
  /// Units by the end of each of their ranges. Not every compiler writes
  /// .debug_aranges.
  struct Range {
    uint64_t Start;
    Dwarf_Die Unit;
  };
  std::map<uint64_t, Range> Units;
  std::vector<Dwarf_Die> WithoutRanges;       ///< units to be walked
  Recent<Dwarf_Off, UnitFunctions> Functions; ///< by unit offset
  unsigned UnitsRead = 0;                     ///< since pages were released
  Dwarf_Addr DwarfBias = 0;
  /// libdwfl scans all symbols in each look-up.
  std::vector<Symbol> Symbols;
  std::map<std::string_view, size_t> ByName; ///< filled by symbolNamed()
  std::map<uint64_t, const char *> Objects;
  std::vector<std::pair<std::string_view, uint64_t>> Variables; ///< by name
  std::map<uint64_t, std::span<const unsigned char>> Sections;
  std::map<uint64_t, Stored> Relocations;
  bool HasUnits = false, HasSymbols = false, HasRelocations = false;
};

/// The files that a trace's modules name, each opened once.
class ProgramFiles {
public:
  /// \param DebugFolders trees with .build-id/ab/cdef.debug, searched before
  /// the system's
  explicit ProgramFiles(std::vector<std::string> DebugFolders = {});

  /// \p Do gets a line for each damaged file of debug information.
  void onProblem(SplitFiles::Report Do) { Problems = std::move(Do); }

  /// The module's file, or another of its build; null if neither exists.
  ProgramFile *open(std::string_view Path, std::string_view BuildId);

private:
  std::vector<std::string> Folders;
  std::string DebugPath;
  SplitFiles::Report Problems;
  std::map<std::string, std::unique_ptr<ProgramFile>> Files;
};

} // namespace inmem::debuginfo

#endif
