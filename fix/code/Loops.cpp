//===- Loops.cpp ----------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fix/code/Loops.h"

using namespace clang;

namespace inmem::fix {

bool isLoop(const Stmt &S) {
  return isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(S);
}

const Stmt *bodyOf(const Stmt &Loop) {
  if (const auto *F = dyn_cast<ForStmt>(&Loop))
    return F->getBody();
  if (const auto *W = dyn_cast<WhileStmt>(&Loop))
    return W->getBody();
  if (const auto *D = dyn_cast<DoStmt>(&Loop))
    return D->getBody();
  if (const auto *R = dyn_cast<CXXForRangeStmt>(&Loop))
    return R->getBody();
  return nullptr;
}

const Stmt *loopAround(const Spot &S, const Stmt &Node) {
  for (const Stmt *P = parentOf(S, Node); P; P = parentOf(S, *P)) {
    if (isa<LambdaExpr>(P))
      return nullptr;
    if (isLoop(*P))
      return P;
  }
  return nullptr;
}

const Stmt *outermostLoop(const Spot &S, const Stmt &Node, const VarDecl &V) {
  const Stmt *Found = nullptr;
  for (const Stmt *Loop = loopAround(S, Node); Loop;
       Loop = loopAround(S, *Loop)) {
    const SourceRange R = Loop->getSourceRange();
    if (S.SM.isBeforeInTranslationUnit(R.getBegin(), V.getLocation()) &&
        S.SM.isBeforeInTranslationUnit(V.getLocation(), R.getEnd()))
      break;
    Found = Loop;
  }
  return Found;
}

bool canDeclareBefore(const Spot &S, const Stmt &Statement) {
  const Stmt *Around = parentOf(S, Statement);
  if (!Around || !isa<CompoundStmt>(Around))
    return false;
  for (const Stmt *Child : Around->children())
    if (isa<SwitchCase>(Child) &&
        S.SM.isBeforeInTranslationUnit(Statement.getBeginLoc(),
                                       Child->getBeginLoc()))
      return false;
  bool Jumps = false;
  walk(S.Function->getBody(), [&](const Stmt &Node) {
    Jumps |= isa<LabelStmt, GotoStmt, IndirectGotoStmt>(Node);
    return !Jumps;
  });
  return !Jumps;
}

bool isUnconditional(const Spot &S, const Stmt &Node, const Stmt &Loop) {
  const Stmt *Body = bodyOf(Loop);
  for (const Stmt *P = &Node; P; P = parentOf(S, *P)) {
    if (P == Body)
      return true;
    if (const auto *B = dyn_cast<BinaryOperator>(P))
      if (B->isLogicalOp())
        return false;
    if (isa<CompoundStmt>(P))
      continue;
    if (!isa<Expr>(P) || isa<AbstractConditionalOperator, LambdaExpr>(P))
      return false;
  }
  return false;
}

bool leavesEarly(const Stmt &Body) {
  bool Found = false;
  walk(&Body, [&](const Stmt &Node) {
    Found |=
        isa<BreakStmt, ContinueStmt, ReturnStmt, GotoStmt, IndirectGotoStmt,
            CXXThrowExpr, CXXTryStmt, CoroutineSuspendExpr, CoreturnStmt>(Node);
    return !Found && !isa<LambdaExpr>(Node);
  });
  return Found;
}

/// The variable that `++I`, `I++` or `I += 1` increments.
static const VarDecl *countedUp(const Expr *Step) {
  if (!Step)
    return nullptr;
  Step = Step->IgnoreParenImpCasts();
  if (const auto *U = dyn_cast<UnaryOperator>(Step))
    return U->isIncrementOp() ? variableOf(U->getSubExpr()) : nullptr;
  return nullptr;
}

static bool isZero(const Spot &S, const Expr *E) {
  if (!E || E->isValueDependent())
    return false;
  Expr::EvalResult Value;
  return E->EvaluateAsInt(Value, S.Context) && Value.Val.getInt() == 0;
}

/// A loop limit that can also be evaluated once before the loop.
static std::optional<Bound> limitOf(const Spot &S, const Expr *Limit,
                                    const Stmt &Body) {
  const Expr *Bare = Limit->IgnoreParenImpCasts();
  if (!isWritten(S, Bare->getSourceRange()))
    return std::nullopt;
  Bound Out;
  Out.Text = textOf(S, Bare->getSourceRange());
  Expr::EvalResult Value;
  if (!Bare->isValueDependent() && Bare->EvaluateAsInt(Value, S.Context)) {
    if (Value.Val.getInt().isNegative() || isa<CallExpr>(Bare))
      return std::nullopt;
    Out.Constant = true;
    return Out;
  }
  if (const VarDecl *V = variableOf(Bare)) {
    if (!V->getType()->isIntegerType() || mayChange(S, *V, Body))
      return std::nullopt;
    Out.Signed = V->getType()->isSignedIntegerType();
    return Out;
  }
  // xs.size() of a container that the body does not change.
  const auto Use = memberUse(*Bare);
  if (!Use || (Use->Name != "size" && Use->Name != "length") ||
      !Use->Arguments.empty() || !isPure(Use->Object))
    return std::nullopt;
  QualType Type = Use->Object->getType();
  if (Use->Arrow)
    Type = Type->getPointeeType();
  const VarDecl *Of = variableOf(Use->Object);
  if (!isStd(Type, {"vector", "basic_string", "array", "deque", "list", "map",
                    "set", "unordered_map", "unordered_set", "span",
                    "basic_string_view", "initializer_list"}) ||
      (!Type.isConstQualified() && !Of))
    return std::nullopt;
  if (Of && !Type.isConstQualified())
    for (const DeclRefExpr *Ref : usesOf(*Of, &Body)) {
      const auto Member = memberUseOf(S, *Ref);
      if (!Member || (!Member->IsConst && Member->Name != "operator[]" &&
                      Member->Name != "at" && Member->Name != "begin" &&
                      Member->Name != "end"))
        return std::nullopt;
    }
  return Out;
}

static std::optional<Bound> rangeOf(const Spot &S, const CXXForRangeStmt &For) {
  const Expr *Range = For.getRangeInit()->IgnoreParenImpCasts();
  if (!isWritten(S, Range->getSourceRange()) || !isPure(Range))
    return std::nullopt;
  const QualType Type = Range->getType();
  Bound Out;
  if (const auto *Array = S.Context.getAsConstantArrayType(Type)) {
    Out.Constant = true;
    Out.Text = std::to_string(Array->getSize().getZExtValue());
    return Out;
  }
  if (!isStd(Type,
             {"vector", "basic_string", "array", "deque", "list", "map", "set",
              "multimap", "multiset", "unordered_map", "unordered_set", "span",
              "basic_string_view", "initializer_list"}))
    return std::nullopt;
  Out.Text = textOf(S, Range->getSourceRange()) + ".size()";
  return Out;
}

std::optional<Bound> boundOf(const Spot &S, const Stmt &Loop) {
  if (const auto *Range = dyn_cast<CXXForRangeStmt>(&Loop))
    return Range->getInit() ? std::nullopt : rangeOf(S, *Range);
  const auto *For = dyn_cast<ForStmt>(&Loop);
  if (!For || !For->getInit() || !For->getCond())
    return std::nullopt;
  const VarDecl *Counter = countedUp(For->getInc());
  const auto *Init = dyn_cast<DeclStmt>(For->getInit());
  const auto *Test =
      dyn_cast<BinaryOperator>(For->getCond()->IgnoreParenImpCasts());
  if (!Counter || !Init || !Init->isSingleDecl() ||
      Init->getSingleDecl() != Counter || !isZero(S, Counter->getInit()) ||
      !Counter->getType()->isIntegerType() || !Test ||
      (Test->getOpcode() != BO_LT && Test->getOpcode() != BO_NE) ||
      variableOf(Test->getLHS()) != Counter ||
      mayChange(S, *Counter, *For->getBody()))
    return std::nullopt;
  return limitOf(S, Test->getRHS(), *For->getBody());
}

} // namespace inmem::fix
