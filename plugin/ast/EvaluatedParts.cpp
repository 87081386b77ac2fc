//===- EvaluatedParts.cpp - parts that a statement evaluates --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ast/EvaluatedParts.h"
#include "clang/AST/ExprConcepts.h"
#include "clang/Basic/Builtins.h"

using namespace clang;

namespace inmem {

bool isNotEvaluated(const Stmt &S) {
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
    return true; // a marker would be a side effect
  default:
    return false;
  }
}

} // namespace inmem
