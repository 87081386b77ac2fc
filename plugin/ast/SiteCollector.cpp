//===- SiteCollector.cpp - fills the site table from the AST --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define INMEM_COMPAT_CLANG
#include "ast/SiteCollector.h"
#include "Compat.h"
#include "ast/AllocTypeInference.h"
#include "ast/LibraryFunctions.h"
#include "ast/RawPointers.h"
#include "ast/TypeLayout.h"
#include "ast/TypeName.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecordLayout.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/Builtins.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;
using llvm::DenseMap;
using llvm::DenseSet;
using llvm::raw_string_ostream;

namespace inmem {
namespace {

/// What the surroundings of an expression say about the value it makes.
struct Slot {
  /// What the pointer that the value becomes points to.
  QualType Destination;
  /// The void * variable or member that the value is stored in.
  const ValueDecl *Holder = nullptr;
  /// The same of one that points to any raw storage.
  const ValueDecl *RawHolder = nullptr;
  /// What is constructed where the value, a pointer, points to.
  QualType Object;
  /// Where the object that the expression constructs lives.
  uint8_t Storage = INMEM_STORAGE_STACK;
  /// Elements of a new array: their constructor's call is located at the new.
  SourceLocation NewArray;
};

/// A call that may allocate.
struct Allocator {
  std::string Callee;
  uint8_t Kind = INMEM_SITE_UNKNOWN;
  AllocRole Role = AllocRole::Known;
  /// Positions of the arguments that make up the size.
  SmallVector<unsigned, 4> Sizes;
};

class Collector {
public:
  Collector(ASTContext &Context, const Options &Chosen, bool LoadAll,
            SiteTable &Table, ConstructionMarker &Marker, Filter &Wanted)
      : Context(Context), SM(Context.getSourceManager()), Chosen(Chosen),
        Table(Table), Marker(Marker), Wanted(Wanted),
        FollowUses(Context.getExternalSource() && !LoadAll),
        Mangler(Context.createMangleContext()), Namer(Context),
        Layouts(Context, *Mangler, Namer, Table) {}

  void run() {
    visitContext(*Context.getTranslationUnitDecl());
    // Functions that were only found through their uses (precompiled headers).
    while (!Pending.empty())
      visitFunction(*Pending.pop_back_val());
    if (!Globals.Facts.empty())
      finish(Globals, {kGlobals.str()});
    if (Wanted.ignoresGlobals())
      Table.addExcluded(kGlobals);
    decideWaiting();
  }

private:
  /// Raw storage of a size: that of an object which is placed at its start?
  struct RawBlock {
    const ValueDecl *Holder;
    uint64_t Bytes; ///< 0: not a constant
    SizeTypes Sizes;
  };

  /// What is gathered while one function is walked.
  struct Body {
    const FunctionDecl *Function = nullptr;
    FunctionFacts Facts;
    /// Facts (by index) that wait for the uses of what holds their pointer.
    SmallVector<std::pair<size_t, const ValueDecl *>, 2> Waiting;
    /// Facts (by index) of raw storage, which an object may be placed in.
    SmallVector<std::pair<size_t, RawBlock>, 2> RawBlocks;
    /// What integer variables were given last, in the order of the source.
    Assignments Assigned;
    /// void * variables that the function returns: what they are is for its
    /// callers to say, whatever it keeps in front.
    DenseSet<const ValueDecl *> Returned;
  };

  struct WaitingBlock {
    std::string Function;
    size_t Index;
    RawBlock Block;
  };

  /// A fact of a finished function that waits for the end of the unit.
  struct WaitingFact {
    std::string Function;
    size_t Index;
    const ValueDecl *Holder;
  };

  //===--------------------------------------------------------------------===//
  // Declarations
  //===--------------------------------------------------------------------===//

  void visitContext(const DeclContext &DC) {
    // What a precompiled header holds and this unit does not use stays there.
    if (FollowUses)
      for (const Decl *D : DC.noload_decls())
        visitDecl(*D);
    else
      for (const Decl *D : DC.decls())
        visitDecl(*D);
  }

  void visitDecl(const Decl &D) {
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
      // Reached through its template, unless it is written out.
      if (Special->isExplicitSpecialization())
        visitRecord(*Special);
      return;
    }
    if (auto *Record = dyn_cast<CXXRecordDecl>(&D))
      return visitRecord(*Record);
    if (isa<NamespaceDecl>(D) || isa<LinkageSpecDecl>(D) || isa<ExportDecl>(D))
      visitContext(*cast<DeclContext>(&D));
  }

  void visitRecord(const CXXRecordDecl &Record) {
    if (!Record.isThisDeclarationADefinition() || Record.isDependentContext())
      return;
    if (Records.insert(&Record).second)
      visitContext(Record);
  }

  /// Whether code for \p F can come out of this translation unit. Inline
  /// functions that nothing uses are most of a header, and make none.
  bool mayBeEmitted(const FunctionDecl &F) {
    if (F.isUsed(/*CheckUsedAttr=*/true))
      return true;
    switch (Context.GetGVALinkageForFunction(&F)) {
    case GVA_StrongExternal:
    case GVA_StrongODR:
      return true;
    default:
      // Virtual functions come with the vtable, destructors with the end of
      // a scope; neither is always marked as used.
      auto *Method = dyn_cast<CXXMethodDecl>(&F);
      return (Method && Method->isVirtual()) || isa<CXXDestructorDecl>(F);
    }
  }

  void visitFunction(const FunctionDecl &F) {
    if (!F.doesThisDeclarationHaveABody() || F.isDependentContext() ||
        F.isInvalidDecl() || F.isDeleted() || !mayBeEmitted(F) ||
        !Functions.insert(&F).second)
      return;
    Body Previous = std::move(Current);
    Current = Body();
    Current.Function = &F;
    Marker.markFunction(F);
    if (auto *Constructor = dyn_cast<CXXConstructorDecl>(&F))
      walkInitialisers(*Constructor);
    walk(F.getBody());
    if (auto *Destructor = dyn_cast<CXXDestructorDecl>(&F))
      noteDestructor(*Destructor);
    if (auto *Method = dyn_cast<CXXMethodDecl>(&F)) {
      if (isa<CXXConstructorDecl>(F) || isa<CXXDestructorDecl>(F))
        noteMembersDestruction(*Method->getParent());
      if (Method->getParent()->isLambda() && !F.isExternallyVisible())
        Table.addCallOperator(linkageName(F), place(F.getBody()->getBeginLoc()),
                              place(F.getBody()->getEndLoc()));
    }
    if (isa<CoroutineBodyStmt>(F.getBody()))
      Table.addCoroutine(linkageName(F), Namer.functionName(F));
    if (F.hasAttr<NoInstrumentFunctionAttr>() ||
        F.hasAttr<DisableSanitizerInstrumentationAttr>() ||
        Wanted.ignores(F, Chosen.Ignorelist ? linkageName(F) : ""))
      for (const std::string &Name : linkageNames(F))
        Table.addExcluded(Name);
    if (!Current.Facts.empty())
      finish(Current, linkageNames(F));
    Current = std::move(Previous);
  }

