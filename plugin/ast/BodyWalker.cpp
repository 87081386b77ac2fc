//===- BodyWalker.cpp - walks a body and knows its values' context --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define INMEM_COMPAT_CLANG
#include "ast/BodyWalker.h"
#include "Compat.h"
#include "ast/EmittedDecls.h"
#include "ast/EvaluatedParts.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"

using namespace clang;
using llvm::ArrayRef;
using llvm::SmallVector;

namespace inmem {

void BodyWalker::walkInitialisers(const CXXConstructorDecl &Constructor) {
  for (const CXXCtorInitializer *Init : Constructor.inits()) {
    ValueContext In;
    In.Storage =
        Init->isBaseInitializer() ? INMEM_STORAGE_BASE : INMEM_STORAGE_MEMBER;
    walk(Init->getInit(), In);
  }
}

/// \p D, if it is a local pointer variable.
static const VarDecl *localPointer(const ValueDecl &D) {
  auto *Variable = dyn_cast<VarDecl>(&D);
  return Variable && Variable->hasLocalStorage() &&
                 Variable->getType()->isPointerType()
             ? Variable
             : nullptr;
}

void BodyWalker::walkVariable(const VarDecl &Variable) {
  Decls.noteDestruction(Variable.getType());
  if (Variable.isStaticLocal())
    Decls.noteVariable(Variable);
  if (!Variable.getInit())
    return;
  if (isString(Variable.getType()))
    C.Current.MakesStrings = true;
  ValueContext In;
  In.Destination = pointee(Variable.getType());
  In.Holder = RawPointers::holder(Variable);
  In.RawHolder = RawPointers::storage(Variable);
  In.Variable = localPointer(Variable);
  if (In.Holder)
    C.Deferred.pointers().addCopy(*Variable.getInit(), *In.Holder);
  if (Variable.getTLSKind() != VarDecl::TLS_None)
    In.Storage = INMEM_STORAGE_THREAD;
  else if (Variable.hasGlobalStorage())
    In.Storage = INMEM_STORAGE_STATIC;
  else if (Variable.isNRVOVariable())
    In.Storage = INMEM_STORAGE_UNKNOWN; // the caller decides
  else
    In.Storage = C.localStorage();
  if (Variable.hasGlobalStorage() && C.Chosen.Objects != ObjectsMode::Off &&
      Variable.hasConstantInitialization())
    Objects.noteConstant(Variable, In.Storage);
  walk(Variable.getInit(), In);
}

void BodyWalker::walkChildren(const Stmt &S) {
  forEachEvaluatedPart(const_cast<Stmt &>(S),
                       [this](const Stmt *Part, PartSlot) { walk(Part); });
}

void BodyWalker::walk(const Stmt *S, ValueContext In) {
  if (!S)
    return;
  if (!isa<Expr>(S))
    return walkStatement(*S);
  S = &C.Marker.unmarked(*cast<Expr>(S));
  if (isNotEvaluated(*S))
    return;
  switch (S->getStmtClass()) {
  // Expressions that pass their value on.
  case Stmt::ParenExprClass:
    return walk(cast<ParenExpr>(S)->getSubExpr(), In);
  case Stmt::ExprWithCleanupsClass:
  case Stmt::ConstantExprClass:
    return walk(cast<FullExpr>(S)->getSubExpr(), In);
  case Stmt::CXXBindTemporaryExprClass:
    Decls.noteDestruction(cast<Expr>(S)->getType());
    return walk(cast<CXXBindTemporaryExpr>(S)->getSubExpr(), In);
  case Stmt::SubstNonTypeTemplateParmExprClass:
    return walk(cast<SubstNonTypeTemplateParmExpr>(S)->getReplacement(), In);
  case Stmt::ChooseExprClass:
    return walk(cast<ChooseExpr>(S)->getChosenSubExpr(), In);
  case Stmt::GenericSelectionExprClass:
    return walk(cast<GenericSelectionExpr>(S)->getResultExpr(), In);
  case Stmt::OpaqueValueExprClass:
    return; // walked where its source is
  case Stmt::ConditionalOperatorClass: {
    auto *Choice = cast<ConditionalOperator>(S);
    walk(Choice->getCond());
    return walkChoice(Choice->getTrueExpr(), Choice->getFalseExpr(), In);
  }
  case Stmt::BinaryConditionalOperatorClass: {
    auto *Choice = cast<BinaryConditionalOperator>(S);
    walk(Choice->getCommon(), In);
    return walkChoice(nullptr, Choice->getFalseExpr(), In);
  }
  case Stmt::StmtExprClass: {
    auto *Block = cast<StmtExpr>(S)->getSubStmt();
    for (const Stmt *Child : Block->body())
      walk(Child, Child == Block->body_back() ? In : ValueContext());
    return;
  }
  case Stmt::BinaryOperatorClass:
  case Stmt::CompoundAssignOperatorClass:
    return walkBinary(*cast<BinaryOperator>(S), In);
  case Stmt::ImplicitCastExprClass:
  case Stmt::CStyleCastExprClass:
  case Stmt::CXXStaticCastExprClass:
  case Stmt::CXXReinterpretCastExprClass:
  case Stmt::CXXConstCastExprClass:
  case Stmt::CXXFunctionalCastExprClass:
  case Stmt::CXXDynamicCastExprClass:
    return walkCast(*cast<CastExpr>(S), In);
  case Stmt::UnaryOperatorClass:
    return walkUnary(*cast<UnaryOperator>(S));

  // Expressions that decide where objects live.
  case Stmt::MaterializeTemporaryExprClass: {
    auto *Temporary = cast<MaterializeTemporaryExpr>(S);
    switch (Temporary->getStorageDuration()) {
    case SD_Static:
      In.Storage = INMEM_STORAGE_STATIC;
      break;
    case SD_Thread:
      In.Storage = INMEM_STORAGE_THREAD;
      break;
    default:
      In.Storage = INMEM_STORAGE_STACK;
    }
    return walk(Temporary->getSubExpr(), In);
  }
  case Stmt::InitListExprClass:
    return walkInitList(*cast<InitListExpr>(S), In);
  case Stmt::CXXParenListInitExprClass: {
    auto *List = cast<CXXParenListInitExpr>(S);
    Objects.noteMarker(*List, *List, In);
    return walkParts(List->getType(), List->getInitExprs(), In);
  }
  case Stmt::CXXInheritedCtorInitExprClass: {
    // The base's constructor, called by the inheriting one.
    auto *Inherited = cast<CXXInheritedCtorInitExpr>(S);
    Decls.noteUse(Inherited->getConstructor());
    return Objects.noteConstruction(*Inherited->getConstructor(),
                                    INMEM_STORAGE_BASE,
                                    Inherited->getExprLoc());
  }
  case Stmt::ArrayInitLoopExprClass:
    walk(cast<ArrayInitLoopExpr>(S)->getCommonExpr()->getSourceExpr());
    return walk(cast<ArrayInitLoopExpr>(S)->getSubExpr(), In);
  case Stmt::LambdaExprClass:
    Objects.noteMarker(*cast<LambdaExpr>(S), *cast<LambdaExpr>(S), In);
    return walkLambda(*cast<LambdaExpr>(S));
  case Stmt::BlockExprClass:
    return walkBlock(*cast<BlockExpr>(S));
  case Stmt::CXXDefaultArgExprClass: {
    auto *Default = cast<CXXDefaultArgExpr>(S);
    SourceLocation Outer = C.UsedAt;
    if (C.UsedAt.isInvalid())
      C.UsedAt = Default->getUsedLocation();
    walk(Default->getExpr(), In);
    C.UsedAt = Outer;
    return;
  }
  case Stmt::CXXDefaultInitExprClass: {
    auto *Default = cast<CXXDefaultInitExpr>(S);
    Objects.noteMarker(*Default, *Default->getExpr(), In);
    return walk(Default->getExpr(), In);
  }

  case Stmt::CXXNewExprClass:
    return walkNew(*cast<CXXNewExpr>(S), In);
  case Stmt::CXXDeleteExprClass:
    Decls.noteDestruction(cast<CXXDeleteExpr>(S)->getDestroyedType());
    Decls.noteUse(cast<CXXDeleteExpr>(S)->getOperatorDelete());
    return walkChildren(*S);
  case Stmt::CXXThrowExprClass:
    walkThrow(*cast<CXXThrowExpr>(S));
    return walkJump(*S);
  case Stmt::CXXConstructExprClass:
  case Stmt::CXXTemporaryObjectExprClass:
    return walkConstruct(*cast<CXXConstructExpr>(S), In);
  case Stmt::CallExprClass:
  case Stmt::CXXMemberCallExprClass:
  case Stmt::CXXOperatorCallExprClass:
  case Stmt::UserDefinedLiteralClass:
    Allocations.noteCall(*cast<CallExpr>(S), In);
    noteArguments(*cast<CallExpr>(S));
    Objects.noteReturn(*cast<CallExpr>(S), In.Storage);
    walkChildren(*S);
    if (const FunctionDecl *F = cast<CallExpr>(S)->getDirectCallee())
      if (F->isNoReturn())
        walkJump(*S);
    return;
  case Stmt::DeclRefExprClass:
    // Any use other than a read: the address may escape.
    if (const VarDecl *Variable = localInteger(*cast<DeclRefExpr>(S)))
      C.Current.Sizes.forget(*Variable);
    return Decls.noteUse(cast<DeclRefExpr>(S)->getDecl());
  case Stmt::MemberExprClass:
    Decls.noteUse(cast<MemberExpr>(S)->getMemberDecl());
    return walkChildren(*S);
  default:
    return walkChildren(*S);
  }
}

void BodyWalker::walkBinary(const BinaryOperator &E, ValueContext In) {
  if (E.getOpcode() == BO_Comma) {
    walk(E.getLHS());
    return walk(E.getRHS(), In);
  }
  if (E.isLogicalOp()) {
    walk(E.getLHS());
    return walkChoice(nullptr, E.getRHS(), ValueContext());
  }
  const VarDecl *Integer =
      E.isAssignmentOp() ? localInteger(*E.getLHS()) : nullptr;
  if (!Integer)
    walk(E.getLHS());
  ValueContext Out;
  if (E.getOpcode() == BO_Assign) {
    QualType Type = E.getLHS()->getType();
    Out.Destination = pointee(Type);
    Out.RawHolder = RawPointers::storage(*E.getLHS());
    if (auto *Named = dyn_cast<DeclRefExpr>(E.getLHS()->IgnoreParens()))
      Out.Variable = localPointer(*Named->getDecl());
    if (Type->isVoidPointerType()) {
      Out.Holder = RawPointers::holder(*E.getLHS());
      if (Out.Holder)
        C.Deferred.pointers().addCopy(*E.getRHS(), *Out.Holder);
    }
  }
  walk(E.getRHS(), Out);
  if (Integer && E.getOpcode() == BO_Assign)
    C.Current.Sizes.assign(*Integer, *E.getRHS(), C.Context);
  else if (Integer)
    C.Current.Sizes.modify(*Integer, E.getOpcode(), *E.getRHS(), C.Context);
}

void BodyWalker::walkUnary(const UnaryOperator &E) {
  const VarDecl *Integer =
      E.isIncrementDecrementOp() ? localInteger(*E.getSubExpr()) : nullptr;
  if (Integer)
    C.Current.Sizes.modify(*Integer, BO_AddAssign, *E.getSubExpr(), C.Context);
  else
    walkChildren(E);
}

void BodyWalker::walkCast(const CastExpr &E, ValueContext In) {
  // A mere read.
  if ((E.getCastKind() == CK_LValueToRValue || E.getCastKind() == CK_ToVoid) &&
      localInteger(*E.getSubExpr()))
    return;
  if (!E.getType()->isAnyPointerType()) {
    // A converting constructor constructs the object in the same storage.
    ValueContext Out;
    Out.Storage = In.Storage;
    return walk(E.getSubExpr(), Out);
  }
  QualType To = pointee(E.getType());
  if (E.getCastKind() == CK_BitCast && !To.isNull())
    noteCast(*E.getSubExpr(), To);
  In.Destination = nearerDestination(In.Destination, To);
  if (!To.isNull())
    In.Holder = nullptr;
  if (!To.isNull() && !isRawStorage(To))
    In.RawHolder = nullptr;
  walk(E.getSubExpr(), In);
}

void BodyWalker::noteCast(const Expr &From, QualType To) {
  if (const ValueDecl *Holder = RawPointers::holder(From))
    C.Deferred.pointers().addCast(*Holder, To);
}

/// Records which parameters receive the void * arguments of a call.
void BodyWalker::noteArguments(const CallExpr &E) {
  const FunctionDecl *F = E.getDirectCallee();
  const FunctionDecl *Definition = nullptr;
  if (!F || !F->hasBody(Definition) || isa<CXXOperatorCallExpr>(E))
    return;
  unsigned Count = std::min(E.getNumArgs(), Definition->getNumParams());
  for (unsigned I = 0; I < Count; ++I)
    C.Deferred.pointers().addCopy(*E.getArg(I), *Definition->getParamDecl(I));
}

void BodyWalker::walkInitList(const InitListExpr &E, ValueContext In) {
  const InitListExpr *List = &E;
  if (!List->isSemanticForm() && List->getSemanticForm())
    List = List->getSemanticForm();
  Objects.noteMarker(*List, *List, In);
  if (List->isTransparent())
    return walk(List->getInit(0), In);
  walkParts(List->getType(), List->inits(), In);
  if (List->hasArrayFiller())
    walkParts(List->getType(), List->getArrayFiller(), In);
}

/// The initialisers of an aggregate of type \p Type.
void BodyWalker::walkParts(QualType Type, ArrayRef<const Expr *> Parts,
                           ValueContext In) {
  const CXXRecordDecl *Class = Type->getAsCXXRecordDecl();
  ValueContext Out;
  Out.NewArray = In.NewArray;
  SmallVector<const FieldDecl *, 8> Members;
  if (Type->isStructureOrClassType())
    for (const FieldDecl *Field : Type->getAsRecordDecl()->fields())
      if (!Field->isBitField() || Field->getIdentifier())
        Members.push_back(Field);
  size_t Bases = Class ? Class->getNumBases() : 0;
  for (size_t I = 0; I < Parts.size(); ++I) {
    size_t Index = I - Bases; // wraps around for a base
    Out.Holder =
        Index < Members.size() ? RawPointers::holder(*Members[Index]) : nullptr;
    if (Out.Holder)
      C.Deferred.pointers().addCopy(*Parts[I], *Out.Holder);
    Out.Storage = !Type->isRecordType() ? In.Storage
                  : I < Bases           ? uint8_t(INMEM_STORAGE_BASE)
                                        : uint8_t(INMEM_STORAGE_MEMBER);
    walk(Parts[I], Out);
  }
}

void BodyWalker::walkLambda(const LambdaExpr &E) {
  ValueContext Capture;
  Capture.Storage = INMEM_STORAGE_MEMBER;
  for (const Expr *Init : E.capture_inits())
    walk(Init, Capture);
  SourceLocation Outer = C.UsedAt;
  C.UsedAt = SourceLocation();
  // The body belongs to the call operator; a generic lambda has one
  // specialisation for each signature.
  if (const FunctionTemplateDecl *Template =
          E.getLambdaClass()->getDependentLambdaCallOperator()) {
    for (const FunctionDecl *Special : Template->specializations())
      Decls.visitFunction(*Special);
  } else if (const CXXMethodDecl *Operator = E.getCallOperator()) {
    Decls.visitFunction(*Operator);
  }
  Decls.visitRecord(*E.getLambdaClass());
  C.UsedAt = Outer;
}

void BodyWalker::walkBlock(const BlockExpr &E) {
  // Captured variables are copied when the block is created. Those marked
  // __block are copied with the block, by functions that clang generates.
  for (const BlockDecl::Capture &Each : E.getBlockDecl()->captures()) {
    const VarDecl &Variable = *Each.getVariable();
    if (!Each.isByRef())
      Decls.noteDestruction(Variable.getType());
    const Expr *Copy =
        Each.isByRef() ? C.Context.getBlockVarCopyInit(&Variable).getCopyExpr()
                       : Each.getCopyExpr();
    if (auto *Full = dyn_cast_or_null<ExprWithCleanups>(Copy))
      Copy = Full->getSubExpr();
    auto *Construct = dyn_cast_or_null<CXXConstructExpr>(Copy);
    if (!Construct)
      continue;
    Decls.noteUse(Construct->getConstructor());
    Objects.noteConstruction(*Construct->getConstructor(), INMEM_STORAGE_MEMBER,
                             E.getExprLoc());
    for (const Expr *Argument : Construct->arguments())
      walk(Argument);
  }
  auto Paths = walkBranch([&] { walkChildren(E); });
  Paths.emplace_back();
  meet(Paths);
}

void BodyWalker::walkNew(const CXXNewExpr &E, const ValueContext &In) {
  const FunctionDecl *Operator = E.getOperatorNew();
  Decls.noteUse(Operator);
  Decls.noteUse(E.getOperatorDelete());
  bool Placed = Operator && Operator->isReservedGlobalPlacementOperator();
  if (Operator && !Placed)
    Allocations.noteNew(E, In);
  for (const Expr *Marked : E.placement_arguments()) {
    const Expr *Argument = &C.Marker.unmarked(*Marked);
    ValueContext Block;
    // If an object is constructed in place in a raw block, its type is the
    // block's.
    if (Placed) {
      if (!E.isArray())
        Block.Object = E.getAllocatedType();
      Block.Destination = E.getAllocatedType();
      noteCast(*Argument, E.getAllocatedType());
      if (const ValueDecl *Holder = RawPointers::storage(*Argument);
          Holder && !E.isArray())
        C.Deferred.pointers().addPlacement(*Holder, E.getAllocatedType());
    }
    walk(Argument, Block);
  }
  if (auto Size = E.getArraySize())
    walk(*Size);
  ValueContext Object;
  Object.Storage = Placed ? INMEM_STORAGE_PLACED : INMEM_STORAGE_HEAP;
  if (E.isArray())
    Object.NewArray = E.getExprLoc();
  Objects.noteArrayMarker(E, Object, Placed);
  walk(E.getInitializer() ? E.getInitializer() : E.getConstructExpr(), Object);
}

void BodyWalker::walkThrow(const CXXThrowExpr &E) {
  if (!E.getSubExpr())
    return;
  Allocations.noteThrow(E);
  ValueContext In;
  In.Storage = INMEM_STORAGE_HEAP;
  walk(E.getSubExpr(), In);
}

void BodyWalker::walkConstruct(const CXXConstructExpr &E, ValueContext In) {
  Decls.noteUse(E.getConstructor());
  if (isString(E.getConstructor()->getParent()))
    C.Current.MakesStrings = true;
  // An elided copy: its operand is constructed in its place.
  if (E.isElidable() && E.getNumArgs() == 1 &&
      C.Context.getLangOpts().ElideConstructors)
    return walk(E.getArg(0), In);
  uint8_t Storage =
      compat::isCompleteObject(E) ? In.Storage : uint8_t(INMEM_STORAGE_BASE);
  Objects.noteMarker(E, E, In);
  Objects.noteConstruction(*E.getConstructor(), Storage, E.getExprLoc());
  if (In.NewArray.isValid())
    Objects.noteConstruction(*E.getConstructor(), Storage, In.NewArray);
  for (const Expr *Argument : E.arguments())
    walk(Argument);
  if (C.Marker.isInlined(*E.getConstructor()))
    walkInitialisers(*E.getConstructor());
}

} // namespace inmem
