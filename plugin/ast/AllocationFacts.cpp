//===- AllocationFacts.cpp - the calls that allocate, and their types -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ast/AllocationFacts.h"
#include "ast/AllocTypeInference.h"
#include "ast/HeldStrings.h"
#include "ast/LibraryCode.h"
#include "ast/RawPointers.h"
#include "ir/LibrarySignatures.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Basic/Builtins.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;
using llvm::SmallVector;
using llvm::StringRef;

namespace inmem {

uint8_t cookieSize(const CXXNewExpr &E, const ASTContext &Context) {
  QualType Element = Context.getBaseElementType(E.getAllocatedType());
  if (!E.doesUsualArrayDeleteWantSize() &&
      Element.isDestructedType() != QualType::DK_cxx_destructor)
    return 0;
  CharUnits Size = std::max(Context.getTypeSizeInChars(Context.getSizeType()),
                            Context.getTypeAlignInChars(Element));
  return std::min<uint64_t>(Size.getQuantity(), 255);
}

/// Records that the last fact is about raw storage.
void AllocationFacts::addRawBlock(const ValueContext &In, const Expr *Count,
                                  uint64_t BytesEach) {
  if (!In.RawHolder && In.Object.isNull())
    return;
  RawBlock Block = {In.RawHolder, BytesEach, {}};
  if (Count) {
    Expr::EvalResult Number;
    Block.Bytes *=
        !Count->isValueDependent() && Count->EvaluateAsInt(Number, Context)
            ? Number.Val.getInt().getZExtValue()
            : 0;
    collectSizeTypes(Count, C.Current.Sizes.variables(), Block.Sizes);
  }
  if (Block.Holder)
    C.Current.RawBlocks.push_back(
        {C.Current.Facts.Allocs.size() - 1, std::move(Block)});
  else if (C.Deferred.isFilledBy(Block, In.Object))
    C.Deferred.setPlaced(C.Current.Facts.Allocs.back(), In.Object);
}

void AllocationFacts::addAlloc(AllocFact Fact, const UntypedBlock &Waits) {
  Table.addCallee(Fact.Callee);
  C.Current.Facts.Allocs.push_back(std::move(Fact));
  const size_t Index = C.Current.Facts.Allocs.size() - 1;
  if (Waits.Holder)
    C.Current.Waiting.push_back({Index, Waits});
  if (Waits.Variable)
    C.Current.Headed.push_back({Index, Waits.Variable});
}

void AllocationFacts::noteNew(const CXXNewExpr &E, const ValueContext &In) {
  const FunctionDecl *Operator = E.getOperatorNew();
  AllocFact Fact;
  Fact.Callee = C.Names.linkageName(*Operator);
  Fact.Kind = E.isArray() ? INMEM_SITE_NEW_ARRAY : INMEM_SITE_NEW;
  // Another operator new may return parts of a larger block. It counts as an
  // allocation only if it takes just the size, or is found to be a wrapper.
  if (!Operator->isReplaceableGlobalAllocationFunction())
    Fact.Role =
        E.getNumPlacementArgs() ? AllocRole::Possible : AllocRole::Declared;
  QualType Type = E.getAllocatedType();
  Fact.TypeKey = Layouts.add(Type);
  Fact.Rule = INMEM_RULE_LANGUAGE;
  Fact.AnySize = true;
  if (E.isArray())
    Fact.Cookie = cookieSize(E, Context);
  Fact.Where = C.location(E.getExprLoc());
  addAlloc(std::move(Fact));
  if (isRawStorage(Type))
    addRawBlock(In,
                E.isArray() && E.getArraySize() ? *E.getArraySize() : nullptr,
                Context.getTypeSizeInChars(Type).getQuantity());
}

void AllocationFacts::noteThrow(const CXXThrowExpr &E) {
  AllocFact Fact;
  Fact.Callee = "__cxa_allocate_exception";
  Fact.Kind = INMEM_SITE_EXCEPTION;
  Fact.TypeKey =
      Layouts.add(Context.getExceptionObjectType(E.getSubExpr()->getType()));
  Fact.Rule = INMEM_RULE_LANGUAGE;
  Fact.Where = C.location(E.getExprLoc());
  addAlloc(std::move(Fact));
}

/// The pointer type that \p T is, or that its first member has, as in a pair of
/// a block and its size; otherwise null.
static QualType pointerIn(QualType T) {
  if (T->isPointerType())
    return T;
  const RecordDecl *Record = T->getAsRecordDecl();
  Record = Record && !Record->isUnion() ? Record->getDefinition() : nullptr;
  if (!Record || Record->field_empty())
    return QualType();
  if (auto *Class = dyn_cast<CXXRecordDecl>(Record))
    if (any_of(Class->bases(), [](const CXXBaseSpecifier &Base) {
          const CXXRecordDecl *Of = Base.getType()->getAsCXXRecordDecl();
          return !Of || !Of->isEmpty();
        }))
      return QualType();
  const QualType First = Record->field_begin()->getType();
  return First->isPointerType() ? First : QualType();
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

/// alloc(pool, sizeof(Foo)) allocates a Foo, whatever type it returns.
bool AllocationFacts::takesClassSize(const CallExpr &E) {
  SizeTypes Sizes;
  if (!pointerIn(E.getType()).isNull())
    for (const Expr *Argument : E.arguments())
      if (Argument->getType()->isIntegerType())
        collectSizeTypes(Argument, C.Current.Sizes.variables(), Sizes);
  return !Sizes.firstClass().isNull();
}

bool AllocationFacts::classifyByName(StringRef Name, Allocator &A) {
  Name.consume_front("__builtin_");
  const CAllocator *Found = findCAllocator(Name);
  if (!Found)
    Found = findCAllocator(unprefixedAllocator(Name));
  if (!Found)
    return false;
  A.Callee = Name.str();
  A.Kind = Found->Kind;
  A.Sizes.clear();
  for (int Argument : Found->SizeArguments)
    if (Argument >= 0)
      A.Sizes.push_back(unsigned(Argument));
  return true;
}

/// The replaceable operator new that __builtin_operator_new calls here.
static std::string builtinOperatorNew(const CallExpr &E) {
  std::string Name = "_Znwm";
  for (unsigned I = 1; I < E.getNumArgs(); ++I)
    Name += E.getArg(I)->getType()->isEnumeralType() ? "St11align_val_t"
                                                     : "RKSt9nothrow_t";
  return Name;
}

/// True if \p T is libstdc++'s std::string, whose first member is the pointer
/// to its buffer and whose third, if it has one, the buffer's size.
static bool isStandardString(QualType T) {
  auto *Class = dyn_cast_or_null<ClassTemplateSpecializationDecl>(
      T->getAsCXXRecordDecl());
  if (!Class || !isString(Class))
    return false;
  const auto *Space = dyn_cast<NamespaceDecl>(Class->getDeclContext());
  const TemplateArgumentList &Arguments = Class->getTemplateArgs();
  if (!Space || !Space->getIdentifier() || Space->getName() != "__cxx11" ||
      Arguments.size() != 3 || !Arguments[0].getAsType()->isCharType())
    return false;
  const auto *Allocator = Arguments[2].getAsType()->getAsCXXRecordDecl();
  return Allocator && isInStd(*Allocator, {"allocator"});
}

bool AllocationFacts::classify(const CallExpr &E, const FunctionDecl &F,
                               Allocator &A) {
  if (F.getBuiltinID() == Builtin::BI__builtin_operator_new) {
    // Emitted as a call of the operator that the arguments select.
    A.Callee = builtinOperatorNew(E);
    A.Kind = INMEM_SITE_ALLOCATOR;
    A.Sizes = {0};
    return true;
  }
  if (isForeign(F))
    Table.Foreign.insert(F.getName());
  if (!F.isDefined() && isStandardString(F.getReturnType()) &&
      isInLibrary(Context.getSourceManager(), F.getLocation()))
    Table.ReturningString.insert(C.Names.linkageName(F));
  if (isOnlyNamesake(F))
    return false;
  else if (F.getIdentifier() && F.isExternC() &&
           F.getDeclContext()->getRedeclContext()->isTranslationUnit() &&
           classifyByName(F.getName(), A))
    return true;
  if (pointerIn(E.getType()).isNull())
    return false;
  OverloadedOperatorKind Operator = F.getOverloadedOperator();
  if (Operator == OO_New || Operator == OO_Array_New) {
    if (F.isReservedGlobalPlacementOperator())
      return false;
    A.Callee = C.Names.linkageName(F);
    A.Kind = INMEM_SITE_ALLOCATOR;
    if (!F.isReplaceableGlobalAllocationFunction())
      A.Role = F.getNumParams() > 1 ? AllocRole::Possible : AllocRole::Declared;
    A.Sizes = {0};
    return true;
  }
  return classifyByDeclaration(E, F, A);
}

bool AllocationFacts::classifyByDeclaration(const CallExpr &E,
                                            const FunctionDecl &F,
                                            Allocator &A) {
  A.Kind = INMEM_SITE_CUSTOM;
  bool Declared = false;
  if (auto *Size = F.getAttr<AllocSizeAttr>()) {
    // A memory resource may return the start of a larger block that it manages;
    // giving that block the type T would be wrong.
    auto *Method = dyn_cast<CXXMethodDecl>(&F);
    Declared = !Method || !Method->getParent()->getIdentifier() ||
               Method->getParent()->getName() != "memory_resource";
    if (Size->getNumElemsParam().isValid())
      A.Sizes.push_back(Size->getNumElemsParam().getASTIndex());
    A.Sizes.insert(A.Sizes.begin(), Size->getElemSizeParam().getASTIndex());
  }
  if (auto *Ownership = F.getAttr<OwnershipAttr>())
    Declared |= Ownership->isReturns();
  // In a library, the malloc attribute only means "new object", which may be a
  // FILE. In the program, it is trusted.
  if (F.hasAttr<RestrictAttr>())
    Declared |= !Context.getSourceManager().isInSystemHeader(F.getLocation());
  if (!C.Chosen.Allocators.empty())
    Declared |= (F.getIdentifier() && C.Chosen.isNamedAllocator(F.getName())) ||
                C.Chosen.isNamedAllocator(C.Names.linkageName(F));
  if (A.Sizes.empty())
    A.Sizes = numbersOf(E);
  // Library functions that return char * fill existing memory, are known
  // (strdup), or are helpers of std::string, which call an allocator.
  bool Known = F.getBuiltinID() ||
               (Context.getSourceManager().isInSystemHeader(F.getLocation()) &&
                !pointerIn(E.getType())->isVoidPointerType());
  if (!Declared && (Known || !(returnsRaw(E) || takesClassSize(E))))
    return false;
  A.Role = Declared ? AllocRole::Declared : AllocRole::Possible;
  A.Callee = C.Names.linkageName(F);
  return true;
}

/// A call through a pointer may allocate if it takes a number and returns
/// raw memory: hooks->allocate(size).
bool AllocationFacts::classifyIndirect(const CallExpr &E, Allocator &A) {
  if (isa<CXXPseudoDestructorExpr>(E.getCallee()) ||
      !(returnsRaw(E) || takesClassSize(E)))
    return false;
  A.Kind = INMEM_SITE_CUSTOM;
  A.Role = AllocRole::Possible;
  A.Callee = kIndirect.str();
  A.Sizes = numbersOf(E);
  return !A.Sizes.empty();
}

/// True if the old size is that of no block: reallocate(nullptr, 0, sizeof(T) +
/// n)
static bool isZero(const Expr &Size, const ASTContext &Context) {
  const auto Value = Size.getIntegerConstantExpr(Context);
  return Value && Value->isZero();
}

/// Types named by the arguments that make up the size of a block.
SizeTypes AllocationFacts::sizesOf(const CallExpr &E, const Allocator &A) {
  SizeTypes Sizes;
  std::optional<uint64_t> Bytes = 1;
  auto ValueOf = [&](const Expr &Size) {
    return knownBytes(Size, C.Current.Sizes.variables(), Context);
  };
  for (unsigned Index : A.Sizes) {
    if (Index >= E.getNumArgs())
      continue;
    const Expr &Size = *E.getArg(Index);
    // calloc(1, sizeof(T) + n)
    bool Times = llvm::any_of(A.Sizes, [&](unsigned Other) {
      return Other != Index && Other < E.getNumArgs() &&
             ValueOf(*E.getArg(Other)) != uint64_t(1) &&
             !isZero(*E.getArg(Other), Context);
    });
    collectSizeTypes(&Size, C.Current.Sizes.variables(), Sizes, Times);
    auto Factor = ValueOf(Size);
    Bytes = Bytes && Factor ? std::optional(*Bytes * *Factor) : std::nullopt;
  }
  // The arguments of other functions may include any number.
  if (A.Role == AllocRole::Known)
    Sizes.Bytes = Bytes;
  return Sizes;
}

/// posix_memalign((void **)&p, ...): p's pointee.
static QualType storedThrough(const Expr &Argument, const ValueDecl *&Holder,
                              const VarDecl *&Variable) {
  auto *Address = dyn_cast<UnaryOperator>(Argument.IgnoreParenCasts());
  if (!Address || Address->getOpcode() != UO_AddrOf)
    return {};
  const Expr *Target = Address->getSubExpr()->IgnoreParens();
  Holder = RawPointers::holder(*Target);
  if (auto *Named = dyn_cast<DeclRefExpr>(Target))
    Variable = dyn_cast<VarDecl>(Named->getDecl());
  if (Variable && !Variable->hasLocalStorage())
    Variable = nullptr;
  return pointee(Target->getType());
}

static bool isOne(const SizeTypes &Sizes, QualType Type) {
  return !Type.isNull() && (Sizes.holdsOne(Type) ||
                            (!Sizes.names(Type) && endsInFlexibleArray(Type)));
}

/// True if blocks of both sizes begin with a \p Type: the block holds a larger
/// class that the program accesses through its head.
static bool isHeadOfEither(const SizeTypes &Sizes, QualType Type,
                           const ASTContext &Context) {
  return !Type.isNull() && Type->isRecordType() && Sizes.Either.size() > 1 &&
         llvm::all_of(Sizes.Either, [&](QualType Either) {
           return Either->isRecordType() && !Either->isIncompleteType() &&
                  hasRoom(Context.getTypeSizeInChars(Either).getQuantity(),
                          Type, Context);
         });
}

/// Records which of the numbers among the arguments of \p E, as the passes
/// count them, names \p Type.
void AllocationFacts::noteNumbers(const CallExpr &E, QualType Type,
                                  AllocFact &Fact) {
  for (const Expr *Argument : E.arguments()) {
    QualType Given = Argument->getType();
    if (!Given->isIntegralOrEnumerationType())
      continue;
    uint64_t Bits = Context.getTypeSize(Given);
    if (Bits < kLeastBitsOfNumber || Bits > kMostBitsOfNumber)
      continue;
    ++Fact.Numbers;
    SizeTypes Sizes;
    collectSizeTypes(Argument, C.Current.Sizes.variables(), Sizes);
    if (!Fact.NamedBy && !Type.isNull() && Sizes.names(Type))
      Fact.NamedBy = Fact.Numbers;
  }
}

/// The pointer variable whose address \p Argument is, as a void ** or a similar
/// type; otherwise null.
static const Expr *givenPointer(const Expr &Argument) {
  QualType To = Argument.getType()->getPointeeType();
  if (To.isNull() ||
      !(To->isVoidPointerType() ||
        (To->isPointerType() && isByteLike(To->getPointeeType()))))
    return nullptr;
  auto *Address = dyn_cast<UnaryOperator>(Argument.IgnoreParenCasts());
  if (!Address || Address->getOpcode() != UO_AddrOf ||
      !Address->getSubExpr()->getType()->isPointerType())
    return nullptr;
  return Address->getSubExpr()->IgnoreParens();
}

/// f((void **)&p, sizeof *p) may allocate *p, as posix_memalign does. The size
/// is the only evidence.
void AllocationFacts::noteStored(const CallExpr &E, const FunctionDecl *F) {
  if ((F && Context.getSourceManager().isInSystemHeader(F->getLocation())) ||
      isa<CXXPseudoDestructorExpr>(E.getCallee()))
    return;
  const Expr *Pointer = nullptr;
  AllocFact Fact;
  for (unsigned I = 0; I < E.getNumArgs(); ++I)
    if (const Expr *Given = givenPointer(*E.getArg(I))) {
      if (Pointer)
        return; // two candidates
      Pointer = Given;
      Fact.StoredBy = I + 1;
    }
  if (!Pointer)
    return;
  Allocator A;
  A.Role = AllocRole::Possible;
  A.Sizes = numbersOf(E);
  TypeChoice Choice =
      chooseAllocatedType(sizesOf(E, A), pointee(Pointer->getType()), Context);
  if (Choice.Type.isNull() || Choice.Disagree || isByteLike(Choice.Type) ||
      (Choice.Rule != INMEM_RULE_SIZEOF && Choice.Rule != INMEM_RULE_VARIABLE))
    return;
  // The passes count the object as the first argument.
  const unsigned Object = isa<CXXMemberCallExpr>(E);
  Fact.StoredBy += Object;
  Fact.Arguments = E.getNumArgs() + Object;
  Fact.Callee = F ? C.Names.linkageName(*F) : kIndirect.str();
  Fact.Kind = INMEM_SITE_CUSTOM;
  Fact.Role = AllocRole::Possible;
  Fact.TypeKey = Layouts.add(Choice.Type);
  Fact.Rule = Choice.Rule;
  Fact.Where = C.location(E.getExprLoc());
  Fact.AnySize = true;
  noteNumbers(E, Choice.Type, Fact);
  auto *Method = dyn_cast_or_null<CXXMethodDecl>(F);
  if (Method && Method->isVirtual()) {
    AllocFact Virtual = Fact;
    Virtual.Callee = kIndirect.str();
    addAlloc(std::move(Virtual));
  }
  if (!Fact.Callee.empty())
    addAlloc(std::move(Fact));
}

/// True if the block may be a head followed by bytes, given that its size does
/// not name \p Choice. If the call only may allocate, a pointer to a class
/// requires a block of whole objects, unless the function stores such a head.
static bool mayHaveHead(AllocRole Role, const TypeChoice &Choice,
                        const SizeTypes &Sizes) {
  if (Choice.Rule != INMEM_RULE_POINTER || Choice.Disagree)
    return false;
  return isByteLike(Choice.Type)
             ? Sizes.empty()
             : Role == AllocRole::Possible && Choice.Type->isRecordType();
}

void AllocationFacts::noteCall(const CallExpr &E, const ValueContext &In) {
  const FunctionDecl *F = E.getDirectCallee();
  if (F && F->isDependentContext())
    return;
  if (F && F->isExternC() && F->getIdentifier() &&
      F->getName().starts_with("scandir") && E.getNumArgs() > 1) {
    // struct dirent ***: the late pass handles the function, but needs the
    // types.
    QualType Array = pointee(pointee(E.getArg(1)->getType()));
    Layouts.add(Array);
    Layouts.add(pointee(Array));
  }
  Allocator A;
  if (F ? !classify(E, *F, A) || A.Callee.empty() : !classifyIndirect(E, A))
    return noteStored(E, F);
  SizeTypes Sizes = sizesOf(E, A);
  QualType Destination = In.Destination;
  const ValueDecl *Holder = In.Holder;
  const VarDecl *Variable = In.Variable;
  if (A.Callee == "posix_memalign") {
    Holder = Variable = nullptr;
    Destination = storedThrough(*E.getArg(0), Holder, Variable);
  } else if (Destination.isNull() && A.Role != AllocRole::Possible) {
    Destination = pointee(E.getType()); // the user's typed allocator
  }
  TypeChoice Choice = chooseAllocatedType(Sizes, Destination, Context);
  // The size is what identifies a possible allocation, so prefer its class.
  if (A.Role == AllocRole::Possible && Choice.Rule == INMEM_RULE_POINTER &&
      !Sizes.names(Choice.Type) && !Sizes.firstClass().isNull())
    Choice = {Sizes.firstClass(), INMEM_RULE_VARIABLE, Choice.Disagree};
  QualType Type = Choice.Type;
  const bool IsHead = isHeadOfEither(Sizes, Type, Context);
  AllocFact Fact;
  Fact.Callee = A.Callee;
  Fact.Kind = A.Kind;
  Fact.Role = A.Role;
  Fact.TypeKey = Layouts.add(Type);
  Fact.Rule = Choice.Rule;
  Fact.Flags = (Choice.Disagree ? INMEM_SITE_DISAGREE : 0) |
               (Sizes.Sum ? INMEM_SITE_EXTRA : 0) |
               (IsHead || isOne(Sizes, Type) ? INMEM_SITE_ONE : 0);
  Fact.Where = C.location(E.getExprLoc());
  Fact.AnySize = IsHead || (!Type.isNull() &&
                            (Sizes.names(Type) || hasOpenEnd(Type, Context)));
  if (A.Role == AllocRole::Possible)
    noteNumbers(E, Type, Fact);
  bool Known = !Type.isNull() && !isByteLike(Type);
  UntypedBlock Waits = {
      Known || Sizes.Either.size() > 1 ? nullptr : Holder, Sizes.Bytes,
      mayHaveHead(A.Role, Choice, Sizes) ? Variable : nullptr};
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

} // namespace inmem