  void walkInitialisers(const CXXConstructorDecl &Constructor) {
    for (const CXXCtorInitializer *Init : Constructor.inits()) {
      Slot In;
      In.Storage =
          Init->isBaseInitializer() ? INMEM_STORAGE_BASE : INMEM_STORAGE_MEMBER;
      walk(Init->getInit(), In);
    }
  }

  void visitGlobal(const VarDecl &Variable) {
    if (!Variable.hasInit() || Variable.getType()->isDependentType() ||
        Variable.isInvalidDecl() || Variable.isConstexpr() ||
        Variable.getDeclContext()->isDependentContext() ||
        Variable.getInit()->isValueDependent())
      return;
    std::swap(Current, Globals);
    Marker.markVariable(Variable);
    visitVariable(Variable);
    std::swap(Current, Globals);
  }

  void visitVariable(const VarDecl &Variable) {
    noteDestruction(Variable.getType());
    if (!Variable.getInit())
      return;
    Slot In;
    In.Destination = pointee(Variable.getType());
    In.Holder = RawPointers::holder(Variable);
    In.RawHolder = RawPointers::storage(Variable);
    if (In.Holder)
      Raw.addCopy(*Variable.getInit(), *In.Holder);
    if (Variable.getTLSKind() != VarDecl::TLS_None)
      In.Storage = INMEM_STORAGE_THREAD;
    else if (Variable.hasGlobalStorage())
      In.Storage = INMEM_STORAGE_STATIC;
    else if (Variable.isNRVOVariable())
      In.Storage = INMEM_STORAGE_UNKNOWN; // the caller decides
    else
      In.Storage = localStorage();
    if (Variable.hasGlobalStorage() && Chosen.Objects != ObjectsMode::Off &&
        Variable.hasConstantInitialization())
      noteConstant(Variable, In.Storage);
    walk(Variable.getInit(), In);
  }

  void finish(Body &Finished, const SmallVectorImpl<std::string> &Names) {
    for (const std::string &Name : Names) {
      FunctionFacts &Facts = Table.function(Name);
      for (auto [Index, Holder] : Finished.Waiting)
        if (!Finished.Returned.contains(Holder))
          Waiting.push_back({Name, Facts.Allocs.size() + Index, Holder});
      for (const auto &[Index, Block] : Finished.RawBlocks)
        WaitingBlocks.push_back({Name, Facts.Allocs.size() + Index, Block});
      Facts.System = Finished.Function &&
                     SM.isInSystemHeader(Finished.Function->getLocation());
      bool Numbered = StringRef(Name).contains("$_");
      for (const AllocFact &Fact : Finished.Facts.Allocs) {
        Facts.Allocs.push_back(Fact);
        if (Numbered)
          Facts.Allocs.back().Numbered = Name;
      }
      llvm::append_range(Facts.Objects, Finished.Facts.Objects);
      llvm::append_range(Facts.Returns, Finished.Facts.Returns);
    }
  }
  void finish(Body &Finished, std::initializer_list<std::string> Names) {
    finish(Finished, SmallVector<std::string, 1>(Names));
  }

  /// Once every function has been walked: blocks that are known by what is
  /// placed in them, or what the holders of their pointers are cast to.
  void decideWaiting() {
    DenseSet<const AllocFact *> Arenas;
    for (const WaitingBlock &Waits : WaitingBlocks) {
      QualType Type = Raw.placedIn(*Waits.Block.Holder);
      AllocFact &Fact = Table.function(Waits.Function).Allocs[Waits.Index];
      if (Type.isNull())
        continue;
      if (isFilledBy(Waits.Block, Type))
        setPlaced(Fact, Type);
      else if (Waits.Block.Bytes)
        Arenas.insert(&Fact); // the first of many objects
    }
    for (const WaitingFact &Waits : Waiting) {
      RawPointers::Use Use = Raw.useOf(*Waits.Holder);
      AllocFact &Fact = Table.function(Waits.Function).Allocs[Waits.Index];
      bool Nearby = Use.Copies == 0 && isa<VarDecl>(Waits.Holder);
      // Further away, what the size says counts for more.
      if (Fact.Rule == INMEM_RULE_PLACED || Arenas.count(&Fact) ||
          (!Nearby && Fact.Rule != INMEM_RULE_NONE))
        continue;
      if (Use.Disagree) {
        Fact.Flags |= INMEM_SITE_DISAGREE;
      } else if (!Use.Type.isNull()) {
        Fact.TypeKey = Layouts.add(Use.Type);
        Fact.Rule = Nearby ? INMEM_RULE_VARIABLE : INMEM_RULE_FLOW;
      }
    }
  }

  void setPlaced(AllocFact &Fact, QualType Type) {
    Fact.TypeKey = Layouts.add(Type);
    Fact.Rule = INMEM_RULE_PLACED;
  }

  /// Whether nothing but an object of \p Type, and what aligns it, has room.
  bool isFilledBy(const RawBlock &Block, QualType Type) const {
    constexpr uint64_t kMostForAlignment = 15;
    uint64_t Size = Context.getTypeSizeInChars(Type).getQuantity();
    return Block.Sizes.names(Type) ||
           (Block.Bytes >= Size && Block.Bytes <= Size + kMostForAlignment);
  }

  //===--------------------------------------------------------------------===//
  // Names and places
  //===--------------------------------------------------------------------===//

  std::string mangled(GlobalDecl D) {
    const auto &Named = *cast<NamedDecl>(D.getDecl());
    if (!Mangler->shouldMangleDeclName(&Named))
      return Named.getIdentifier() ? Named.getName().str() : std::string();
    std::string Name;
    raw_string_ostream OS(Name);
    Mangler->mangleName(D, OS);
    StringRef Text = OS.str();
    Text.consume_front("\01"); // asm label
    return Text.str();
  }

  std::string linkageName(const FunctionDecl &F) {
    if (auto *Constructor = dyn_cast<CXXConstructorDecl>(&F))
      return mangled(GlobalDecl(Constructor, Ctor_Complete));
    if (auto *Destructor = dyn_cast<CXXDestructorDecl>(&F))
      return mangled(GlobalDecl(Destructor, Dtor_Complete));
    return mangled(GlobalDecl(&F));
  }

