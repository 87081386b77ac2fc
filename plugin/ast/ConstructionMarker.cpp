//===- ConstructionMarker.cpp - constructions that call nothing -----------===//
#define INMEM_COMPAT_CLANG
#include "ast/ConstructionMarker.h"
#include "Compat.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"

using namespace clang;

namespace inmem {

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
  walk(*const_cast<VarDecl &>(Variable).getInitAddress());
  Evaluable = Outer;
}

std::optional<unsigned> ConstructionMarker::markOf(const Expr &E) const {
  auto It = Marks.find(&E);
  if (It == Marks.end())
    return std::nullopt;
  return It->second;
}

void ConstructionMarker::walk(Stmt *&S, bool MayReplace) {
  if (!S)
    return;
  // What stands behind these is shared by all who use it.
  Stmt *Shared = nullptr;
  if (auto *Default = dyn_cast<CXXDefaultInitExpr>(S))
    Shared = Default->getExpr();
  else if (auto *Default = dyn_cast<CXXDefaultArgExpr>(S))
    Shared = Default->getExpr();
  if (Shared) {
    if (Done.insert(Shared).second)
      walk(Shared, /*MayReplace=*/false);
    return;
  }
  // A local that is constant as it stands would be copied from read-only
  // memory, and nobody would run the mark; one that has to be constant stays so.
  if (auto *Statement = dyn_cast<DeclStmt>(S)) {
    bool Outer = Evaluable;
    for (Decl *D : Statement->decls()) {
      auto *Variable = dyn_cast<VarDecl>(D);
      if (!Variable || !Variable->hasInit())
        continue;
      Evaluable = Outer || Variable->hasGlobalStorage() ||
                  Variable->isConstexpr() || Variable->getType().isConstQualified();
      walk(*Variable->getInitAddress());
    }
    Evaluable = Outer;
    return;
  }
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
    for (Stmt *&Child : S->children())
      walk(Child, Direct);
  }
  if (auto *List = dyn_cast<InitListExpr>(S); List && List->hasArrayFiller()) {
    Stmt *Filler = List->getArrayFiller();
    walk(Filler);
    if (Filler != List->getArrayFiller())
      List->setArrayFiller(cast<Expr>(Filler));
  }
  auto *E = dyn_cast<Expr>(S);
  if (New && MayReplace && !Marks.count(New) && isMarkedArray(*New)) {
    S = marked(*New, *New);
    return;
  }
  if (!E || Marks.count(E) || !isMarked(*E) || markWithin(*E) || !MayReplace)
    return;
  S = marked(*E, *E);
}

/// Null for a type of which no objects are counted.
const CXXRecordDecl *ConstructionMarker::countedClass(QualType Type) const {
  const CXXRecordDecl *Class = Type->getAsCXXRecordDecl();
  return Class && Class->hasDefinition() &&
                 (Chosen.SystemObjects ||
                  !Context.getSourceManager().isInSystemHeader(
                      Class->getLocation()))
             ? Class
             : nullptr;
}

/// Whether \p New makes an array of objects whose constructor is trivial: their
/// number is known from what the operator is asked for, or constant.
bool ConstructionMarker::isMarkedArray(const CXXNewExpr &New) const {
  const CXXRecordDecl *Class = countedClass(
      Context.getBaseElementType(New.getAllocatedType()));
  const CXXConstructExpr *Construct = New.getConstructExpr();
  Expr::EvalResult Ignored;
  return New.isArray() && Class && Construct &&
         Construct->getConstructor()->isTrivial() &&
         (Chosen.TrivialObjects || !Class->hasTrivialDestructor()) &&
         (!New.getOperatorNew()->isReservedGlobalPlacementOperator() ||
          (*New.getArraySize())->EvaluateAsInt(Ignored, Context));
}

