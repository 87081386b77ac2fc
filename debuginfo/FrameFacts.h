//===- FrameFacts.h - Evidence of a block's type in one function ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_DEBUGINFO_FRAMEFACTS_H
#define INMEM_DEBUGINFO_FRAMEFACTS_H

#include "debuginfo/LibraryRules.h"
#include "debuginfo/TypeFinder.h"

#include <tuple>
#include <unordered_map>

namespace inmem::debuginfo {

/// A type that a function associates with the block.
struct Evidence {
  FoundBy Rule = FoundBy::Nothing;
  std::string Name;                ///< canonical
  uint64_t Size = 0;               ///< 0: unknown
  std::optional<uint64_t> OpenEnd; ///< see openEndOf()
  std::optional<Dwarf_Die> Class;  ///< empty if not a class
  bool Polymorphic = false;
  /// The type is a character type or void.
  bool IsBytes = false;
  /// The code does not show that the type is the block's: it counts only for
  /// blocks of its size.
  bool OnlyExact = false;
  /// Pieces of evidence with the same number are members that share bytes in a
  /// union: only one that fits alone counts. 0: not in a union.
  uint64_t Alternatives = 0;
  /// The type has a destructor, so that blocks of operator new[] do not begin
  /// with such an object.
  bool HasDestructor = false;
};

/// The facts of one call's function that do not depend on block sizes.
struct FrameFacts {
  std::vector<Evidence> All; ///< in code order
  std::optional<Evidence> Library;
  /// The library's function is not inlined, so that its code may be another's.
  bool LibraryIsOutOfLine = false;
  /// Classes of the functions there, innermost first.
  std::vector<std::string> Classes;
  /// The innermost function is a member of the first class.
  bool IsInMember = false;
  /// The offset in the block of the address that the function returns.
  std::optional<int64_t> Returned;
  /// The parameter, from 0, through which it stores the block's address, if it
  /// does not return the address.
  std::optional<unsigned> StoredTo;
  /// It returns the block, or stores it for its caller, as an untyped pointer,
  /// and does not keep it.
  bool HandsOut = false;
  /// It stores the block's address, other than for its caller.
  bool IsStored = false;
  /// It belongs to the C++ library, or to a file without debug information.
  bool IsLibrary = true;
  /// Its call gets a constant as the block's size, which is not a parameter in
  /// the source: it allocates for itself, though it returns the block.
  bool HasConstantSize = false;
  /// It has no result: a block that remains in the result register was not
  /// returned.
  bool HasNoResult = false;
  /// The caller is Rust's library, which allocates for its own caller. Only
  /// Library is set, because the call does not return the block.
  bool IsRustLibrary = false;
  bool InRust = false; ///< compiled by rustc
  /// The call is to operator new[].
  bool OfArrayNew = false;
  /// Another function's code may have been folded into this one.
  bool MayBeFolded = false;
  /// The code is that of several functions of C++, by their names.
  bool IsFolded = false;
  /// It is main or another function that is never folded.
  bool IsUnique = false;
};

/// True if an object of \p Outer begins with one of \p Inner.
bool beginsWith(Dwarf_Die Outer, Dwarf_Die Inner);

/// The facts of one file, cached. Not thread-safe.
class FactReader {
public:
  explicit FactReader(ProgramFile &Of)
      : File(Of), Decode(Of.machine()), Names(Of.names()) {}

  /// \param Call the last byte of a call that returns an address \p Offset
  /// bytes into the block \param StoredTo the argument, from 0, through which
  /// it stores the address instead
  const FrameFacts &factsOf(uint64_t Call, int64_t Offset,
                            std::optional<unsigned> StoredTo = std::nullopt);
  /// Forgets facts about code and units that were used longest ago. Those that
  /// factsOf() returned stay.
  void trim();

private:
  using Place = std::tuple<uint64_t, int64_t, std::optional<unsigned>>;
  FrameFacts read(const Place &Of);
  const std::map<Dwarf_Addr, Dwarf_Die> &globalsOf(Dwarf_Die *Unit);
  void addFact(FrameFacts &Out, const BlockFact &Fact, int64_t Offset,
               Dwarf_Die *Unit);
  Dwarf_Die *unitAt(uint64_t Address);
  Evidence ofType(FoundBy Rule, std::optional<Dwarf_Die> Type);
  Evidence readType(std::optional<Dwarf_Die> Type);
  void addPointer(FrameFacts &Out, FoundBy Rule,
                  std::optional<Dwarf_Die> Pointer);
  void addVariable(FrameFacts &Out, const VariablePlace &Place);
  void addCharacters(FrameFacts &Out, const VariablePlace &Place);
  void addArgument(FrameFacts &Out, const BlockFact &Fact);
  void addVtable(FrameFacts &Out, const BlockFact &Fact, Dwarf_Die *Unit);
  /// FunctionFacts.cpp: facts that do not depend on the block.
  void describeFunction(FrameFacts &Out, Dwarf_Die *Unit,
                        const std::vector<Dwarf_Die> &Scopes, uint64_t Call);
  void addRust(FrameFacts &Out, Dwarf_Die Unit,
               const std::vector<Dwarf_Die> &Scopes);
  const char *calleeOf(uint64_t Call);
  bool hasOwnSize(uint64_t Call, const std::vector<Dwarf_Die> &Scopes);
  std::string classOfTypeinfo(uint64_t Address, const char *Import);
  std::optional<Dwarf_Die> classNamed(const std::string &Name, Dwarf_Die Unit);
  std::optional<Dwarf_Die> constructedBy(Dwarf_Die Function);
  bool mayBeFolded(Dwarf_Die *Unit, uint64_t Function);
  bool isFolded(uint64_t Function);

  ProgramFile &File;
  Decoder Decode;
  TypeNames &Names;
  std::optional<bool> LinkerFolds;
  std::map<Place, FrameFacts> Known;
  Recent<const void *, std::map<Dwarf_Addr, Dwarf_Die>> Globals; ///< by unit
  Recent<const void *, Variables> VariablesOf; ///< by function
  Recent<const void *, Evidence> OfTypes;      ///< by type
  std::map<const void *, bool> Unnamed;        ///< units that lack namespaces
  /// Classes of one unit with one name, without template arguments.
  struct Classes {
    std::vector<Dwarf_Die> All;
    bool AreSpelled = false;
    std::unordered_map<std::string, Dwarf_Die> ByName, ByText;
  };
  Recent<const void *, std::unordered_map<std::string_view, Classes>>
      ClassesOf; ///< by unit
  ReturnedArguments Returned;
};

} // namespace inmem::debuginfo

#endif