  SmallVector<std::string, 3> linkageNames(const FunctionDecl &F) {
    if (auto *Constructor = dyn_cast<CXXConstructorDecl>(&F))
      return {mangled(GlobalDecl(Constructor, Ctor_Complete)),
              mangled(GlobalDecl(Constructor, Ctor_Base))};
    if (auto *Destructor = dyn_cast<CXXDestructorDecl>(&F))
      return {mangled(GlobalDecl(Destructor, Dtor_Complete)),
              mangled(GlobalDecl(Destructor, Dtor_Base)),
              mangled(GlobalDecl(Destructor, Dtor_Deleting))};
    return {linkageName(F)};
  }

  SourcePlace place(SourceLocation Loc) {
    // Default arguments are evaluated, and located, at the call.
    if (UsedAt.isValid())
      Loc = UsedAt;
    PresumedLoc Place = SM.getPresumedLoc(compat::debugLocation(SM, Loc));
    if (Place.isInvalid())
      return {};
    return {Place.getFilename(), Place.getLine(), Place.getColumn()};
  }

  //===--------------------------------------------------------------------===//
  // Statements
  //===--------------------------------------------------------------------===//

  void walk(const Stmt *S) { walk(S, Slot()); }

  void walkChildren(const Stmt &S) {
    for (const Stmt *Child : S.children())
      walk(Child);
  }

  void walk(const Stmt *S, Slot In) {
    if (!S)
      return;
    if (auto *E = dyn_cast<Expr>(S))
      S = &Marker.unmarked(*E);
    switch (S->getStmtClass()) {
    // Expressions that hand their value on.
    case Stmt::ParenExprClass:
      return walk(cast<ParenExpr>(S)->getSubExpr(), In);
    case Stmt::ExprWithCleanupsClass:
    case Stmt::ConstantExprClass:
      return walk(cast<FullExpr>(S)->getSubExpr(), In);
    case Stmt::CXXBindTemporaryExprClass:
      noteDestruction(cast<Expr>(S)->getType());
      return walk(cast<CXXBindTemporaryExpr>(S)->getSubExpr(), In);
    case Stmt::SubstNonTypeTemplateParmExprClass:
      return walk(cast<SubstNonTypeTemplateParmExpr>(S)->getReplacement(), In);
    case Stmt::ChooseExprClass:
      return walk(cast<ChooseExpr>(S)->getChosenSubExpr(), In);
    case Stmt::GenericSelectionExprClass:
      return walk(cast<GenericSelectionExpr>(S)->getResultExpr(), In);
    case Stmt::OpaqueValueExprClass:
      return; // walked where its source stands
    case Stmt::ConditionalOperatorClass: {
      auto *Choice = cast<ConditionalOperator>(S);
      walk(Choice->getCond());
      walk(Choice->getTrueExpr(), In);
      return walk(Choice->getFalseExpr(), In);
    }
    case Stmt::BinaryConditionalOperatorClass: {
      auto *Choice = cast<BinaryConditionalOperator>(S);
      walk(Choice->getCommon(), In);
      return walk(Choice->getFalseExpr(), In);
    }
    case Stmt::StmtExprClass: {
      auto *Block = cast<StmtExpr>(S)->getSubStmt();
      for (const Stmt *Child : Block->body())
        walk(Child, Child == Block->body_back() ? In : Slot());
      return;
    }
    case Stmt::BinaryOperatorClass:
      return walkBinary(*cast<BinaryOperator>(S), In);
    case Stmt::ImplicitCastExprClass:
    case Stmt::CStyleCastExprClass:
    case Stmt::CXXStaticCastExprClass:
    case Stmt::CXXReinterpretCastExprClass:
    case Stmt::CXXConstCastExprClass:
    case Stmt::CXXFunctionalCastExprClass:
    case Stmt::CXXDynamicCastExprClass:
      return walkCast(*cast<CastExpr>(S), In);

    // Where objects live.
    case Stmt::MaterializeTemporaryExprClass: {
      auto *Temporary = cast<MaterializeTemporaryExpr>(S);
      switch (Temporary->getStorageDuration()) {
      case SD_Static:
        In.Storage = INMEM_STORAGE_STATIC;
        break;
      case SD_Thread:
        In.Storage = INMEM_STORAGE_THREAD;
        break;
      default:
        In.Storage = INMEM_STORAGE_STACK;
      }
      return walk(Temporary->getSubExpr(), In);
    }
    case Stmt::InitListExprClass:
      return walkInitList(*cast<InitListExpr>(S), In);
    case Stmt::CXXParenListInitExprClass: {
      auto *List = cast<CXXParenListInitExpr>(S);
      noteMark(*List, In);
      return walkParts(List->getType(), List->getInitExprs(), In);
    }
    case Stmt::CXXInheritedCtorInitExprClass: {
      // The base's constructor, called by the inheriting one.
      auto *Inherited = cast<CXXInheritedCtorInitExpr>(S);
      return noteConstruction(*Inherited->getConstructor(), INMEM_STORAGE_BASE,
                              Inherited->getExprLoc());
    }
    case Stmt::CXXCatchStmtClass:
      if (const VarDecl *Caught = cast<CXXCatchStmt>(S)->getExceptionDecl()) {
        visitVariable(*Caught);
        noteCaught(*Caught);
      }
      return walkChildren(*S);
    case Stmt::ArrayInitLoopExprClass:
      walk(cast<ArrayInitLoopExpr>(S)->getCommonExpr()->getSourceExpr());
      return walk(cast<ArrayInitLoopExpr>(S)->getSubExpr(), In);
    case Stmt::ReturnStmtClass: {
      Slot Out;
      if (Current.Function)
        Out.Destination = pointee(Current.Function->getReturnType());
      Out.Storage = INMEM_STORAGE_UNKNOWN; // the caller decides
      const Expr *Value = cast<ReturnStmt>(S)->getRetValue();
      if (const ValueDecl *Holder =
              Value ? RawPointers::holder(*Value) : nullptr)
        if (isa<VarDecl>(Holder))
          Current.Returned.insert(Holder);
      return walk(Value, Out);
    }
    case Stmt::DeclStmtClass:
      for (const Decl *D : cast<DeclStmt>(S)->decls()) {
        if (auto *Variable = dyn_cast<VarDecl>(D))
          visitVariable(*Variable);
        else if (auto *Record = dyn_cast<CXXRecordDecl>(D))
          visitRecord(*Record);
        if (auto *Decomposed = dyn_cast<DecompositionDecl>(D))
          for (const BindingDecl *Binding : Decomposed->bindings())
            if (const VarDecl *Holder = Binding->getHoldingVar())
              visitVariable(*Holder);
      }
      return;
    case Stmt::LambdaExprClass:
      noteMark(*cast<LambdaExpr>(S), In);
      return walkLambda(*cast<LambdaExpr>(S));
    case Stmt::BlockExprClass:
      return walk(cast<BlockExpr>(S)->getBody());
    case Stmt::CXXDefaultArgExprClass: {
      auto *Default = cast<CXXDefaultArgExpr>(S);
      SourceLocation Outer = UsedAt;
      if (UsedAt.isInvalid())
        UsedAt = Default->getUsedLocation();
      walk(Default->getExpr(), In);
      UsedAt = Outer;
      return;
    }
    case Stmt::CXXDefaultInitExprClass:
      return walk(cast<CXXDefaultInitExpr>(S)->getExpr(), In);

    // Operands that are never evaluated.
    case Stmt::UnaryExprOrTypeTraitExprClass:
    case Stmt::CXXNoexceptExprClass:
    case Stmt::RequiresExprClass:
    case Stmt::TypeTraitExprClass:
      return;

    case Stmt::CXXNewExprClass:
      return walkNew(*cast<CXXNewExpr>(S), In);
    case Stmt::CXXDeleteExprClass:
      noteDestruction(cast<CXXDeleteExpr>(S)->getDestroyedType());
      return walkChildren(*S);
    case Stmt::CXXThrowExprClass:
      return walkThrow(*cast<CXXThrowExpr>(S));
    case Stmt::CXXConstructExprClass:
    case Stmt::CXXTemporaryObjectExprClass:
      return walkConstruct(*cast<CXXConstructExpr>(S), In);
    case Stmt::CallExprClass:
    case Stmt::CXXMemberCallExprClass:
    case Stmt::CXXOperatorCallExprClass:
    case Stmt::UserDefinedLiteralClass:
      noteCall(*cast<CallExpr>(S), In);
      noteArguments(*cast<CallExpr>(S));
      noteReturn(*cast<CallExpr>(S), In.Storage);
      return walkChildren(*S);
    case Stmt::DeclRefExprClass:
      return noteUse(cast<DeclRefExpr>(S)->getDecl());
    case Stmt::MemberExprClass:
      noteUse(cast<MemberExpr>(S)->getMemberDecl());
      return walkChildren(*S);
    default:
      return walkChildren(*S);
    }
  }