/// Whether \p E makes an object that is to be counted, without a call.
bool ConstructionMarker::isMarked(const Expr &E) const {
  auto *Construct = dyn_cast<CXXConstructExpr>(&E);
  const CXXRecordDecl *Class = countedClass(
      Construct ? Context.getBaseElementType(E.getType()) : E.getType());
  if (!Class)
    return false;
  // A class may have a destructor and yet begin its life without code.
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

/// Puts the mark on the last part of \p E that can bear it: the object is not
/// there before, and the parent of \p E need not be known.
bool ConstructionMarker::markWithin(Expr &E) {
  if (auto *Construct = dyn_cast<CXXConstructExpr>(&E)) {
    if (Construct->getNumArgs() == 0)
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
  if (auto *List = dyn_cast<InitListExpr>(&E)) {
    for (unsigned I = List->getNumInits(); I-- > 0;) {
      if (!Bears(List->getInit(I)))
        continue;
      List->setInit(I, marked(E, *List->getInit(I)));
      return true;
    }
    return false;
  }
  SmallVector<Stmt **, 8> Parts;
  for (Stmt *&Part : E.children())
    Parts.push_back(&Part);
  for (Stmt **Part : llvm::reverse(Parts)) {
    if (!Bears(cast_or_null<Expr>(*Part)))
      continue;
    *Part = marked(E, *cast<Expr>(*Part));
    return true;
  }
  return false;
}

/// `(__inmem_mark(N), E)`, with N the new mark of \p Owner.
Expr *ConstructionMarker::marked(const Expr &Owner, Expr &E) {
  unsigned Index = Table.Marks.size();
  Marks[&Owner] = Index;
  Table.Marks.emplace_back();
  Parts.push_back(&E);
  SourceLocation Loc = E.getExprLoc();
  FunctionDecl *F = markFunctionDecl(Evaluable);
  FPOptionsOverride None;
  auto *Reference = DeclRefExpr::Create(
      Context, NestedNameSpecifierLoc(), SourceLocation(), F,
      /*RefersToEnclosingVariableOrCapture=*/false, Loc, F->getType(),
      VK_LValue);
  auto *Callee = ImplicitCastExpr::Create(
      Context, Context.getPointerType(F->getType()), CK_FunctionToPointerDecay,
      Reference, /*BasePath=*/nullptr, VK_PRValue, None);
  Expr *Number = IntegerLiteral::Create(Context, llvm::APInt(32, Index),
                                        Context.UnsignedIntTy, Loc);
  auto *Call = CallExpr::Create(Context, Callee, {Number}, Context.VoidTy,
                                VK_PRValue, Loc, None);
  return BinaryOperator::Create(Context, Call, &E, BO_Comma, E.getType(),
                                E.getValueKind(), E.getObjectKind(), Loc, None);
}

/// `void __inmem_mark(unsigned) noexcept {}`, known to nobody else, constexpr or
/// not. Nothing defines it for the linker.
FunctionDecl *ConstructionMarker::markFunctionDecl(bool Constexpr) {
  FunctionDecl *&Mark = MarkDecls[Constexpr];
  if (Mark)
    return Mark;
  FunctionProtoType::ExtProtoInfo Info;
  Info.ExceptionSpec.Type = EST_BasicNoexcept;
  QualType Type =
      Context.getFunctionType(Context.VoidTy, {Context.UnsignedIntTy}, Info);
  DeclContext *Unit = Context.getTranslationUnitDecl();
  Mark = FunctionDecl::Create(
      Context, Unit, SourceLocation(), SourceLocation(),
      DeclarationName(&Context.Idents.get("__inmem_mark")), Type,
      /*TInfo=*/nullptr, SC_None);
  auto *Parameter =
      ParmVarDecl::Create(Context, Mark, SourceLocation(), SourceLocation(),
                          /*Id=*/nullptr, Context.UnsignedIntTy,
                          /*TInfo=*/nullptr, SC_None, /*DefArg=*/nullptr);
  Mark->setParams({Parameter});
  Mark->setImplicit();
  if (Constexpr) {
    Mark->setConstexprKind(ConstexprSpecKind::Constexpr);
    Mark->setBody(
        CompoundStmt::CreateEmpty(Context, 0, /*HasFPFeatures=*/false));
  }
  return Mark;
}

} // namespace inmem
