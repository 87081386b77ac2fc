//===- PlanBuilder.h - Steps of a plan, one after the other -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_PLANBUILDER_H
#define INMEM_RUNTIME_PLANBUILDER_H

#include "graph/Plan.h"

namespace inmem::rt {

class Builder {
public:
  Step &add(Op Kind, uint32_t Offset, const char *Label);
  void use(Step &S, const Plan *Sub);
  /// Flattens \p T at offset \p At of the object. \p Whole: it is not a base.
  void addClass(const inmem_type &T, uint32_t At, const char *Label,
                bool Whole);
  void addField(const inmem_field &F, uint32_t At, const char *Outer);
  void addPointer(uint32_t Offset, const char *Label, const char *TypeName,
                  uint64_t Id);
  void addSmart(const char *TypeName, uint64_t Id, uint32_t Offset,
                uint32_t Size, const char *Label);
  void addBytes(uint32_t Offset, uint32_t Bytes, const char *Label, int32_t If);
  /// Hides the first \p Count pointers, which link the nodes of a container.
  void hidePointers(unsigned Count) {
    for (size_t I = 0; I < Steps.size() && Count; ++I)
      if (Steps[I].Kind == Op::Pointer) {
        Steps[I].Hidden = true;
        --Count;
      }
  }
  /// Completes \p P; null when out of memory.
  const Plan *finish(const inmem_type *Type, Plan &P);

  /// \p Outer with ".Name" appended, unless the name is the library's.
  static const char *label(const char *Outer, const char *Name);
  static const char *text(const char *Text, size_t Length);

private:
  void addArray(const inmem_field &F, uint32_t Offset, const char *Label);

  /// Deeper than any class nests; a damaged record could nest forever.
  static constexpr unsigned kMostDepth = 300;
  Pages<Step> Steps;
  unsigned Depth = 0;
};

// StandardClasses.cpp: Contents of standard classes.
//
// Recognises classes of libstdc++ (10 to 15) and libc++ (16 to 22) by name and
// members, because their layouts are part of their ABI. All other classes are
// treated as ordinary ones.

/// Adds the steps of \p T at \p At; false if it is not a known class.
bool addContainer(Builder &B, const inmem_type &T, uint32_t At,
                  const char *Label);

/// The member of a library's union that is alive whenever the enclosing object
/// is: a libc++ node's value, or the alternative of a libstdc++ variant that
/// its index selects. Null for any other union.
const inmem_field *liveMember(const inmem_type &Union);

/// True if the contents of \p T may not be alive: an optional's value, a
/// variant's alternative.
bool holdsAlternatives(const inmem_type &T);

/// Number of pointers to other nodes at the start of a node of a list, tree or
/// hash table; 0: not a node.
unsigned nodePointers(const char *TypeName);

} // namespace inmem::rt

#endif