  /// With a precompiled header, its functions and templates are found through
  /// what uses them.
  void noteUse(const Decl *D) {
    auto *Function = FollowUses ? dyn_cast_or_null<FunctionDecl>(D) : nullptr;
    const FunctionDecl *Definition = nullptr;
    if (Function && Function->hasBody(Definition) &&
        Seen.insert(Definition).second)
      Pending.push_back(Definition);
  }

  void noteDestruction(QualType Type) {
    if (!FollowUses || Type.isNull())
      return;
    if (const CXXRecordDecl *Record =
            Context.getBaseElementType(Type)->getAsCXXRecordDecl())
      if (Record->hasDefinition() && Seen.insert(Record).second)
        noteUse(Record->getDestructor());
  }

  void noteMembersDestruction(const CXXRecordDecl &Class) {
    if (!FollowUses)
      return;
    for (const FieldDecl *Field : Class.fields())
      noteDestruction(Field->getType());
    for (const CXXBaseSpecifier &Base : Class.bases())
      noteDestruction(Base.getType());
  }

  void walkBinary(const BinaryOperator &E, Slot In) {
    if (E.getOpcode() == BO_Comma) {
      walk(E.getLHS());
      return walk(E.getRHS(), In);
    }
    walk(E.getLHS());
    Slot Out;
    if (E.getOpcode() == BO_Assign) {
      QualType Type = E.getLHS()->getType();
      Out.Destination = pointee(Type);
      Out.RawHolder = RawPointers::storage(*E.getLHS());
      if (Type->isVoidPointerType()) {
        Out.Holder = RawPointers::holder(*E.getLHS());
        if (Out.Holder)
          Raw.addCopy(*E.getRHS(), *Out.Holder);
      } else if (auto *Reference =
                     dyn_cast<DeclRefExpr>(E.getLHS()->IgnoreParenImpCasts())) {
        auto *Variable = dyn_cast<VarDecl>(Reference->getDecl());
        if (Variable && Variable->hasLocalStorage() && Type->isIntegerType())
          Current.Assigned[Variable] = E.getRHS();
      }
    }
    walk(E.getRHS(), Out);
  }

  void walkCast(const CastExpr &E, Slot In) {
    if (!E.getType()->isAnyPointerType()) {
      // Constructing conversions hand the place of the object on.
      Slot Out;
      Out.Storage = In.Storage;
      return walk(E.getSubExpr(), Out);
    }
    QualType To = pointee(E.getType());
    if (E.getCastKind() == CK_BitCast && !To.isNull())
      noteCast(*E.getSubExpr(), To);
    In.Destination = nearerDestination(In.Destination, To);
    if (!To.isNull())
      In.Holder = nullptr;
    if (!To.isNull() && !isRawStorage(To))
      In.RawHolder = nullptr;
    walk(E.getSubExpr(), In);
  }

  void noteCast(const Expr &From, QualType To) {
    if (const ValueDecl *Holder = RawPointers::holder(From))
      Raw.addCast(*Holder, To);
  }

  /// Remembers which parameters take the void * arguments of a call.
  void noteArguments(const CallExpr &E) {
    const FunctionDecl *F = E.getDirectCallee();
    const FunctionDecl *Definition = nullptr;
    if (!F || !F->hasBody(Definition) || isa<CXXOperatorCallExpr>(E))
      return;
    unsigned Count = std::min(E.getNumArgs(), Definition->getNumParams());
    for (unsigned I = 0; I < Count; ++I)
      Raw.addCopy(*E.getArg(I), *Definition->getParamDecl(I));
  }

  void walkInitList(const InitListExpr &E, Slot In) {
    const InitListExpr *List = &E;
    if (!List->isSemanticForm() && List->getSemanticForm())
      List = List->getSemanticForm();
    noteMark(*List, In);
    if (List->isTransparent())
      return walk(List->getInit(0), In);
    walkParts(List->getType(), List->inits(), In);
    if (List->hasArrayFiller())
      walkParts(List->getType(), List->getArrayFiller(), In);
  }

  /// The initialisers of an aggregate of type \p Type.
  void walkParts(QualType Type, ArrayRef<const Expr *> Parts, Slot In) {
    const CXXRecordDecl *Class = Type->getAsCXXRecordDecl();
    Slot Out;
    Out.NewArray = In.NewArray;
    SmallVector<const FieldDecl *, 8> Members;
    if (Type->isStructureOrClassType())
      for (const FieldDecl *Field : Type->getAsRecordDecl()->fields())
        if (!Field->isBitField() || Field->getIdentifier())
          Members.push_back(Field);
    size_t Bases = Class ? Class->getNumBases() : 0;
    for (size_t I = 0; I < Parts.size(); ++I) {
      size_t Index = I - Bases; // a base wraps around to beyond the members
      Out.Holder = Index < Members.size() ? RawPointers::holder(*Members[Index])
                                          : nullptr;
      if (Out.Holder)
        Raw.addCopy(*Parts[I], *Out.Holder);
      Out.Storage = !Type->isRecordType() ? In.Storage
                    : I < Bases           ? uint8_t(INMEM_STORAGE_BASE)
                                          : uint8_t(INMEM_STORAGE_MEMBER);
      walk(Parts[I], Out);
    }
  }

