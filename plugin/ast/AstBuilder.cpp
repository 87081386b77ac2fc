//===- AstBuilder.cpp - makes AST nodes -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define INMEM_COMPAT_CLANG
#include "ast/AstBuilder.h"
#include "Compat.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/Builtins.h"

using namespace clang;

namespace inmem {

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

Expr *AstBuilder::number(unsigned Value, SourceLocation Loc) {
  return IntegerLiteral::Create(Context, llvm::APInt(32, Value),
                                Context.UnsignedIntTy, Loc);
}

Expr *AstBuilder::reference(ValueDecl &D, SourceLocation Loc) {
  return DeclRefExpr::Create(Context, NestedNameSpecifierLoc(),
                             SourceLocation(), &D,
                             /*RefersToEnclosingVariableOrCapture=*/false, Loc,
                             D.getType(), VK_LValue);
}

Expr *AstBuilder::member(CXXConstructorDecl &Constructor, FieldDecl &Member,
                         SourceLocation Loc) {
  return MemberExpr::CreateImplicit(
      Context, compat::thisExpr(Context, Loc, Constructor.getThisType()),
      /*IsArrow=*/true, &Member, Member.getType(), VK_LValue, OK_Ordinary);
}

Expr *AstBuilder::comma(Expr &First, Expr &Second) {
  return BinaryOperator::Create(Context, &First, &Second, BO_Comma,
                                Second.getType(), Second.getValueKind(),
                                Second.getObjectKind(), Second.getExprLoc(),
                                FPOptionsOverride());
}

Expr *AstBuilder::unlessConstant(Expr &Constant, Expr &Else) {
  SourceLocation Loc = Else.getExprLoc();
  return new (Context) ConditionalOperator(
      isConstantEvaluated(Loc), Loc, &Constant, Loc, &Else, Else.getType(),
      Else.getValueKind(), Else.getObjectKind());
}

Expr *AstBuilder::converted(Expr &E, QualType Type, CastKind Kind) {
  return ImplicitCastExpr::Create(Context, Type, Kind, &E, /*BasePath=*/nullptr,
                                  VK_PRValue, FPOptionsOverride());
}

QualType AstBuilder::rawPointer() const {
  return Context.getPointerType(Context.VoidTy.withConst());
}

Expr *AstBuilder::addressOf(Expr &Object, SourceLocation Loc) {
  QualType Type = Object.getType();
  Expr *Address =
      Type->isArrayType()
          ? converted(Object, Context.getArrayDecayedType(Type),
                      CK_ArrayToPointerDecay)
          : UnaryOperator::Create(Context, &Object, UO_AddrOf,
                                  Context.getPointerType(Type), VK_PRValue,
                                  OK_Ordinary, Loc, /*CanOverflow=*/false,
                                  FPOptionsOverride());
  return converted(*Address, rawPointer(), CK_BitCast);
}

Expr *AstBuilder::call(FunctionDecl &F, ArrayRef<Expr *> Arguments,
                       SourceLocation Loc) {
  Expr *Callee =
      converted(*reference(F, Loc), Context.getPointerType(F.getType()),
                CK_FunctionToPointerDecay);
  return CallExpr::Create(Context, Callee, Arguments, F.getReturnType(),
                          VK_PRValue, Loc, FPOptionsOverride());
}

Expr *AstBuilder::callBuiltin(unsigned Builtin, StringRef Name, QualType Result,
                              ArrayRef<Expr *> Arguments, SourceLocation Loc) {
  SmallVector<QualType, 1> Parameters;
  for (Expr *Argument : Arguments)
    Parameters.push_back(Argument->getType());
  FunctionDecl &F = function(Name, Result, Parameters, Evaluated::Never);
  if (!F.hasAttr<BuiltinAttr>())
    F.addAttr(BuiltinAttr::CreateImplicit(Context, Builtin));
  return call(F, Arguments, Loc);
}

Expr *AstBuilder::isConstantEvaluated(SourceLocation Loc) {
  return callBuiltin(Builtin::BI__builtin_is_constant_evaluated,
                     "__builtin_is_constant_evaluated", Context.BoolTy, {},
                     Loc);
}

Expr *AstBuilder::list(ArrayRef<Expr *> Inits, const CXXRecordDecl &Class,
                       SourceLocation Loc) {
  InitListExpr *Result = compat::initList(Context, Loc, Inits);
  Result->setType(compat::recordType(Context, Class));
  return Result;
}

Stmt *AstBuilder::block(ArrayRef<Stmt *> Body, SourceRange Braces) {
  return CompoundStmt::Create(Context, Body, FPOptionsOverride(),
                              Braces.getBegin(), Braces.getEnd());
}

CXXCtorInitializer *AstBuilder::withValue(const CXXCtorInitializer &Init,
                                          Expr &Value) {
  auto Make = [&](auto *Of) {
    return new (Context)
        CXXCtorInitializer(Context, Of, Init.getMemberLocation(),
                           Init.getLParenLoc(), &Value, Init.getRParenLoc());
  };
  CXXCtorInitializer *Result = Init.getMember()
                                   ? Make(Init.getMember())
                                   : Make(Init.getIndirectMember());
  if (Init.isWritten())
    Result->setSourceOrder(Init.getSourceOrder());
  return Result;
}

CXXCtorInitializer **
AstBuilder::initialisers(ArrayRef<CXXCtorInitializer *> All) {
  auto **Copy = new (Context) CXXCtorInitializer *[All.size()];
  llvm::copy(All, Copy);
  return Copy;
}

Expr *AstBuilder::thisOfEmptyRecord(SourceLocation Loc) {
  Expr *This = compat::thisExpr(
      Context, Loc,
      Context.getPointerType(compat::recordType(Context, emptyRecord())));
  return converted(*This, rawPointer(), CK_BitCast);
}

Expr *AstBuilder::initialiserOfDummy(Expr &E, SourceLocation Loc) {
  emptyRecord();
  if (!DummyField) {
    DummyField = FieldDecl::Create(
        Context, EmptyRecord, SourceLocation(), SourceLocation(),
        /*Id=*/nullptr, Context.VoidTy, /*TInfo=*/nullptr, /*BW=*/nullptr,
        /*Mutable=*/false, ICIS_CopyInit);
    DummyField->setAccess(AS_public);
  }
  return CXXDefaultInitExpr::Create(Context, Loc, DummyField,
                                    Context.getTranslationUnitDecl(), &E);
}

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

FunctionDecl &AstBuilder::function(StringRef Name, QualType Result,
                                   ArrayRef<QualType> Parameters,
                                   Evaluated When) {
  FunctionDecl *&F = Functions[unsigned(When)][Name];
  if (F)
    return *F;
  FunctionProtoType::ExtProtoInfo Info;
  Info.ExceptionSpec.Type = EST_BasicNoexcept;
  QualType Type = Context.getFunctionType(Result, Parameters, Info);
  F = FunctionDecl::Create(Context, Context.getTranslationUnitDecl(),
                           SourceLocation(), SourceLocation(),
                           DeclarationName(&Context.Idents.get(Name)), Type,
                           /*TInfo=*/nullptr, SC_None);
  // Otherwise its mangled name would include the current module.
  F->setModuleOwnershipKind(Decl::ModuleOwnershipKind::Unowned);
  SmallVector<ParmVarDecl *, 2> Declared;
  for (QualType Parameter : Parameters)
    Declared.push_back(ParmVarDecl::Create(
        Context, F, SourceLocation(), SourceLocation(), /*Id=*/nullptr,
        Parameter, /*TInfo=*/nullptr, SC_None, /*DefArg=*/nullptr));
  F->setParams(Declared);
  F->setImplicit();
  if (When == Evaluated::Never)
    return *F;
  F->setConstexprKind(ConstexprSpecKind::Constexpr);
  F->setBody(bodyOf(*F, When));
  return *F;
}

/// The body of a function that constant evaluation may evaluate.
Stmt *AstBuilder::bodyOf(FunctionDecl &F, Evaluated When) {
  SourceLocation None;
  QualType Result = F.getReturnType();
  SmallVector<Stmt *, 2> Body;
  if (When == Evaluated::InConstantExpressions) {
    // if (!__builtin_is_constant_evaluated()) what_is_not_constexpr();
    FunctionDecl &Fails =
        function("__inmem_fails", Context.VoidTy, {}, Evaluated::Never);
    Body.push_back(IfStmt::Create(
        Context, None, IfStatementKind::Ordinary, /*Init=*/nullptr,
        /*Var=*/nullptr, isConstantEvaluated(None), None, None, block({}, None),
        None, call(Fails, {}, None)));
  }
  if (!Result->isVoidType())
    Body.push_back(ReturnStmt::Create(
        Context, None,
        converted(*reference(*F.getParamDecl(F.getNumParams() - 1), None),
                  Result, CK_LValueToRValue),
        /*NRVOCandidate=*/nullptr));
  return block(Body, None);
}

const CXXRecordDecl &AstBuilder::emptyRecord() {
  if (!EmptyRecord)
    EmptyRecord = record("__inmem_empty", nullptr, QualType());
  return *EmptyRecord;
}

const CXXRecordDecl &
AstBuilder::getOrCreateInitWrapper(const CXXRecordDecl &Class) {
  QualType Member = compat::recordType(Context, emptyRecord());
  CXXRecordDecl *&Wrapper = InitWrappers[&Class];
  if (!Wrapper)
    Wrapper = record("__inmem_init_wrapper", &Class, Member);
  return *Wrapper;
}

CXXRecordDecl *AstBuilder::record(StringRef Name, const CXXRecordDecl *Base,
                                  QualType Member) {
  SourceLocation None;
  auto *Result = CXXRecordDecl::Create(Context, compat::kStruct,
                                       Context.getTranslationUnitDecl(), None,
                                       None, &Context.Idents.get(Name));
  Result->setModuleOwnershipKind(Decl::ModuleOwnershipKind::Unowned);
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
