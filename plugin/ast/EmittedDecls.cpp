//===- EmittedDecls.cpp - declarations that a unit emits code for ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define INMEM_COMPAT_CLANG
#include "ast/EmittedDecls.h"
#include "Compat.h"
#include "ast/LibraryCode.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclFriend.h"
#include "clang/AST/DeclObjC.h"
#include "clang/AST/DeclOpenMP.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"
#include <algorithm>

using namespace clang;

namespace inmem {

bool isLeftToModule(const Decl &D) {
  if (!compat::isInAnotherModuleUnit(D))
    return false;
  ASTContext &Context = D.getASTContext();
  if (auto *F = dyn_cast<FunctionDecl>(&D)) {
    GVALinkage Linkage = Context.GetGVALinkageForFunction(F);
    return Linkage != GVA_Internal && Linkage != GVA_DiscardableODR;
  }
  auto *Variable = dyn_cast<VarDecl>(&D);
  return Variable &&
         Context.GetGVALinkageForVariable(Variable) != GVA_DiscardableODR;
}

EmittedDecls::EmittedDecls(CollectorContext &C)
    : C(C), FollowUses(C.Context.getExternalSource() && !C.Unit.FromFile),
      Objects(C), Walker(C, Objects, *this), Strings(C), Held(C), Fields(C) {}

void EmittedDecls::visitUnit() {
  visitContext(*C.Context.getTranslationUnitDecl());
  for (const Decl *D : C.Unit.Emitted)
    visitDecl(*D);
  // Declarations found only through their uses (precompiled headers).
  while (!Pending.empty())
    visitDecl(*Pending.pop_back_val());
  if (!Globals.Facts.empty())
    C.Deferred.finish(Globals,
                      llvm::SmallVector<std::string, 1>{kGlobals.str()});
  if (C.Selected.ignoresGlobals())
    C.Table.addExcluded(kGlobals);
  Strings.finish();
  Fields.finish();
}

void EmittedDecls::visitContext(const DeclContext &DC) {
  // Do not load unused declarations from a precompiled header.
  if (FollowUses)
    for (const Decl *D : DC.noload_decls())
      visitDecl(*D);
  else
    for (const Decl *D : DC.decls())
      visitDecl(*D);
}

void EmittedDecls::visitDecl(const Decl &D) {
  if (D.isInvalidDecl())
    return;
  if (auto *Function = dyn_cast<FunctionDecl>(&D))
    return visitFunction(*Function);
  if (auto *Variable = dyn_cast<VarDecl>(&D))
    return visitGlobal(*Variable);
  if (auto *Template = dyn_cast<FunctionTemplateDecl>(&D)) {
    if (Template->isCanonicalDecl())
      for (const FunctionDecl *Special : Template->specializations())
        visitFunction(*Special);
    return;
  }
  if (auto *Template = dyn_cast<ClassTemplateDecl>(&D)) {
    if (Template->isCanonicalDecl())
      for (const ClassTemplateSpecializationDecl *Special :
           Template->specializations())
        visitRecord(*Special);
    return;
  }
  if (auto *Template = dyn_cast<VarTemplateDecl>(&D)) {
    if (Template->isCanonicalDecl())
      for (const VarTemplateSpecializationDecl *Special :
           Template->specializations())
        visitGlobal(*Special);
    return;
  }
  if (auto *Special = dyn_cast<ClassTemplateSpecializationDecl>(&D)) {
    // Visited through its template unless it is an explicit specialisation.
    if (Special->isExplicitSpecialization())
      visitRecord(*Special);
    return;
  }
  if (auto *Record = dyn_cast<CXXRecordDecl>(&D))
    return visitRecord(*Record);
  if (auto *Implementation = dyn_cast<ObjCImplDecl>(&D)) {
    for (const ObjCMethodDecl *Method : Implementation->methods())
      visitMethod(*Method, *Implementation);
    return visitContext(*Implementation);
  }
  if (auto *Reduction = dyn_cast<OMPDeclareReductionDecl>(&D))
    return visitReduction(*Reduction);
  // A friend defined in a class is not in any other context.
  if (auto *Friend = dyn_cast<FriendDecl>(&D)) {
    if (const NamedDecl *Befriended = Friend->getFriendDecl())
      visitDecl(*Befriended);
    return;
  }
  if (isa<NamespaceDecl>(D) || isa<LinkageSpecDecl>(D) || isa<ExportDecl>(D))
    visitContext(*cast<DeclContext>(&D));
}

void EmittedDecls::visitRecord(const CXXRecordDecl &Record) {
  if (!Record.isThisDeclarationADefinition() || Record.isDependentContext())
    return;
  if (Records.insert(&Record).second)
    visitContext(Record);
}

/// Returns true if this unit may emit \p F. Most of a header is unused inline
/// functions.
bool EmittedDecls::mayBeEmitted(const FunctionDecl &F) {
  if (isLeftToModule(F))
    return false;
  // DeclMustBeEmitted() covers attributes such as constructor.
  if (F.isUsed(/*CheckUsedAttr=*/true) || C.Context.DeclMustBeEmitted(&F))
    return true;
  switch (C.Context.GetGVALinkageForFunction(&F)) {
  case GVA_StrongExternal:
  case GVA_StrongODR:
    return true;
  case GVA_Internal:
    // It may be the target of an alias or an ifunc resolver, and few internal
    // functions are really unused.
    if (!F.isInlined())
      return true;
    [[fallthrough]];
  default:
    // Vtables use virtual functions, and ends of scopes use destructors, often
    // without marking them as used.
    auto *Method = dyn_cast<CXXMethodDecl>(&F);
    return (Method && Method->isVirtual()) || isa<CXXDestructorDecl>(F);
  }
}

/// inmem::detail::described<T>() of inmem/graph.h.
static bool asksForDescription(const FunctionDecl &F) {
  const TemplateArgumentList *Args = F.getTemplateSpecializationArgs();
  if (!Args || Args->size() != 1 || !F.getIdentifier() ||
      F.getName() != "described" ||
      Args->get(0).getKind() != TemplateArgument::Type)
    return false;
  auto *Detail = dyn_cast<NamespaceDecl>(F.getDeclContext());
  auto *Inmem = Detail && Detail->getName() == "detail"
                    ? dyn_cast<NamespaceDecl>(Detail->getDeclContext())
                    : nullptr;
  return Inmem && Inmem->getName() == "inmem" &&
         Inmem->getDeclContext()->isTranslationUnit();
}

void EmittedDecls::noteDescription(const FunctionDecl &F) {
  std::string Name = C.Names.linkageName(F);
  if (!F.isExternallyVisible()) {
    // Only code generation knows the numbers of local types and closures. An
    // annotation identifies the function later.
    Name = (kDescribedAnnotation + llvm::Twine(++Descriptions)).str();
    const_cast<FunctionDecl &>(F).addAttr(
        AnnotateAttr::CreateImplicit(C.Context, Name, nullptr, 0));
  }
  C.Table.addDescribed(
      Name, C.Layouts.addReachable(
                F.getTemplateSpecializationArgs()->get(0).getAsType()));
}

/// True if \p F is a function of the program that another unit emits. The
/// passes count objects in the inlining copy only if the table contains the
/// function, even without facts.
static bool isForInlining(const FunctionDecl &F) {
  const ASTContext &Context = F.getASTContext();
  return Context.GetGVALinkageForFunction(&F) == GVA_AvailableExternally &&
         !Context.getSourceManager().isInSystemHeader(F.getLocation());
}

/// The location of \p F in debug information: that of its body. Clang 16 gives
/// an instantiated member the location of its declaration in the class.
static SourceLocation locationOfBody(const FunctionDecl &F) {
  const FunctionDecl *Pattern = F.getTemplateInstantiationPattern();
  return Pattern && Pattern->hasBody(Pattern) ? Pattern->getLocation()
                                              : F.getLocation();
}

/// Records the source file and its contents, unless it belongs to a library.
void EmittedDecls::noteSource(SourceLocation Loc) {
  const SourceManager &SM = C.Context.getSourceManager();
  const FileID File = SM.getFileID(SM.getExpansionLoc(Loc));
  // A file loaded from an AST file: the source may no longer exist.
  if (File.isInvalid() || SM.isLoadedFileID(File) ||
      !Sources.insert(File).second)
    return;
  const SourceLocation Start = SM.getLocForStartOfFile(File);
  const PresumedLoc Named = SM.getPresumedLoc(SM.getExpansionLoc(Loc));
  const PresumedLoc Read =
      SM.getPresumedLoc(Start, /*UseLineDirectives=*/false);
  const auto Text = SM.getBufferDataOrNone(File);
  // The output of a preprocessor or generator differs from the file that it
  // names.
  if (Text && Named.isValid() && Read.isValid() &&
      StringRef(Named.getFilename()) == Read.getFilename())
    C.Table.Sources.emplace(C.Unit.inDebugInfo(Read.getFilename()),
                            stableHash(*Text));
}

/// True if \p Class or one of its bases declares the type that it allocates.
static bool hasValueType(const CXXRecordDecl &Class) {
  const IdentifierInfo &Name = Class.getASTContext().Idents.get("value_type");
  return !Class.lookup(&Name).empty() ||
         llvm::any_of(Class.bases(), [](const CXXBaseSpecifier &Base) {
           const CXXRecordDecl *Of = Base.getType()->getAsCXXRecordDecl();
           return Of && Of->hasDefinition() && hasValueType(*Of);
         });
}

/// True for members that allocate for users of the class: operators new, and
/// the functions that containers call in an allocator (as in
/// std::allocator_traits) or in a memory resource.
static bool isClassAllocator(const FunctionDecl &F) {
  const auto *Method = dyn_cast<CXXMethodDecl>(&F);
  if (!Method)
    return false;
  const OverloadedOperatorKind Operator = F.getOverloadedOperator();
  if (Operator == OO_New || Operator == OO_Array_New)
    return true;
  if (!F.getIdentifier() || F.getNumParams() == 0 ||
      !F.getParamDecl(0)->getType()->isIntegerType())
    return false;
  const QualType Result = F.getReturnType();
  if (F.getName() == "do_allocate")
    return Method->size_overridden_methods() > 0 && Result->isPointerType();
  return (F.getName() == "allocate" || F.getName() == "allocate_at_least") &&
         (Result->isPointerType() || Result->isRecordType()) &&
         hasValueType(*Method->getParent());
}

static bool callsOrMakes(const Stmt *S) {
  return S && (isa<CallExpr, CXXNewExpr>(S) ||
               llvm::any_of(S->children(), callsOrMakes));
}

/// True if a default member initialiser constructs or calls something. Its line
/// belongs to the program, even if the constructor is implicit.
static bool hasInitialiserInClass(const FunctionDecl &F) {
  const auto *Constructor = dyn_cast<CXXConstructorDecl>(&F);
  return Constructor &&
         llvm::any_of(Constructor->inits(), [](const CXXCtorInitializer *Init) {
           const auto *Default =
               dyn_cast_or_null<CXXDefaultInitExpr>(Init->getInit());
           return Default && callsOrMakes(Default->getExpr());
         });
}

/// Records functions that allocate for their callers; see ir/PassedFunctions.h.
void EmittedDecls::notePassed(const FunctionDecl &F) {
  const SourceLocation Loc = locationOfBody(F);
  if (isInLibrary(C.Context.getSourceManager(), Loc)) {
    C.Table.FilesOfLibraries.insert(C.location(Loc).File);
    return;
  }
  noteSource(Loc);
  if (F.hasAttr<NoDebugAttr>())
    for (const std::string &Name : C.Names.linkageNames(F))
      C.Table.addUnlocated(Name);
  const bool Named = !C.Chosen.Wrappers.empty() &&
                     C.Chosen.isNamedWrapper(F.getQualifiedNameAsString());
  const bool Unwritten =
      (F.isImplicit() || F.isDefaulted()) && !hasInitialiserInClass(F);
  if (Unwritten || Named || isClassAllocator(F) ||
      llvm::any_of(F.specific_attrs<AnnotateAttr>(), [](const auto *A) {
        return A->getAnnotation() == "inmem::wrapper";
      }))
    for (const std::string &Name : C.Names.linkageNames(F))
      C.Table.addPassed(Name);
}

void EmittedDecls::visitFunction(const FunctionDecl &F) {
  if (!F.doesThisDeclarationHaveABody() || F.isDependentContext() ||
      F.isInvalidDecl() || F.isDeleted() || !mayBeEmitted(F) ||
      !Functions.insert(&F).second)
    return;
  if (asksForDescription(F))
    return noteDescription(F);
  notePassed(F);
  FunctionBody Previous = std::move(C.Current);
  C.Current = FunctionBody();
  C.Current.Function = &F;
  // A closure's copies keep the values that the variables had at its creation.
  if (auto *Operator = dyn_cast<CXXMethodDecl>(&F);
      Operator && Operator->getParent()->isLambda() && Operator->isConst())
    for (const LambdaCapture &Capture : Operator->getParent()->captures())
      if (Capture.capturesVariable() && Capture.getCaptureKind() == LCK_ByCopy)
        if (auto *Variable = dyn_cast<VarDecl>(Capture.getCapturedVar()))
          C.Current.Sizes.copyFrom(Previous.Sizes, *Variable);
  C.Marker.markFunction(F);
  if (auto *Constructor = dyn_cast<CXXConstructorDecl>(&F))
    Walker.walkInitialisers(*Constructor);
  Walker.walk(F.getBody());
  if (C.Chosen.Accesses)
    Fields.note(F);
  if (auto *Destructor = dyn_cast<CXXDestructorDecl>(&F))
    Objects.noteDestructor(*Destructor);
  if (auto *Method = dyn_cast<CXXMethodDecl>(&F)) {
    if (isa<CXXConstructorDecl>(F) || isa<CXXDestructorDecl>(F))
      noteMembersDestruction(*Method->getParent());
    if (Method->getParent()->isLambda() && !F.isExternallyVisible())
      C.Table.addCallOperator(C.Names.linkageName(F),
                              C.location(F.getBody()->getBeginLoc()),
                              C.location(F.getBody()->getEndLoc()));
  }
  if (isa<CoroutineBodyStmt>(F.getBody()))
    C.Table.addCoroutine(C.Names.linkageName(F), C.Namer.functionName(F));
  if (F.hasAttr<NoInstrumentFunctionAttr>() ||
      F.hasAttr<DisableSanitizerInstrumentationAttr>() ||
      C.Selected.ignores(F, C.Chosen.Ignorelist ? C.Names.linkageName(F) : ""))
    for (const std::string &Name : C.Names.linkageNames(F))
      C.Table.addExcluded(Name);
  else
    Strings.note(F);
  if (!C.Current.Facts.empty() || isForInlining(F))
    C.Deferred.finish(C.Current, C.Names.linkageNames(F));
  C.Current = std::move(Previous);
}

/// An Objective-C method. Clang names it `-[Class(Category) name:]` for Apple's
/// runtime and `_i_Class_Category_name_` for GNU's.
void EmittedDecls::visitMethod(const ObjCMethodDecl &Method,
                               const ObjCImplDecl &Implementation) {
  if (!Method.hasBody() || !Functions.insert(&Method).second)
    return;
  FunctionBody Previous = std::move(C.Current);
  C.Current = FunctionBody();
  C.Marker.markMethod(Method);
  Walker.walk(Method.getBody());
  std::string Class, Category, Selector = Method.getSelector().getAsString();
  if (const ObjCInterfaceDecl *Of = Implementation.getClassInterface())
    Class = Of->getName().str();
  if (auto *Of = dyn_cast<ObjCCategoryImplDecl>(&Implementation))
    Category = Of->getName().str();
  std::string Apple = (Method.isInstanceMethod() ? "-[" : "+[") + Class +
                      (Category.empty() ? "" : "(" + Category + ")") + " " +
                      Selector + "]";
  std::string Gnu = (Method.isInstanceMethod() ? "_i_" : "_c_") + Class + "_" +
                    Category + "_" + Selector;
  std::replace(Gnu.begin(), Gnu.end(), ':', '_');
  if (!C.Current.Facts.empty())
    C.Deferred.finish(C.Current, llvm::SmallVector<std::string, 2>{Apple, Gnu});
  C.Current = std::move(Previous);
}

void EmittedDecls::visitGlobal(const VarDecl &Variable) {
  noteVariable(Variable);
  if (!Variable.hasInit() || Variable.getType()->isDependentType() ||
      Variable.isInvalidDecl() || Variable.isConstexpr() ||
      Variable.getDeclContext()->isDependentContext() ||
      isLeftToModule(Variable) || Variable.getInit()->isValueDependent() ||
      !Variables.insert(&Variable).second)
    return;
  std::swap(C.Current, Globals);
  C.Marker.markVariable(Variable);
  Walker.walkVariable(Variable);
  if (C.Chosen.Accesses)
    Fields.note(Variable);
  std::swap(C.Current, Globals);
}

/// Clang emits the combiner and the initialiser as separate functions, so their
/// facts are looked up by location.
void EmittedDecls::visitReduction(const OMPDeclareReductionDecl &Reduction) {
  if (Reduction.getDeclContext()->isDependentContext())
    return;
  std::swap(C.Current, Globals);
  Walker.walk(Reduction.getCombiner());
  Walker.walk(Reduction.getInitializer());
  if (auto *Private = dyn_cast_or_null<DeclRefExpr>(Reduction.getInitPriv()))
    Walker.walkVariable(*cast<VarDecl>(Private->getDecl()));
  std::swap(C.Current, Globals);
}

void EmittedDecls::noteUse(const Decl *D) {
  if (!FollowUses || !D)
    return;
  const FunctionDecl *Definition = nullptr;
  if (auto *Function = dyn_cast<FunctionDecl>(D)) {
    if (Function->hasBody(Definition) && Seen.insert(Definition).second)
      Pending.push_back(Definition);
    if (auto *Constructor = dyn_cast<CXXConstructorDecl>(D))
      noteDynamic(*Constructor->getParent());
  } else if (auto *Variable = dyn_cast<VarDecl>(D)) {
    if (!Variable->hasGlobalStorage() || Variable->isLocalVarDecl() ||
        isLeftToModule(*Variable))
      return;
    const VarDecl *Initialised = Variable->getInitializingDeclaration();
    if (Initialised && Seen.insert(Initialised).second)
      Pending.push_back(Initialised);
  }
}

void EmittedDecls::noteDynamic(const CXXRecordDecl &Class) {
  if (!FollowUses || !Class.isDynamicClass() || !Dynamic.insert(&Class).second)
    return;
  for (const CXXMethodDecl *Method : Class.methods())
    if (Method->isVirtual())
      noteUse(Method);
}

void EmittedDecls::noteDestruction(QualType Type) {
  if (!FollowUses || Type.isNull())
    return;
  if (const CXXRecordDecl *Record =
          C.Context.getBaseElementType(Type)->getAsCXXRecordDecl())
    if (Record->hasDefinition() && Seen.insert(Record).second)
      noteUse(Record->getDestructor());
}

void EmittedDecls::noteMembersDestruction(const CXXRecordDecl &Class) {
  if (!FollowUses)
    return;
  for (const FieldDecl *Field : Class.fields())
    noteDestruction(Field->getType());
  for (const CXXBaseSpecifier &Base : Class.bases())
    noteDestruction(Base.getType());
}

} // namespace inmem