  void walkLambda(const LambdaExpr &E) {
    Slot Capture;
    Capture.Storage = INMEM_STORAGE_MEMBER;
    for (const Expr *Init : E.capture_inits())
      walk(Init, Capture);
    SourceLocation Outer = UsedAt;
    UsedAt = SourceLocation();
    // The body belongs to the call operator, of which a generic lambda has
    // one for each kind of call.
    if (const FunctionTemplateDecl *Template =
            E.getLambdaClass()->getDependentLambdaCallOperator()) {
      for (const FunctionDecl *Special : Template->specializations())
        visitFunction(*Special);
    } else if (const CXXMethodDecl *Operator = E.getCallOperator()) {
      visitFunction(*Operator);
    }
    visitRecord(*E.getLambdaClass());
    UsedAt = Outer;
  }

  //===--------------------------------------------------------------------===//
  // Allocations
  //===--------------------------------------------------------------------===//

  /// Remembers that the fact added last is about raw storage.
  void addRawBlock(const Slot &In, const Expr *Count, uint64_t BytesEach) {
    if (!In.RawHolder && In.Object.isNull())
      return;
    RawBlock Block = {In.RawHolder, BytesEach, {}};
    if (Count) {
      Expr::EvalResult Number;
      Block.Bytes *=
          !Count->isValueDependent() && Count->EvaluateAsInt(Number, Context)
              ? Number.Val.getInt().getZExtValue()
              : 0;
      collectSizeTypes(Count, Current.Assigned, Block.Sizes);
    }
    if (Block.Holder)
      Current.RawBlocks.push_back(
          {Current.Facts.Allocs.size() - 1, std::move(Block)});
    else if (isFilledBy(Block, In.Object))
      setPlaced(Current.Facts.Allocs.back(), In.Object);
  }

  void addAlloc(AllocFact Fact, const ValueDecl *Holder = nullptr) {
    Table.addCallee(Fact.Callee);
    Current.Facts.Allocs.push_back(std::move(Fact));
    if (Holder)
      Current.Waiting.push_back({Current.Facts.Allocs.size() - 1, Holder});
  }

  void walkNew(const CXXNewExpr &E, const Slot &In) {
    const FunctionDecl *Operator = E.getOperatorNew();
    bool Placed = Operator && Operator->isReservedGlobalPlacementOperator();
    if (Operator && !Placed) {
      AllocFact Fact;
      Fact.Callee = linkageName(*Operator);
      Fact.Kind = E.isArray() ? INMEM_SITE_NEW_ARRAY : INMEM_SITE_NEW;
      // Another operator new may hand out parts of a bigger block: believed
      // only where it takes nothing but the size, or is seen to forward.
      if (!Operator->isReplaceableGlobalAllocationFunction())
        Fact.Role =
            E.getNumPlacementArgs() ? AllocRole::Possible : AllocRole::Declared;
      QualType Type = E.getAllocatedType();
      Fact.TypeKey = Layouts.add(Type);
      Fact.Rule = INMEM_RULE_LANGUAGE;
      Fact.AnySize = true;
      if (E.isArray())
        Fact.Cookie = cookieSize(E, Type);
      Fact.Place = place(E.getExprLoc());
      addAlloc(std::move(Fact));
      if (isRawStorage(Type))
        addRawBlock(
            In, E.isArray() && E.getArraySize() ? *E.getArraySize() : nullptr,
            Context.getTypeSizeInChars(Type).getQuantity());
    }
    for (const Expr *Marked : E.placement_arguments()) {
      const Expr *Argument = &Marker.unmarked(*Marked);
      Slot Block;
      // A raw block that an object is made in at once is that object's.
      if (Placed) {
        if (!E.isArray())
          Block.Object = E.getAllocatedType();
        Block.Destination = E.getAllocatedType();
        noteCast(*Argument, E.getAllocatedType());
        if (const ValueDecl *Holder = RawPointers::storage(*Argument);
            Holder && !E.isArray())
          Raw.addPlacement(*Holder, E.getAllocatedType());
      }
      walk(Argument, Block);
    }
    if (auto Size = E.getArraySize())
      walk(*Size);
    Slot Object;
    Object.Storage = Placed ? INMEM_STORAGE_PLACED : INMEM_STORAGE_HEAP;
    if (E.isArray())
      Object.NewArray = E.getExprLoc();
    noteArrayMark(E, Object, Placed);
    walk(E.getInitializer() ? E.getInitializer() : E.getConstructExpr(),
         Object);
  }

  /// Bytes before the first element that hold the count (Itanium C++ ABI).
  uint8_t cookieSize(const CXXNewExpr &E, QualType Type) {
    QualType Element = Context.getBaseElementType(Type);
    if (!E.doesUsualArrayDeleteWantSize() &&
        Element.isDestructedType() != QualType::DK_cxx_destructor)
      return 0;
    CharUnits Size = std::max(Context.getTypeSizeInChars(Context.getSizeType()),
                              Context.getTypeAlignInChars(Element));
    return std::min<uint64_t>(Size.getQuantity(), 255);
  }

  void walkThrow(const CXXThrowExpr &E) {
    if (!E.getSubExpr())
      return;
    AllocFact Fact;
    Fact.Callee = "__cxa_allocate_exception";
    Fact.Kind = INMEM_SITE_EXCEPTION;
    Fact.TypeKey =
        Layouts.add(Context.getExceptionObjectType(E.getSubExpr()->getType()));
    Fact.Rule = INMEM_RULE_LANGUAGE;
    Fact.Place = place(E.getExprLoc());
    addAlloc(std::move(Fact));
    Slot In;
    In.Storage = INMEM_STORAGE_HEAP;
    walk(E.getSubExpr(), In);
  }

