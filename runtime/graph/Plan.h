//===- Plan.h - Where an object of a type holds pointers --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computed once from a type's description: its bases and embedded classes are
// flattened, and classes of libstdc++ and libc++ that hold others are replaced
// by their contents. Needs GraphLock.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_PLAN_H
#define INMEM_RUNTIME_PLAN_H

#include "graph/Types.h"

namespace inmem::rt {

enum class Op : uint8_t {
  Pointer,      ///< the word leads to an object of Type
  Guess,        ///< the word may lead to a block: void *, an integer
  Guesses,      ///< A bytes of such words, if the word at B is not 0 (B < 0:
                ///< whatever it is)
  Array,        ///< A elements, B bytes apart, each described by Sub
  Flexible,     ///< an array that ends with the block
  Engaged,      ///< Sub, if the byte at B is not 0
  Variant,      ///< Sub + n, where n is the A-byte number at B
  Vector,       ///< begin at 0, end at A, end of storage at B, from Offset
  Deque,        ///< libstdc++: map; start at A, finish at B
  LibcxxDeque,  ///< first, begin, end of the map; start at A, size at B
  Chain,        ///< nodes from the word at Offset, next at A in each, up to
                ///< the address of the object at B (B < 0: up to null)
  Buckets,      ///< a hash table's array of pointers to nodes
  Hash,         ///< its nodes, from the word at Offset; A: where the number of
                ///< buckets is
  Tree,         ///< libstdc++: header at Offset
  LibcxxTree,   ///< first node; the end node is at B
  String,       ///< libstdc++: length at A, inline buffer at B
  LibcxxString, ///< libc++: three words
  View,         ///< words: pointer, count (at A)
  Shared,       ///< object, control block
  Weak
};

struct Step {
  Op Kind;
  bool Hidden; ///< an unnamed pointer between nodes; keeps nothing alive
  uint32_t Offset;
  int32_t A, B;
  uint32_t SubCount;
  const char *Label;      ///< ".cache.entries"; "" if unnamed
  const inmem_type *Type; ///< pointee or element; null: no description
  const char *TypeName;   ///< the field's or container's
  const Plan *const *Subs;
};

struct Plan {
  const inmem_type *Type;
  const Step *Steps;
  uint32_t Count;
  uint64_t Size;
  bool Control; ///< a control block of shared_ptr, of either library
  bool Libcxx;  ///< of libc++
};

/// The plan of a described type; null for null or when out of memory.
const Plan *planOf(const inmem_type *Type);

/// The plan of a pointer, for arrays of pointers; \p Name: "Foo *".
const Plan *planOfPointer(const char *Name);

} // namespace inmem::rt

#endif
