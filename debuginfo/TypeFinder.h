//===- TypeFinder.h - Types of blocks that uninstrumented code allocates --===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Infers the type of the blocks of an allocation site from the program's file:
// library functions and their template arguments, vtables, constructors,
// variables, members, parameters and results, in that order (docs/types.md).
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_DEBUGINFO_TYPEFINDER_H
#define INMEM_DEBUGINFO_TYPEFINDER_H

#include "debuginfo/BlockFlow.h"
#include "debuginfo/TypeNames.h"

namespace inmem::debuginfo {

/// A call that led to the allocation.
struct CallAddress {
  std::string_view Path, BuildId; ///< path and build ID of the file
  uint64_t Offset;                ///< file address of the call's last byte
};

/// The blocks of a site.
struct BlockSizes {
  uint64_t Blocks = 0, Bytes = 0;
  /// The most bytes that an allocator may have added to a block, if sizes are
  /// those of its size classes.
  uint64_t Slack = 0;

  /// True if an object or array elements of \p Size fill blocks.
  bool areFilledBy(uint64_t Size) const {
    return Size != 0 && Bytes % Size <= Slack * Blocks &&
           (Slack == 0 || Bytes >= Size);
  }
  /// As areFilledBy(), for a type that may be another block's: if the mean is a
  /// whole number, blocks probably have one size.
  bool areEachFilledBy(uint64_t Size) const {
    const bool OneSize = Slack == 0 && Blocks != 0 && Bytes % Blocks == 0;
    return OneSize ? Size != 0 && Bytes / Blocks % Size == 0
                   : areFilledBy(Size);
  }
  bool areOneEach(uint64_t Size) const {
    return Bytes >= Blocks * Size && Bytes - Blocks * Size <= Slack * Blocks;
  }
};

enum class FoundBy : uint8_t {
  Nothing,
  Library,     ///< a template argument of a library's function
  Vtable,      ///< a vtable is stored at the block's start
  Constructor, ///< a constructor is called for it
  Variable,
  Member,    ///< it is stored into a member
  Result,    ///< result type of the function that returns it
  Parameter, ///< parameter type of a function that receives it
  Exception, ///< it is thrown
  Symbol,    ///< the name of a function, without debug information
  Bytes      ///< nothing but pointers to characters
};

struct FoundType {
  std::string Name; ///< canonical
  uint64_t Size = 0;
  FoundBy Rule = FoundBy::Nothing;
  /// Two independent rules agree, or the type is a vtable's, and the code
  /// cannot have been folded with another type's.
  bool Certain = false;
  /// The number of innermost calls whose functions allocate for their callers:
  /// they return the block, and have no type for it. With such calls, Name may
  /// be empty.
  size_t Passed = 0;
  /// The index of the call in the function that has the row, if \p Calls end in
  /// the program's own code. Farther calls belong to functions that return the
  /// object.
  size_t Place = 0;
};

/// Not thread-safe. The files outlive it.
class TypeFinder {
public:
  explicit TypeFinder(ProgramFiles &Of);
  ~TypeFinder();

  /// The type of blocks that \p Calls led to, innermost first; none if it is
  /// unknown.
  std::optional<FoundType> find(std::span<const CallAddress> Calls,
                                BlockSizes Sizes);

private:
  struct Program;
  Program *programOf(const CallAddress &Call);
  std::optional<FoundType> findInRust(std::span<const CallAddress> Calls);

  ProgramFiles &Files;
  std::map<ProgramFile *, std::unique_ptr<Program>> Programs;
};

} // namespace inmem::debuginfo

#endif