  bool classifyByName(StringRef Name, Allocator &A) {
    struct Row {
      StringRef Name;
      uint8_t Kind;
      SmallVector<unsigned, 2> Sizes;
    };
    static const Row kRows[] = {
        {"malloc", INMEM_SITE_MALLOC, {0}},
        {"calloc", INMEM_SITE_CALLOC, {1, 0}},
        {"realloc", INMEM_SITE_REALLOC, {1}},
        {"reallocarray", INMEM_SITE_REALLOC, {2, 1}},
        {"aligned_alloc", INMEM_SITE_ALIGNED, {1}},
        {"memalign", INMEM_SITE_ALIGNED, {1}},
        {"valloc", INMEM_SITE_ALIGNED, {0}},
        {"pvalloc", INMEM_SITE_ALIGNED, {0}},
        {"posix_memalign", INMEM_SITE_ALIGNED, {2}},
    };
    Name.consume_front("__builtin_");
    for (const Row &R : kRows) {
      if (R.Name != Name)
        continue;
      A.Callee = Name.str();
      A.Kind = R.Kind;
      A.Sizes.assign(R.Sizes.begin(), R.Sizes.end());
      return true;
    }
    return false;
  }

  bool classify(const CallExpr &E, const FunctionDecl &F, Allocator &A) {
    if (F.getBuiltinID() == Builtin::BI__builtin_operator_new) {
      // Emitted as a call of the operator that the arguments select.
      A.Callee = E.getNumArgs() > 1 ? "_ZnwmSt11align_val_t" : "_Znwm";
      A.Kind = INMEM_SITE_ALLOCATOR;
      A.Sizes = {0};
      return true;
    }
    if (isForeign(F))
      Table.Foreign.insert(F.getName());
    else if (F.getIdentifier() && F.isExternC() &&
             F.getDeclContext()->getRedeclContext()->isTranslationUnit() &&
             classifyByName(F.getName(), A))
      return true;
    bool Pointer = E.getType()->isPointerType();
    if (!Pointer)
      return false;
    OverloadedOperatorKind Operator = F.getOverloadedOperator();
    if (Operator == OO_New || Operator == OO_Array_New) {
      if (F.isReservedGlobalPlacementOperator())
        return false;
      A.Callee = linkageName(F);
      A.Kind = INMEM_SITE_ALLOCATOR;
      if (!F.isReplaceableGlobalAllocationFunction())
        A.Role =
            F.getNumParams() > 1 ? AllocRole::Possible : AllocRole::Declared;
      A.Sizes = {0};
      return true;
    }
    return classifyByDeclaration(E, F, A);
  }

  bool classifyByDeclaration(const CallExpr &E, const FunctionDecl &F,
                             Allocator &A) {
    A.Kind = INMEM_SITE_CUSTOM;
    bool Declared = false;
    if (auto *Size = F.getAttr<AllocSizeAttr>()) {
      // What a memory resource hands out may be the start of a bigger block
      // that it keeps; calling that block a T would be wrong.
      auto *Method = dyn_cast<CXXMethodDecl>(&F);
      Declared = !Method || !Method->getParent()->getIdentifier() ||
                 Method->getParent()->getName() != "memory_resource";
      if (Size->getNumElemsParam().isValid())
        A.Sizes.push_back(Size->getNumElemsParam().getASTIndex());
      A.Sizes.insert(A.Sizes.begin(), Size->getElemSizeParam().getASTIndex());
    }
    if (auto *Ownership = F.getAttr<OwnershipAttr>())
      Declared |= Ownership->isReturns();
    // The malloc attribute of a library says "new object", which a FILE is
    // too; on a function of the program it is taken at its word.
    if (F.hasAttr<RestrictAttr>())
      Declared |= !SM.isInSystemHeader(F.getLocation());
    if (!Chosen.Allocators.empty())
      Declared |= (F.getIdentifier() && Chosen.isNamedAllocator(F.getName())) ||
                  Chosen.isNamedAllocator(linkageName(F));
    if (A.Sizes.empty())
      A.Sizes = numbersOf(E);
    // The libraries' own functions that return char * fill what exists, or are
    // known (strdup), or are std::string's steps, which end in an allocator.
    bool Known = F.getBuiltinID() || (SM.isInSystemHeader(F.getLocation()) &&
                                      !E.getType()->isVoidPointerType());
    if (!Declared && (Known || !(returnsRaw(E) || takesClassSize(E))))
      return false;
    A.Role = Declared ? AllocRole::Declared : AllocRole::Possible;
    A.Callee = linkageName(F);
    return true;
  }

  void noteCall(const CallExpr &E, const Slot &In) {
    const FunctionDecl *F = E.getDirectCallee();
    if (F && F->isDependentContext())
      return;
    if (F && F->isExternC() && F->getIdentifier() &&
        F->getName().starts_with("scandir") && E.getNumArgs() > 1) {
      // struct dirent ***: for the late pass, which knows the function.
      QualType Array = pointee(pointee(E.getArg(1)->getType()));
      Layouts.add(Array);
      Layouts.add(pointee(Array));
    }
    Allocator A;
    if (F ? !classify(E, *F, A) || A.Callee.empty() : !classifyIndirect(E, A))
      return;
    SizeTypes Sizes;
    for (unsigned Index : A.Sizes)
      if (Index < E.getNumArgs())
        collectSizeTypes(E.getArg(Index), Current.Assigned, Sizes);
    QualType Destination = In.Destination;
    const ValueDecl *Holder = In.Holder;
    if (A.Callee == "posix_memalign") {
      Holder = nullptr;
      Destination = storedThrough(*E.getArg(0), Holder);
    } else if (Destination.isNull() && A.Role != AllocRole::Possible) {
      Destination = pointee(E.getType()); // a typed allocator of the user's
    }
    TypeChoice Choice = chooseAllocatedType(Sizes, Destination, Context);
    // The size is what such a block is known by.
    if (A.Role == AllocRole::Possible && Choice.Rule == INMEM_RULE_POINTER &&
        !Sizes.names(Choice.Type) && !Sizes.firstClass().isNull())
      Choice = {Sizes.firstClass(), INMEM_RULE_VARIABLE, Choice.Disagree};
    QualType Type = Choice.Type;
    AllocFact Fact;
    Fact.Callee = A.Callee;
    Fact.Kind = A.Kind;
    Fact.Role = A.Role;
    Fact.TypeKey = Layouts.add(Type);
    Fact.Rule = Choice.Rule;
    Fact.Flags = (Choice.Disagree ? INMEM_SITE_DISAGREE : 0) |
                 (Sizes.Sum ? INMEM_SITE_EXTRA : 0);
    Fact.Place = place(E.getExprLoc());
    Fact.AnySize = !Type.isNull() && (Sizes.names(Type) || hasOpenEnd(Type));
    bool Known = !Type.isNull() && !isByteLike(Type);
    const ValueDecl *Waits = Known ? nullptr : Holder;
    auto *Method = dyn_cast_or_null<CXXMethodDecl>(F);
    if (Method && Method->isVirtual()) {
      AllocFact Virtual = Fact;
      Virtual.Callee = kIndirect.str();
      Virtual.Role = AllocRole::Possible;
      addAlloc(std::move(Virtual), Waits);
    }
    bool IsRaw =
        A.Role == AllocRole::Known && (Type.isNull() || isRawStorage(Type));
    addAlloc(std::move(Fact), Waits);
    if (IsRaw && A.Sizes.size() == 1)
      addRawBlock(In, E.getArg(A.Sizes[0]), 1);
  }

