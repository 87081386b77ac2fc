//===- SizeFlow.cpp - sizes that integer variables hold -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ast/SizeFlow.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"

using namespace clang;

namespace inmem {

void SizeFlow::set(const VarDecl &Variable, Value New) {
  auto It = Known.find(&Variable);
  if (It == Known.end()) {
    if (!New)
      return;
    Log.push_back({&Variable, nullptr});
    Known.try_emplace(&Variable, std::move(New));
    return;
  }
  Log.push_back({&Variable, It->second});
  if (New)
    It->second = std::move(New);
  else
    Known.erase(It);
}

void SizeFlow::forgetAll() {
  SmallVector<const VarDecl *, 8> All;
  for (const auto &Each : Known)
    All.push_back(Each.first);
  for (const VarDecl *Variable : All)
    forget(*Variable);
}

static SizeFlow::Value valueOf(SizeTypes Types) {
  // Most variables are counters, without type information.
  if (Types.empty() && !Types.Bytes && !Types.Unset)
    return nullptr;
  llvm::SmallVector<QualType, 2> All;
  for (const auto *List : {&Types.Direct, &Types.ByVariable})
    for (QualType Type : *List)
      if (!llvm::is_contained(All, Type))
        All.push_back(Type);
  Types.Direct = std::move(All);
  Types.ByVariable.clear();
  return std::make_shared<const SizeTypes>(std::move(Types));
}

/// Types in the size \p Value. Does not evaluate expressions that contain no
/// size.
static SizeTypes typesOf(const Expr &Value, VariableSizes Variables,
                         const ASTContext &Context) {
  SizeTypes Types;
  collectSizeTypes(&Value, Variables, Types);
  const Expr *Plain = Value.IgnoreParenCasts();
  if (!Types.empty() || isa<IntegerLiteral, DeclRefExpr>(Plain))
    Types = sizeTypes(Value, Variables, Context);
  return Types;
}

void SizeFlow::declare(const VarDecl &Variable, const ASTContext &Context) {
  if (!Variable.getType()->isIntegerType() || !Variable.hasLocalStorage())
    return;
  if (Variable.getInit())
    return assign(Variable, *Variable.getInit(), Context);
  SizeTypes None;
  None.Unset = true;
  set(Variable, valueOf(None));
}

void SizeFlow::assign(const VarDecl &Variable, const Expr &Value,
                      const ASTContext &Context) {
  set(Variable, valueOf(typesOf(Value, variables(), Context)));
}

void SizeFlow::modify(const VarDecl &Variable, BinaryOperatorKind By,
                      const Expr &Value, const ASTContext &Context) {
  const SizeTypes *Old = lookup(Variable);
  SizeTypes Added = typesOf(Value, variables(), Context);
  SizeTypes New = Old ? *Old : SizeTypes();
  New.Unset = false;
  New.Bytes.reset();
  switch (By) {
  case BO_AddAssign:
  case BO_MulAssign:
    llvm::append_range(New.Direct, Added.Direct);
    llvm::append_range(New.ByVariable, Added.ByVariable);
    llvm::append_range(New.Either, Added.Either);
    if (By == BO_AddAssign)
      llvm::append_range(New.Addends, Added.Addends);
    else
      New.Addends.clear();
    New.Sum |= By == BO_AddAssign;
    break;
  case BO_SubAssign:
    New.Sum = true;
    break;
  case BO_ShlAssign:
    New.Addends.clear();
    break;
  default:
    New = SizeTypes();
  }
  set(Variable, valueOf(std::move(New)));
}

SizeFlow::Path SizeFlow::since(Position Begin) const {
  Path Changes;
  llvm::DenseMap<const VarDecl *, bool> Seen;
  for (size_t I = Begin; I < Log.size(); ++I)
    if (Seen.try_emplace(Log[I].first, true).second)
      Changes.push_back({Log[I].first, Known.lookup(Log[I].first)});
  return Changes;
}

SizeFlow::Path SizeFlow::takeBack(Position Begin) {
  Path Changes = since(Begin);
  for (; Log.size() > Begin; Log.pop_back()) {
    auto &[Variable, Old] = Log.back();
    if (Old)
      Known[Variable] = std::move(Old);
    else
      Known.erase(Variable);
  }
  return Changes;
}

static SizeFlow::Value eitherValue(const SizeFlow::Value &One,
                                   const SizeFlow::Value &Other) {
  if (One == Other)
    return One;
  return valueOf(
      either(One ? *One : SizeTypes(), Other ? *Other : SizeTypes()));
}

void SizeFlow::join(const std::vector<Path> &Paths) {
  struct Meeting {
    size_t Changed = 0; ///< number of paths that change it
    Value Result;
  };
  llvm::DenseMap<const VarDecl *, Meeting> Meetings;
  std::vector<const VarDecl *> InOrder;
  for (const Path &P : Paths)
    for (const auto &[Variable, New] : P) {
      Meeting &M = Meetings[Variable];
      if (!M.Changed++) {
        InOrder.push_back(Variable);
        M.Result = New;
      } else {
        M.Result = eitherValue(M.Result, New);
      }
    }
  for (const VarDecl *Variable : InOrder) {
    Meeting &M = Meetings[Variable];
    if (M.Changed < Paths.size())
      M.Result = eitherValue(M.Result, Known.lookup(Variable));
    set(*Variable, std::move(M.Result));
  }
}

void SizeFlow::mayHappen(llvm::ArrayRef<Assignment> Assigned,
                         const ASTContext &Context) {
  // Assigned values may depend on each other. After kRounds, values that still
  // change become unknown, and so do values that depend on them.
  constexpr unsigned kRounds = 4, kMostRounds = 64;
  for (unsigned Round = 0; Round < kMostRounds; ++Round) {
    bool Changed = false;
    for (const Assignment &A : Assigned) {
      Value Old = Known.lookup(A.Variable);
      if (Round >= kRounds && !Old)
        continue;
      Value New =
          A.Value ? valueOf(typesOf(*A.Value, variables(), Context)) : nullptr;
      if (Old == New)
        continue;
      New = eitherValue(Old, New);
      bool Same = Old && New && Old->Direct == New->Direct &&
                  Old->ByVariable == New->ByVariable &&
                  Old->Either == New->Either && Old->Bytes == New->Bytes &&
                  Old->Unset == New->Unset;
      if (Same || (!Old && !New))
        continue;
      Changed = true;
      set(*A.Variable, Round < kRounds ? std::move(New) : nullptr);
    }
    if (!Changed)
      return;
  }
  for (const Assignment &A : Assigned)
    set(*A.Variable, nullptr);
}

const VarDecl *localInteger(const Expr &E) {
  auto *Reference = dyn_cast<DeclRefExpr>(E.IgnoreParens());
  auto *Variable =
      Reference ? dyn_cast<VarDecl>(Reference->getDecl()) : nullptr;
  return Variable && Variable->hasLocalStorage() &&
                 Variable->getType()->isIntegerType()
             ? Variable
             : nullptr;
}

llvm::ArrayRef<SizeFlow::Assignment>
AssignmentScan::within(const Stmt &S) const {
  auto It = Ranges.find(&S);
  if (It == Ranges.end())
    return {};
  auto [Begin, End] = It->second;
  return llvm::ArrayRef(Found).slice(Begin, End - Begin);
}

AssignmentScan::AssignmentScan(const FunctionDecl &F) {
  for (const ParmVarDecl *Parameter : F.parameters())
    if (Parameter->getType()->isIntegerType())
      Found.push_back({Parameter, nullptr});
  scan(F.getBody());
}

void AssignmentScan::scan(const Stmt *S) {
  if (!S || isa<LambdaExpr>(S))
    return;
  size_t Begin = Found.size();
  bool Kept =
      isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt, CXXTryStmt, SwitchStmt>(
          S);
  if (auto *Binary = dyn_cast<BinaryOperator>(S)) {
    if (Binary->isAssignmentOp())
      if (const VarDecl *Variable = localInteger(*Binary->getLHS())) {
        Found.push_back({Variable, Binary->getOpcode() == BO_Assign
                                       ? Binary->getRHS()
                                       : nullptr});
        return scan(Binary->getRHS());
      }
  } else if (auto *Cast = dyn_cast<CastExpr>(S)) {
    if ((Cast->getCastKind() == CK_LValueToRValue ||
         Cast->getCastKind() == CK_ToVoid) &&
        localInteger(*Cast->getSubExpr()))
      return;
  } else if (auto *E = dyn_cast<DeclRefExpr>(S)) {
    if (const VarDecl *Variable = localInteger(*E))
      Found.push_back({Variable, nullptr});
  } else if (auto *Declares = dyn_cast<DeclStmt>(S)) {
    for (const Decl *D : Declares->decls())
      if (auto *Variable = dyn_cast<VarDecl>(D))
        if (Variable->getInit() && Variable->hasLocalStorage() &&
            Variable->getType()->isIntegerType())
          Found.push_back({Variable, Variable->getInit()});
  }
  for (const Stmt *Child : S->children())
    scan(Child);
  if (Kept)
    Ranges[S] = {Begin, Found.size()};
}

} // namespace inmem
