//===- AllocTypeInference.cpp - types from sizes and pointers -------------===//
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

/// The type of a structure's last member if it is an array, else null.
static const ArrayType *lastArray(QualType Type) {
  const RecordDecl *Record = Type->getAsRecordDecl();
  const FieldDecl *Last = nullptr;
  if (Record && Record->isStruct())
    for (const FieldDecl *Field : Record->fields())
      Last = Field;
  return Last ? Last->getType()->getAsArrayTypeUnsafe() : nullptr;
}

bool hasOpenEnd(QualType Type, const ASTContext &Context) {
  const ArrayType *End = lastArray(Type);
  auto *Sized = dyn_cast_or_null<ConstantArrayType>(End);
  return End && (!Sized || Sized->getSize().ule(1) ||
                 Context.getTypeSizeInChars(Sized).getQuantity() >= 1 << 16);
}

bool endsInFlexibleArray(QualType Type) {
  const ArrayType *End = lastArray(Type);
  auto *Sized = dyn_cast_or_null<ConstantArrayType>(End);
  return End && (!Sized || Sized->getSize().isZero());
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

namespace {
class SizeCollector {
public:
  SizeCollector(VariableSizes Variables, SizeTypes &Result)
      : Variables(Variables), Result(Result) {}

  /// \p Times: the value is multiplied by another one.
  void collect(const Expr *Size, bool Times = false) {
    constexpr unsigned kMaxDepth = 32;
    if (!Size || Depth > kMaxDepth)
      return;
    ++Depth;
    collectFrom(*Size->IgnoreParenCasts(), Times);
    --Depth;
  }

private:
  void collectFrom(const Expr &Size, bool Times);
  void collectBinary(const BinaryOperator &Size, bool Times);
  void add(QualType Type, bool Times);
  void append(const SizeTypes &Known, bool Times);

  VariableSizes Variables;
  SizeTypes &Result;
  unsigned Depth = 0;
};
} // namespace

void SizeCollector::add(QualType Type, bool Times) {
  Type = Type.getNonReferenceType().getCanonicalType();
  while (const ArrayType *Array = Type->getAsArrayTypeUnsafe())
    Type = Array->getElementType();
  if (Type->isVoidType() || Type->isFunctionType() || Type->isDependentType())
    return;
  Result.Direct.push_back(Type.getUnqualifiedType());
  if (!Times)
    Result.Addends.push_back(Type.getUnqualifiedType());
}

/// Adds the types of a variable's value.
void SizeCollector::append(const SizeTypes &Known, bool Times) {
  llvm::append_range(Result.ByVariable, Known.Direct);
  llvm::append_range(Result.ByVariable, Known.ByVariable);
  llvm::append_range(Result.Either, Known.Either);
  if (!Times)
    llvm::append_range(Result.Addends, Known.Addends);
  Result.Sum |= Known.Sum;
}

void SizeCollector::collectBinary(const BinaryOperator &Size, bool Times) {
  switch (Size.getOpcode()) {
  case BO_Add:
    Result.Sum = true;
    collect(Size.getLHS(), Times);
    return collect(Size.getRHS(), Times);
  case BO_Mul:
    collect(Size.getLHS(), /*Times=*/true);
    return collect(Size.getRHS(), /*Times=*/true);
  case BO_Sub:
    Result.Sum = true;
    return collect(Size.getLHS(), Times);
  case BO_Shl:
    return collect(Size.getLHS(), /*Times=*/true);
  case BO_Comma:
    return collect(Size.getRHS(), Times);
  default:
    return;
  }
}

void SizeCollector::collectFrom(const Expr &Size, bool Times) {
  if (auto *Constant = dyn_cast<ConstantExpr>(&Size))
    return collect(Constant->getSubExpr(), Times);
  if (auto *Trait = dyn_cast<UnaryExprOrTypeTraitExpr>(&Size)) {
    if (Trait->getKind() == UETT_SizeOf)
      add(Trait->getTypeOfArgument(), Times);
    return;
  }
  if (auto *Offset = dyn_cast<OffsetOfExpr>(&Size)) {
    if (const TypeSourceInfo *Info = Offset->getTypeSourceInfo())
      add(Info->getType(), Times);
    Result.Sum = true;
    return;
  }
  if (auto *Binary = dyn_cast<BinaryOperator>(&Size))
    return collectBinary(*Binary, Times);
  if (auto *Choice = dyn_cast<ConditionalOperator>(&Size)) {
    SizeTypes One, Other;
    SizeCollector(Variables, One).collect(Choice->getTrueExpr(), Times);
    SizeCollector(Variables, Other).collect(Choice->getFalseExpr(), Times);
    One = either(One, Other);
    llvm::append_range(Result.Direct, One.Direct);
    One.Direct.clear();
    return append(One, Times);
  }
  if (auto *Reference = dyn_cast<DeclRefExpr>(&Size)) {
    auto *Variable = dyn_cast<VarDecl>(Reference->getDecl());
    if (!Variable || !Variable->getType()->isIntegerType())
      return;
    if (const SizeTypes *Known = Variables(*Variable))
      return append(*Known, Times);
    // Any other variable that may have been modified has an unknown value.
    if (!isa<ParmVarDecl>(Variable) && Variable->getType().isConstQualified() &&
        Variable->getInit()) {
      SizeTypes Given;
      SizeCollector Initialiser(Variables, Given);
      Initialiser.Depth = Depth;
      Initialiser.collect(Variable->getInit());
      append(Given, Times);
    }
  }
}

void collectSizeTypes(const Expr *Size, VariableSizes Variables,
                      SizeTypes &Result, bool Times) {
  SizeCollector(Variables, Result).collect(Size, Times);
}

static std::optional<uint64_t> leastOf(std::optional<uint64_t> One,
                                       std::optional<uint64_t> Other) {
  if (!One || !Other)
    return {};
  return std::min(*One, *Other);
}

std::optional<uint64_t> knownBytes(const Expr &Size, VariableSizes Variables,
                                   const ASTContext &Context) {
  const Expr *Plain = Size.IgnoreParenCasts();
  if (Plain->isValueDependent() || !Plain->getType()->isIntegerType())
    return {};
  if (auto *Reference = dyn_cast<DeclRefExpr>(Plain))
    if (auto *Variable = dyn_cast<VarDecl>(Reference->getDecl()))
      if (const SizeTypes *Known = Variables(*Variable))
        return Known->Bytes;
  if (auto *Choice = dyn_cast<ConditionalOperator>(Plain)) {
    return leastOf(knownBytes(*Choice->getTrueExpr(), Variables, Context),
                   knownBytes(*Choice->getFalseExpr(), Variables, Context));
  }
  Expr::EvalResult Value;
  if (!Plain->EvaluateAsInt(Value, Context))
    return {};
  return Value.Val.getInt().getZExtValue();
}

SizeTypes sizeTypes(const Expr &Size, VariableSizes Variables,
                    const ASTContext &Context) {
  SizeTypes Result;
  collectSizeTypes(&Size, Variables, Result);
  Result.Bytes = knownBytes(Size, Variables, Context);
  return Result;
}

bool hasRoom(std::optional<uint64_t> Bytes, QualType Type,
             const ASTContext &Context) {
  if (!Bytes || Type->isIncompleteType() || Type->isDependentType())
    return true;
  uint64_t Size = Context.getTypeSizeInChars(Type).getQuantity();
  return *Bytes >= Size || hasOpenEnd(Type, Context);
}

SizeTypes either(const SizeTypes &One, const SizeTypes &Other) {
  if (One.Unset || (One.empty() && One.Bytes == uint64_t(0)))
    return Other;
  if (Other.Unset || (Other.empty() && Other.Bytes == uint64_t(0)))
    return One;
  SizeTypes Result = One;
  Result.Sum |= Other.Sum;
  Result.Bytes = leastOf(One.Bytes, Other.Bytes);
  if (One.Direct == Other.Direct && One.ByVariable == Other.ByVariable &&
      One.Either == Other.Either)
    return Result;
  for (const SizeTypes *Each : {&One, &Other})
    for (const auto *Types : {&Each->Direct, &Each->ByVariable, &Each->Either})
      for (QualType Type : *Types)
        if (!llvm::is_contained(Result.Either, Type))
          Result.Either.push_back(Type);
  Result.Direct.clear();
  Result.ByVariable.clear();
  Result.Addends.clear();
  return Result;
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

bool SizeTypes::holdsOne(QualType Type) const {
  return Sum && llvm::is_contained(Addends, Type) &&
         llvm::count(Direct, Type) + llvm::count(ByVariable, Type) == 1;
}

QualType SizeTypes::firstClass() const {
  QualType Class = firstOf(Direct, /*ClassesOnly=*/true);
  return Class.isNull() ? firstOf(ByVariable, /*ClassesOnly=*/true) : Class;
}

/// True if an \p Outer object begins with an object of class \p Inner, derives
/// from it, or may do so.
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
  const auto IsDestination = [&](QualType Type) {
    return Typed && Context.hasSameUnqualifiedType(Type, Destination);
  };
  for (const auto *Types : {&Sizes.Direct, &Sizes.ByVariable}) {
    uint8_t BySize =
        Types == &Sizes.Direct ? INMEM_RULE_SIZEOF : INMEM_RULE_VARIABLE;
    if (llvm::any_of(*Types, IsDestination))
      return {Destination, BySize};
    if (QualType Class = firstOf(*Types, /*ClassesOnly=*/true);
        !Class.isNull()) {
      // The block holds several objects, and the pointer points to the first
      // one.
      if (llvm::any_of(Sizes.ByVariable, IsDestination))
        return {Destination, INMEM_RULE_VARIABLE, Differs(Class)};
      return {Class, BySize, Differs(Class)};
    }
    if (Typed) {
      // In n ? n * sizeof(T) : 1, the single byte is just a minimum.
      bool Never = !hasRoom(Sizes.Bytes, Destination, Context) &&
                   (Sizes.Either.empty() || *Sizes.Bytes > 1);
      if (Never)
        return {{}, INMEM_RULE_NONE, /*Disagree=*/true};
      return {Destination, INMEM_RULE_POINTER,
              llvm::any_of(*Types, Differs) ||
                  llvm::any_of(Sizes.ByVariable, Differs) ||
                  llvm::any_of(Sizes.Either, Differs)};
    }
    if (QualType Scalar = firstOf(*Types, /*ClassesOnly=*/false);
        !Scalar.isNull() && Sizes.Either.empty()) {
      // Characters after a number: sizeof(unsigned) + length + 1.
      if (!Destination.isNull() && !Destination->isVoidType() &&
          Sizes.holdsOne(Scalar))
        return {Destination, INMEM_RULE_POINTER};
      return {Scalar, BySize};
    }
  }
  if (!Sizes.Either.empty())
    return {{}, INMEM_RULE_NONE, Sizes.Either.size() > 1};
  if (!Destination.isNull())
    return {Destination, INMEM_RULE_POINTER};
  if (Sizes.Direct.empty())
    return {};
  return {Sizes.Direct.front(), INMEM_RULE_SIZEOF};
}

} // namespace inmem