  /// A call through a pointer may allocate if it takes a number and returns
  /// raw memory: hooks->allocate(size).
  bool classifyIndirect(const CallExpr &E, Allocator &A) {
    if (isa<CXXPseudoDestructorExpr>(E.getCallee()) ||
        !(returnsRaw(E) || takesClassSize(E)))
      return false;
    A.Kind = INMEM_SITE_CUSTOM;
    A.Role = AllocRole::Possible;
    A.Callee = kIndirect.str();
    A.Sizes = numbersOf(E);
    return !A.Sizes.empty();
  }

  static bool returnsRaw(const CallExpr &E) {
    return E.getType()->isVoidPointerType() ||
           (E.getType()->isPointerType() &&
            isByteLike(E.getType()->getPointeeType()));
  }

  static SmallVector<unsigned, 4> numbersOf(const CallExpr &E) {
    SmallVector<unsigned, 4> Positions;
    for (unsigned I = 0; I < E.getNumArgs(); ++I)
      if (E.getArg(I)->getType()->isIntegerType())
        Positions.push_back(I);
    return Positions;
  }

  /// alloc(pool, sizeof(Foo)) makes a Foo, whatever it returns.
  bool takesClassSize(const CallExpr &E) {
    SizeTypes Sizes;
    if (E.getType()->isPointerType())
      for (const Expr *Argument : E.arguments())
        if (Argument->getType()->isIntegerType())
          collectSizeTypes(Argument, Current.Assigned, Sizes);
    return !Sizes.firstClass().isNull();
  }

  /// struct { int n; char text[1]; } and its like may be any longer, and one
  /// that ends in an array of the most there can be any shorter.
  bool hasOpenEnd(QualType Type) {
    const RecordDecl *Record = Type->getAsRecordDecl();
    const FieldDecl *Last = nullptr;
    if (Record && Record->isStruct())
      for (const FieldDecl *Field : Record->fields())
        Last = Field;
    const ArrayType *End =
        Last ? Last->getType()->getAsArrayTypeUnsafe() : nullptr;
    auto *Sized = dyn_cast_or_null<ConstantArrayType>(End);
    return End && (!Sized || Sized->getSize().ule(1) ||
                   Context.getTypeSizeInChars(Last->getType()).getQuantity() >=
                       1 << 16);
  }

  /// posix_memalign((void **)&p, ...): what p points to.
  QualType storedThrough(const Expr &Argument, const ValueDecl *&Holder) {
    auto *Address = dyn_cast<UnaryOperator>(Argument.IgnoreParenCasts());
    if (!Address || Address->getOpcode() != UO_AddrOf)
      return {};
    const Expr *Target = Address->getSubExpr()->IgnoreParens();
    Holder = RawPointers::holder(*Target);
    return pointee(Target->getType());
  }

  //===--------------------------------------------------------------------===//
  // Objects
  //===--------------------------------------------------------------------===//

  void walkConstruct(const CXXConstructExpr &E, Slot In) {
    noteUse(E.getConstructor());
    // A copy that is left out: its operand is made in its place.
    if (E.isElidable() && E.getNumArgs() == 1 &&
        Context.getLangOpts().ElideConstructors)
      return walk(E.getArg(0), In);
    uint8_t Storage =
        compat::isCompleteObject(E) ? In.Storage : uint8_t(INMEM_STORAGE_BASE);
    noteMark(E, In);
    noteConstruction(*E.getConstructor(), Storage, E.getExprLoc());
    if (In.NewArray.isValid())
      noteConstruction(*E.getConstructor(), Storage, In.NewArray);
    for (const Expr *Argument : E.arguments())
      walk(Argument);
    if (Marker.isInlined(*E.getConstructor()))
      walkInitialisers(*E.getConstructor());
  }

  /// Locals of a coroutine are in its frame.
  uint8_t localStorage() const {
    return Current.Function &&
                   isa<CoroutineBodyStmt>(Current.Function->getBody())
               ? INMEM_STORAGE_HEAP
               : INMEM_STORAGE_STACK;
  }

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

  uint64_t elements(QualType Type) const {
    const ConstantArrayType *Array = Context.getAsConstantArrayType(Type);
    return Array ? Context.getConstantArrayElementCount(Array) : 1;
  }

  /// Says what the mark of \p E counts, if it has one.
  void noteMark(const Expr &E, const Slot &In) {
    std::optional<unsigned> Index = Marker.markOf(E);
    if (!Index || In.Storage == INMEM_STORAGE_BASE)
      return;
    const CXXRecordDecl *Class =
        Context.getBaseElementType(E.getType())->getAsCXXRecordDecl();
    MarkFact &Fact = Table.Marks[*Index];
    Fact.Count = elements(E.getType());
    Fact.Class = classFact(*Class, E.getExprLoc());
    auto *Construct = dyn_cast<CXXConstructExpr>(&E);
    Fact.Class.Manner = Construct ? mannerOf(*Construct->getConstructor())
                                  : uint8_t(INMEM_MANNER_AGGREGATE);
    Fact.Place = place(E.getExprLoc());
    Fact.Storage = In.Storage;
    const Expr *Last = Marker.markedPart(*Index)
                           .IgnoreImplicit()
                           ->IgnoreParenCasts()
                           ->IgnoreImplicit();
    if (Last != &E && isa<CallExpr, CXXConstructExpr>(Last))
      Fact.Last = place(Last->getExprLoc());
    if (!Construct)
      return;
    if (Marker.isInlined(*Construct->getConstructor())) {
      Fact.Last = Fact.Place;
      return;
    }
    // Its members come with it, without code of their own.
    collectParts(*Class, PartFact(), E.getExprLoc(), Fact.Parts);
    for (PartFact &Part : Fact.Parts)
      Part.Class.Manner = Fact.Class.Manner;
  }

  /// The same for the copy of an exception.
  void noteCaught(const VarDecl &Caught) {
    std::optional<unsigned> Index = Marker.markOf(Caught);
    if (!Index)
      return;
    SourceLocation Loc = Caught.getLocation();
    const CXXRecordDecl &Class = *Caught.getType()->getAsCXXRecordDecl();
    MarkFact &Fact = Table.Marks[*Index];
    Fact.Class = classFact(Class, Loc);
    Fact.Class.Manner = INMEM_MANNER_COPY;
    Fact.Place = place(Loc);
    Fact.Storage = localStorage();
    collectParts(Class, PartFact(), Loc, Fact.Parts);
    for (PartFact &Part : Fact.Parts)
      Part.Class.Manner = INMEM_MANNER_COPY;
  }

