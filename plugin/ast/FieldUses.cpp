//===- FieldUses.cpp - expressions that access fields ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define INMEM_COMPAT_CLANG
#include "ast/FieldUses.h"
#include "Compat.h"
#include "ast/AllocTypeInference.h"
#include "ast/EvaluatedParts.h"
#include "ast/LibraryCode.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace inmem {

namespace {

bool isChoice(const Expr &E) {
  const auto *Binary = dyn_cast<BinaryOperator>(&E);
  return Binary ? Binary->isLogicalOp() : isa<AbstractConditionalOperator>(E);
}

uint8_t valueOf(QualType Type) {
  if (Type->isPointerType())
    return MemberFact::Pointer;
  return Type->isArithmeticType() || Type->isEnumeralType() ? MemberFact::Number
                                                            : 0;
}

} // namespace

FunctionFacts::MemberRole FieldUses::roleOf(const FunctionDecl &F) {
  if (isCopyRole(&F))
    return FunctionFacts::Copies;
  if (isa<CXXConstructorDecl>(F))
    return FunctionFacts::Constructs;
  return isa<CXXDestructorDecl>(F) ? FunctionFacts::Destroys
                                   : FunctionFacts::Other;
}

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

void FieldUses::add(const Path &Of, uint8_t Kinds, SourceLocation Loc) {
  constexpr size_t kMostChoices = 8;
  const SourceLoc Where = C.location(Loc);
  if (!Where.Line || !Of.Bits)
    return;
  C.Current.Facts.Members.push_back({Of.Owner, Of.FirstBit, Of.Bits, Where.Line,
                                     Where.Column, Kinds, Of.BitField});
  if (Kinds & MemberFact::Read)
    for (const SourceLocation Choice :
         llvm::ArrayRef(Choices).take_back(kMostChoices))
      if (const SourceLoc At = C.location(Choice); At.Line)
        C.Current.Facts.Members.push_back({Of.Owner, Of.FirstBit, Of.Bits,
                                           At.Line, At.Column,
                                           MemberFact::Chosen, Of.BitField});
}

void FieldUses::addOpaque(const Path &Of, SourceLocation Loc) {
  if (!InLibrary && Of.Bits)
    C.Table.addOpaque({Of.Owner, Of.FirstBit, Of.Bits, C.location(Loc)});
}

void FieldUses::addOpaqueType(QualType Type, SourceLocation Loc, uint64_t Bits,
                              bool EvenInLibrary) {
  if (InLibrary && !EvenInLibrary)
    return;
  std::optional<Path> Of = Paths.whole(Type);
  if (!Of)
    return;
  if (Bits)
    Of->Bits = std::min(Of->Bits, Bits);
  C.Table.addOpaque({Of->Owner, Of->FirstBit, Of->Bits, C.location(Loc)});
}

void FieldUses::addFollowing(const Expr &E, bool Any) {
  const auto *Address = dyn_cast<UnaryOperator>(&unconverted(E));
  if (!Address || Address->getOpcode() != UO_AddrOf)
    return;
  const auto *Member =
      dyn_cast<MemberExpr>(&FieldPaths::plain(*Address->getSubExpr()));
  const auto *First =
      Member ? dyn_cast<FieldDecl>(Member->getMemberDecl()) : nullptr;
  std::optional<Path> Of = First ? Paths.resolveAny(*Member) : std::nullopt;
  if (!Of || Of->BitField || InLibrary)
    return;
  if (Any) {
    Of->Bits = Of->Owner->Size * 8 - Of->FirstBit;
    return Uncounted.addUncounted(*Of, E.getExprLoc());
  }
  uint64_t End = Context.getFieldOffset(First) + Of->Bits;
  bool Behind = false;
  for (const FieldDecl *Field : First->getParent()->fields()) {
    if (Behind &&
        (Context.getFieldOffset(Field) != End ||
         !Context.hasSameUnqualifiedType(Field->getType(), First->getType())))
      break;
    if (Behind)
      End += Context.getTypeSize(Field->getType());
    Behind |= Field == First;
  }
  Of->Bits = End - Context.getFieldOffset(First);
  Uncounted.addUncounted(*Of, E.getExprLoc());
}

