//===- RawPointers.cpp - where void * pointers go -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define INMEM_COMPAT_CLANG
#include "ast/RawPointers.h"
#include "Compat.h"
#include "ast/AllocTypeInference.h"
#include "llvm/ADT/DenseSet.h"

using namespace clang;

namespace inmem {

const ValueDecl *RawPointers::holder(const Expr &E) {
  const Expr *Plain = E.IgnoreParens();
  // A cast to void * keeps the holder; one such as (char *)p gives it a type.
  while (auto *Cast = dyn_cast<CastExpr>(Plain)) {
    if (!Cast->getType()->isVoidPointerType())
      return nullptr;
    Plain = Cast->getSubExpr()->IgnoreParens();
  }
  if (auto *Reference = dyn_cast<DeclRefExpr>(Plain))
    return holder(*Reference->getDecl());
  if (auto *Member = dyn_cast<MemberExpr>(Plain))
    return holder(*Member->getMemberDecl());
  return nullptr;
}

const ValueDecl *RawPointers::holder(const ValueDecl &D) {
  if (!isa<VarDecl, FieldDecl>(D) || !D.getType()->isVoidPointerType())
    return nullptr;
  return cast<ValueDecl>(D.getCanonicalDecl());
}

static bool pointsToRaw(QualType Type) {
  return Type->isVoidPointerType() ||
         (Type->isPointerType() && isRawStorage(Type->getPointeeType()));
}

const ValueDecl *RawPointers::storage(const Expr &E) {
  const Expr *Plain = E.IgnoreParens();
  while (auto *Cast = dyn_cast<CastExpr>(Plain)) {
    if (!pointsToRaw(Cast->getType()))
      return nullptr;
    Plain = Cast->getSubExpr()->IgnoreParens();
  }
  if (auto *Reference = dyn_cast<DeclRefExpr>(Plain))
    return storage(*Reference->getDecl());
  if (auto *Member = dyn_cast<MemberExpr>(Plain))
    return storage(*Member->getMemberDecl());
  return nullptr;
}

const ValueDecl *RawPointers::storage(const ValueDecl &D) {
  if (!isa<VarDecl, FieldDecl>(D) || !pointsToRaw(D.getType()))
    return nullptr;
  return cast<ValueDecl>(D.getCanonicalDecl());
}

void RawPointers::addPlacement(const ValueDecl &Storage, QualType Type) {
  Type = Type.getCanonicalType().getUnqualifiedType();
  auto [It, New] = Placed.try_emplace(&Storage, Type);
  if (!New && It->second != Type)
    It->second = QualType();
}

void RawPointers::join(Node &Into, QualType Type) {
  if (!Into.Cast) {
    Into.Cast = true;
    Into.Type = Type;
  } else if (!Into.Type.isNull() && Into.Type != Type &&
             (Type.isNull() || !isByteLike(Type))) {
    Into.Type = isByteLike(Into.Type) ? Type : QualType();
  }
}

void RawPointers::addCast(const ValueDecl &Holder, QualType To) {
  join(Nodes[&Holder], To.getCanonicalType().getUnqualifiedType());
}

void RawPointers::addCopy(const Expr &From, const ValueDecl &To) {
  const ValueDecl *Source = holder(From);
  const ValueDecl *Target = holder(To);
  if (Source && Target && Source != Target)
    Nodes[Source].CopiedTo.push_back(Target);
}

RawPointers::Use RawPointers::useOf(const ValueDecl &Holder) const {
  // More distant copies are in generic code, which receives all kinds of
  // pointers.
  constexpr unsigned kMaxCopies = 3;
  llvm::SmallVector<const ValueDecl *, 4> Level = {&Holder};
  llvm::DenseSet<const ValueDecl *> Seen = {&Holder};
  for (unsigned Copies = 0; Copies <= kMaxCopies; ++Copies) {
    Node All;
    llvm::SmallVector<const ValueDecl *, 4> Next;
    for (const ValueDecl *At : Level) {
      auto Found = Nodes.find(At);
      if (Found == Nodes.end())
        continue;
      if (Found->second.Cast)
        join(All, Found->second.Type);
      for (const ValueDecl *Target : Found->second.CopiedTo)
        if (Seen.insert(Target).second)
          Next.push_back(Target);
    }
    if (All.Cast)
      return {All.Type, All.Type.isNull(), Copies};
    Level = std::move(Next);
  }
  return {};
}

} // namespace inmem
