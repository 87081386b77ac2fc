//===- BodyStatements.cpp - the walk of statements ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Paths split and join at statements, and with them the known sizes
// (SizeFlow.h).
#include "ast/BodyWalker.h"
#include "ast/EmittedDecls.h"
#include "clang/AST/DeclOpenMP.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/AST/StmtOpenMP.h"

using namespace clang;

namespace inmem {

/// Walks code that may or may not run. \returns the variables it changed, if
/// its end is reachable.
std::vector<SizeFlow::Path>
BodyWalker::walkBranch(llvm::function_ref<void()> Walk) {
  FunctionBody &Body = C.Current;
  bool Live = Body.Open.Live;
  SizeFlow::Position Begin = Body.Sizes.position();
  ++Body.Open.Depth;
  Walk();
  --Body.Open.Depth;
  bool Ends = Body.Open.Live;
  Body.Open.Live = Live;
  SizeFlow::Path Changes = Body.Sizes.takeBack(Begin);
  if (!Ends)
    return {};
  return {std::move(Changes)};
}

/// Continues with the join of \p Paths.
void BodyWalker::meet(const std::vector<SizeFlow::Path> &Paths) {
  C.Current.Open.Live = !Paths.empty();
  C.Current.Sizes.join(Paths);
}

static void append(std::vector<SizeFlow::Path> &To,
                   std::vector<SizeFlow::Path> More) {
  std::move(More.begin(), More.end(), std::back_inserter(To));
}

void BodyWalker::walkIf(const IfStmt &S) {
  walk(S.getInit());
  walk(S.getConditionVariableDeclStmt());
  walk(S.getCond());
  auto Paths = walkBranch([&] { walk(S.getThen()); });
  append(Paths, walkBranch([&] { walk(S.getElse()); }));
  meet(Paths);
}

void BodyWalker::walkChoice(const Expr *True, const Expr *False,
                            const ValueContext &In) {
  auto Paths = walkBranch([&] { walk(True, In); });
  append(Paths, walkBranch([&] { walk(False, In); }));
  meet(Paths);
}

const AssignmentScan &BodyWalker::wholeScan() {
  Branches &Open = C.Current.Open;
  if (!Open.WholeScan)
    Open.WholeScan = std::make_unique<AssignmentScan>(*C.Current.Function);
  return *Open.WholeScan;
}

/// Handles a label that control may reach from anywhere in the function.
void BodyWalker::walkLabel() {
  C.Current.Open.Live = true;
  if (C.Current.Function)
    C.Current.Sizes.mayHappen(wholeScan().all(), C.Context);
  else
    C.Current.Sizes.forgetAll();
}

void BodyWalker::walkCase(const SwitchCase &S) {
  FunctionBody &Body = C.Current;
  Branches::Breakable *Switch = nullptr;
  for (Branches::Breakable &Each : llvm::reverse(Body.Open.Breakables))
    if (isa<SwitchStmt>(Each.Statement)) {
      Switch = &Each;
      break;
    }
  if (!Switch)
    return;
  Switch->HasDefault |= isa<DefaultStmt>(S);
  // The label is inside another statement.
  if (Switch->Depth != Body.Open.Depth)
    return walkLabel();
  bool FallsThrough = Body.Open.Live;
  SizeFlow::Path Changes = Body.Sizes.takeBack(Switch->Begin);
  std::vector<SizeFlow::Path> Paths(1);
  if (FallsThrough)
    Paths.push_back(std::move(Changes));
  meet(Paths);
}

void BodyWalker::walkSwitch(const SwitchStmt &S) {
  FunctionBody &Body = C.Current;
  walk(S.getInit());
  walk(S.getConditionVariableDeclStmt());
  walk(S.getCond());
  bool Live = Body.Open.Live;
  ++Body.Open.Depth;
  Body.Open.Breakables.push_back(
      {&S, Body.Sizes.position(), Body.Open.Depth, {}, {}, false});
  Body.Open.Live = false;
  walk(S.getBody());
  Branches::Breakable Switch = std::move(Body.Open.Breakables.back());
  Body.Open.Breakables.pop_back();
  --Body.Open.Depth;
  std::vector<SizeFlow::Path> Paths = std::move(Switch.Left);
  SizeFlow::Path Last = Body.Sizes.takeBack(Switch.Begin);
  if (Body.Open.Live)
    Paths.push_back(std::move(Last));
  if (!Switch.HasDefault && !S.isAllEnumCasesCovered())
    Paths.emplace_back();
  meet(Paths);
  Body.Open.Live &= Live;
}

static bool isAlways(const Expr *Condition, const ASTContext &Context) {
  bool Value = false;
  return !Condition ||
         (!Condition->isValueDependent() &&
          Condition->EvaluateAsBooleanCondition(Value, Context) && Value);
}

void BodyWalker::walkLoop(const Stmt &S) {
  FunctionBody &Body = C.Current;
  auto *For = dyn_cast<ForStmt>(&S);
  auto *While = dyn_cast<WhileStmt>(&S);
  auto *Do = dyn_cast<DoStmt>(&S);
  auto *Range = dyn_cast<CXXForRangeStmt>(&S);
  if (For)
    walk(For->getInit());
  if (Range)
    for (const Stmt *Each :
         {Range->getInit(), (const Stmt *)Range->getRangeStmt(),
          (const Stmt *)Range->getBeginStmt(),
          (const Stmt *)Range->getEndStmt()})
      walk(Each);
  // Assignments in the loop may already have happened at its head.
  bool Outermost = !Body.Open.Scan || !Body.Open.Scan->covers(S);
  std::unique_ptr<AssignmentScan> Outer;
  if (Outermost) {
    Outer = std::move(Body.Open.Scan);
    Body.Open.Scan = std::make_unique<AssignmentScan>(S);
  }
  Body.Sizes.mayHappen(Body.Open.Scan->within(S), C.Context);
  bool Live = Body.Open.Live;
  Body.Open.Breakables.push_back(
      {&S, Body.Sizes.position(), Body.Open.Depth + 1, {}, {}, false});
  const Expr *Condition = For     ? For->getCond()
                          : While ? While->getCond()
                          : Do    ? Do->getCond()
                                  : nullptr;
  auto Paths = walkBranch([&] {
    if (For)
      walk(For->getConditionVariableDeclStmt());
    if (While)
      walk(While->getConditionVariableDeclStmt());
    if (Range) {
      walk(Range->getCond());
      walk(Range->getLoopVarStmt());
    }
    if (!Do)
      walk(Condition);
    walk(For     ? For->getBody()
         : While ? While->getBody()
         : Do    ? Do->getBody()
                 : Range->getBody());
    auto Continued = std::move(Body.Open.Breakables.back().Continued);
    SizeFlow::Path End = Body.Sizes.takeBack(Body.Open.Breakables.back().Begin);
    if (Body.Open.Live)
      Continued.push_back(std::move(End));
    meet(Continued);
    if (For)
      walk(For->getInc());
    if (Range)
      walk(Range->getInc());
    if (Do)
      walk(Condition);
  });
  Branches::Breakable Loop = std::move(Body.Open.Breakables.back());
  Body.Open.Breakables.pop_back();
  if (Outermost)
    Body.Open.Scan = std::move(Outer);
  if (!Range && isAlways(Condition, C.Context))
    Paths.clear();
  else if (!Do)
    Paths.assign(1, {}); // same paths as at the loop's head
  append(Paths, std::move(Loop.Left));
  meet(Paths);
  Body.Open.Live &= Live;
}

void BodyWalker::walkTry(const CXXTryStmt &S) {
  FunctionBody &Body = C.Current;
  AssignmentScan Scan(*S.getTryBlock());
  auto Paths = walkBranch([&] { walk(S.getTryBlock()); });
  for (unsigned I = 0; I < S.getNumHandlers(); ++I)
    append(Paths, walkBranch([&] {
             Body.Sizes.mayHappen(Scan.all(), C.Context);
             walk(S.getHandler(I));
           }));
  meet(Paths);
}

void BodyWalker::walkJump(const Stmt &S) {
  Branches &Open = C.Current.Open;
  if (isa<BreakStmt, ContinueStmt>(S) && Open.Live)
    for (Branches::Breakable &Each : llvm::reverse(Open.Breakables)) {
      bool IsSwitch = isa<SwitchStmt>(Each.Statement);
      if (isa<ContinueStmt>(S) && IsSwitch)
        continue;
      (isa<BreakStmt>(S) ? Each.Left : Each.Continued)
          .push_back(C.Current.Sizes.since(Each.Begin));
      break;
    }
  Open.Live = false;
}

void BodyWalker::walkStatement(const Stmt &S) {
  switch (S.getStmtClass()) {
  case Stmt::IfStmtClass:
    return walkIf(cast<IfStmt>(S));
  case Stmt::SwitchStmtClass:
    return walkSwitch(cast<SwitchStmt>(S));
  case Stmt::CaseStmtClass:
  case Stmt::DefaultStmtClass:
    walkCase(cast<SwitchCase>(S));
    return walk(cast<SwitchCase>(S).getSubStmt());
  case Stmt::ForStmtClass:
  case Stmt::WhileStmtClass:
  case Stmt::DoStmtClass:
  case Stmt::CXXForRangeStmtClass:
    return walkLoop(S);
  case Stmt::CXXTryStmtClass:
    return walkTry(cast<CXXTryStmt>(S));
  case Stmt::LabelStmtClass:
    walkLabel();
    return walkChildren(S);
  case Stmt::CoreturnStmtClass:
  case Stmt::GotoStmtClass:
  case Stmt::IndirectGotoStmtClass:
  case Stmt::BreakStmtClass:
  case Stmt::ContinueStmtClass:
    walkChildren(S);
    return walkJump(S);

  case Stmt::CXXCatchStmtClass:
    if (const VarDecl *Caught = cast<CXXCatchStmt>(S).getExceptionDecl()) {
      walkVariable(*Caught);
      Objects.noteCaught(*Caught);
    }
    return walkChildren(S);
  case Stmt::ReturnStmtClass: {
    ValueContext Out;
    if (C.Current.Function)
      Out.Destination = pointee(C.Current.Function->getReturnType());
    Out.Storage = INMEM_STORAGE_UNKNOWN; // the caller decides
    const Expr *Value = cast<ReturnStmt>(S).getRetValue();
    if (const ValueDecl *Holder = Value ? RawPointers::holder(*Value) : nullptr)
      if (isa<VarDecl>(Holder))
        C.Current.Returned.insert(Holder);
    walk(Value, Out);
    return walkJump(S);
  }
  case Stmt::DeclStmtClass:
    for (const Decl *D : cast<DeclStmt>(S).decls()) {
      if (auto *Variable = dyn_cast<VarDecl>(D)) {
        walkVariable(*Variable);
        C.Current.Sizes.declare(*Variable, C.Context);
      } else if (auto *Record = dyn_cast<CXXRecordDecl>(D)) {
        Decls.visitRecord(*Record);
      } else if (auto *Reduction = dyn_cast<OMPDeclareReductionDecl>(D)) {
        Decls.visitReduction(*Reduction);
      }
      if (auto *Decomposed = dyn_cast<DecompositionDecl>(D))
        for (const BindingDecl *Binding : Decomposed->bindings())
          if (const VarDecl *Holder = Binding->getHoldingVar())
            walkVariable(*Holder);
    }
    return;
  default:
    if (auto *Directive = dyn_cast<OMPExecutableDirective>(&S))
      walkClauses(*Directive);
    return walkChildren(S);
  }
}

/// The private copies of each thread or task.
void BodyWalker::walkClauses(const OMPExecutableDirective &Directive) {
  auto WalkCopies = [&](auto Copies) {
    for (const Expr *Copy : Copies)
      if (auto *Reference = dyn_cast_or_null<DeclRefExpr>(Copy))
        if (auto *Variable = dyn_cast<VarDecl>(Reference->getDecl()))
          walkVariable(*Variable);
  };
  for (const OMPClause *Clause : Directive.clauses()) {
    if (!Clause)
      continue;
    for (const Stmt *Child : Clause->children())
      walk(Child);
    if (auto *Private = dyn_cast<OMPPrivateClause>(Clause))
      WalkCopies(Private->private_copies());
    else if (auto *First = dyn_cast<OMPFirstprivateClause>(Clause))
      WalkCopies(First->private_copies());
    else if (auto *Last = dyn_cast<OMPLastprivateClause>(Clause))
      WalkCopies(Last->private_copies());
    else if (auto *Reduction = dyn_cast<OMPReductionClause>(Clause))
      WalkCopies(Reduction->privates());
  }
}

} // namespace inmem