void FieldUses::noteStored(const std::optional<Path> &To, const Expr &From) {
  const auto *Load = dyn_cast<CastExpr>(&FieldPaths::plain(From));
  if (!Load || Load->getCastKind() != CK_LValueToRValue)
    return;
  const Expr &Inner = FieldPaths::plain(*Load->getSubExpr());
  const std::optional<Path> Of = Paths.resolveAny(Inner);
  if (To && Of && To->Owner == Of->Owner && To->FirstBit == Of->FirstBit &&
      To->Bits == Of->Bits)
    Copied = &Inner;
}

void FieldUses::noteRead(const Expr &E, const std::optional<Path> &Of) {
  const std::optional<Path> Any = Of ? Of : Paths.resolveAny(E);
  if (!Any || InLibrary || &E == Copied)
    return;
  // In its constructors, an object is not yet complete.
  const auto *Constructor =
      dyn_cast_or_null<CXXConstructorDecl>(C.Current.Function);
  if (Constructor && Paths.owner(*Constructor->getParent()) == Any->Owner)
    return;
  if (FieldPaths::isUncounted(E))
    Uncounted.addUncounted(*Any, E.getExprLoc());
  Uncounted.addRead(*Any, E.getExprLoc());
}

void FieldUses::notePassed(const FunctionDecl *Callee, const Expr &E) {
  if (!Callee)
    return;
  const Expr *Inner = &FieldPaths::plain(E);
  if (const auto *Address = dyn_cast<UnaryOperator>(Inner);
      Address && Address->getOpcode() == UO_AddrOf)
    Inner = &FieldPaths::plain(*Address->getSubExpr());
  if (FieldPaths::isUncounted(*Inner) &&
      Context.getBaseElementType(Inner->getType())->isRecordType())
    Uncounted.addCallOn(*Callee, Inner->getType());
}

//===----------------------------------------------------------------------===//
// Statements and expressions
//===----------------------------------------------------------------------===//

void FieldUses::note(const FunctionDecl &F) {
  InLibrary = isInLibrary(Context.getSourceManager(), F.getLocation());
  C.Current.Facts.Role = roleOf(F);
  Uncounted.enter(&F, C.Current.Facts.Role == FunctionFacts::Copies ||
                          C.Current.Facts.Role == FunctionFacts::Destroys);
  for (const ParmVarDecl *Parameter : F.parameters())
    visitVariable(*Parameter);
  if (const auto *Constructor = dyn_cast<CXXConstructorDecl>(&F))
    visitInitialisers(*Constructor);
  visit(F.getBody());
}

void FieldUses::note(const VarDecl &Variable) {
  InLibrary = false;
  Uncounted.enter(nullptr, false);
  visit(Variable.getInit());
}

/// A variable in a function.
void FieldUses::visitVariable(const VarDecl &Variable) {
  const QualType Type = Variable.getType();
  if (!Type->isReferenceType())
    return Uncounted.addObject(Type);
  const Expr *Init = isa<ParmVarDecl>(Variable) ? nullptr : Variable.getInit();
  if (Init && FieldPaths::isUncounted(*Init))
    Uncounted.addObject(Type.getNonReferenceType());
}

void FieldUses::visitInitialisers(const CXXConstructorDecl &Constructor) {
  for (const CXXCtorInitializer *Init : Constructor.inits()) {
    const FieldDecl *Field = Init->getAnyMember();
    if (const TypeInfo *Owner =
            Field ? Paths.owner(*Constructor.getParent()) : nullptr) {
      Path Of = Paths.of(*Owner, *Field);
      if (!Init->isMemberInitializer()) {
        Of.FirstBit = 0;
        for (const NamedDecl *Step : Init->getIndirectMember()->chain())
          Of.FirstBit += Context.getFieldOffset(cast<FieldDecl>(Step));
      }
      add(Of, MemberFact::Write, Init->getSourceLocation());
      if (Init->getInit()) {
        add(Of, MemberFact::Write, Init->getInit()->getExprLoc());
        noteStored(Of, *Init->getInit());
      }
    }
    visit(Init->getInit());
  }
}

