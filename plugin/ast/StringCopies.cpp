//===- StringCopies.cpp - strings that are copied to be read --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define INMEM_COMPAT_CLANG
#include "ast/StringCopies.h"
#include "Compat.h"
#include "ast/LibraryCode.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace clang;
using llvm::ArrayRef;
using llvm::SmallVector;

namespace inmem {

/// The string type of a parameter that takes a copy: by value, or as a
/// reference that binds to a temporary.
static bool takesString(QualType Type) {
  if (Type->isReferenceType() &&
      (Type->isRValueReferenceType() ||
       !Type.getNonReferenceType().isConstQualified()))
    return false;
  Type = Type.getNonReferenceType();
  return !Type.isVolatileQualified() && isString(Type);
}

/// True if the type of parameter \p Index of \p F could be changed.
static bool isFree(const FunctionDecl &F, unsigned Index) {
  auto *Method = dyn_cast<CXXMethodDecl>(&F);
  if ((Method && Method->isVirtual()) || F.isOverloadedOperator() ||
      F.isMain() || F.isDefaulted() ||
      isInLibrary(F.getASTContext().getSourceManager(), F.getLocation()))
    return false;
  const FunctionDecl *Pattern = F.getTemplateInstantiationPattern();
  return !Pattern ||
         (Pattern->getNumParams() == F.getNumParams() &&
          !Pattern->getParamDecl(Index)->getType()->isDependentType());
}

/// True if a string copied from \p E fits the small-string buffer of every C++
/// library: at least 15 one-byte characters and the NUL.
static bool fitsInside(const Expr &E) {
  auto *Literal = dyn_cast<StringLiteral>(&E);
  constexpr unsigned kInside = 16;
  return Literal &&
         Literal->getByteLength() + Literal->getCharByteWidth() <= kInside;
}

/// Strips wrappers of the construction of an object.
static const Expr &bare(const VariableUses &Uses, const Expr &Init) {
  for (const Expr *E = &Init;;) {
    E = &Uses.unmarked(*E->IgnoreParens());
    auto *Cast = dyn_cast<CastExpr>(E);
    auto *Construct = dyn_cast<CXXConstructExpr>(E);
    if (auto *Full = dyn_cast<FullExpr>(E))
      E = Full->getSubExpr();
    else if (auto *Bound = dyn_cast<CXXBindTemporaryExpr>(E))
      E = Bound->getSubExpr();
    else if (auto *Temporary = dyn_cast<MaterializeTemporaryExpr>(E))
      E = Temporary->getSubExpr();
    else if (Cast && (Cast->getCastKind() == CK_ConstructorConversion ||
                      (Cast->getCastKind() == CK_NoOp && Cast->isPRValue())))
      E = Cast->getSubExpr();
    else if (Construct && Construct->isElidable() &&
             Construct->getNumArgs() == 1)
      E = Construct->getArg(0);
    else
      return *E;
  }
}

StringCopies::Source StringCopies::sourceOf(const CXXConstructExpr &E) const {
  const CXXConstructorDecl &Constructor = *E.getConstructor();
  unsigned Count = 0;
  while (Count < E.getNumArgs() && !isa<CXXDefaultArgExpr>(E.getArg(Count)))
    ++Count;
  if (!isString(Constructor.getParent()) || Count == 0 ||
      Constructor.isMoveConstructor())
    return {};
  const Expr &First = Uses->unmarked(*E.getArg(0)->IgnoreParenImpCasts());
  QualType Type = First.getType();
  if (isString(Type)) // whole, or from a position on
    return {&E, &First, !Constructor.isCopyConstructor(), false};
  if (auto *Class = Type->getAsCXXRecordDecl())
    return Count == 1 && isInStd(*Class, {"basic_string_view"})
               ? Source{&E, &First, true, false}
               : Source();
  if ((!Type->isPointerType() && !Type->isArrayType()) || Count > 2 ||
      (Count == 2 && !E.getArg(1)->getType()->isIntegerType()))
    return {};
  return {&E, &First, true, isa<StringLiteral>(First)};
}

StringCopies::Source StringCopies::sourceOf(const Expr &Init) const {
  const Expr &E = bare(*Uses, Init);
  if (auto *Construct = dyn_cast<CXXConstructExpr>(&E))
    return sourceOf(*Construct);
  auto *Call = dyn_cast<CXXMemberCallExpr>(&E);
  const CXXMethodDecl *Method = Call ? Call->getMethodDecl() : nullptr;
  if (!Method || !isString(Method->getParent()) || !Method->getIdentifier() ||
      Method->getName() != "substr" ||
      Call->getImplicitObjectArgument()->getType()->isPointerType())
    return {};
  return {&E, Call->getImplicitObjectArgument(), true, false};
}

/// True if the function does not change anything reachable from outside it.
bool StringCopies::othersStay() const {
  return InCall || !Uses->changesOutside();
}

/// True if a variable is unchanged while the function runs.
bool StringCopies::isStable(const DeclRefExpr &E) const {
  auto *V = dyn_cast<VarDecl>(E.getDecl());
  if (!V || V->getType().getNonReferenceType().isVolatileQualified())
    return false;
  QualType Type = V->getType();
  if (!Type->isReferenceType())
    return !Uses->isChanged(*V) && // even a const one, through a cast
           (Type.isConstQualified() ||
            (V->hasLocalStorage() && !E.refersToEnclosingVariableOrCapture()));
  if (!Type.getNonReferenceType().isConstQualified() ||
      E.refersToEnclosingVariableOrCapture() || Uses->isChanged(*V))
    return false;
  if (isa<ParmVarDecl>(V))
    return othersStay();
  if (const CXXForRangeStmt *Loop = Uses->loopOf(*V))
    return isStableRange(*Loop);
  // A reference may be bound to itself by mistake, so limit the depth.
  constexpr unsigned kMaxReferences = 8;
  llvm::SaveAndRestore<unsigned> Nested(References, References + 1);
  return V->hasLocalStorage() && V->getInit() && References < kMaxReferences &&
         isStable(*V->getInit());
}

/// True if \p Method returns a const reference to a part of its object that
/// const member functions never change.
bool StringCopies::isStableGetter(const CXXMethodDecl &Method) const {
  QualType Type = Method.getReturnType();
  if (!Method.isConst() || Method.isVirtual() || Method.getNumParams() ||
      !Type->isReferenceType() ||
      !Type.getNonReferenceType().isConstQualified())
    return false;
  if (isInStd(Method, {"optional", "queue", "priority_queue", "stack"}))
    return true;
  auto *Body = dyn_cast_or_null<CompoundStmt>(Method.getBody());
  auto *Return = Body && Body->size() == 1
                     ? dyn_cast<ReturnStmt>(Body->body_front())
                     : nullptr;
  const Expr *E = Return ? Return->getRetValue() : nullptr;
  while (E) {
    E = &Uses->unmarked(*E->IgnoreParenImpCasts());
    if (isa<CXXThisExpr>(E))
      return true;
    if (auto *Whole = dyn_cast<UnaryOperator>(E)) // *this
      return Whole->getOpcode() == UO_Deref &&
             isa<CXXThisExpr>(Whole->getSubExpr()->IgnoreParenImpCasts());
    auto *Member = dyn_cast<MemberExpr>(E);
    auto *Field =
        Member ? dyn_cast<FieldDecl>(Member->getMemberDecl()) : nullptr;
    if (!Field || Field->isMutable() || Field->getType()->isReferenceType())
      return false;
    E = Member->getBase();
    if (Member->isArrow())
      return isa<CXXThisExpr>(E->IgnoreParenImpCasts());
  }
  return false;
}

/// True if the object named by \p Named is unchanged while the function runs.
bool StringCopies::isStable(const Expr &Named) const {
  const Expr &E = Uses->unmarked(*Named.IgnoreParenImpCasts());
  if (auto *Reference = dyn_cast<DeclRefExpr>(&E))
    return isStable(*Reference);
  if (const Expr *Object = elementOf(E))
    return isStable(*Object);
  const Expr *Object = nullptr;
  bool Arrow = false;
  if (auto *Member = dyn_cast<MemberExpr>(&E)) {
    auto *Field = dyn_cast<FieldDecl>(Member->getMemberDecl());
    if (!Field || Field->isMutable() || Field->getType()->isReferenceType())
      return false;
    Object = Member->getBase();
    Arrow = Member->isArrow();
  } else if (auto *Call = dyn_cast<CXXMemberCallExpr>(&E)) {
    const CXXMethodDecl *Method = Call->getMethodDecl();
    if (!Method || !isStableGetter(*Method))
      return false;
    Object = Call->getImplicitObjectArgument();
    Arrow = Object->getType()->isPointerType();
  } else if (auto *Element = dyn_cast<ArraySubscriptExpr>(&E)) {
    const Expr *Base = Element->getBase()->IgnoreParenImpCasts();
    return Base->getType()->isArrayType() && isStable(*Base);
  }
  if (!Object)
    return false;
  if (!Arrow)
    return isStable(*Object);
  const Expr *Pointer = Object->IgnoreParenImpCasts();
  if (isa<CXXThisExpr>(Pointer))
    return ConstThis && othersStay();
  auto *Reference = dyn_cast<DeclRefExpr>(Pointer);
  auto *V = Reference ? dyn_cast<VarDecl>(Reference->getDecl()) : nullptr;
  if (!V || !Pointer->getType()->getPointeeType().isConstQualified())
    return false;
  // Only a caller's pointer cannot refer to a local variable.
  bool Callers = isa<ParmVarDecl>(V) && !Uses->isChanged(*V);
  return InCall || (othersStay() && (Callers || !Uses->changesOwn()));
}

/// As isStable(), for the source of a copy.
bool StringCopies::isStableSource(const Source &S) const {
  if (S.Literal)
    return true;
  if (!S.From->isLValue())
    return false;
  if (S.From->getType()->isArrayType() || isString(S.From->getType()))
    return isStable(*S.From);
  // A view or a pointer is as stable as its target.
  auto *Reference = dyn_cast<DeclRefExpr>(S.From);
  auto *V = Reference ? dyn_cast<VarDecl>(Reference->getDecl()) : nullptr;
  if (!V || V->getType()->isReferenceType())
    return false;
  QualType Type = V->getType();
  if (Type->isPointerType() && !Type->getPointeeType().isConstQualified())
    return false;
  if (isa<ParmVarDecl>(V))
    return InCall || (!Uses->isChanged(*V) && !Uses->changesCharacters());
  return Type.isConstQualified() && !V->hasLocalStorage();
}

/// True if the elements are unchanged while the loop iterates over them.
bool StringCopies::isStableRange(const CXXForRangeStmt &Loop) const {
  const Expr &Range =
      Uses->unmarked(*Loop.getRangeInit()->IgnoreParenImpCasts());
  const CXXRecordDecl *Class = Range.getType()->getAsCXXRecordDecl();
  if (Class ? !isInStd(*Class, {"vector", "array", "deque", "list", "set",
                                "multiset", "unordered_set"})
            : !Range.getType()->isArrayType())
    return false;
  return isa<MaterializeTemporaryExpr>(Range) || isStable(Range);
}

void StringCopies::add(SourceLocation Loc, StringCopyFact Fact) {
  Fact.Where = C.location(Loc);
  if (Fact.Where.Line)
    All.push_back({Loc, std::move(Fact)});
}

void StringCopies::noteVariable(const VarDecl &V) {
  QualType Type = V.getType();
  if (Type->isReferenceType() || Type.isVolatileQualified() ||
      !V.hasLocalStorage() || !isString(Type) || !V.getInit())
    return;
  Source S = sourceOf(*V.getInit());
  if (!S.Making || fitsInside(*S.From))
    return;
  SourceLocation Loc = S.Making->getExprLoc();
  const CXXForRangeStmt *Loop = Uses->loopOf(V);
  bool View = !Uses->isNeeded(V);
  StringCopyFact Fact;
  Fact.Function = Function;
  Fact.Name = V.getName().str();
  Fact.Kind = INMEM_COPY_VARIABLE;
  if (!S.Characters)
    Fact.Flags = INMEM_COPY_REFERENCE;
  else
    Fact.Flags = INMEM_COPY_CHARACTERS;
  if (View)
    Fact.Flags |= INMEM_COPY_VIEW;
  if (S.Literal)
    Fact.Flags |= INMEM_COPY_CONSTANT;
  constexpr uint8_t kAdvice =
      INMEM_COPY_VIEW | INMEM_COPY_REFERENCE | INMEM_COPY_CONSTANT;
  if (Uses->isChanged(V) || !(Fact.Flags & kAdvice) ||
      !(Loop ? isString(S.From->getType()) && isStableRange(*Loop)
             : isStableSource(S)))
    Doubtful.insert(Loc);
  else
    add(Loc, std::move(Fact));
}

uint64_t StringCopies::keyOf(const FunctionDecl &F, unsigned Index) {
  std::string Text = C.Names.linkageName(F) + "," + std::to_string(Index);
  // Another translation unit may have a function with that name.
  if (!F.isExternallyVisible()) {
    const SourceManager &SM = C.Context.getSourceManager();
    if (auto Main = SM.getNonBuiltinFilenameForID(SM.getMainFileID()))
      Text += "," + Main->str();
  }
  return stableHash(Text);
}

void StringCopies::noteParameter(const FunctionDecl &F, unsigned Index) {
  const ParmVarDecl &Parameter = *F.getParamDecl(Index);
  if (!takesString(Parameter.getType()) || !Parameter.getIdentifier() ||
      !isFree(F, Index))
    return;
  StringCopyFact Fact;
  Fact.Function = Function;
  Fact.Name = Parameter.getName().str();
  Fact.Kind = INMEM_COPY_PARAMETER;
  Fact.Key = keyOf(F, Index);
  // A reference saves nothing if the parameter already is one.
  if (!Parameter.getType()->isReferenceType())
    Fact.Flags = INMEM_COPY_REFERENCE;
  if (!Uses->isNeeded(Parameter))
    Fact.Flags |= INMEM_COPY_VIEW;
  bool Saves = Fact.Flags;
  if (Uses->changesOutside())
    Fact.Flags |= INMEM_COPY_OUTSIDE;
  if (Uses->isChanged(Parameter) || !Saves)
    Doubtful.insert(Parameter.getLocation());
  else
    add(Parameter.getLocation(), std::move(Fact));
}

/// The variable that \p E names or is part of, added to \p Names with the
/// references followed to reach it. Null if they lead to an object outside the
/// function.
const VarDecl *
StringCopies::namedBy(const Expr &E,
                      SmallVectorImpl<const VarDecl *> &Names) const {
  for (const Expr *At = &E; At;) {
    const VarDecl *V = Uses->variableOf(*At);
    if (!V || !V->hasLocalStorage() || llvm::is_contained(Names, V))
      return nullptr;
    Names.push_back(V);
    if (!V->getType()->isReferenceType())
      return V;
    const CXXForRangeStmt *Loop = Uses->loopOf(*V);
    At = Loop                  ? Loop->getRangeInit()
         : isa<ParmVarDecl>(V) ? nullptr
                               : V->getInit();
  }
  return nullptr;
}

/// True if the source is a local variable, or part of one, that the callee can
/// reach only through this argument.
bool StringCopies::isOwnArgument(const Source &S,
                                 ArrayRef<const Expr *> Given) const {
  SmallVector<const VarDecl *, 2> Names;
  const VarDecl *Own = namedBy(*S.From, Names);
  if (!Own || Uses->isAliased(*Own) ||
      !(isString(S.From->getType()) || S.From->getType()->isArrayType()))
    return false;
  unsigned Named = 0;
  SmallVector<const Stmt *, 8> Left(Given.begin(), Given.end());
  while (!Left.empty()) {
    const Stmt *Next = Left.pop_back_val();
    if (!Next)
      continue;
    if (auto *Reference = dyn_cast<DeclRefExpr>(Next)) {
      SmallVector<const VarDecl *, 2> Others;
      Named += namedBy(*Reference, Others) == Own;
    }
    Left.append(Next->child_begin(), Next->child_end());
  }
  return Named == 1;
}

void StringCopies::noteArguments(const FunctionDecl &Callee,
                                 ArrayRef<const Expr *> Arguments,
                                 const Expr *Object) {
  SmallVector<const Expr *, 4> Given(Arguments.begin(), Arguments.end());
  Given.push_back(Object);
  for (unsigned I = 0; I < Callee.getNumParams() && I < Arguments.size(); ++I) {
    if (!takesString(Callee.getParamDecl(I)->getType()) || !isFree(Callee, I))
      continue;
    Source S = sourceOf(*Arguments[I]);
    if (!S.Making || fitsInside(*S.From))
      continue;
    SourceLocation Loc = S.Making->getExprLoc();
    StringCopyFact Fact;
    Fact.Kind = INMEM_COPY_ARGUMENT;
    Fact.Key = keyOf(Callee, I);
    if (S.Characters)
      Fact.Flags = INMEM_COPY_CHARACTERS;
    bool Own = S.Literal || isOwnArgument(S, Given);
    if (!Own)
      Fact.Flags |= INMEM_COPY_OUTSIDE;
    if (Own || isStableSource(S))
      add(Loc, std::move(Fact));
    else
      Doubtful.insert(Loc);
  }
}

/// Records where strings are constructed: an allocation on a line may belong to
/// any of them.
void StringCopies::countLines() {
  std::set<std::pair<unsigned, unsigned>> Here;
  for (const Expr *E : Uses->calls()) {
    auto *Construct = dyn_cast<CXXConstructExpr>(E);
    if (sourceOf(*E).Making != E &&
        !(Construct && isString(E->getType()) &&
          !Construct->getConstructor()->isMoveConstructor() &&
          &bare(*Uses, *E) == E))
      continue;
    SourceLoc Where = C.location(E->getExprLoc());
    std::set<unsigned> &Columns = Made[{Where.File, Where.Line}];
    Columns.insert(Where.Column);
    if (!Here.insert({Where.Line, Where.Column}).second)
      Columns.insert(Where.Column | kSeveral);
  }
}

bool StringCopies::isAlone(const SourceLoc &Where) const {
  auto At = Made.find({Where.File, Where.Line});
  return At != Made.end() && At->second.size() == 1;
}

bool StringCopies::isOneOfSeveral(const SourceLoc &Where) const {
  auto At = Made.find({Where.File, Where.Line});
  return At != Made.end() && At->second.count(Where.Column | kSeveral);
}

void StringCopies::note(const FunctionDecl &F) {
  bool Takes = llvm::any_of(F.parameters(), [](const ParmVarDecl *P) {
    return takesString(P->getType());
  });
  if ((!Takes && !C.Current.MakesStrings) ||
      isInLibrary(C.Context.getSourceManager(), F.getLocation()))
    return;
  VariableUses Found(C.Marker);
  Found.scan(F);
  if (!Found.understood())
    return;
  Uses = &Found;
  auto *Method = dyn_cast<CXXMethodDecl>(&F);
  ConstThis = Method && Method->isConst() && !Method->getParent()->isLambda();
  Function = C.Names.linkageName(F);
  countLines();
  for (const VarDecl *V : Found.variables())
    noteVariable(*V);
  for (unsigned I = 0; I < F.getNumParams(); ++I)
    noteParameter(F, I);
  InCall = ConstThis = true;
  for (const Expr *E : Found.calls()) {
    auto *Call = dyn_cast<CallExpr>(E);
    auto *Construct = dyn_cast<CXXConstructExpr>(E);
    auto *Member = dyn_cast<CXXMemberCallExpr>(E);
    if (Call && !isa<CXXOperatorCallExpr>(Call) && Call->getDirectCallee())
      noteArguments(*Call->getDirectCallee(),
                    {Call->getArgs(), Call->getNumArgs()},
                    Member ? Member->getImplicitObjectArgument() : nullptr);
    else if (Construct)
      noteArguments(*Construct->getConstructor(),
                    {Construct->getArgs(), Construct->getNumArgs()}, nullptr);
  }
  Uses = nullptr;
  InCall = false;
}

void StringCopies::finish() {
  for (auto &[Loc, Fact] : All) {
    bool IsCopy = Fact.Kind != INMEM_COPY_PARAMETER;
    if (Doubtful.count(Loc) || (IsCopy && isOneOfSeveral(Fact.Where)))
      continue;
    if (IsCopy && isAlone(Fact.Where))
      Fact.Flags |= INMEM_COPY_ALONE;
    C.Table.StringCopies.push_back(std::move(Fact));
  }
  All.clear();
}

} // namespace inmem
