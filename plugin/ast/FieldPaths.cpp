//===- FieldPaths.cpp - the bits of an object that an lvalue is -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define INMEM_COMPAT_CLANG
#include "ast/FieldPaths.h"
#include "Compat.h"
#include "ast/LibraryCode.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecordLayout.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/Support/raw_ostream.h"

using namespace clang;

namespace inmem {

/// \p E without parentheses and casts that keep the address.
const Expr &FieldPaths::plain(const Expr &E) {
  const Expr *Inner = &E;
  for (;;) {
    Inner = Inner->IgnoreParens();
    const auto *Cast = dyn_cast<CastExpr>(Inner);
    if (Cast && (Cast->getCastKind() == CK_NoOp ||
                 Cast->getCastKind() == CK_ConstructorConversion))
      Inner = Cast->getSubExpr();
    else if (const auto *Full = dyn_cast<FullExpr>(Inner))
      Inner = Full->getSubExpr();
    else if (const auto *Temporary = dyn_cast<MaterializeTemporaryExpr>(Inner))
      Inner = Temporary->getSubExpr();
    else
      return *Inner;
  }
}

bool FieldPaths::forwards(const CallExpr &E) {
  const FunctionDecl *F = E.getDirectCallee();
  if (!F || !F->getIdentifier() || !F->isInStdNamespace() ||
      E.getNumArgs() != 1)
    return false;
  return F->getName() == "move" || F->getName() == "forward" ||
         F->getName() == "as_const";
}

const CastExpr *FieldPaths::decay(const Expr &E) {
  const auto *Cast = dyn_cast<CastExpr>(&plain(E));
  return Cast && Cast->getCastKind() == CK_ArrayToPointerDecay ? Cast : nullptr;
}

bool FieldPaths::isLocal(const Expr &E) {
  const auto *Ref = dyn_cast<DeclRefExpr>(&plain(E));
  const auto *Variable = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  return Variable && !Variable->getType()->isReferenceType();
}

namespace {

bool isToBase(const CastExpr &E) {
  return E.getCastKind() == CK_DerivedToBase ||
         E.getCastKind() == CK_UncheckedDerivedToBase;
}

/// The offset in bytes of the base that \p E converts to; nullopt for a virtual
/// base.
std::optional<uint64_t> baseOffset(const CastExpr &E,
                                   const ASTContext &Context) {
  QualType From = E.getSubExpr()->getType();
  if (From->isPointerType())
    From = From->getPointeeType();
  const CXXRecordDecl *Class = From->getAsCXXRecordDecl();
  uint64_t Bytes = 0;
  for (const CXXBaseSpecifier *Step : E.path()) {
    const CXXRecordDecl *Base = Step->getType()->getAsCXXRecordDecl();
    if (!Class || !Base || Step->isVirtual() || !Class->hasDefinition())
      return std::nullopt;
    Bytes += Context.getASTRecordLayout(Class)
                 .getBaseClassOffset(Base)
                 .getQuantity();
    Class = Base;
  }
  return Bytes;
}

} // namespace

bool FieldPaths::isUncounted(const Expr &E) {
  const Expr &Inner = plain(E);
  if (isLocal(Inner))
    return true;
  if (const auto *Member = dyn_cast<MemberExpr>(&Inner)) {
    const auto *Field = dyn_cast<FieldDecl>(Member->getMemberDecl());
    return Field && !Member->isArrow() &&
           !Field->getType()->isReferenceType() &&
           isUncounted(*Member->getBase());
  }
  if (const auto *Element = dyn_cast<ArraySubscriptExpr>(&Inner)) {
    const CastExpr *Array = decay(*Element->getBase());
    return Array && isUncounted(*Array->getSubExpr());
  }
  if (const auto *Call = dyn_cast<CallExpr>(&Inner); Call && forwards(*Call))
    return isUncounted(*Call->getArg(0));
  if (const auto *Cast = dyn_cast<CastExpr>(&Inner); Cast && isToBase(*Cast))
    return isUncounted(*Cast->getSubExpr());
  return Inner.isPRValue() && Inner.getType()->isRecordType();
}

const TypeInfo *FieldPaths::owner(const RecordDecl &Record) {
  const RecordDecl *Definition = Record.getDefinition();
  if (!Definition || Definition->isInvalidDecl() ||
      Definition->isDependentType() || Definition->isLambda())
    return nullptr;
  auto [It, New] = Owners.try_emplace(Definition, nullptr);
  if (!New)
    return It->second;
  const QualType Type = compat::recordType(Context, *Definition);
  const TypeInfo *Info = C.Table.findType(C.Layouts.add(Type));
  if (!Info || Info->Ignored || C.Chosen.ignoresType(Info->Name))
    return nullptr;
  Owners[Definition] = Info;
  // The name that clang's code generation uses in TBAA.
  std::string Name;
  if (Context.getLangOpts().CPlusPlus) {
    llvm::raw_string_ostream OS(Name);
    compat::mangleTypeName(C.Names.mangler(), Type.getCanonicalType(), OS);
  } else {
    Name = Definition->getName().str();
  }
  if (!Name.empty())
    C.Table.addAliasName(Name, *Info);
  if (isInLibrary(Context.getSourceManager(), Definition->getLocation())) {
    Library.insert(Info);
    C.Table.addOpaque({Info, 0, Info->Size * 8, {}});
  }
  return Info;
}

std::optional<FieldPaths::Path> FieldPaths::whole(QualType Type) {
  if (Type.isNull())
    return std::nullopt;
  const RecordDecl *Record =
      Context.getBaseElementType(Type)->getAsRecordDecl();
  const TypeInfo *Owner = Record ? owner(*Record) : nullptr;
  if (!Owner)
    return std::nullopt;
  return Path{Owner, 0, Owner->Size * 8, false};
}

uint64_t FieldPaths::bitsOf(const FieldDecl &Field) const {
  const QualType Type = Field.getType();
  if (Field.isBitField())
    return compat::bitWidth(Field, Context);
  if (Type->isReferenceType())
    return Context.getTypeSize(Context.VoidPtrTy);
  return Type->isIncompleteType() ? 0 : Context.getTypeSize(Type);
}

FieldPaths::Path FieldPaths::of(const TypeInfo &Owner,
                                const FieldDecl &Field) const {
  return {&Owner, Context.getFieldOffset(&Field), bitsOf(Field),
          Field.isBitField()};
}

std::optional<FieldPaths::Path> FieldPaths::resolve(const Expr &E) {
  const Expr &Inner = plain(E);
  if (const auto *Member = dyn_cast<MemberExpr>(&Inner))
    return resolveMember(*Member);
  if (const auto *Element = dyn_cast<ArraySubscriptExpr>(&Inner))
    return resolveElement(*Element);
  if (const auto *Call = dyn_cast<CallExpr>(&Inner); Call && forwards(*Call))
    return resolve(*Call->getArg(0));
  if (const auto *Cast = dyn_cast<CastExpr>(&Inner); Cast && isToBase(*Cast)) {
    std::optional<Path> Of = resolve(*Cast->getSubExpr());
    const auto Bytes = baseOffset(*Cast, Context);
    if (!Of || !Bytes)
      return std::nullopt;
    Of->FirstBit += *Bytes * 8;
    Of->Bits = Context.getTypeSize(Cast->getType());
    return Of;
  }
  return std::nullopt;
}

bool FieldPaths::isOwnInLibrary(const Path &Of, const RecordDecl *Inner) {
  const TypeInfo *Own = isLibrary(Of.Owner) ? owner(*Inner) : nullptr;
  return Own && !isLibrary(Own);
}

std::optional<FieldPaths::Path> FieldPaths::resolveAny(const Expr &E) {
  Locals = true;
  const std::optional<Path> Found = resolve(E);
  Locals = false;
  return Found;
}

std::optional<FieldPaths::Path> FieldPaths::resolveMember(const MemberExpr &E) {
  const auto *Field = dyn_cast<FieldDecl>(E.getMemberDecl());
  if (!Field || Field->getParent()->isInvalidDecl())
    return std::nullopt;
  const RecordDecl *Record = Field->getParent();
  uint64_t Offset = Context.getFieldOffset(Field);
  const uint64_t Bits = bitsOf(*Field);
  const Expr *Base = &plain(*E.getBase());
  while (const auto *Cast = dyn_cast<CastExpr>(Base)) {
    const auto Bytes =
        isToBase(*Cast) ? baseOffset(*Cast, Context) : std::nullopt;
    if (!Bytes)
      break;
    Offset += *Bytes * 8;
    Base = &plain(*Cast->getSubExpr());
    QualType From = Base->getType();
    Record = (From->isPointerType() ? From->getPointeeType() : From)
                 ->getAsRecordDecl();
  }
  if (!E.isArrow()) {
    // Do not follow references, which lead to other objects.
    const auto *Outer = dyn_cast<MemberExpr>(Base);
    const auto *Of =
        Outer ? dyn_cast<FieldDecl>(Outer->getMemberDecl()) : nullptr;
    if (!Of || !Of->getType()->isReferenceType())
      if (std::optional<Path> In = resolve(*Base);
          In && !isOwnInLibrary(*In, Field->getParent())) {
        const uint64_t Size = Context.getTypeSize(Base->getType());
        if (In->Bits != Size) // an element of an array: which one is unknown
          return Path{In->Owner, In->FirstBit, In->Bits, false};
        return Path{In->Owner, In->FirstBit + Offset, Bits,
                    Field->isBitField()};
      }
    if (!Locals && isLocal(*Base))
      return std::nullopt;
  }
  const TypeInfo *Owner = Record ? owner(*Record) : nullptr;
  if (!Owner)
    return std::nullopt;
  return Path{Owner, Offset, Bits, Field->isBitField()};
}

std::optional<FieldPaths::Path>
FieldPaths::resolveElement(const ArraySubscriptExpr &E) {
  const CastExpr *Array = decay(*E.getBase());
  std::optional<Path> Of = Array ? resolve(*Array->getSubExpr()) : std::nullopt;
  if (!Of || Context.getTypeSize(Array->getSubExpr()->getType()) != Of->Bits)
    return Of;
  Expr::EvalResult Index;
  if (E.getIdx()->isValueDependent() ||
      !E.getIdx()->EvaluateAsInt(Index, Context))
    return Of; // any of its elements
  const uint64_t Size = Context.getTypeSize(E.getType());
  const uint64_t At = Index.Val.getInt().getExtValue() * Size;
  if (At + Size > Of->Bits)
    return Of;
  return Path{Of->Owner, Of->FirstBit + At, Size, false};
}

} // namespace inmem
