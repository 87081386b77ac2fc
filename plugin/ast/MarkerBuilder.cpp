//===- MarkerBuilder.cpp - markers and the calls that they are ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ast/MarkerBuilder.h"
#include "clang/AST/Attr.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "clang/Basic/Builtins.h"

using namespace clang;

namespace inmem {

unsigned MarkerBuilder::add(const Expr &Owner, const Expr &Part) {
  unsigned Index = Table.Markers.size();
  Indices[&Owner] = Index;
  Table.Markers.emplace_back();
  Parts.push_back(&Part);
  return Index;
}

std::optional<unsigned> MarkerBuilder::of(const Expr &Owner) const {
  auto It = Indices.find(&Owner);
  if (It == Indices.end())
    return std::nullopt;
  return It->second;
}

Expr *MarkerBuilder::call(unsigned Index, SourceLocation Loc, Evaluated When) {
  FunctionDecl &F = Build.function("__inmem_mark", Context.VoidTy,
                                   {Context.UnsignedIntTy}, When);
  return Build.call(F, {Build.number(Index, Loc)}, Loc);
}

Expr *MarkerBuilder::callAt(unsigned Index, Expr &Object, Evaluated When) {
  SourceLocation Loc = Object.getExprLoc();
  FunctionDecl &F =
      Build.function("__inmem_mark_at", Context.VoidTy,
                     {Context.UnsignedIntTy, Build.rawPointer()}, When);
  return Build.call(F, {Build.number(Index, Loc), Build.addressOf(Object, Loc)},
                    Loc);
}

Expr *MarkerBuilder::callHere(unsigned Index, SourceLocation Loc,
                              bool Assumed) {
  FunctionDecl &F = Build.function(
      Assumed ? "__inmem_mark_assumed" : "__inmem_mark_at",
      Assumed ? Context.BoolTy : Context.VoidTy,
      {Context.UnsignedIntTy, Build.rawPointer()}, Evaluated::Never);
  return Build.withObjectBeingInitialised(Loc, [&](Expr &This) {
    Expr *Marker = Build.call(F, {Build.number(Index, Loc), &This}, Loc);
    if (!Assumed)
      return Marker;
    // Otherwise clang would drop the assumption because of its side effect.
    if (!F.hasAttr<ConstAttr>())
      F.addAttr(ConstAttr::CreateImplicit(Context));
    return Build.callBuiltin(Builtin::BI__builtin_assume, "__builtin_assume",
                             Context.VoidTy, {Marker}, Loc);
  });
}

Expr *MarkerBuilder::identity(StringRef Name, unsigned Index, Expr &E,
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
