//===- Analysis.h - Results of a heap snapshot ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plain results for printers. Node 0 of the graph is everything outside the
// heap, object N is node N + 1.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_HEAP_ANALYSIS_H
#define INMEM_HEAP_ANALYSIS_H

#include "heap/Dominators.h"
#include "heap/HeapFile.h"

#include <optional>
#include <string>

namespace inmem::heap {

/// The ways in which the program can still reach an object.
enum class Reach : uint8_t {
  Reachable,
  Unreachable, ///< nothing leads to it
  Unknown,     ///< nothing recorded leads to it, but the record is incomplete
  OnlyItself,  ///< only its own descendants lead to it: a cycle
  HeldByLeaked ///< only unreachable objects lead to it
};
const char *nameOf(Reach R);

struct TypeSum {
  std::string_view Type; ///< empty: unknown
  uint64_t Objects = 0, Bytes = 0;
  /// Bytes that would be freed if all objects of the type were freed.
  uint64_t Retained = 0;
};

/// As above, by the name that reports give the blocks.
struct KindSum {
  uint32_t Name = 0; ///< index into Analysis::Names
  uint64_t Objects = 0, Bytes = 0, Retained = 0;
};

struct Leak {
  std::string_view Type;
  uint32_t Site = 0;
  Reach How = Reach::Unreachable;
  uint64_t Objects = 0, Bytes = 0, Retained = 0;
  std::optional<uint64_t> AgeNs; ///< age of the oldest
};

/// Blocks of one type, size and line whose content equals another block's. A
/// content that occurs at several lines counts for one of them.
struct Duplicate {
  std::string_view Type;
  uint64_t Size = 0, Copies = 0;
  uint64_t Contents = 0; ///< distinct contents: as many blocks would suffice
  uint32_t Site = 0;     ///< site of one of them
  uint64_t wasted() const { return (Copies - Contents) * Size; }
};

/// Containers of one name at one place with more room than elements.
struct Sparse {
  std::string_view Owner, Field, Container;
  uint64_t Containers = 0, Elements = 0, Capacity = 0, Wasted = 0;
};

struct Collection {
  std::string_view Owner, Field, Container;
  uint32_t Object = 0;
  uint64_t Elements = 0, Retained = 0;
};

struct Padding {
  std::string_view Type;
  uint64_t BytesEach = 0, Objects = 0;
  std::vector<std::string> Order; ///< member order that saves BytesEach
  uint64_t bytes() const { return BytesEach * Objects; }
};

/// The globals of a file or the stack of a thread.
struct RootSum {
  RootKind Kind = RootKind::Global;
  std::string_view Where;
  uint64_t Objects = 0, Retained = 0; ///< held by nothing else
  /// Bytes that no root of another place leads to. For a variable, stacks and
  /// registers do not count: earlier calls may have left pointers there. The
  /// value exceeds Retained if several roots of this place lead to the same
  /// objects.
  uint64_t Alone = 0;
};

struct Analysis {
  DominatorTree Tree;
  std::vector<uint64_t> Retained; ///< by object
  std::vector<Reach> Reaches;     ///< by object
  /// The last step of the shortest path from a root to an object: an edge or,
  /// if From is kNoNode, Roots[Via].
  struct Step {
    uint32_t From = kNoNode;
    uint64_t Via = 0;
  };
  std::vector<Step> Reached;
  std::vector<std::string> Names; ///< names of blocks, as in reports
  std::vector<uint32_t> NameOf;   ///< by object: index into Names
  std::vector<TypeSum> Types;     ///< the most retained first
  std::vector<KindSum> Kinds;     ///< the most retained first
  std::vector<Leak> Leaks;        ///< the most bytes first
  std::vector<Duplicate> Duplicates;
  std::vector<Sparse> SparseOnes;
  std::vector<Collection> Collections;
  std::vector<Padding> Paddings;
  std::vector<RootSum> Roots;
  /// In a partial snapshot, nothing counts as unreachable.
  uint64_t Bytes = 0, ReachableBytes = 0, UnreachableBytes = 0;
  uint64_t LeakedObjects = 0;

  const std::string &name(uint32_t Object) const {
    return Names[NameOf[Object]];
  }
};

Analysis analyse(const Heap &H);

/// A path of objects, of which a root holds the first. Printers choose the
/// parts to print.
std::vector<Analysis::Step> pathTo(const Analysis &A, uint32_t Object);

/// Objects of one name that objects of other names hold alone.
struct HeldNode {
  uint32_t Parent = 0; ///< node that holds them; precedes this one
  uint32_t Name = 0;   ///< index into Names; any for node 0, the roots
  uint64_t Objects = 0;
  uint64_t Bytes = 0; ///< including parts too small to show
};

/// The dominator tree, in which objects with one name that are held the same
/// way form one node. A name occurs at most once on any path from node 0: nodes
/// that hold their own name are merged. Nodes that retain less than \p
/// LeastRetained bytes are part of their holder.
std::vector<HeldNode> heldByType(const Heap &H, const Analysis &A,
                                 uint64_t LeastRetained);

// Steps of analyse().
/// Sets the reach of objects that no root leads to. \returns the first object
/// of each leak
std::vector<uint32_t> findLeaks(const Heap &H, Analysis &A);
void sumLeaks(const Heap &H, Analysis &A);
void findDuplicates(const Heap &H, Analysis &A);
void findSparse(const Heap &H, Analysis &A);
void findCollections(const Heap &H, Analysis &A);
void findPadding(const Heap &H, Analysis &A);

} // namespace inmem::heap

#endif
