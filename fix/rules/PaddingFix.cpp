//===- PaddingFix.cpp - padding -------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fix/code/ToolingCompat.h"
#include "fix/code/Unit.h"
#include "fix/rules/FixRules.h"
#include "fix/rules/Members.h"

#include "clang/Lex/Lexer.h"

using namespace clang;
using llvm::StringRef;

namespace inmem::fix {

namespace {

/// True if a constructor runs no user code, and only reads.
bool isPlainConstruction(const CXXConstructExpr &Made) {
  const CXXConstructorDecl *By = Made.getConstructor();
  if (By->isMoveConstructor())
    return false;
  return By->isTrivial() ||
         isStd(Made.getType(), {"basic_string", "basic_string_view",
                                "allocator", "unique_ptr"}) ||
         (By->getParent()->isInStdNamespace() && By->isDefaultConstructor() &&
          isQuietlyDestroyed(Made.getType()));
}

/// True if no code can notice when an initialiser is evaluated.
bool isPlainInit(const Expr *E) {
  bool Plain = true;
  walk(E, [&](const Stmt &Node) {
    if (isa<CallExpr, CXXNewExpr, CXXThisExpr, LambdaExpr>(Node))
      Plain = false;
    if (const auto *B = dyn_cast<BinaryOperator>(&Node))
      Plain &= !B->isAssignmentOp();
    if (const auto *U = dyn_cast<UnaryOperator>(&Node))
      Plain &= !U->isIncrementDecrementOp();
    if (const auto *Made = dyn_cast<CXXConstructExpr>(&Node))
      Plain &= isPlainConstruction(*Made);
    return Plain;
  });
  return Plain;
}

/// Collects the definitions of user-written constructors. \returns the reason
/// if not all of them are known; otherwise empty
std::string constructorsOf(const CXXRecordDecl &Class,
                           std::vector<const CXXConstructorDecl *> &Out) {
  for (const Decl *D : Class.decls())
    if (const auto *T = dyn_cast<FunctionTemplateDecl>(D);
        T && isa<CXXConstructorDecl>(T->getTemplatedDecl()))
      return "a constructor is a template";
  for (const CXXConstructorDecl *C : Class.ctors()) {
    if (C->isDefaulted() || C->isDeleted())
      continue;
    const FunctionDecl *Defined = nullptr;
    if (!C->isDefined(Defined))
      return "a constructor is defined in another unit";
    Out.push_back(cast<CXXConstructorDecl>(Defined));
  }
  return {};
}

/// The user's class of an object, or of an array's elements; null for other
/// types and library classes.
const CXXRecordDecl *ownClassOf(QualType Type) {
  const CXXRecordDecl *Of =
      Type->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
  return Of && Of->hasDefinition() && !Of->isInStdNamespace() ? Of : nullptr;
}

/// True if constructing an object of \p Class runs user-written code.
bool runsCode(const CXXRecordDecl &Class) {
  const auto Runs = [](QualType Type) {
    const CXXRecordDecl *Of = ownClassOf(Type);
    return Of && runsCode(*Of);
  };
  return llvm::any_of(Class.ctors(),
                      [](const auto *C) { return C->isUserProvided(); }) ||
         llvm::any_of(Class.fields(),
                      [&](const FieldDecl *F) {
                        return (F->hasInClassInitializer() &&
                                !(F->getInClassInitializer() &&
                                  isPlainInit(F->getInClassInitializer()))) ||
                               Runs(F->getType());
                      }) ||
         llvm::any_of(Class.bases(), [&](const CXXBaseSpecifier &B) {
           return Runs(B.getType());
         });
}

/// The reason why constructors may notice a reordering of members; empty if
/// they cannot. \p Constructors then holds all user-written constructors.
std::string
obstacleInConstructors(const CXXRecordDecl &Class,
                       std::vector<const CXXConstructorDecl *> &Constructors) {
  if (std::string Why = constructorsOf(Class, Constructors); !Why.empty())
    return Why;
  for (const CXXConstructorDecl *C : Constructors)
    for (const CXXCtorInitializer *I : C->inits())
      if (I->isMemberInitializer() && I->isWritten() &&
          !isPlainInit(I->getInit()))
        return "an initialiser of its constructor may depend on the order";
  // One member's constructor that runs code may be in any position; several may
  // depend on their order.
  if (llvm::count_if(Class.fields(), [](const FieldDecl *F) {
        const CXXRecordDecl *Of = ownClassOf(F->getType());
        return Of && runsCode(*Of);
      }) > 1)
    return "the constructors of several members may depend on the order";
  return {};
}

/// The reason why members cannot be reordered; empty if they can. \p
/// Constructors then holds all user-written constructors.
std::string obstacleIn(const Spot &S, const CXXRecordDecl &Class,
                       std::vector<const CXXConstructorDecl *> &Constructors) {
  if (Class.isUnion())
    return "it is a union";
  const bool InHeader =
      S.SM.getFileID(S.SM.getExpansionLoc(Class.getLocation())) !=
      S.SM.getMainFileID();
  if (InHeader && (Class.isAggregate() || Class.isStandardLayout()))
    return "other units may rely on the order of its members";
  for (const FieldDecl *F : Class.fields()) {
    if (F->isBitField() || F->isAnonymousStructOrUnion() || !F->getIdentifier())
      return "it has bit-fields, or members without a name";
    if (F->getAccess() != (*Class.field_begin())->getAccess())
      return "its members differ in access";
    if (F->hasInClassInitializer() && F->getInClassInitializer() &&
        !isPlainInit(F->getInClassInitializer()))
      return "the initialiser of " + F->getNameAsString() +
             " may depend on the order";
    if (!isQuietlyDestroyed(F->getType()))
      return "the destructor of " + F->getNameAsString() +
             " may depend on the order";
  }
  for (const auto *M : Class.methods())
    if (M->isDefaulted() && M->getOverloadedOperator() == OO_Spaceship)
      return "it is compared member by member";
  return obstacleInConstructors(Class, Constructors);
}

std::string charText(const Spot &S, CharSourceRange R) {
  return Lexer::getSourceText(R, S.SM, S.Context.getLangOpts()).str();
}

/// The members' names in the order that the finding suggests.
std::vector<std::string> orderIn(StringRef Advice) {
  std::vector<std::string> Out;
  if (!Advice.consume_front("declare members in the order "))
    return Out;
  llvm::SmallVector<StringRef, 8> Names;
  Advice.split(Names, ", ");
  for (StringRef Name : Names)
    Out.push_back(Name.str());
  return Out;
}

/// Reorders written member initialisers, in each file of the unit that has
/// them.
void reorderInits(const Spot &S,
                  llvm::ArrayRef<const CXXConstructorDecl *> Constructors,
                  const std::vector<std::string> &Order, Editor &E) {
  for (const CXXConstructorDecl *C : Constructors) {
    std::vector<const CXXCtorInitializer *> Written;
    for (const CXXCtorInitializer *I : C->inits())
      if (I->isWritten() && I->isMemberInitializer())
        Written.push_back(I);
    llvm::sort(Written, [](const auto *A, const auto *B) {
      return A->getSourceOrder() < B->getSourceOrder();
    });
    auto Sorted = Written;
    llvm::sort(Sorted, [&](const auto *A, const auto *B) {
      const auto Rank = [&](const CXXCtorInitializer *I) {
        return llvm::find(Order, I->getMember()->getNameAsString());
      };
      return Rank(A) < Rank(B);
    });
    for (size_t I = 0; I < Written.size(); ++I)
      if (Written[I] != Sorted[I])
        E.replaceElsewhere(
            CharSourceRange::getTokenRange(Written[I]->getSourceRange()),
            textOf(S, Sorted[I]->getSourceRange()));
  }
}

} // namespace

Proposal fixPadding(const Spot &At) {
  const std::vector<std::string> Order = orderIn(At.F.Advice);
  OrderVisitor Found(At.F.Type);
  Found.walk(At.Context);
  if (!Found.Class || Order.empty())
    return refuse("the unit does not define the class");
  const CXXRecordDecl &Class = *Found.Class;
  Spot S = At;
  S.File = At.SM.getFileID(At.SM.getExpansionLoc(Class.getLocation()));
  if (At.SM.isInSystemHeader(Class.getLocation()))
    return refuse("the class is a library's");
  if (!Found.Dependence.empty())
    return refuse(Found.Dependence);
  std::vector<const CXXConstructorDecl *> Constructors;
  if (std::string Why = obstacleIn(S, Class, Constructors); !Why.empty())
    return refuse(Why);
  std::map<std::string, CharSourceRange> Slots;
  std::vector<const FieldDecl *> Fields;
  SourceLocation Last;
  for (const FieldDecl *F : Class.fields()) {
    const auto Slot = slotOf(S, *F);
    if (!Slot || F->getBeginLoc() == Last ||
        hasCommentAbove(S, F->getBeginLoc()))
      return refuse("its members are not declared one a line, without comments "
                    "or conditions between them");
    Last = F->getBeginLoc();
    Slots.emplace(F->getNameAsString(), *Slot);
    Fields.push_back(F);
  }
  if (Order.size() != Fields.size())
    return refuse("the class has other members than when it was recorded");
  Editor E(S);
  for (size_t I = 0; I < Fields.size(); ++I) {
    const auto To = Slots.find(Order[I]);
    if (To == Slots.end())
      return refuse("the class has other members than when it was recorded");
    if (Order[I] != Fields[I]->getNameAsString())
      E.replace(Slots.at(Fields[I]->getNameAsString()),
                charText(S, To->second));
  }
  reorderInits(S, Constructors, Order, E);
  return E.done("members of " + At.F.Type + " in an order without padding");
}

} // namespace inmem::fix
