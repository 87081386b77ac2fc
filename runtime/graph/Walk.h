//===- Walk.h - The pointers that an object holds ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows an object's plan and reports each pointer in it. Does not recurse
// along pointers: a list of a million nodes is a loop.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_WALK_H
#define INMEM_RUNTIME_WALK_H

#include "graph/ObjectMemory.h"
#include "graph/Plan.h"

namespace inmem::rt {

enum class Relation : uint8_t {
  Owned,   ///< held by an owning or plain pointer
  Weak,    ///< leads to a control block that others hold
  View,    ///< string_view, span
  Guess,   ///< a word that looks like an address
  Inner,   ///< between the parts of a container
  Control, ///< to a control block
  Element  ///< a container's node or buffer
};

struct Edge {
  uintptr_t Target;
  Relation How;
  const inmem_type *Type; ///< declared pointee; null: unknown
  const Step *Via;
  /// The live part of a container's buffer; 0, 0: all.
  uintptr_t LiveBegin, LiveEnd;
  /// The element number of a node, or of a buffer's first element, in its
  /// container.
  uint64_t Index;
  bool IsElement; ///< Index is valid
};

/// Figures of a container.
struct ContainerFacts {
  const Step *Via;
  uint64_t Elements, Capacity, ElementBytes;
  uint64_t Buckets; ///< bucket count of a hash table; else 0
  /// The buffer that the container must own if these figures are valid; 0
  /// bytes: none.
  uintptr_t Buffer;
  uint64_t BufferBytes;
};

class Walk {
public:
  /// Part of the path from the object's start to the start of an edge.
  struct Piece {
    const char *Label;
    uint64_t Index;
    bool HasIndex;
    const char *Inner; ///< extents of elements that are arrays: "[2][3]"
  };
  using EdgeVisitor = void (*)(void *Context, const Edge &E, const Walk &W);
  using ContainerVisitor = void (*)(void *Context, const ContainerFacts &F,
                                    const Walk &W);

  Walk(Memory &M, void *Context, EdgeVisitor OnEdge,
       ContainerVisitor OnContainer = nullptr)
      : M(M), Context(Context), OnEdge(OnEdge), OnContainer(OnContainer) {}

  /// Reports the pointers in \p Count objects of \p P from \p Address, which
  /// are in \p Bytes of a block; numbers them if \p Indexed. \p Inner: as in a
  /// Piece.
  void objects(const Plan &P, uintptr_t Address, uint64_t Count, uint64_t Bytes,
               bool Indexed, uint64_t FirstIndex = 0,
               const char *Inner = nullptr);

  /// Words that may lead to a block are followed if they are addresses in
  /// [Lowest, Lowest + Extent).
  uintptr_t Lowest = 0, Extent = UINTPTR_MAX;
  /// Maximum number of elements to visit in one container.
  uint64_t MostElements = UINT64_MAX;
  /// Called with live objects of a type: those passed to objects(), and the
  /// present contents of an optional, a variant or a flexible array. Their
  /// types list all other members.
  void (*OnLive)(void *Context, const inmem_type *Type,
                 uint64_t Count) = nullptr;

  const Piece *pieces() const { return Pieces; }
  unsigned pieceCount() const { return PieceCount; }

private:
  /// The object's bytes that were copied.
  struct Frame {
    const char *Bytes;
    uintptr_t Address;
    uint64_t Size;
    uintptr_t BlockEnd;
    uint64_t word(uint32_t Offset) const {
      uint64_t Value = 0;
      if (Offset + sizeof Value <= Size)
        memcpy(&Value, Bytes + Offset, sizeof Value);
      return Value;
    }
    uint64_t small(uint32_t Offset, unsigned Length) const {
      uint64_t Value = 0;
      if (Offset + Length <= Size && Length <= sizeof Value)
        memcpy(&Value, Bytes + Offset, Length);
      return Value;
    }
  };

  /// False if the object was destroyed.
  bool run(const Plan &P, const Frame &F);
  void step(const Step &S, const Frame &F);
  void guesses(const Step &S, const Frame &F);
  void array(const Step &S, const Frame &F, uint64_t Count);
  void variant(const Step &S, const Frame &F);
  void vector(const Step &S, const Frame &F);
  void deque(const Step &S, const Frame &F);
  void libcxxDeque(const Step &S, const Frame &F);
  void chain(const Step &S, const Frame &F, uint32_t NextAt, uint64_t Buckets);
  void tree(const Step &S, uintptr_t First, uintptr_t End, unsigned Left,
            unsigned Right, unsigned Parent);
  void string(const Step &S, const Frame &F);
  void libcxxString(const Step &S, const Frame &F);
  void shared(const Step &S, const Frame &F);
  uintptr_t nextInTree(uintptr_t Node, unsigned Left, unsigned Right,
                       unsigned Parent, uintptr_t End);

  void emit(const Step &S, uintptr_t Target, Relation How,
            const inmem_type *Type = nullptr);
  void tellElement(const Step &S, uintptr_t Target, uint64_t Index);
  void tellBuffer(const Step &S, uintptr_t Target, uintptr_t LiveBegin,
                  uintptr_t LiveEnd, uint64_t Index);
  void tellContainer(const ContainerFacts &F) {
    if (OnContainer)
      OnContainer(Context, F, *this);
  }
  /// A container of nodes has no spare capacity.
  void tellNodes(const Step &S, uint64_t Elements) {
    tellContainer({&S, Elements, Elements, 0, 0, 0, 0});
  }
  void tellLive(const inmem_type *Type, uint64_t Count) {
    if (OnLive && Type && Count)
      OnLive(Context, Type, Count);
  }
  bool enter(const char *Label, uint64_t Index, bool HasIndex,
             const char *Inner = nullptr);
  void leave() { --PieceCount; }

  static constexpr unsigned kMostPieces = 24;
  Memory &M;
  void *Context;
  EdgeVisitor OnEdge;
  ContainerVisitor OnContainer;
  Piece Pieces[kMostPieces];
  unsigned PieceCount = 0;
  Pages<char> Copied;
};

} // namespace inmem::rt

#endif
