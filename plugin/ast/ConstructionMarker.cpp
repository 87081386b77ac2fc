//===- ConstructionMarker.cpp - constructions that call nothing -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define INMEM_COMPAT_CLANG
#include "ast/ConstructionMarker.h"
#include "Compat.h"
#include "ast/EvaluatedParts.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclObjC.h"
#include "clang/AST/DeclOpenMP.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"

using namespace clang;

namespace inmem {

void ConstructionMarker::markEarly(Decl &D) {
  if (auto *F = dyn_cast<FunctionDecl>(&D)) {
    if (F->doesThisDeclarationHaveABody())
      markFunction(*F);
  } else if (auto *Variable = dyn_cast<VarDecl>(&D)) {
    markVariable(*Variable);
  } else if (auto *Reduction = dyn_cast<OMPDeclareReductionDecl>(&D)) {
    if (auto *Private = dyn_cast_or_null<DeclRefExpr>(Reduction->getInitPriv()))
      markVariable(*cast<VarDecl>(Private->getDecl()));
  } else if (auto *Implementation = dyn_cast<ObjCImplDecl>(&D)) {
    for (const ObjCMethodDecl *Method : Implementation->methods())
      markMethod(*Method);
  } else if (auto *Class = dyn_cast<CXXRecordDecl>(&D)) {
    // Member functions are emitted when they are used.
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
  In.Evaluable = In.InConstexprFunction = F.isConstexpr();
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
    if (Member && needsTarget(Member->getType()))
      Target = Build.member(Constructor, *Member, Init->getMemberLocation());
    // Bases and delegation construct no objects of their own.
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
  if (needsTarget(Variable.getType()))
    Target = Build.reference(Variable, Variable.getLocation());
  Stmt *Old = *Variable.getInitAddress(), *New = Old;
  walk(New);
  // The initialiser may move when its value is first computed, so get its
  // address again.
  if (New != Old)
    Edits.apply([&Variable, Old, New](bool Edited) {
      *Variable.getInitAddress() = Edited ? New : Old;
    });
}

/// True if the marker of an initialiser for \p Type names the object. Arrays
/// have no `this`, and constant evaluation must see through the marker.
bool ConstructionMarker::needsTarget(QualType Type) const {
  return Chosen.Objects == ObjectsMode::Lifetime &&
         (Type->isArrayType() || (In.Evaluable && Type->isRecordType()));
}

std::optional<unsigned>
ConstructionMarker::markerOf(const VarDecl &Caught) const {
  auto It = CaughtMarkers.find(&Caught);
  if (It == CaughtMarkers.end())
    return std::nullopt;
  return It->second;
}

/// If the copy is trivial, clang gives `catch (T t) { ... }` no initialiser:
/// the marker becomes the handler's first statement.
void ConstructionMarker::markCaught(CXXCatchStmt &Handler) {
  VarDecl *Caught = Handler.getExceptionDecl();
  if (!Caught || Caught->hasInit() || CaughtMarkers.count(Caught))
    return;
  const CXXRecordDecl *Class = countedClass(Caught->getType());
  if (!Class || (!Chosen.TrivialObjects && Class->hasTrivialDestructor()))
    return;
  SourceLocation Loc = Caught->getLocation();
  Expr *Object = Build.reference(*Caught, Loc);
  unsigned Index = addMarker(*Object, *Object);
  CaughtMarkers[Caught] = Index;
  Expr *Marker = isFollowed(*Object)
                     ? Markers.callAt(Index, *Object, evaluated())
                     : Markers.call(Index, Loc, evaluated());
  Stmt *Block = Handler.getHandlerBlock();
  Stmt *Both = Build.block({Marker, Block}, Block->getSourceRange());
  for (Stmt *&Child : Handler.children())
    Edits.replace(Child, Both);
}

template <typename Statement>
static bool isConditionOf(const Stmt &Parent, const Stmt *Child) {
  auto *S = dyn_cast<Statement>(&Parent);
  return S && Child == S->getCond();
}

/// True if clang tries to fold \p Child of \p Parent, and then emits no code
/// for it.
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

/// True if clang copies the array that \p E initialises from read-only memory
/// whenever its value is constant.
static bool isCopiedIfConstant(const Expr &E, const ASTContext &Context) {
  auto *List = dyn_cast<InitListExpr>(&E);
  auto *Parens = dyn_cast<CXXParenListInitExpr>(&E);
  if ((!List && !Parens) || !E.getType()->isArrayType())
    return false;
  // Same limit as in CodeGen's AggExprEmitter::EmitArrayInit().
  constexpr uint64_t kMostBytesStored = 16;
  uint64_t Count = List ? List->getNumInits() : Parens->getInitExprs().size();
  QualType Element = Context.getAsArrayType(E.getType())->getElementType();
  return Count * Context.getTypeSizeInChars(Element).getQuantity() >
             kMostBytesStored &&
         Element.isTriviallyCopyableType(Context);
}

/// The context of the children of \p S.
ConstructionMarker::ValueContext
ConstructionMarker::contextWithin(const Stmt &S) const {
  ValueContext Inner = In;
  auto *E = dyn_cast<Expr>(&S);
  bool IsObject = E && (E->getType()->isRecordType() || //
                        E->getType()->isArrayType());
  if (!IsObject || isa<CallExpr, MemberExpr>(S))
    Inner.Copied = false;
  if (auto *Call = dyn_cast<CallExpr>(&S); Call && !Call->getBuiltinCallee()) {
    const FunctionDecl *F = Call->getDirectCallee();
    Inner.Folded &= F && F->isConstexpr();
  }
  // Temporaries are not part of the array.
  if (!isa<InitListExpr, CXXParenListInitExpr>(S))
    Inner.Hoisted = nullptr;
  else if (E != NewList && !Inner.Hoisted)
    Inner.Copied = Inner.Copied || isCopiedIfConstant(*E, Context);
  return Inner;
}

Evaluated ConstructionMarker::evaluated() const {
  if (In.Folded || !In.Copied)
    return Evaluated::Always;
  return In.Evaluable ? Evaluated::InConstantExpressions : Evaluated::Never;
}

static bool hasFiller(const Expr &E) {
  auto *List = dyn_cast<InitListExpr>(&E);
  return List && (List->hasArrayFiller() ||
                  llvm::any_of(List->inits(), [](const Expr *Init) {
                    return Init && hasFiller(*Init);
                  }));
}

/// Walks the initialiser list \p E of an array, which \p S points to. Clang may
/// copy the array from read-only memory, but constant evaluation must also see
/// through its markers when it folds a call. If the list is constant, its
/// markers are placed in front of it.
void ConstructionMarker::walkArray(Stmt *&S, Expr &E, bool MayReplace) {
  Expr::EvalResult Result;
  if (hasFiller(E) || !MayReplace) // a filler's marker would run only once
    return walkChildren(E);
  In.Copied = false;
  if (!E.EvaluateAsRValue(Result, Context) || Result.HasSideEffects)
    return walkChildren(E);
  SmallVector<Expr *, 8> Hoisted;
  In.Hoisted = &Hoisted;
  walkChildren(E);
  Expr *Whole = &E;
  for (Expr *Marker : llvm::reverse(Hoisted))
    Whole = Build.comma(*Marker, *Whole);
  if (Whole == &E)
    return;
  Wrapped[Whole] = &E;
  S = Whole;
}

/// All uses share \p Initialiser, including constant expressions.
void ConstructionMarker::walkShared(Expr &Initialiser) {
  if (!Done.insert(&Initialiser).second)
    return;
  ValueContext Outer = std::exchange(In, {});
  In.Evaluable = In.InConstexprFunction = true;
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
    QualType Type = Variable->getType();
    // No object is constructed for a constant that clang computes.
    bool Constant = Variable->hasGlobalStorage() || Variable->isConstexpr() ||
                    Type.isConstQualified();
    In.Evaluable |= Constant;
    In.InConstexprFunction &= !Variable->hasGlobalStorage();
    In.Copied =
        !Constant && !Type->isReferenceType() && Type.isPODType(Context);
    walkInitialiser(*Variable);
    In = Outer;
  }
}

void ConstructionMarker::walk(Stmt *&S, bool MayReplace) {
  Expr *Object = std::exchange(Target, nullptr);
  if (!S || isNotEvaluated(*S))
    return;
  UsesLocations = UsesLocations || usesLocation(*S, Context);
  if (isa<ExprWithCleanups, CXXBindTemporaryExpr>(S))
    Target = Object;
  if (auto *Default = dyn_cast<CXXDefaultInitExpr>(S)) {
    Expr &Shared = *Default->getExpr();
    walkShared(Shared);
    // An empty list has no part to put the marker on, so each use gets its own.
    if (MayReplace && Shared.children().empty() && !Markers.of(*Default) &&
        isMarked(Shared))
      putMarker(S, *Default, Object);
    return;
  }
  if (auto *Argument = dyn_cast<CXXDefaultArgExpr>(S))
    return walkShared(*Argument->getExpr());
  if (auto *Statement = dyn_cast<DeclStmt>(S))
    return walkVariables(*Statement);
  if (auto *Handler = dyn_cast<CXXCatchStmt>(S))
    markCaught(*Handler);
  auto *E = dyn_cast<Expr>(S);
  ValueContext Outer = In;
  In = isa<BlockExpr>(S) ? ValueContext() : contextWithin(*S);
  if (E && In.InConstexprFunction && In.Copied && !Outer.Copied)
    walkArray(S, *E, MayReplace);
  else
    walkChildren(*S);
  In = Outer;
  auto *New = dyn_cast<CXXNewExpr>(S);
  if (New && MayReplace && !Markers.of(*New) && isMarkedArray(*New)) {
    if (!markPlacedArray(*New))
      S = marked(*New, *New);
    return;
  }
  if (!E || Markers.of(*E) || !isMarked(*E) || markerWithin(*E, MayReplace) ||
      !MayReplace)
    return;
  putMarker(S, *E, Object);
}

/// Puts a marker around \p E, which \p S points to. \p Object is the object it
/// initialises, or null.
void ConstructionMarker::putMarker(Stmt *&S, Expr &E, Expr *Object) {
  bool IsFollowed = isFollowed(E);
  if (IsFollowed && Object && needsTarget(E.getType()))
    S = Build.comma(
        *Markers.callAt(addMarker(E, *lastPart(&E)), *Object, evaluated()), E);
  else if (IsFollowed && !E.getType()->isArrayType())
    S = initialisedInWrapper(E);
  else
    S = marked(E, E);
}

void ConstructionMarker::walkChildren(Stmt &S) {
  // Code generation inspects the initialiser of an array new, so it must stay
  // in place.
  auto *New = dyn_cast<CXXNewExpr>(&S);
  bool Direct = !New || !New->isArray();
  if (!Direct)
    NewList = New->getInitializer();
  unsigned Bases = basesIn(S);
  ValueContext Outer = In;
  forEachEvaluatedPart(S, [&](Stmt *&Part, PartSlot Slot) {
    Stmt *Value = Part;
    In.Folded |= isFolded(S, Part);
    walk(Value, Slot == PartSlot::Filler ||
                    (Slot == PartSlot::Child && Direct && !Bases));
    In = Outer;
    Bases -= Bases > 0;
    if (Value == Part)
      return;
    if (Slot == PartSlot::Child)
      return Edits.replace(Part, Value);
    Edits.apply([List = cast<InitListExpr>(&S), Old = cast<Expr>(Part),
                 New = cast<Expr>(Value)](bool Edited) {
      List->setArrayFiller(Edited ? New : Old);
    });
  });
}

/// The number of leading children of \p S that initialise bases.
unsigned ConstructionMarker::basesIn(const Stmt &S) {
  if (!isa<InitListExpr, CXXParenListInitExpr>(S))
    return 0;
  const CXXRecordDecl *Class = cast<Expr>(S).getType()->getAsCXXRecordDecl();
  return Class && Class->hasDefinition() ? Class->getNumBases() : 0;
}

/// The class of \p Type; null if its objects are not counted.
const CXXRecordDecl *ConstructionMarker::countedClass(QualType Type) {
  const CXXRecordDecl *Class = Type->getAsCXXRecordDecl();
  return Class && Class->hasDefinition() && Selected.counts(*Class) ? Class
                                                                    : nullptr;
}

/// True if \p New creates an array of objects with a trivial constructor.
bool ConstructionMarker::isMarkedArray(const CXXNewExpr &New) {
  const CXXRecordDecl *Class =
      countedClass(Context.getBaseElementType(New.getAllocatedType()));
  const CXXConstructExpr *Construct = New.getConstructExpr();
  return New.isArray() && Class && Construct &&
         Construct->getConstructor()->isTrivial() &&
         (Chosen.TrivialObjects || !Class->hasTrivialDestructor());
}

/// True if \p E constructs an object to be counted without a call.
bool ConstructionMarker::isMarked(const Expr &E) {
  auto *Construct = dyn_cast<CXXConstructExpr>(&E);
  const CXXRecordDecl *Class = countedClass(
      Construct ? Context.getBaseElementType(E.getType()) : E.getType());
  if (!Class)
    return false;
  // Even a class with a destructor may be constructed without code.
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

/// True if the lifetimes of the objects that \p E constructs are tracked.
bool ConstructionMarker::isFollowed(const Expr &E) const {
  const CXXRecordDecl *Class =
      Context.getBaseElementType(E.getType())->getAsCXXRecordDecl();
  return Chosen.Objects == ObjectsMode::Lifetime && !In.Folded &&
         !Class->hasTrivialDestructor();
}

/// Puts the marker on the last possible part of \p E, since the object does not
/// exist before it. The parent of \p E stays unchanged.
bool ConstructionMarker::markerWithin(Expr &E, bool MayReplace) {
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
               ? behind(*Markers.callHere(addMarker(E, Part), Part.getExprLoc(),
                                          /*Assumed=*/In.Evaluable),
                        Part)
               : marked(E, Part);
  };
  // Clang has no `this` for the whole object while it initialises bases.
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

/// `(__inmem_mark(N), E)`, where N is the new marker of \p Owner.
Expr *ConstructionMarker::marked(const Expr &Owner, Expr &E) {
  if (In.Hoisted) {
    In.Hoisted->push_back(
        Markers.call(addMarker(Owner, E), E.getExprLoc(), evaluated()));
    return &E;
  }
  return behind(*Markers.call(addMarker(Owner, E), E.getExprLoc(), evaluated()),
                E);
}

/// `(Marker, E)`.
Expr *ConstructionMarker::behind(Expr &Marker, Expr &E) {
  Expr *Result = Build.comma(Marker, E);
  Behind[Result] = &E;
  return Result;
}

/// Handles placement array new of trivial objects: passes a non-constant count,
/// and the address if lifetimes are tracked, through functions that return
/// them. \returns whether one was needed.
bool ConstructionMarker::markPlacedArray(CXXNewExpr &New) {
  Expr &Size = **New.getArraySize(), &Address = *New.getPlacementArg(0);
  Expr::EvalResult Ignored;
  bool Counted = !Size.EvaluateAsInt(Ignored, Context);
  bool Followed = isFollowed(*New.getConstructExpr());
  if (!New.getOperatorNew()->isReservedGlobalPlacementOperator() ||
      (!Counted && !Followed))
    return false;
  unsigned Index = addMarker(New, New);
  auto Replace = [&](Expr &Old, StringRef Name, QualType Type) {
    Expr *Fresh = Markers.identity(Name, Index, Old, Type);
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

/// \p E followed by a marker with its address. No single expression does both,
/// so the result is an initialiser `{E, {}}` of a class derived from the class
/// of \p E, in the same storage.
Expr *ConstructionMarker::initialisedInWrapper(Expr &E) {
  SourceLocation Loc = E.getExprLoc();
  // Constant evaluation also needs the plain initialiser, which would change
  // the numbering of profile counters.
  if (In.Evaluable && Profiled)
    return marked(E, E);
  unsigned Index = addMarker(E, E);
  const CXXRecordDecl &Class = *E.getType()->getAsCXXRecordDecl();
  const CXXRecordDecl &Wrapper = Build.getOrCreateInitWrapper(Class);
  Expr *Empty = Build.list({}, Build.emptyRecord(), Loc);
  Expr *After =
      Build.comma(*Markers.callHere(Index, Loc, /*Assumed=*/false), *Empty);
  Expr *Whole = Build.converted(*Build.list({&E, After}, Wrapper, Loc),
                                E.getType(), CK_NoOp);
  Expr *Result = In.Evaluable ? Build.unlessConstant(E, *Whole) : Whole;
  Wrapped[Result] = &E;
  return Result;
}

unsigned ConstructionMarker::addMarker(const Expr &Owner, const Expr &Part) {
  // The passes look up the call after the marker that may still throw.
  UsesLocations |= isa<CallExpr, CXXConstructExpr>(
      Part.IgnoreImplicit()->IgnoreParenCasts()->IgnoreImplicit());
  return Markers.add(Owner, Part);
}

/// The part of \p E that may still throw after its marker has run.
const Expr *ConstructionMarker::lastPart(const Expr *E) {
  auto *Construct = dyn_cast<CXXConstructExpr>(E);
  return Construct && Construct->getNumArgs() ? Construct->getArg(0) : E;
}

} // namespace inmem