  /// The same for an array new.
  void noteArrayMark(const CXXNewExpr &E, const Slot &In, bool Placed) {
    std::optional<unsigned> Index = Marker.markOf(E);
    if (!Index)
      return;
    QualType Element = Context.getBaseElementType(E.getAllocatedType());
    MarkFact &Fact = Table.Marks[*Index];
    Fact.Class = classFact(*Element->getAsCXXRecordDecl(), E.getExprLoc());
    Fact.Class.Manner = INMEM_MANNER_DEFAULT;
    Fact.Place = place(E.getExprLoc());
    Fact.Storage = In.Storage;
    Fact.ElementBytes = Context.getTypeSizeInChars(Element).getQuantity();
    Fact.Placed = Placed;
    if (Placed) {
      Expr::EvalResult Size;
      Fact.Count = elements(E.getAllocatedType());
      if ((*E.getArraySize())->EvaluateAsInt(Size, Context))
        Fact.Count *= Size.Val.getInt().getZExtValue();
    } else {
      Fact.Last = Fact.Place;
      Fact.CookieBytes = cookieSize(E, E.getAllocatedType());
    }
    collectParts(*Element->getAsCXXRecordDecl(), PartFact(), E.getExprLoc(),
                 Fact.Parts);
    for (PartFact &Part : Fact.Parts)
      Part.Class.Manner = Fact.Class.Manner;
  }

  /// A call that returns an object says where that object lives.
  void noteReturn(const CallExpr &E, uint8_t Storage) {
    const CXXRecordDecl *Class = E.getType()->getAsCXXRecordDecl();
    if (Chosen.Objects == ObjectsMode::Off || !E.isPRValue() || !Class ||
        Storage == INMEM_STORAGE_UNKNOWN || Storage == INMEM_STORAGE_BASE ||
        !Wanted.counts(*Class) || Class->hasTrivialDestructor())
      return;
    ReturnFact Fact;
    Fact.Class = classFact(*Class, E.getExprLoc());
    Fact.Place = place(E.getExprLoc());
    Fact.Storage = Storage;
    const FunctionDecl *F = E.getDirectCallee();
    if (F && !F->isDependentContext())
      Fact.Callee = normalizedFunction(linkageName(*F));
    Current.Facts.Returns.push_back(Fact);
    // Clang may or may not know which function a virtual call ends in.
    auto *Method = dyn_cast_or_null<CXXMethodDecl>(F);
    if (Method && Method->isVirtual()) {
      Fact.Callee.clear();
      Current.Facts.Returns.push_back(std::move(Fact));
    }
  }

  /// The objects that a variable consists of whose initial value the compiler
  /// computed. Only what has a destructor is of interest.
  void noteConstant(const VarDecl &Variable, uint8_t Storage) {
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
    if (Wanted.counts(*Class)) {
      Whole.Class = classFact(*Class, Loc);
      Parts.push_back(std::move(Whole));
    }
    std::string Name = mangled(GlobalDecl(&Variable));
    for (PartFact &Part : Parts)
      Table.addConstant(Name, std::move(Part));
  }

  /// \p Part is as many as \p Type has elements, if it is an array.
  void repeat(PartFact &Part, QualType Type) const {
    uint64_t Count = elements(Type);
    QualType Element = Context.getBaseElementType(Type);
    if (Type->isArrayType())
      Part.Repeats.push_back(
          {Count, static_cast<uint64_t>(
                      Context.getTypeSizeInChars(Element).getQuantity())});
  }

  /// The members of \p Class, an object of which is at \p Where, and theirs, as
  /// far as they have destructors.
  void collectParts(const CXXRecordDecl &Class, const PartFact &Where,
                    SourceLocation Loc, std::vector<PartFact> &Parts) {
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
      if (!Wanted.counts(*Inner))
        continue;
      At.Class = classFact(*Inner, Loc);
      Parts.push_back(std::move(At));
    }
  }

  void noteConstruction(const CXXConstructorDecl &Constructor, uint8_t Storage,
                        SourceLocation Loc) {
    if (Chosen.Objects == ObjectsMode::Off)
      return;
    const CXXRecordDecl &Class = *Constructor.getParent();
    if (Constructor.isTrivial() || !Wanted.counts(Class))
      return;
    std::string &Complete = ConstructorNames[&Constructor];
    if (Complete.empty()) {
      Complete = mangled(GlobalDecl(&Constructor, Ctor_Complete));
      ClassFact Fact = classFact(Class, Constructor.getLocation());
      Fact.Manner = mannerOf(Constructor);
      Table.addConstructor(Complete,
                           mangled(GlobalDecl(&Constructor, Ctor_Base)),
                           std::move(Fact));
    }
    ObjectFact Fact;
    Fact.Callee = normalizedFunction(Complete);
    Fact.Place = place(Loc);
    Fact.Storage = Storage;
    Current.Facts.Objects.push_back(std::move(Fact));
  }

  ClassFact classFact(const CXXRecordDecl &Class, SourceLocation Loc) {
    ClassFact Fact;
    QualType Type = compat::recordType(Context, Class);
    Fact.ClassName = Namer.name(Type);
    Fact.TypeKey = Layouts.add(Type);
    Fact.Place = place(Loc);
    Fact.Destroyed = !Class.hasTrivialDestructor();
    return Fact;
  }

  void noteDestructor(const CXXDestructorDecl &Destructor) {
    if (Chosen.Objects == ObjectsMode::Off || Destructor.isTrivial() ||
        !Wanted.counts(*Destructor.getParent()))
      return;
    Table.addDestructor(
        mangled(GlobalDecl(&Destructor, Dtor_Complete)),
        classFact(*Destructor.getParent(), Destructor.getLocation()));
  }

  ASTContext &Context;
  const SourceManager &SM;
  const Options &Chosen;
  SiteTable &Table;
  ConstructionMarker &Marker;
  Filter &Wanted;
  bool FollowUses;
  std::unique_ptr<MangleContext> Mangler;
  TypeNamer Namer;
  TypeLayouts Layouts;
  Body Current, Globals;
  RawPointers Raw;
  SmallVector<WaitingFact, 16> Waiting;
  SmallVector<WaitingBlock, 4> WaitingBlocks;
  SourceLocation UsedAt;
  DenseSet<const Decl *> Records, Functions, Seen;
  DenseMap<const CXXConstructorDecl *, std::string> ConstructorNames;
  SmallVector<const FunctionDecl *, 8> Pending;
};

} // namespace

void collectSites(ASTContext &Context, const Options &Chosen, bool LoadAll,
                  SiteTable &Table, ConstructionMarker &Marker,
                  Filter &Wanted) {
  Collector(Context, Chosen, LoadAll, Table, Marker, Wanted).run();
}

} // namespace inmem
