//===- ConstructionMarker.cpp - constructions that call nothing -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define INMEM_COMPAT_CLANG
#include "ast/ConstructionMarker.h"
#include "Compat.h"
#include "ast/LocationUse.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclObjC.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/ExprConcepts.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/Builtins.h"

using namespace clang;

namespace inmem {

void ConstructionMarker::markEarly(Decl &D) {
  if (auto *F = dyn_cast<FunctionDecl>(&D)) {
    if (F->doesThisDeclarationHaveABody())
      markFunction(*F);
  } else if (auto *Variable = dyn_cast<VarDecl>(&D)) {
    markVariable(*Variable);
  } else if (auto *Implementation = dyn_cast<ObjCImplDecl>(&D)) {
    for (const ObjCMethodDecl *Method : Implementation->methods())
      markMethod(*Method);
  } else if (auto *Class = dyn_cast<CXXRecordDecl>(&D)) {
    // Its functions are emitted when they are used.
    if (!Class->isDependentContext())
      for (Decl *Inner : Class->noload_decls())
        if (isa<VarDecl, CXXRecordDecl>(Inner))
          markEarly(*Inner);
  } else if (isa<NamespaceDecl, LinkageSpecDecl, ExportDecl>(D)) {
    for (Decl *Inner : cast<DeclContext>(&D)->noload_decls())
      markEarly(*Inner);
  }
}

void ConstructionMarker::markFunction(const FunctionDecl &F) {
  if (!Enabled || F.isDependentContext() || !Done.insert(&F).second)
    return;
  ValueContext Outer = std::exchange(In, {});
  In.Evaluable = F.isConstexpr();
  if (auto *Constructor = dyn_cast<CXXConstructorDecl>(&F))
    markInitialisers(const_cast<CXXConstructorDecl &>(*Constructor));
  Stmt *Body = F.getBody();
  UsesLocations = isa<CXXConstructorDecl, CXXDestructorDecl>(F);
  walk(Body);
  if (LeaveLocationsOut && !UsesLocations && !F.hasAttr<NoDebugAttr>())
    leaveLocationsOut(const_cast<FunctionDecl &>(F));
  In = Outer;
}

void ConstructionMarker::leaveLocationsOut(FunctionDecl &F) {
  Edits.apply([this, &F](bool Edited) {
    if (Edited)
      F.addAttr(NoDebugAttr::CreateImplicit(Context));
    else
      F.dropAttr<NoDebugAttr>();
  });
}

void ConstructionMarker::markMethod(const ObjCMethodDecl &Method) {
  if (!Enabled || !Method.hasBody() || !Done.insert(&Method).second)
    return;
  ValueContext Outer = std::exchange(In, {});
  Stmt *Body = Method.getBody();
  walk(Body);
  In = Outer;
}

void ConstructionMarker::markInitialisers(CXXConstructorDecl &Constructor) {
  SmallVector<CXXCtorInitializer *, 8> All(Constructor.inits());
  bool Changed = false;
  for (CXXCtorInitializer *&Init : All) {
    Stmt *Value = Init->getInit();
    FieldDecl *Member = Init->getMember();
    if (Member && needsPlace(Member->getType()))
      Place = Build.member(Constructor, *Member, Init->getMemberLocation());
    // Bases and delegation make no objects of their own.
    walk(Value, Init->isAnyMemberInitializer());
    if (Value == Init->getInit())
      continue;
    Init = Build.withValue(*Init, *cast<Expr>(Value));
    Changed = true;
  }
  if (!Changed)
    return;
  CXXCtorInitializer **Copy = Build.initialisers(All);
  CXXCtorInitializer **Old = &*Constructor.init_begin();
  Edits.apply([&Constructor, Old, Copy](bool Edited) {
    Constructor.setCtorInitializers(Edited ? Copy : Old);
  });
}

void ConstructionMarker::markVariable(const VarDecl &Variable) {
  if (!Enabled || !Variable.hasInit() || Variable.isInvalidDecl() ||
      Variable.getDeclContext()->isDependentContext() ||
      Variable.getType()->isDependentType() ||
      Variable.getInit()->isValueDependent() || Variable.isConstexpr() ||
      !Done.insert(&Variable).second)
    return;
  ValueContext Outer = std::exchange(In, {});
  In.Evaluable = true;
  walkInitialiser(const_cast<VarDecl &>(Variable));
  In = Outer;
}

void ConstructionMarker::walkInitialiser(VarDecl &Variable) {
  if (needsPlace(Variable.getType()))
    Place = Build.reference(Variable, Variable.getLocation());
  Stmt *Old = *Variable.getInitAddress(), *New = Old;
  walk(New);
  // The address of the initialiser changes when its value is first asked for.
  if (New != Old)
    Edits.apply([&Variable, Old, New](bool Edited) {
      *Variable.getInitAddress() = Edited ? New : Old;
    });
}

/// Whether the mark of what initialises an object of \p Type names the object:
/// an array has no `this`, and constant evaluation must see through it.
bool ConstructionMarker::needsPlace(QualType Type) const {
  return Chosen.Objects == ObjectsMode::Lifetime &&
         (Type->isArrayType() || (In.Evaluable && Type->isRecordType()));
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
  Expr *Object = Build.reference(*Caught, Loc);
  unsigned Index = newMark(*Object, *Object);
  CaughtMarks[Caught] = Index;
  Expr *Mark =
      isFollowed(*Object) ? markCallAt(Index, *Object) : markCall(Index, Loc);
  Stmt *Block = Handler.getHandlerBlock();
  Stmt *Both = Build.block({Mark, Block}, Block->getSourceRange());
  for (Stmt *&Child : Handler.children())
    Edits.replace(Child, Both);
}

template <typename Statement>
static bool isConditionOf(const Stmt &Parent, const Stmt *Child) {
  auto *S = dyn_cast<Statement>(&Parent);
  return S && Child == S->getCond();
}

/// Whether clang folds \p Child of \p Parent, code and all, where it can.
static bool isFolded(const Stmt &Parent, const Stmt *Child) {
  if (isConditionOf<IfStmt>(Parent, Child) ||
      isConditionOf<WhileStmt>(Parent, Child) ||
      isConditionOf<DoStmt>(Parent, Child) ||
      isConditionOf<ForStmt>(Parent, Child) ||
      isConditionOf<SwitchStmt>(Parent, Child) ||
      isConditionOf<ConditionalOperator>(Parent, Child))
    return true;
  if (auto *Binary = dyn_cast<BinaryOperator>(&Parent))
    return Binary->isLogicalOp();
  auto *Call = dyn_cast<CallExpr>(&Parent);
  return Call && Call->getBuiltinCallee();
}

/// Whether nothing within \p S is made at run time.
static bool isNotEvaluated(const Stmt &S) {
  if (auto *Constant = dyn_cast<ConstantExpr>(&S))
    return Constant->hasAPValueResult();
  if (auto *Trait = dyn_cast<UnaryExprOrTypeTraitExpr>(&S))
    return Trait->isArgumentType() ||
           !Trait->getTypeOfArgument()->isVariablyModifiedType();
  if (isa<CXXNoexceptExpr, RequiresExpr>(S))
    return true;
  auto *Call = dyn_cast<CallExpr>(&S);
  switch (Call ? Call->getBuiltinCallee() : 0) {
  case Builtin::BI__builtin_constant_p:
  case Builtin::BI__builtin_object_size:
  case Builtin::BI__builtin_dynamic_object_size:
  case Builtin::BI__builtin_assume:
    return true; // a mark would be a side effect
  default:
    return false;
  }
}

/// The context of the children of \p S.
ConstructionMarker::ValueContext
ConstructionMarker::contextWithin(const Stmt &S) const {
  ValueContext Inner = In;
  auto *E = dyn_cast<Expr>(&S);
  bool IsObject = E && (E->getType()->isRecordType() || //
                        E->getType()->isArrayType());
  if (!IsObject || isa<CallExpr, MemberExpr>(S))
    Inner.InConstantCandidate = Inner.InArray = false;
  if (auto *Call = dyn_cast<CallExpr>(&S); Call && !Call->getBuiltinCallee()) {
    const FunctionDecl *F = Call->getDirectCallee();
    Inner.Folded &= F && F->isConstexpr();
  }
  if (isa<InitListExpr>(S) && E->getType()->isArrayType())
    Inner.InArray = true;
  return Inner;
}

/// Constant evaluation sees through a mark but where clang would copy what it
/// initialises from read-only memory, and nobody would run the mark.
Evaluated ConstructionMarker::evaluated() const {
  if (In.Folded)
    return Evaluated::Always;
  if (!In.InArray && (!In.InConstantCandidate || In.InConstant))
    return Evaluated::Always;
  return In.Evaluable ? Evaluated::InConstantExpressions : Evaluated::Never;
}

/// What stands behind \p Initialiser is shared by all who use it, constant
/// expressions among them.
void ConstructionMarker::walkShared(Expr &Initialiser) {
  if (!Done.insert(&Initialiser).second)
    return;
  ValueContext Outer = std::exchange(In, {});
  In.Evaluable = true;
  Stmt *Shared = &Initialiser;
  walk(Shared, /*MayReplace=*/false);
  In = Outer;
}

void ConstructionMarker::walkVariables(const DeclStmt &Statement) {
  for (Decl *D : Statement.decls()) {
    auto *Variable = dyn_cast<VarDecl>(D);
    if (!Variable || !Variable->hasInit())
      continue;
    ValueContext Outer = In;
    In.InConstant = Variable->hasGlobalStorage() || Variable->isConstexpr() ||
                    Variable->getType().isConstQualified();
    In.Evaluable |= In.InConstant;
    In.InConstantCandidate = true;
    walkInitialiser(*Variable);
    In = Outer;
  }
}

void ConstructionMarker::walk(Stmt *&S, bool MayReplace) {
  Expr *Object = std::exchange(Place, nullptr);
  if (!S || isNotEvaluated(*S))
    return;
  UsesLocations = UsesLocations || usesLocation(*S, Context);
  if (isa<ExprWithCleanups, CXXBindTemporaryExpr>(S))
    Place = Object;
  if (auto *Default = dyn_cast<CXXDefaultInitExpr>(S)) {
    Expr &Shared = *Default->getExpr();
    walkShared(Shared);
    // An empty list has no part that could bear the mark: each use has its own.
    if (MayReplace && Shared.children().empty() && !Marks.count(Default) &&
        isMarked(Shared))
      placeMark(S, *Default, Object);
    return;
  }
  if (auto *Argument = dyn_cast<CXXDefaultArgExpr>(S))
    return walkShared(*Argument->getExpr());
  if (auto *Statement = dyn_cast<DeclStmt>(S))
    return walkVariables(*Statement);
  if (auto *Handler = dyn_cast<CXXCatchStmt>(S))
    markCaught(*Handler);
  // A region of OpenMP.
  if (auto *Captured = dyn_cast<CapturedStmt>(S)) {
    Stmt *Body = Captured->getCapturedStmt();
    return walk(Body, /*MayReplace=*/false);
  }
  if (auto *Block = dyn_cast<BlockExpr>(S)) {
    Stmt *Body = Block->getBody();
    ValueContext Outer = std::exchange(In, {});
    walk(Body, /*MayReplace=*/false);
    In = Outer;
    return;
  }
  ValueContext Outer = In;
  In = contextWithin(*S);
  walkChildren(*S);
  In = Outer;
  auto *E = dyn_cast<Expr>(S);
  auto *New = dyn_cast<CXXNewExpr>(S);
  if (New && MayReplace && !Marks.count(New) && isMarkedArray(*New)) {
    if (!markPlacedArray(*New))
      S = marked(*New, *New);
    return;
  }
  if (!E || Marks.count(E) || !isMarked(*E) || markWithin(*E, MayReplace) ||
      !MayReplace)
    return;
  placeMark(S, *E, Object);
}

/// Puts a mark beside \p E, which \p S is, and which initialises \p Object, if
/// that is not null.
void ConstructionMarker::placeMark(Stmt *&S, Expr &E, Expr *Object) {
  bool IsFollowed = isFollowed(E);
  if (IsFollowed && Object && needsPlace(E.getType()))
    S = Build.comma(*markCallAt(newMark(E, *lastPart(&E)), *Object), E);
  else if (IsFollowed && !E.getType()->isArrayType())
    S = initialisedInWrapper(E);
  else
    S = marked(E, E);
}

void ConstructionMarker::walkChildren(Stmt &S) {
  // Code generation looks at the initialiser of an array new itself.
  auto *New = dyn_cast<CXXNewExpr>(&S);
  bool Direct = !New || !New->isArray();
  unsigned Bases = basesIn(S);
  ValueContext Outer = In;
  auto Walk = [&](Stmt *&Child) {
    Stmt *Value = Child;
    In.Folded |= isFolded(S, Child);
    walk(Value, Direct && !Bases);
    In = Outer;
    if (Value != Child)
      Edits.replace(Child, Value);
    Bases -= Bases > 0;
  };
  // A closure's body is a function of its own, and may be a template.
  if (auto *Lambda = dyn_cast<LambdaExpr>(&S))
    for (Expr *&Capture : Lambda->capture_inits())
      Walk(reinterpret_cast<Stmt *&>(Capture));
  else
    for (Stmt *&Child : S.children())
      Walk(Child);
  auto *List = dyn_cast<InitListExpr>(&S);
  if (!List || !List->hasArrayFiller())
    return;
  Expr *Old = List->getArrayFiller();
  Stmt *Filler = Old;
  walk(Filler);
  if (Filler != Old)
    Edits.apply([List, Old, Filler](bool Edited) {
      List->setArrayFiller(Edited ? cast<Expr>(Filler) : Old);
    });
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
  return Chosen.Objects == ObjectsMode::Lifetime && !In.Folded &&
         !Class->hasTrivialDestructor();
}

/// Puts the mark on the last part of \p E that can bear it: the object is not
/// there before, and the parent of \p E need not be known.
bool ConstructionMarker::markWithin(Expr &E, bool MayReplace) {
  if (auto *Construct = dyn_cast<CXXConstructExpr>(&E)) {
    if (Construct->getNumArgs() == 0 || (MayReplace && isFollowed(E)))
      return false;
    Stmt *&Argument = *Construct->child_begin();
    Edits.replace(Argument, marked(E, *Construct->getArg(0)));
    return true;
  }
  if (isa<LambdaExpr>(E))
    return false;
  auto Bears = [](const Expr *Part) {
    return Part && !Part->getType()->isArrayType() &&
           !isa<DesignatedInitUpdateExpr>(Part);
  };
  auto MarkPart = [&](Expr &Part) {
    return isFollowed(E)
               ? behind(*markCallHere(newMark(E, Part), Part.getExprLoc(),
                                      /*Assumed=*/In.Evaluable),
                        Part)
               : marked(E, Part);
  };
  // Clang knows no `this` of the whole while it initialises bases.
  unsigned First = isFollowed(E) ? basesIn(E) : 0;
  SmallVector<Stmt **, 8> Children;
  for (Stmt *&Part : E.children())
    Children.push_back(&Part);
  for (Stmt **Part : llvm::reverse(ArrayRef(Children).drop_front(First))) {
    if (!Bears(cast_or_null<Expr>(*Part)))
      continue;
    Edits.replace(*Part, MarkPart(*cast<Expr>(*Part)));
    return true;
  }
  return false;
}

/// `(__inmem_mark(N), E)`, with N the new mark of \p Owner.
Expr *ConstructionMarker::marked(const Expr &Owner, Expr &E) {
  return behind(*markCall(newMark(Owner, E), E.getExprLoc()), E);
}

/// `(Mark, E)`.
Expr *ConstructionMarker::behind(Expr &Mark, Expr &E) {
  Expr *Result = Build.comma(Mark, E);
  Behind[Result] = &E;
  return Result;
}

/// An array new of trivial objects where no operator is asked for memory: a
/// count that is not constant, and the place to follow them, go through
/// functions that return them. \returns whether there is need for any.
bool ConstructionMarker::markPlacedArray(CXXNewExpr &New) {
  Expr &Size = **New.getArraySize(), &Address = *New.getPlacementArg(0);
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
        Edits.replace(Child, Fresh);
  };
  if (Counted)
    Replace(Size, "__inmem_mark_count", Context.UnsignedLongTy);
  if (Followed)
    Replace(Address, "__inmem_mark_place", Context.VoidPtrTy);
  return true;
}

