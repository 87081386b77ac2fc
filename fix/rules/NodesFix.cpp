//===- NodesFix.cpp - Nodes of a local container from a pool --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fix/code/Loops.h"
#include "fix/rules/FixRules.h"

using namespace clang;
using llvm::StringRef;

namespace inmem::fix {

static constexpr StringRef kNodes[] = {"map",
                                       "set",
                                       "multimap",
                                       "multiset",
                                       "unordered_map",
                                       "unordered_set",
                                       "unordered_multimap",
                                       "unordered_multiset",
                                       "list",
                                       "forward_list"};

/// The reason why a use prevents changing the allocator of the container or its
/// elements; empty if it does not.
static std::string objection(const Spot &S, const DeclRefExpr &Ref) {
  const auto U = memberUseOf(S, Ref);
  if (!U) {
    for (const Stmt *P = &Ref; P; P = parentOf(S, *P)) {
      if (const VarDecl *V = initialisedBy(S, *P))
        if (V->isImplicit()) // implicit in a range-based loop
          return {};
      if (!isa<Expr>(P))
        break;
    }
    return "its type is part of an interface, or it is copied";
  }
  if (U->Name == "operator=" || U->Name == "swap" || U->Name == "merge" ||
      U->Name == "splice" || U->Name == "extract" || U->Name == "get_allocator")
    return "it exchanges nodes with others";
  for (const Stmt *P = U->Call; P; P = parentOf(S, *P))
    if (const VarDecl *V = initialisedBy(S, *P)) {
      if (!V->getType()->getContainedAutoType() &&
          !V->getType()->isArithmeticType())
        return "its iterators' type is written out";
      break;
    } else if (!isa<Expr>(P)) {
      break;
    }
  return {};
}

/// True if a loop in the variable's scope calls members accepted by the
/// predicate.
static bool repeats(const Spot &S, const VarDecl &V,
                    llvm::function_ref<bool(StringRef)> IsMember) {
  return llvm::any_of(
      usesOf(V, S.Function->getBody()), [&](const DeclRefExpr *Ref) {
        const auto U = memberUseOf(S, *Ref);
        return U && IsMember(U->Name) && outermostLoop(S, *U->Call, V);
      });
}

static bool takesOut(StringRef Member) {
  return Member.substr(0, 4) == "pop_" || Member == "erase" ||
         Member == "clear" || Member.substr(0, 6) == "remove" ||
         Member == "assign" || Member == "resize" || Member == "unique";
}

static bool putsIn(StringRef Member) {
  return Member.contains("emplace") || Member.contains("insert") ||
         Member.substr(0, 5) == "push_" || Member == "operator[]";
}

Proposal fixNodes(const Spot &S) {
  if (!S.Function || !S.Function->getBody())
    return refuse("the line is in no function: it has moved");
  const VarDecl *V = nullptr;
  for (const Stmt *Node : S.At)
    if (const auto U = memberUse(*Node))
      if (const VarDecl *Of = variableOf(U->Object);
          Of && isStd(Of->getType(), kNodes) && !isa<ParmVarDecl>(Of) &&
          !Of->getType()->isReferenceType())
        V = Of;
  if (!V || !V->hasLocalStorage() || V->getDeclContext() != S.Function)
    return refuse("the blocks are not nodes of a local container");
  if (!S.Context.getLangOpts().CPlusPlus17)
    return refuse("std::pmr needs C++17");
  const DeclStmt *Made = statementOf(S, *V);
  const auto *Init = dyn_cast_or_null<CXXConstructExpr>(
      V->getInit() ? V->getInit()->IgnoreImplicit() : nullptr);
  if (!Made || !Init || !Init->getConstructor()->isDefaultConstructor())
    return refuse("the container does not begin empty");
  const std::string Type =
      textOf(S, V->getTypeSourceInfo()->getTypeLoc().getSourceRange());
  if (StringRef(Type).substr(0, 5) != "std::" ||
      StringRef(Type).contains("allocator"))
    return refuse("its type is not written out there");
  for (const DeclRefExpr *Ref : usesOf(*V, S.Function->getBody()))
    if (std::string Why = objection(S, *Ref); !Why.empty())
      return refuse(Why);
  // A pool reuses nodes that a loop removes, and nodes that emplace() returns
  // for an existing key; an arena would only grow.
  const bool OnePerKey =
      isStd(V->getType(), {"map", "set", "unordered_map", "unordered_set"});
  const bool Churns = repeats(S, *V, [&](StringRef Member) {
    return takesOut(Member) || (OnePerKey && Member.substr(0, 7) == "emplace");
  });
  if (!Churns && !repeats(S, *V, putsIn))
    return refuse("each call would make a pool for a few nodes: no loop puts "
                  "some in while it lives");
  const std::string Name = V->getNameAsString();
  const std::string Pool = freeName(S, Name + (Churns ? "Pool" : "Arena"));
  Editor E(S);
  E.replace(Made->getSourceRange(),
            (Churns ? "std::pmr::unsynchronized_pool_resource "
                    : "std::pmr::monotonic_buffer_resource ") +
                Pool + ";\n" + indentOf(S, Made->getBeginLoc()) + "std::pmr::" +
                Type.substr(5) + " " + Name + "(&" + Pool + ");");
  E.addInclude("memory_resource");
  return E.done("nodes of " + Name +
                (Churns ? " from a pool" : " from an arena of its own"));
}

} // namespace inmem::fix