void FieldUses::visitChildren(const Stmt &S) {
  forEachEvaluatedPart(const_cast<Stmt &>(S),
                       [this](const Stmt *Part, PartSlot) { visit(Part); });
}

/// Compilers before LLVM 20 give one load that they make of those on both sides
/// of a choice the choice's place.
void FieldUses::enterChoice(const Expr &E) {
  if constexpr (LLVM_VERSION_MAJOR < 20)
    Choices.push_back(E.getExprLoc());
}

void FieldUses::leaveChoice() {
  if (!Choices.empty())
    Choices.pop_back();
}

void FieldUses::visitChoice(const Expr &E) {
  enterChoice(E);
  visitChildren(E);
  leaveChoice();
}

void FieldUses::visit(const Stmt *S) {
  if (!S)
    return;
  if (const auto *E = dyn_cast<Expr>(S)) {
    S = &C.Marker.unmarked(*E);
    if (isNotEvaluated(*S))
      return;
  }
  if (const auto *Asm = dyn_cast<AsmStmt>(S))
    return visitAsm(*Asm);
  if (const auto *Declared = dyn_cast<DeclStmt>(S))
    for (const Decl *D : Declared->decls())
      if (const auto *Variable = dyn_cast<VarDecl>(D))
        visitVariable(*Variable);
  if (const auto *Cast = dyn_cast<CastExpr>(S))
    return visitCast(*Cast);
  if (const auto *E = dyn_cast<Expr>(S); E && isChoice(*E))
    return visitChoice(*E);
  if (const auto *Binary = dyn_cast<BinaryOperator>(S))
    return visitBinary(*Binary);
  if (const auto *Unary = dyn_cast<UnaryOperator>(S))
    return visitUnary(*Unary);
  if (const auto *Construct = dyn_cast<CXXConstructExpr>(S))
    return visitConstruct(*Construct);
  if (const auto *Call = dyn_cast<CallExpr>(S))
    return visitCall(*Call);
  if (const auto *List = dyn_cast<InitListExpr>(S))
    return visitList(*List);
  if (const auto *Default = dyn_cast<CXXDefaultInitExpr>(S))
    return visit(Default->getExpr());
  if (const auto *Default = dyn_cast<CXXDefaultArgExpr>(S))
    return visit(Default->getExpr());
  if (const auto *Offset = dyn_cast<OffsetOfExpr>(S))
    addOpaqueType(Offset->getTypeSourceInfo()->getType(), Offset->getExprLoc());
  if (const auto *Atomic = dyn_cast<AtomicExpr>(S))
    return visitAtomic(*Atomic, Atomic->getPtr());
  if (isa<MemberExpr, ArraySubscriptExpr>(S))
    return visitEscaping(*cast<Expr>(S));
  if (const auto *Ref = dyn_cast<DeclRefExpr>(S)) {
    if (const auto *Binding = dyn_cast<BindingDecl>(Ref->getDecl()))
      if (const Expr *Bound = Binding->getBinding())
        visitEscaping(*Bound);
    return;
  }
  visitChildren(*S);
}

bool FieldUses::isCopied(const Expr &E) const {
  return isCopyRole(C.Current.Function) && !E.getType()->isScalarType();
}

void FieldUses::visitEscaping(const Expr &E) {
  const auto *Member = dyn_cast<MemberExpr>(&FieldPaths::plain(E));
  // The access reads the reference; its referent is stored elsewhere.
  const auto *Field =
      Member ? dyn_cast<FieldDecl>(Member->getMemberDecl()) : nullptr;
  std::optional<Path> Of = Paths.resolve(E);
  if (Of && Field && Field->getType()->isReferenceType())
    add(*Of, MemberFact::Read, Member->getExprLoc());
  else if (Of && !isCopied(E))
    addOpaque(*Of, E.getExprLoc());
  if (!isCopied(E))
    noteRead(E, Of);
  visitBase(E);
}

