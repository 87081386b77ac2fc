//===- ObjectFacts.cpp - the expressions that construct objects -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define INMEM_COMPAT_CLANG
#include "ast/ObjectFacts.h"
#include "Compat.h"
#include "ast/AllocationFacts.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecordLayout.h"

using namespace clang;

namespace inmem {

static uint8_t mannerOf(const CXXConstructorDecl &Constructor) {
  if (Constructor.isDefaultConstructor())
    return INMEM_MANNER_DEFAULT;
  if (Constructor.isCopyConstructor())
    return INMEM_MANNER_COPY;
  if (Constructor.isMoveConstructor())
    return INMEM_MANNER_MOVE;
  bool OneArgument = Constructor.getNumParams() > 0 &&
                     Constructor.getMinRequiredArguments() <= 1;
  return OneArgument ? INMEM_MANNER_CONVERT : INMEM_MANNER_OTHER;
}

uint64_t ObjectFacts::elements(QualType Type) const {
  const ConstantArrayType *Array = Context.getAsConstantArrayType(Type);
  return Array ? Context.getConstantArrayElementCount(Array) : 1;
}

void ObjectFacts::noteMarker(const Expr &E, const Expr &Maker,
                             const ValueContext &In) {
  std::optional<unsigned> Index = C.Marker.markerOf(E);
  if (!Index || In.Storage == INMEM_STORAGE_BASE)
    return;
  const CXXRecordDecl *Class =
      Context.getBaseElementType(E.getType())->getAsCXXRecordDecl();
  AstMarker &Fact = Table.Markers[*Index];
  Fact.Count = elements(E.getType());
  Fact.Class = classFact(*Class, E.getExprLoc());
  auto *Construct = dyn_cast<CXXConstructExpr>(&Maker);
  Fact.Class.Manner = Construct ? mannerOf(*Construct->getConstructor())
                                : uint8_t(INMEM_MANNER_AGGREGATE);
  Fact.Where = C.location(E.getExprLoc());
  Fact.Storage = In.Storage;
  const Expr *Last = C.Marker.markedPart(*Index)
                         .IgnoreImplicit()
                         ->IgnoreParenCasts()
                         ->IgnoreImplicit();
  if (Last != &E && isa<CallExpr, CXXConstructExpr>(Last))
    Fact.Last = C.location(Last->getExprLoc());
  if (!Construct)
    return;
  if (C.Marker.isInlined(*Construct->getConstructor())) {
    Fact.Last = Fact.Where;
    return;
  }
  // Its members are constructed with it, without code of their own.
  collectParts(*Class, PartFact(), E.getExprLoc(), Fact.Parts);
  for (PartFact &Part : Fact.Parts)
    Part.Class.Manner = Fact.Class.Manner;
}

void ObjectFacts::noteCaught(const VarDecl &Caught) {
  std::optional<unsigned> Index = C.Marker.markerOf(Caught);
  if (!Index)
    return;
  SourceLocation Loc = Caught.getLocation();
  const CXXRecordDecl &Class = *Caught.getType()->getAsCXXRecordDecl();
  AstMarker &Fact = Table.Markers[*Index];
  Fact.Class = classFact(Class, Loc);
  Fact.Class.Manner = INMEM_MANNER_COPY;
  Fact.Where = C.location(Loc);
  Fact.Storage = C.localStorage();
  collectParts(Class, PartFact(), Loc, Fact.Parts);
  for (PartFact &Part : Fact.Parts)
    Part.Class.Manner = INMEM_MANNER_COPY;
}

void ObjectFacts::noteArrayMarker(const CXXNewExpr &E, const ValueContext &In,
                                  bool Placed) {
  std::optional<unsigned> Index = C.Marker.markerOf(E);
  if (!Index)
    return;
  QualType Element = Context.getBaseElementType(E.getAllocatedType());
  AstMarker &Fact = Table.Markers[*Index];
  Fact.Class = classFact(*Element->getAsCXXRecordDecl(), E.getExprLoc());
  Fact.Class.Manner = INMEM_MANNER_DEFAULT;
  Fact.Where = C.location(E.getExprLoc());
  Fact.Storage = In.Storage;
  Fact.ElementBytes = Context.getTypeSizeInChars(Element).getQuantity();
  Fact.Placed = Placed;
  if (Placed) {
    Expr::EvalResult Size;
    Fact.Count = elements(E.getAllocatedType());
    if ((*E.getArraySize())->EvaluateAsInt(Size, Context))
      Fact.Count *= Size.Val.getInt().getZExtValue();
  } else {
    Fact.Last = Fact.Where;
    Fact.CookieBytes = cookieSize(E, Context);
  }
  collectParts(*Element->getAsCXXRecordDecl(), PartFact(), E.getExprLoc(),
               Fact.Parts);
  for (PartFact &Part : Fact.Parts)
    Part.Class.Manner = Fact.Class.Manner;
}

void ObjectFacts::noteReturn(const CallExpr &E, uint8_t Storage) {
  const CXXRecordDecl *Class = E.getType()->getAsCXXRecordDecl();
  if (C.Chosen.Objects == ObjectsMode::Off || !E.isPRValue() || !Class ||
      Storage == INMEM_STORAGE_UNKNOWN || Storage == INMEM_STORAGE_BASE ||
      !C.Selected.counts(*Class) || Class->hasTrivialDestructor())
    return;
  ReturnFact Fact;
  Fact.Class = classFact(*Class, E.getExprLoc());
  Fact.Where = C.location(E.getExprLoc());
  Fact.Storage = Storage;
  const FunctionDecl *F = E.getDirectCallee();
  if (F && !F->isDependentContext())
    Fact.Callee = normalizedFunction(C.Names.linkageName(*F));
  C.Current.Facts.Returns.push_back(Fact);
  // Clang may or may not devirtualise the call.
  auto *Method = dyn_cast_or_null<CXXMethodDecl>(F);
  if (Method && Method->isVirtual()) {
    Fact.Callee.clear();
    C.Current.Facts.Returns.push_back(std::move(Fact));
  }
}

void ObjectFacts::noteConstant(const VarDecl &Variable, uint8_t Storage) {
  QualType Type = Variable.getType();
  const CXXRecordDecl *Class =
      Context.getBaseElementType(Type)->getAsCXXRecordDecl();
  if (!Class || !Class->hasDefinition() || Class->hasTrivialDestructor())
    return;
  SourceLocation Loc = Variable.getLocation();
  PartFact Whole;
  Whole.Storage = Storage;
  repeat(Whole, Type);
  std::vector<PartFact> Parts;
  collectParts(*Class, Whole, Loc, Parts);
  if (C.Selected.counts(*Class)) {
    Whole.Class = classFact(*Class, Loc);
    Parts.push_back(std::move(Whole));
  }
  std::string Name = C.Names.mangled(GlobalDecl(&Variable));
  for (PartFact &Part : Parts)
    Table.addConstant(Name, std::move(Part));
}

/// Repeats \p Part for each element if \p Type is an array.
void ObjectFacts::repeat(PartFact &Part, QualType Type) const {
  uint64_t Count = elements(Type);
  QualType Element = Context.getBaseElementType(Type);
  if (Type->isArrayType())
    Part.Repeats.push_back(
        {Count, static_cast<uint64_t>(
                    Context.getTypeSizeInChars(Element).getQuantity())});
}

/// Recursively collects the members of the \p Class object at \p Where that
/// have destructors.
void ObjectFacts::collectParts(const CXXRecordDecl &Class,
                               const PartFact &Where, SourceLocation Loc,
                               std::vector<PartFact> &Parts) {
  if (Class.isUnion() || Class.isInvalidDecl())
    return;
  const ASTRecordLayout &Layout = Context.getASTRecordLayout(&Class);
  for (const CXXBaseSpecifier &Base : Class.bases()) {
    const CXXRecordDecl *Inner = Base.getType()->getAsCXXRecordDecl();
    if (!Inner || Base.isVirtual() || Inner->hasTrivialDestructor())
      continue;
    PartFact At = Where;
    At.Offset += Layout.getBaseClassOffset(Inner).getQuantity();
    collectParts(*Inner, At, Loc, Parts);
  }
  for (const FieldDecl *Field : Class.fields()) {
    const CXXRecordDecl *Inner =
        Context.getBaseElementType(Field->getType())->getAsCXXRecordDecl();
    if (!Inner || Inner->hasTrivialDestructor())
      continue;
    PartFact At = Where;
    At.Storage = INMEM_STORAGE_MEMBER;
    At.Offset += Layout.getFieldOffset(Field->getFieldIndex()) / 8;
    repeat(At, Field->getType());
    collectParts(*Inner, At, Loc, Parts);
    if (!C.Selected.counts(*Inner))
      continue;
    At.Class = classFact(*Inner, Loc);
    Parts.push_back(std::move(At));
  }
}

void ObjectFacts::noteConstruction(const CXXConstructorDecl &Constructor,
                                   uint8_t Storage, SourceLocation Loc) {
  if (C.Chosen.Objects == ObjectsMode::Off)
    return;
  const CXXRecordDecl &Class = *Constructor.getParent();
  if (Constructor.isTrivial() || !C.Selected.counts(Class))
    return;
  std::string &Complete = ConstructorNames[&Constructor];
  if (Complete.empty()) {
    Complete = C.Names.mangled(GlobalDecl(&Constructor, Ctor_Complete));
    ClassFact Fact = classFact(Class, Constructor.getLocation());
    Fact.Manner = mannerOf(Constructor);
    Table.addConstructor(Complete,
                         C.Names.mangled(GlobalDecl(&Constructor, Ctor_Base)),
                         std::move(Fact));
  }
  ObjectFact Fact;
  Fact.Callee = normalizedFunction(Complete);
  Fact.Where = C.location(Loc);
  Fact.Storage = Storage;
  C.Current.Facts.Objects.push_back(std::move(Fact));
}

ClassFact ObjectFacts::classFact(const CXXRecordDecl &Class,
                                 SourceLocation Loc) {
  ClassFact Fact;
  QualType Type = compat::recordType(Context, Class);
  Fact.ClassName = C.Namer.name(Type);
  Fact.TypeKey = C.Layouts.add(Type);
  Fact.Where = C.location(Loc);
  Fact.Destroyed = !Class.hasTrivialDestructor();
  return Fact;
}

void ObjectFacts::noteDestructor(const CXXDestructorDecl &Destructor) {
  if (C.Chosen.Objects == ObjectsMode::Off || Destructor.isTrivial() ||
      !C.Selected.counts(*Destructor.getParent()))
    return;
  Table.addDestructor(
      C.Names.mangled(GlobalDecl(&Destructor, Dtor_Complete)),
      classFact(*Destructor.getParent(), Destructor.getLocation()));
}

} // namespace inmem
