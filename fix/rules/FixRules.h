//===- FixRules.h - From a finding to edits ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function for each rule, in the file of its kind. Each proves the
// preconditions of docs/fix.md on the AST, and refuses if it cannot.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_FIX_FIXRULES_H
#define INMEM_FIX_FIXRULES_H

#include "fix/code/Edits.h"

namespace inmem::fix {

// GrowthFix.cpp: vector-regrowth, string-regrowth, rehash
Proposal fixGrowth(const Spot &S);
// HoistFix.cpp: a container that is constructed again in each iteration
std::optional<Proposal> hoist(const Spot &S, const clang::VarDecl &V);
// JoinedFix.cpp: a string that a loop concatenates for each call
std::optional<Proposal> joinInBuffer(const Spot &S);
Proposal fixShortString(const Spot &S);
// TemporaryFix.cpp
Proposal fixTemporary(const Spot &S);
// CopyFix.cpp
Proposal fixCopies(const Spot &S);
/// Moves a local variable that the line copies into an argument at its last
/// use.
std::optional<Proposal> moveAtLastUse(const Spot &S);
// StringCopyFix.cpp
Proposal fixStringCopies(const Spot &S);
// EmplaceFix.cpp: constructs an element in place, and only if its key is new
std::optional<Proposal> emplaced(const Spot &S, bool Copies);
// SharedFix.cpp
Proposal fixSharedPtr(const Spot &S);
// PaddingFix.cpp
Proposal fixPadding(const Spot &S);
// FieldFix.cpp: unread-field, copied-only-field
Proposal fixFields(const Spot &S);
// DequeFix.cpp
Proposal fixShortDeque(const Spot &S);
// NodesFix.cpp: node-churn, phase-arena
Proposal fixNodes(const Spot &S);

} // namespace inmem::fix

#endif // INMEM_FIX_FIXRULES_H