void FieldUses::visitBase(const Expr &E) {
  const Expr &Inner = FieldPaths::plain(E);
  if (const auto *Member = dyn_cast<MemberExpr>(&Inner)) {
    const Expr &Base = FieldPaths::plain(*Member->getBase());
    if (!Member->isArrow() && !isa<CastExpr>(Base) && Base.isGLValue())
      return isa<MemberExpr, ArraySubscriptExpr>(Base) ? visitBase(Base)
                                                       : visitChildren(Base);
    return visit(&Base);
  }
  if (const auto *Element = dyn_cast<ArraySubscriptExpr>(&Inner)) {
    const CastExpr *Array = FieldPaths::decay(*Element->getBase());
    if (Array && isa<MemberExpr, ArraySubscriptExpr>(
                     FieldPaths::plain(*Array->getSubExpr())))
      visitBase(*Array->getSubExpr());
    else
      visit(Element->getBase());
    return visit(Element->getIdx());
  }
  visitChildren(Inner);
}

void FieldUses::visitRead(const Expr &E) {
  const Expr &Inner = FieldPaths::plain(E);
  if (const auto *Choice = dyn_cast<ConditionalOperator>(&Inner)) {
    visit(Choice->getCond());
    enterChoice(*Choice);
    visitRead(*Choice->getTrueExpr());
    visitRead(*Choice->getFalseExpr());
    return leaveChoice();
  }
  if (const auto *Pair = dyn_cast<BinaryOperator>(&Inner);
      Pair && Pair->getOpcode() == BO_Comma) {
    visit(Pair->getLHS());
    return visitRead(*Pair->getRHS());
  }
  if (!isa<MemberExpr, ArraySubscriptExpr>(Inner)) {
    // A structure in C.
    if (const std::optional<Path> Whole = Paths.whole(Inner.getType());
        Whole && Inner.getType()->isRecordType() && Inner.isGLValue())
      add(*Whole, MemberFact::Read, Inner.getExprLoc());
    return visit(&E);
  }
  const auto *Member = dyn_cast<MemberExpr>(&Inner);
  if (Member && Member->getMemberDecl()->getType()->isReferenceType())
    return visitEscaping(Inner);
  const std::optional<Path> Read = Paths.resolve(Inner);
  if (Read)
    add(*Read,
        MemberFact::Read | valueOf(Inner.getType()) |
            (&Inner == Copied ? MemberFact::Copy : 0),
        Inner.getExprLoc());
  noteRead(Inner, Read);
  visitBase(Inner);
}

void FieldUses::visitCast(const CastExpr &E) {
  const Expr &Of = *E.getSubExpr();
  const Expr &Inner = FieldPaths::plain(Of);
  switch (E.getCastKind()) {
  case CK_LValueToRValue:
    return visitRead(Inner);
  case CK_BitCast:
  case CK_LValueBitCast:
  case CK_AddressSpaceConversion:
  case CK_ReinterpretMemberPointer: {
    QualType From = Of.getType(), To = E.getType();
    if (E.getCastKind() == CK_BitCast) {
      From = From->isPointerType() ? From->getPointeeType() : QualType();
      To = To->isPointerType() ? To->getPointeeType() : QualType();
      addFollowing(Of, true);
    }
    // A cast to bytes, as in library functions that access an object's bytes.
    const bool ToBytes = isa<CXXReinterpretCastExpr>(E) && !To.isNull() &&
                         (To->isCharType() || To->isStdByteType());
    if (!From.isNull() && From->isRecordType() && !To.isNull()) {
      const bool Covers = To->isRecordType() && !To->isIncompleteType();
      if (!Context.hasSameUnqualifiedType(From, To))
        addOpaqueType(From, E.getExprLoc(),
                      Covers ? Context.getTypeSize(To) : 0, ToBytes);
    }
    break;
  }
  case CK_LValueToRValueBitCast: // __builtin_bit_cast
    addOpaqueType(Of.getType(), E.getExprLoc(), 0, /*EvenInLibrary=*/true);
    break;
  case CK_PointerToIntegral:
    if (Of.getType()->isPointerType() &&
        Of.getType()->getPointeeType()->isRecordType())
      addOpaqueType(Of.getType()->getPointeeType(), E.getExprLoc());
    break;
  default:
    break;
  }
  visit(&Of);
}

