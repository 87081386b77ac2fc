//===- AccessNames.h - the fields that loads and stores access --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names the bits of which class an instruction reads or writes, after all
// optimisations. Metadata of our own would not survive them; these do:
// - the source location, which the AST half knows the members of;
// - the path in TBAA metadata;
// - what other accesses through the same pointer say about it;
// - the alternatives of an address that is chosen (`c ? a->x : a->y`);
// - for code of a library that was inlined, the call on a member that it was
//   inlined for.
#ifndef INMEM_PLUGIN_IR_ACCESSNAMES_H
#define INMEM_PLUGIN_IR_ACCESSNAMES_H

#include "SiteTable.h"
#include "ir/Pipeline.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instructions.h"

namespace inmem {

/// Bits of an object of class Owner.
struct ObjectBits {
  const TypeInfo *Owner = nullptr;
  uint64_t First = 0, Bits = 0;
  bool BitField = false;
  bool operator==(const ObjectBits &O) const {
    return Owner == O.Owner && First == O.First && Bits == O.Bits;
  }
};

/// An access by an instruction to one address.
struct Access {
  llvm::Instruction *At;
  llvm::Value *Pointer;
  uint64_t Bytes; ///< 0: not a constant
  bool Read, Write;
};

class AccessNames {
public:
  struct Name {
    ObjectBits Of;
    const llvm::DILocation *Where; ///< null: unknown
    FunctionFacts::MemberRole Role = FunctionFacts::Other;
    bool OneOf = false; ///< one of several fields is accessed
    bool Any = false;   ///< some field within these bits
    bool Guess = false; ///< may be other fields, too
  };

  AccessNames(const PipelineState &State, const SiteTable &Table);

  /// Collects all accesses of a function. They are valid until the next call.
  void read(llvm::Function &F);
  llvm::ArrayRef<Access> accesses() const { return Accesses; }
  /// Empty if the access has no known name.
  llvm::SmallVector<Name, 2> names(const Access &A) const;
  /// \p A may read fields that \p Found, its names, does not have.
  bool isLost(const Access &A, llvm::ArrayRef<Name> Found) const;
  /// All bits that a wide access may read around the named ones.
  std::optional<ObjectBits> around(const Access &A) const;
  /// The member that \p Call calls a function on.
  std::optional<Name> objectOf(const llvm::CallBase &Call) const;
  /// The linkage name of \p F as it was written.
  llvm::StringRef nameOf(const llvm::Function &F) const;
  /// The linkage name of the function that contains \p Loc in the source.
  llvm::StringRef functionOf(const llvm::DILocation &Loc) const;

  /// True for stack objects and variables, whose accesses are not counted.
  static bool isLeftOut(const llvm::Value *Pointer);
  bool isLibrary(const TypeInfo *Owner) const { return Library.count(Owner); }

private:
  struct FunctionIndex {
    const FunctionFacts *Facts = nullptr;
    llvm::DenseMap<std::pair<unsigned, unsigned>,
                   llvm::SmallVector<const MemberFact *, 2>>
        ByPlace;
  };
  /// A pointer, as the class of its object and its offset in bits from the
  /// object's start.
  struct Anchor {
    const TypeInfo *Owner = nullptr;
    int64_t Bits = 0;
  };

  /// \p Pointer as a pointer and a constant distance from it in bits.
  static std::pair<const llvm::Value *, int64_t>
  rootOf(const llvm::Value *Pointer, const llvm::DataLayout &Layout);

  const FunctionIndex &indexOf(const llvm::DISubprogram &Subprogram) const;
  const FunctionIndex &indexOf(const llvm::DILocation &Loc) const {
    return indexOf(*Loc.getScope()->getSubprogram());
  }
  llvm::StringRef nameOf(const llvm::DISubprogram *Subprogram) const;
  llvm::SmallVector<ObjectBits, 2> byUse(const Access &A) const;
  llvm::SmallVector<ObjectBits, 2> chosenAt(const llvm::DILocation &Loc,
                                            const Access &A) const;
  llvm::ArrayRef<const MemberFact *> factsAt(const llvm::DILocation &Loc) const;
  FunctionFacts::MemberRole roleAt(const llvm::DILocation *Loc) const;
  bool isInLibrary(const llvm::DILocation &Loc) const;
  std::optional<ObjectBits> byLocation(const Access &A) const;
  std::optional<ObjectBits> byAlias(const Access &A) const;
  std::optional<ObjectBits> byAnchor(const Access &A) const;
  std::optional<ObjectBits> at(const llvm::Value *Pointer, int64_t Bits,
                               uint64_t Bytes) const;
  std::optional<ObjectBits> direct(const Access &A) const;
  /// The addresses that \p Pointer may have; empty if there are too many.
  llvm::SmallVector<std::pair<const llvm::Value *, int64_t>, 4>
  alternatives(const llvm::Value *Pointer) const;
  /// True if code chose between addresses and reads what it chose.
  bool isChoice(const Access &A) const;
  void adaptUnit(const Access &A, ObjectBits &Of) const;
  bool isForWrite(const Access &A) const;
  void widen(const Access &A, ObjectBits &Of) const;
  /// The first bit of \p A in an object of class \p Owner, derived from its
  /// address.
  std::optional<uint64_t> firstBit(const Access &A,
                                   const TypeInfo *Owner) const;
  /// The members that functions are called on at \p Loc.
  llvm::SmallVector<ObjectBits, 1>
  calledMembers(const llvm::DILocation &Loc) const;
  std::optional<Name> callerMember(const llvm::DILocation *Loc) const;
  void addAccesses(llvm::Instruction &I);
  void add(llvm::Instruction &I, llvm::Value *Pointer, uint64_t Bytes,
           bool Read, bool Write);
  void findAnchors();

  const PipelineState &State;
  const SiteTable &Table;
  const llvm::DataLayout *Layout = nullptr;
  llvm::SmallPtrSet<const TypeInfo *, 16> Library;
  std::vector<Access> Accesses;
  llvm::DenseMap<const llvm::Value *, Anchor> Anchors;
  mutable llvm::DenseMap<const llvm::DISubprogram *,
                         std::unique_ptr<FunctionIndex>>
      Indexes;
};

} // namespace inmem

#endif // INMEM_PLUGIN_IR_ACCESSNAMES_H