/// \p E, and behind it the mark with its address: for want of an expression
/// that says both, the initialiser `{E, {}}` of a class that is derived from
/// that of \p E, in the same place.
Expr *ConstructionMarker::initialisedInWrapper(Expr &E) {
  SourceLocation Loc = E.getExprLoc();
  // Constant evaluation needs the plain initialiser beside it, which would
  // change how clang numbers the counters of a profile.
  if (In.Evaluable && Profiled)
    return marked(E, E);
  unsigned Index = newMark(E, E);
  const CXXRecordDecl &Class = *E.getType()->getAsCXXRecordDecl();
  const CXXRecordDecl &Wrapper = Build.getOrCreateInitWrapper(Class);
  Expr *Empty = Build.list({}, Build.emptyRecord(), Loc);
  Expr *After =
      Build.comma(*markCallHere(Index, Loc, /*Assumed=*/false), *Empty);
  Expr *Whole = Build.converted(*Build.list({&E, After}, Wrapper, Loc),
                                E.getType(), CK_NoOp);
  Expr *Result = In.Evaluable ? Build.unlessConstant(E, *Whole) : Whole;
  Wrapped[Result] = &E;
  return Result;
}

unsigned ConstructionMarker::newMark(const Expr &Owner, const Expr &Part) {
  UsesLocations = true;
  unsigned Index = Table.Marks.size();
  Marks[&Owner] = Index;
  Table.Marks.emplace_back();
  Parts.push_back(&Part);
  return Index;
}