void FieldUses::visitBinary(const BinaryOperator &E) {
  const Expr &Left = FieldPaths::plain(*E.getLHS());
  if (E.isAssignmentOp() && isa<MemberExpr, ArraySubscriptExpr>(Left) &&
      !Left.getType()->isDependentType()) {
    const std::optional<Path> Of = Paths.resolve(Left);
    if (Of)
      add(*Of,
          E.isCompoundAssignmentOp()
              ? MemberFact::Read | MemberFact::Write | valueOf(Left.getType())
              : MemberFact::Write,
          E.getExprLoc());
    if (E.isCompoundAssignmentOp())
      noteRead(Left, Of);
    if (E.getOpcode() == BO_Assign)
      noteStored(Of ? Of : Paths.resolveAny(Left), *E.getRHS());
    visitBase(Left);
    return visit(E.getRHS());
  }
  // Assignment of a whole structure in C.
  if (E.getOpcode() == BO_Assign && E.getType()->isRecordType())
    if (const std::optional<Path> Of = Paths.whole(E.getType()))
      add(*Of, MemberFact::Read | MemberFact::Write, E.getExprLoc());
  visitChildren(E);
}

void FieldUses::visitUnary(const UnaryOperator &E) {
  const Expr &Inner = FieldPaths::plain(*E.getSubExpr());
  if (E.isIncrementDecrementOp() &&
      isa<MemberExpr, ArraySubscriptExpr>(Inner)) {
    const std::optional<Path> Of = Paths.resolve(Inner);
    if (Of)
      add(*Of, MemberFact::Read | MemberFact::Write | valueOf(Inner.getType()),
          E.getExprLoc());
    noteRead(Inner, Of);
    return visitBase(Inner);
  }
  if (E.getOpcode() == UO_AddrOf) {
    addFollowing(E, /*Any=*/false);
    if (const auto *Ref = dyn_cast<DeclRefExpr>(&Inner))
      if (const auto *Field = dyn_cast<FieldDecl>(Ref->getDecl())) {
        addOpaqueType(compat::recordType(Context, *Field->getParent()),
                      E.getExprLoc());
        return;
      }
  }
  visitChildren(E);
}

void FieldUses::visitList(const InitListExpr &E) {
  const InitListExpr *List = &E;
  if (!List->isSemanticForm() && List->getSemanticForm())
    List = List->getSemanticForm();
  const RecordDecl *Record = List->getType()->getAsRecordDecl();
  const TypeInfo *Owner =
      Record && !List->isTransparent() ? Paths.owner(*Record) : nullptr;
  if (Owner)
    for (const FieldDecl *Field : Record->fields())
      if ((!Field->isBitField() || Field->getDeclName()) &&
          !Field->getType()->isIncompleteType())
        add(Paths.of(*Owner, *Field), MemberFact::Write, List->getExprLoc());
  for (const Expr *Part : List->inits())
    visit(Part);
}

void FieldUses::visitAsm(const AsmStmt &S) {
  for (const Stmt *Child : S.children()) {
    const auto *E = dyn_cast_or_null<Expr>(Child);
    if (!E)
      continue;
    const QualType Type = E->IgnoreParenImpCasts()->getType();
    addOpaqueType(Type->isPointerType() ? Type->getPointeeType() : Type,
                  E->getExprLoc());
    visit(E);
  }
}

} // namespace inmem
