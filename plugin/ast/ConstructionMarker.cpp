//===- ConstructionMarker.cpp - constructions that call nothing -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define INMEM_COMPAT_CLANG
#include "ast/ConstructionMarker.h"
#include "Compat.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/Builtins.h"

using namespace clang;

namespace inmem {

static Expr *number(ASTContext &Context, unsigned Value, SourceLocation Loc) {
  return IntegerLiteral::Create(Context, llvm::APInt(32, Value),
                                Context.UnsignedIntTy, Loc);
}

void ConstructionMarker::markEarly(DeclGroupRef Group) {
  for (Decl *D : Group) {
    if (auto *F = dyn_cast<FunctionDecl>(D)) {
      if (F->doesThisDeclarationHaveABody())
        markFunction(*F);
    } else if (auto *Variable = dyn_cast<VarDecl>(D)) {
      markVariable(*Variable);
    } else if (isa<NamespaceDecl, LinkageSpecDecl, ExportDecl>(D)) {
      for (Decl *Inner : cast<DeclContext>(D)->noload_decls())
        markEarly(DeclGroupRef(Inner));
    }
  }
}

void ConstructionMarker::markFunction(const FunctionDecl &F) {
  if (!Enabled || F.isDependentContext() || !Done.insert(&F).second)
    return;
  bool Outer = Evaluable;
  Evaluable = F.isConstexpr();
  if (auto *Constructor = dyn_cast<CXXConstructorDecl>(&F))
    markInitialisers(const_cast<CXXConstructorDecl &>(*Constructor));
  Stmt *Body = F.getBody();
  walk(Body);
  Evaluable = Outer;
}

void ConstructionMarker::markInitialisers(CXXConstructorDecl &Constructor) {
  SmallVector<CXXCtorInitializer *, 8> All(Constructor.inits());
  bool Changed = false;
  for (CXXCtorInitializer *&Init : All) {
    Stmt *Value = Init->getInit();
    FieldDecl *Member = Init->getMember();
    if (Member && Member->getType()->isArrayType() &&
        Chosen.Objects == ObjectsMode::Lifetime)
      ArrayPlace = MemberExpr::CreateImplicit(
          Context,
          compat::thisExpr(Context, Init->getMemberLocation(),
                           Constructor.getThisType()),
          /*IsArrow=*/true, Member, Member->getType(), VK_LValue, OK_Ordinary);
    // Bases and delegation make no objects of their own.
    walk(Value, Init->isMemberInitializer());
    if (Value == Init->getInit())
      continue;
    auto *New = new (Context) CXXCtorInitializer(
        Context, Init->getMember(), Init->getMemberLocation(),
        Init->getLParenLoc(), cast<Expr>(Value), Init->getRParenLoc());
    if (Init->isWritten())
      New->setSourceOrder(Init->getSourceOrder());
    Init = New;
    Changed = true;
  }
  if (!Changed)
    return;
  auto **Copy = new (Context) CXXCtorInitializer *[All.size()];
  llvm::copy(All, Copy);
  Constructor.setCtorInitializers(Copy);
}

void ConstructionMarker::markVariable(const VarDecl &Variable) {
  if (!Enabled || !Variable.hasInit() || Variable.isInvalidDecl() ||
      Variable.getDeclContext()->isDependentContext() ||
      Variable.getType()->isDependentType() ||
      Variable.getInit()->isValueDependent() || Variable.isConstexpr() ||
      !Done.insert(&Variable).second)
    return;
  bool Outer = Evaluable;
  Evaluable = true;
  walkInitialiser(const_cast<VarDecl &>(Variable));
  Evaluable = Outer;
}

void ConstructionMarker::walkInitialiser(VarDecl &Variable) {
  if (Variable.getType()->isArrayType() &&
      Chosen.Objects == ObjectsMode::Lifetime)
    ArrayPlace = reference(Variable, Variable.getLocation());
  walk(*Variable.getInitAddress());
}

Expr *ConstructionMarker::reference(ValueDecl &D, SourceLocation Loc) {
  return DeclRefExpr::Create(Context, NestedNameSpecifierLoc(),
                             SourceLocation(), &D,
                             /*RefersToEnclosingVariableOrCapture=*/false, Loc,
                             D.getType(), VK_LValue);
}

std::optional<unsigned> ConstructionMarker::markOf(const Expr &E) const {
  auto It = Marks.find(&E);
  if (It == Marks.end())
    return std::nullopt;
  return It->second;
}

std::optional<unsigned>
ConstructionMarker::markOf(const VarDecl &Caught) const {
  auto It = CaughtMarks.find(&Caught);
  if (It == CaughtMarks.end())
    return std::nullopt;
  return It->second;
}

/// `catch (T t) { ... }` has no initialiser if the copy is trivial: the mark is
/// the first statement of the handler.
void ConstructionMarker::markCaught(CXXCatchStmt &Handler) {
  VarDecl *Caught = Handler.getExceptionDecl();
  if (!Caught || Caught->hasInit() || CaughtMarks.count(Caught))
    return;
  const CXXRecordDecl *Class = countedClass(Caught->getType());
  if (!Class || (!Chosen.TrivialObjects && Class->hasTrivialDestructor()))
    return;
  SourceLocation Loc = Caught->getLocation();
  Expr *Object = reference(*Caught, Loc);
  unsigned Index = newMark(*Object, *Object);
  CaughtMarks[Caught] = Index;
  Expr *Mark = markCall(Index, Loc);
  if (isFollowed(*Object)) {
    QualType Pointer = Context.getPointerType(Context.VoidTy.withConst());
    Expr *Address = UnaryOperator::Create(
        Context, Object, UO_AddrOf, Context.getPointerType(Object->getType()),
        VK_PRValue, OK_Ordinary, Loc, /*CanOverflow=*/false,
        FPOptionsOverride());
    FunctionDecl &F = function("__inmem_mark_at", Context.VoidTy,
                               {Context.UnsignedIntTy, Pointer},
                               /*Constexpr=*/false);
    Mark = call(
        F,
        {number(Context, Index, Loc), converted(*Address, Pointer, CK_BitCast)},
        Loc);
  }
  Stmt *Block = Handler.getHandlerBlock();
  Stmt *Both = CompoundStmt::Create(Context, {Mark, Block}, FPOptionsOverride(),
                                    Block->getBeginLoc(), Block->getEndLoc());
  *Handler.child_begin() = Both;
}

void ConstructionMarker::walk(Stmt *&S, bool MayReplace) {
  Expr *Place = std::exchange(ArrayPlace, nullptr);
  if (!S)
    return;
  if (isa<ExprWithCleanups>(S))
    ArrayPlace = Place;
  // What stands behind these is shared by all who use it.
  Stmt *Shared = nullptr;
  if (auto *Default = dyn_cast<CXXDefaultInitExpr>(S))
    Shared = Default->getExpr();
  else if (auto *Argument = dyn_cast<CXXDefaultArgExpr>(S))
    Shared = Argument->getExpr();
  if (Shared) {
    if (Done.insert(Shared).second)
      walk(Shared, /*MayReplace=*/false);
    return;
  }
  // A local that is constant as it stands would be copied from read-only
  // memory, and nobody would run the mark; one that has to be constant stays
  // so.
  if (auto *Statement = dyn_cast<DeclStmt>(S)) {
    bool Outer = Evaluable;
    for (Decl *D : Statement->decls()) {
      auto *Variable = dyn_cast<VarDecl>(D);
      if (!Variable || !Variable->hasInit())
        continue;
      Evaluable = Outer || Variable->hasGlobalStorage() ||
                  Variable->isConstexpr() ||
                  Variable->getType().isConstQualified();
      walkInitialiser(*Variable);
    }
    Evaluable = Outer;
    return;
  }
  if (auto *Handler = dyn_cast<CXXCatchStmt>(S))
    markCaught(*Handler);
  // Code generation looks at the initialiser of an array new itself.
  auto *New = dyn_cast<CXXNewExpr>(S);
  bool Direct = !New || !New->isArray();
  // A closure's body is a function of its own, and may be a template.
  if (auto *Lambda = dyn_cast<LambdaExpr>(S)) {
    for (Expr *&Capture : Lambda->capture_inits()) {
      Stmt *Value = Capture;
      walk(Value);
      Capture = cast_or_null<Expr>(Value);
    }
  } else {
    unsigned Bases = basesIn(*S);
    for (Stmt *&Child : S->children()) {
      walk(Child, Direct && !Bases);
      Bases -= Bases > 0;
    }
  }
  if (auto *List = dyn_cast<InitListExpr>(S); List && List->hasArrayFiller()) {
    Stmt *Filler = List->getArrayFiller();
    walk(Filler);
    if (Filler != List->getArrayFiller())
      List->setArrayFiller(cast<Expr>(Filler));
  }
  auto *E = dyn_cast<Expr>(S);
  if (New && MayReplace && !Marks.count(New) && isMarkedArray(*New)) {
    if (!markPlacedArray(*New))
      S = marked(*New, *New);
    return;
  }
  if (!E || Marks.count(E) || !isMarked(*E) || markWithin(*E, MayReplace) ||
      !MayReplace)
    return;
  if (!isFollowed(*E))
    S = marked(*E, *E);
  else if (!E->getType()->isArrayType())
    S = madeInPlace(*E);
  else if (Place)
    S = comma(*markCallAt(newMark(*E, *E), *Place), *E);
  else
    S = marked(*E, *E);
}

/// How many of the children of \p S, its first ones, initialise bases.
unsigned ConstructionMarker::basesIn(const Stmt &S) {
  if (!isa<InitListExpr, CXXParenListInitExpr>(S))
    return 0;
  const CXXRecordDecl *Class = cast<Expr>(S).getType()->getAsCXXRecordDecl();
  return Class && Class->hasDefinition() ? Class->getNumBases() : 0;
}

/// Null for a type of which no objects are counted.
const CXXRecordDecl *ConstructionMarker::countedClass(QualType Type) {
  const CXXRecordDecl *Class = Type->getAsCXXRecordDecl();
  return Class && Class->hasDefinition() && Wanted.counts(*Class) ? Class
                                                                  : nullptr;
}

/// Whether \p New makes an array of objects whose constructor is trivial.
bool ConstructionMarker::isMarkedArray(const CXXNewExpr &New) {
  const CXXRecordDecl *Class =
      countedClass(Context.getBaseElementType(New.getAllocatedType()));
  const CXXConstructExpr *Construct = New.getConstructExpr();
  return New.isArray() && Class && Construct &&
         Construct->getConstructor()->isTrivial() &&
         (Chosen.TrivialObjects || !Class->hasTrivialDestructor());
}

/// Whether \p E makes an object that is to be counted, without a call.
bool ConstructionMarker::isMarked(const Expr &E) {
  auto *Construct = dyn_cast<CXXConstructExpr>(&E);
  const CXXRecordDecl *Class = countedClass(
      Construct ? Context.getBaseElementType(E.getType()) : E.getType());
  if (!Class)
    return false;
  // A class may have a destructor and yet begin its life without code.
  if (Construct && isInlined(*Construct->getConstructor()))
    return !Construct->isElidable() && compat::isCompleteObject(*Construct);
  if (Construct)
    return (Chosen.TrivialObjects || !Class->hasTrivialDestructor()) &&
           Construct->getConstructor()->isTrivial() &&
           !Construct->isElidable() && compat::isCompleteObject(*Construct);
  if (auto *List = dyn_cast<InitListExpr>(&E)) {
    if (!List->isSemanticForm() || List->isTransparent())
      return false;
  } else if (!isa<CXXParenListInitExpr, LambdaExpr>(E)) {
    return false;
  }
  return Chosen.TrivialObjects || !Class->hasTrivialDestructor() ||
         Class->hasNonTrivialDefaultConstructor() ||
         Class->hasNonTrivialCopyConstructor() ||
         Class->hasNonTrivialMoveConstructor();
}

/// Whether the lives of the objects that \p E makes are to be followed.
bool ConstructionMarker::isFollowed(const Expr &E) const {
  const CXXRecordDecl *Class =
      Context.getBaseElementType(E.getType())->getAsCXXRecordDecl();
  return Chosen.Objects == ObjectsMode::Lifetime &&
         !Class->hasTrivialDestructor();
}

/// Puts the mark on the last part of \p E that can bear it: the object is not
/// there before, and the parent of \p E need not be known.
bool ConstructionMarker::markWithin(Expr &E, bool MayReplace) {
  if (auto *Construct = dyn_cast<CXXConstructExpr>(&E)) {
    if (Construct->getNumArgs() == 0 || (MayReplace && isFollowed(E)))
      return false;
    Construct->setArg(0, marked(E, *Construct->getArg(0)));
    return true;
  }
  if (isa<LambdaExpr>(E))
    return false;
  auto Bears = [](const Expr *Part) {
    return Part && !Part->getType()->isArrayType() &&
           !isa<DesignatedInitUpdateExpr>(Part);
  };
  auto Mark = [&](Expr &Part) {
    return isFollowed(E)
               ? comma(*markCallHere(newMark(E, Part), Part.getExprLoc()), Part)
               : marked(E, Part);
  };
  // Clang knows no `this` of the whole while it initialises bases.
  unsigned First = isFollowed(E) ? basesIn(E) : 0;
  if (auto *List = dyn_cast<InitListExpr>(&E)) {
    for (unsigned I = List->getNumInits(); I-- > First;) {
      if (!Bears(List->getInit(I)))
        continue;
      List->setInit(I, Mark(*List->getInit(I)));
      return true;
    }
    return false;
  }
  SmallVector<Stmt **, 8> Children;
  for (Stmt *&Part : E.children())
    Children.push_back(&Part);
  for (Stmt **Part : llvm::reverse(ArrayRef(Children).drop_front(First))) {
    if (!Bears(cast_or_null<Expr>(*Part)))
      continue;
    *Part = Mark(*cast<Expr>(*Part));
    return true;
  }
  return false;
}

/// `(__inmem_mark(N), E)`, with N the new mark of \p Owner.
Expr *ConstructionMarker::marked(const Expr &Owner, Expr &E) {
  return comma(*markCall(newMark(Owner, E), E.getExprLoc()), E);
}

/// An array new of trivial objects where no operator is asked for memory: a
/// count that is not constant, and the place to follow them, go through
/// functions that return them. \returns whether there is need for any.
bool ConstructionMarker::markPlacedArray(CXXNewExpr &New) {
  Expr &Size = **New.getArraySize(), &Place = *New.getPlacementArg(0);
  Expr::EvalResult Ignored;
  bool Counted = !Size.EvaluateAsInt(Ignored, Context);
  bool Followed = isFollowed(*New.getConstructExpr());
  if (!New.getOperatorNew()->isReservedGlobalPlacementOperator() ||
      (!Counted && !Followed))
    return false;
  unsigned Index = newMark(New, New);
  auto Replace = [&](Expr &Old, StringRef Name, QualType Type) {
    Expr *Fresh = identity(Name, Index, Old, Type);
    Wrapped[Fresh] = &Old;
    for (Stmt *&Child : New.children())
      if (Child == &Old)
        Child = Fresh;
  };
  if (Counted)
    Replace(Size, "__inmem_mark_count", Context.UnsignedLongTy);
  if (Followed)
    Replace(Place, "__inmem_mark_place", Context.VoidPtrTy);
  return true;
}

/// \p E, and behind it the mark with its address: for want of an expression
/// that says both, the initialiser `{E, {}}` of a class that is derived from
/// that of
/// \p E, in the same place.
Expr *ConstructionMarker::madeInPlace(Expr &E) {
  SourceLocation Loc = E.getExprLoc();
  unsigned Index = newMark(E, E);
  const CXXRecordDecl &Maker = makerOf(*E.getType()->getAsCXXRecordDecl());
  auto List = [&](ArrayRef<Expr *> Inits,
                  const CXXRecordDecl &Class) -> Expr & {
    auto *Result = new (Context) InitListExpr(Context, Loc, Inits, Loc);
    Result->setType(compat::recordType(Context, Class));
    return *Result;
  };
  bool Outer = std::exchange(Evaluable, false);
  Expr *Behind = comma(*markCallHere(Index, Loc), List({}, *Nothing));
  Evaluable = Outer;
  Expr *Whole = converted(List({&E, Behind}, Maker), E.getType(), CK_NoOp);
  Expr *Result = Evaluable ? unlessConstant(E, *Whole) : Whole;
  Wrapped[Result] = &E;
  return Result;
}

unsigned ConstructionMarker::newMark(const Expr &Owner, const Expr &Part) {
  unsigned Index = Table.Marks.size();
  Marks[&Owner] = Index;
  Table.Marks.emplace_back();
  Parts.push_back(&Part);
  return Index;
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

Expr *ConstructionMarker::comma(Expr &First, Expr &Second) {
  return BinaryOperator::Create(Context, &First, &Second, BO_Comma,
                                Second.getType(), Second.getValueKind(),
                                Second.getObjectKind(), Second.getExprLoc(),
                                FPOptionsOverride());
}

Expr *ConstructionMarker::converted(Expr &E, QualType Type, CastKind Kind) {
  return ImplicitCastExpr::Create(Context, Type, Kind, &E, /*BasePath=*/nullptr,
                                  VK_PRValue, FPOptionsOverride());
}

Expr *ConstructionMarker::call(FunctionDecl &F, ArrayRef<Expr *> Arguments,
                               SourceLocation Loc) {
  Expr *Callee =
      converted(*reference(F, Loc), Context.getPointerType(F.getType()),
                CK_FunctionToPointerDecay);
  return CallExpr::Create(Context, Callee, Arguments, F.getReturnType(),
                          VK_PRValue, Loc, FPOptionsOverride());
}

Expr *ConstructionMarker::markCall(unsigned Index, SourceLocation Loc) {
  FunctionDecl &F = function("__inmem_mark", Context.VoidTy,
                             {Context.UnsignedIntTy}, Evaluable);
  return call(F, {number(Context, Index, Loc)}, Loc);
}

/// \p Place is an array.
Expr *ConstructionMarker::markCallAt(unsigned Index, Expr &Place) {
  QualType Pointer = Context.getPointerType(Context.VoidTy.withConst());
  FunctionDecl &F = function("__inmem_mark_at", Context.VoidTy,
                             {Context.UnsignedIntTy, Pointer}, Evaluable);
  Expr *Start = converted(Place, Context.getArrayDecayedType(Place.getType()),
                          CK_ArrayToPointerDecay);
  return call(F,
              {number(Context, Index, Place.getExprLoc()),
               converted(*Start, Pointer, CK_BitCast)},
              Place.getExprLoc());
}

/// The mark with the address of the class that is being initialised.
Expr *ConstructionMarker::markCallHere(unsigned Index, SourceLocation Loc) {
  DeclContext *Unit = Context.getTranslationUnitDecl();
  if (!MadeUp) {
    Nothing = record("__inmem_nothing", nullptr, QualType());
    MadeUp = FieldDecl::Create(Context, Nothing, SourceLocation(),
                               SourceLocation(), /*Id=*/nullptr, Context.VoidTy,
                               /*TInfo=*/nullptr, /*BW=*/nullptr,
                               /*Mutable=*/false, ICIS_CopyInit);
    MadeUp->setAccess(AS_public);
  }
  QualType Pointer = Context.getPointerType(Context.VoidTy.withConst());
  FunctionDecl &F = function("__inmem_mark_at", Context.VoidTy,
                             {Context.UnsignedIntTy, Pointer},
                             /*Constexpr=*/false);
  Expr *This = compat::thisExpr(
      Context, Loc,
      Context.getPointerType(compat::recordType(Context, *Nothing)));
  Expr *Mark = call(
      F, {number(Context, Index, Loc), converted(*This, Pointer, CK_BitCast)},
      Loc);
  Expr *Here = CXXDefaultInitExpr::Create(Context, Loc, MadeUp, Unit, Mark);
  return Evaluable ? unlessConstant(*markCall(Index, Loc), *Here) : Here;
}

/// \p E by way of the function \p Name of \p Index and \p Type, which returns
/// what it is given.
Expr *ConstructionMarker::identity(StringRef Name, unsigned Index, Expr &E,
                                   QualType Type) {
  FunctionDecl &F = function(Name, Type, {Context.UnsignedIntTy, Type},
                             /*Constexpr=*/Type->isIntegerType());
  CastKind Kind = Type->isIntegerType() ? CK_IntegralCast : CK_BitCast;
  Expr *Result = call(
      F, {number(Context, Index, E.getExprLoc()), converted(E, Type, Kind)},
      E.getExprLoc());
  return converted(*Result, E.getType(), Kind);
}

/// `__builtin_is_constant_evaluated() ? Constant : Else`.
Expr *ConstructionMarker::unlessConstant(Expr &Constant, Expr &Else) {
  StringRef Name = "__builtin_is_constant_evaluated";
  FunctionDecl &Asked = function(Name, Context.BoolTy, {}, false);
  if (!Asked.hasAttr<BuiltinAttr>())
    Asked.addAttr(BuiltinAttr::CreateImplicit(
        Context, Builtin::BI__builtin_is_constant_evaluated));
  SourceLocation Loc = Else.getExprLoc();
  return new (Context) ConditionalOperator(
      call(Asked, {}, Loc), Loc, &Constant, Loc, &Else, Else.getType(),
      Else.getValueKind(), Else.getObjectKind());
}

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

/// A noexcept function that is known to nobody else. Nothing defines it for the
/// linker; for constant evaluation it returns its last argument, if any.
FunctionDecl &ConstructionMarker::function(StringRef Name, QualType Result,
                                           ArrayRef<QualType> Parameters,
                                           bool Constexpr) {
  FunctionDecl *&F = MarkDecls[Constexpr][Name];
  if (F)
    return *F;
  FunctionProtoType::ExtProtoInfo Info;
  Info.ExceptionSpec.Type = EST_BasicNoexcept;
  QualType Type = Context.getFunctionType(Result, Parameters, Info);
  F = FunctionDecl::Create(Context, Context.getTranslationUnitDecl(),
                           SourceLocation(), SourceLocation(),
                           DeclarationName(&Context.Idents.get(Name)), Type,
                           /*TInfo=*/nullptr, SC_None);
  SmallVector<ParmVarDecl *, 2> Declared;
  for (QualType Parameter : Parameters)
    Declared.push_back(ParmVarDecl::Create(
        Context, F, SourceLocation(), SourceLocation(), /*Id=*/nullptr,
        Parameter, /*TInfo=*/nullptr, SC_None, /*DefArg=*/nullptr));
  F->setParams(Declared);
  F->setImplicit();
  if (!Constexpr)
    return *F;
  F->setConstexprKind(ConstexprSpecKind::Constexpr);
  SmallVector<Stmt *, 1> Body;
  if (!Result->isVoidType())
    Body.push_back(ReturnStmt::Create(
        Context, SourceLocation(),
        converted(*reference(*Declared.back(), SourceLocation()), Result,
                  CK_LValueToRValue),
        /*NRVOCandidate=*/nullptr));
  F->setBody(CompoundStmt::Create(Context, Body, FPOptionsOverride(),
                                  SourceLocation(), SourceLocation()));
  return *F;
}

/// A class derived from \p Class that is no longer: its one member is empty.
const CXXRecordDecl &ConstructionMarker::makerOf(const CXXRecordDecl &Class) {
  if (!Nothing)
    Nothing = record("__inmem_nothing", nullptr, QualType());
  CXXRecordDecl *&Maker = Makers[&Class];
  if (!Maker)
    Maker =
        record("__inmem_maker", &Class, compat::recordType(Context, *Nothing));
  return *Maker;
}

CXXRecordDecl *ConstructionMarker::record(StringRef Name,
                                          const CXXRecordDecl *Base,
                                          QualType Member) {
  SourceLocation None;
  auto *Result = CXXRecordDecl::Create(Context, compat::kStruct,
                                       Context.getTranslationUnitDecl(), None,
                                       None, &Context.Idents.get(Name));
  Result->setImplicit();
  Result->startDefinition();
  if (Base) {
    auto *Specifier = new (Context) CXXBaseSpecifier(
        SourceRange(), /*V=*/false, /*BC=*/false, AS_public,
        Context.getTrivialTypeSourceInfo(compat::recordType(Context, *Base)),
        None);
    Result->setBases(&Specifier, 1);
  }
  if (!Member.isNull()) {
    auto *Field = FieldDecl::Create(Context, Result, None, None, /*Id=*/nullptr,
                                    Member, /*TInfo=*/nullptr, /*BW=*/nullptr,
                                    /*Mutable=*/false, ICIS_NoInit);
    Field->setAccess(AS_public);
    Field->addAttr(NoUniqueAddressAttr::CreateImplicit(Context));
    Result->addDecl(Field);
  }
  Result->completeDefinition();
  return Result;
}

} // namespace inmem
