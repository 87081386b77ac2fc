//===- AllocTypeInference.cpp - what a size or pointer tells --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ast/AllocTypeInference.h"
#include "clang/AST/DeclCXX.h"

using namespace clang;

namespace inmem {

bool isByteLike(QualType Type) {
  return Type->isCharType() || Type->isStdByteType() ||
         Type->isSpecificBuiltinType(BuiltinType::SChar) ||
         Type->isSpecificBuiltinType(BuiltinType::UChar);
}

bool isRawStorage(QualType Type) {
  Type = Type.getCanonicalType();
  while (const ArrayType *Array = Type->getAsArrayTypeUnsafe())
    Type = Array->getElementType();
  if (isByteLike(Type))
    return true;
  const RecordDecl *Record = Type->getAsRecordDecl();
  if (!Record)
    return false;
  if (const TypedefNameDecl *Alias = Record->getTypedefNameForAnonDecl())
    return Alias->getName() == "max_align_t";
  // aligned_storage<...>::type
  auto *Outer = dyn_cast<CXXRecordDecl>(Record->getDeclContext());
  return Outer && Outer->isInStdNamespace() && Outer->getIdentifier() &&
         Outer->getName().starts_with("aligned_") && Record->getIdentifier() &&
         Record->getName() == "type";
}

QualType pointee(QualType Pointer) {
  if (Pointer.isNull())
    return {};
  QualType To = Pointer->getPointeeType();
  if (To.isNull() || !Pointer->isPointerType() || To->isVoidType() ||
      To->isFunctionType() || To->isDependentType())
    return {};
  return To;
}

QualType nearerDestination(QualType Outer, QualType Inner) {
  if (Inner.isNull())
    return Outer;
  if (isByteLike(Inner) && !Outer.isNull())
    return Outer;
  return Inner;
}

static void addType(QualType Type, bool Direct, SizeTypes &Result) {
  Type = Type.getNonReferenceType().getCanonicalType();
  while (const ArrayType *Array = Type->getAsArrayTypeUnsafe())
    Type = Array->getElementType();
  if (Type->isVoidType() || Type->isFunctionType() || Type->isDependentType())
    return;
  (Direct ? Result.Direct : Result.ByVariable)
      .push_back(Type.getUnqualifiedType());
}

void collectSizeTypes(const Expr *Size, const Assignments &Assigned,
                      SizeTypes &Result, unsigned Depth) {
  // Depth counts variables followed, in the high half, and nesting.
  constexpr unsigned kVariable = 0x100, kMaxVariables = 0x200;
  if (!Size || (Depth & 0xff) > 32)
    return;
  ++Depth;
  Size = Size->IgnoreParenCasts();
  bool Direct = Depth < kVariable;
  if (auto *Constant = dyn_cast<ConstantExpr>(Size))
    return collectSizeTypes(Constant->getSubExpr(), Assigned, Result, Depth);
  if (auto *Trait = dyn_cast<UnaryExprOrTypeTraitExpr>(Size)) {
    if (Trait->getKind() == UETT_SizeOf)
      addType(Trait->getTypeOfArgument(), Direct, Result);
    return;
  }
  if (auto *Offset = dyn_cast<OffsetOfExpr>(Size)) {
    if (const TypeSourceInfo *Info = Offset->getTypeSourceInfo())
      addType(Info->getType(), Direct, Result);
    Result.Sum = true;
    return;
  }
  if (auto *Binary = dyn_cast<BinaryOperator>(Size)) {
    switch (Binary->getOpcode()) {
    case BO_Add:
      Result.Sum = true;
      [[fallthrough]];
    case BO_Mul:
      collectSizeTypes(Binary->getLHS(), Assigned, Result, Depth);
      collectSizeTypes(Binary->getRHS(), Assigned, Result, Depth);
      return;
    case BO_Sub:
      Result.Sum = true;
      [[fallthrough]];
    case BO_Shl:
      return collectSizeTypes(Binary->getLHS(), Assigned, Result, Depth);
    default:
      return;
    }
  }
  if (auto *Choice = dyn_cast<ConditionalOperator>(Size)) {
    collectSizeTypes(Choice->getTrueExpr(), Assigned, Result, Depth);
    collectSizeTypes(Choice->getFalseExpr(), Assigned, Result, Depth);
    return;
  }
  if (auto *Reference = dyn_cast<DeclRefExpr>(Size)) {
    auto *Variable = dyn_cast<VarDecl>(Reference->getDecl());
    if (!Variable || !Variable->getType()->isIntegerType() ||
        Depth >= kMaxVariables)
      return;
    const Expr *Given = Assigned.lookup(Variable);
    collectSizeTypes(Given ? Given : Variable->getInit(), Assigned, Result,
                     Depth + kVariable);
  }
}

static QualType firstOf(const llvm::SmallVectorImpl<QualType> &Types,
                        bool ClassesOnly) {
  for (QualType Type : Types)
    if (ClassesOnly ? Type->isRecordType() : !isByteLike(Type))
      return Type;
  return {};
}

bool SizeTypes::names(QualType Type) const {
  return llvm::is_contained(Direct, Type) ||
         llvm::is_contained(ByVariable, Type);
}

QualType SizeTypes::firstClass() const {
  QualType Class = firstOf(Direct, /*ClassesOnly=*/true);
  return Class.isNull() ? firstOf(ByVariable, /*ClassesOnly=*/true) : Class;
}

/// Whether an \p Outer object begins with an object of class \p Inner, or
/// derives from it, or may do so.
static bool isPartOf(QualType Inner, QualType Outer,
                     const ASTContext &Context) {
  auto *InnerClass = Inner->getAsCXXRecordDecl();
  auto *OuterClass = Outer->getAsCXXRecordDecl();
  if (InnerClass && OuterClass && InnerClass->hasDefinition() &&
      OuterClass->hasDefinition() && OuterClass->isDerivedFrom(InnerClass))
    return true;
  if (!Inner->isRecordType())
    return Context.hasSameUnqualifiedType(Inner, Outer);
  for (unsigned Depth = 0; Depth < 8; ++Depth) {
    if (Context.hasSameUnqualifiedType(Inner, Outer))
      return true;
    const RecordDecl *Record = Outer->getAsRecordDecl();
    Record = Record ? Record->getDefinition() : nullptr;
    if (!Record || Record->isUnion() || Record->field_empty())
      return Record && Record->isUnion();
    Outer = Context.getBaseElementType(Record->field_begin()->getType());
  }
  return false;
}

TypeChoice chooseAllocatedType(const SizeTypes &Sizes, QualType Destination,
                               const ASTContext &Context) {
  if (!Destination.isNull())
    Destination = Context.getBaseElementType(Destination.getCanonicalType())
                      .getUnqualifiedType();
  bool Typed = !Destination.isNull() && !isByteLike(Destination);
  auto Differs = [&](QualType Type) {
    return Typed && !isByteLike(Type) &&
           !isPartOf(Type, Destination, Context) &&
           !isPartOf(Destination, Type, Context);
  };
  for (const auto *Types : {&Sizes.Direct, &Sizes.ByVariable}) {
    uint8_t BySize =
        Types == &Sizes.Direct ? INMEM_RULE_SIZEOF : INMEM_RULE_VARIABLE;
    for (QualType Type : *Types)
      if (Typed && Context.hasSameUnqualifiedType(Type, Destination))
        return {Destination, BySize};
    if (QualType Class = firstOf(*Types, /*ClassesOnly=*/true); !Class.isNull())
      return {Class, BySize, Differs(Class)};
    if (Typed)
      return {Destination, INMEM_RULE_POINTER,
              llvm::any_of(*Types, Differs) ||
                  llvm::any_of(Sizes.ByVariable, Differs)};
    if (QualType Scalar = firstOf(*Types, /*ClassesOnly=*/false);
        !Scalar.isNull())
      return {Scalar, BySize};
  }
  if (!Destination.isNull())
    return {Destination, INMEM_RULE_POINTER};
  if (Sizes.Direct.empty())
    return {};
  return {Sizes.Direct.front(), INMEM_RULE_SIZEOF};
}

} // namespace inmem