/// What of \p E may still throw when its mark has been run.
const Expr *ConstructionMarker::lastPart(const Expr *E) {
  auto *Construct = dyn_cast<CXXConstructExpr>(E);
  return Construct && Construct->getNumArgs() ? Construct->getArg(0) : E;
}

//===----------------------------------------------------------------------===//
// Calls of the functions that marks are
//===----------------------------------------------------------------------===//

Expr *ConstructionMarker::markCall(unsigned Index, SourceLocation Loc) {
  FunctionDecl &F = Build.function("__inmem_mark", Context.VoidTy,
                                   {Context.UnsignedIntTy}, evaluated());
  return Build.call(F, {Build.number(Index, Loc)}, Loc);
}

/// The mark with the address of \p Object.
Expr *ConstructionMarker::markCallAt(unsigned Index, Expr &Object) {
  SourceLocation Loc = Object.getExprLoc();
  FunctionDecl &F =
      Build.function("__inmem_mark_at", Context.VoidTy,
                     {Context.UnsignedIntTy, Build.rawPointer()}, evaluated());
  return Build.call(F, {Build.number(Index, Loc), Build.addressOf(Object, Loc)},
                    Loc);
}

/// The mark with the address of the class that is being initialised. Constant
/// evaluation, which does not know that address, does not look at what is
/// assumed.
Expr *ConstructionMarker::markCallHere(unsigned Index, SourceLocation Loc,
                                       bool Assumed) {
  FunctionDecl &F = Build.function(
      Assumed ? "__inmem_mark_assumed" : "__inmem_mark_at",
      Assumed ? Context.BoolTy : Context.VoidTy,
      {Context.UnsignedIntTy, Build.rawPointer()}, Evaluated::Never);
  return Build.withObjectBeingInitialised(Loc, [&](Expr &This) {
    Expr *Mark = Build.call(F, {Build.number(Index, Loc), &This}, Loc);
    if (!Assumed)
      return Mark;
    // Or clang would drop the assumption, for its side effect.
    if (!F.hasAttr<ConstAttr>())
      F.addAttr(ConstAttr::CreateImplicit(Context));
    return Build.callBuiltin(Builtin::BI__builtin_assume, "__builtin_assume",
                             Context.VoidTy, {Mark}, Loc);
  });
}

/// \p E by way of the function \p Name of \p Index and \p Type, which returns
/// what it is given.
Expr *ConstructionMarker::identity(StringRef Name, unsigned Index, Expr &E,
                                   QualType Type) {
  bool IsNumber = Type->isIntegerType();
  FunctionDecl &F =
      Build.function(Name, Type, {Context.UnsignedIntTy, Type},
                     IsNumber ? Evaluated::Always : Evaluated::Never);
  CastKind Kind = IsNumber ? CK_IntegralCast : CK_BitCast;
  SourceLocation Loc = E.getExprLoc();
  Expr *Result = Build.call(
      F, {Build.number(Index, Loc), Build.converted(E, Type, Kind)}, Loc);
  return Build.converted(*Result, E.getType(), Kind);
}

} // namespace inmem
