//===- RustAllocator.cpp - calls of Rust's allocator ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/AllocationFunctions.h"
#include "ir/RuntimeHooks.h"
#include "ir/RustCalls.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace inmem {

bool makesRustBlock(const CallBase &Call) {
  const Function *Callee = directCallee(Call);
  return Callee && Call.hasFnAttr(Attribute::AllocSize) &&
         Callee->getName().contains("__rust_") && !Call.isMustTailCall();
}

namespace {
/// The malloc function that the standard library's allocator calls if the
/// alignment is at most malloc's and at most the size.
struct MallocCall {
  StringLiteral Rust; ///< suffix of the name that rustc calls
  StringLiteral C;
  unsigned Size, Align; ///< parameter indices
};
} // namespace

// As in library/std/src/sys/alloc/unix.rs.
constexpr MallocCall kMallocCalls[] = {
    {"__rust_alloc", "malloc", 0, 1},
    {"__rust_alloc_zeroed", "calloc", 0, 1},
    {"__rust_realloc", "realloc", 3, 2},
};
constexpr uint64_t kMallocAlign = 16; // on 64-bit processors

static const MallocCall *findMallocCall(const CallBase &Call) {
  for (const MallocCall &Candidate : kMallocCalls)
    if (directCallee(Call)->getName().ends_with(Candidate.Rust))
      return Call.arg_size() > std::max(Candidate.Size, Candidate.Align)
                 ? &Candidate
                 : nullptr;
  return nullptr;
}

static Function *declareWeak(Module &M, const Twine &Name,
                             GlobalValue::VisibilityTypes Visibility) {
  const std::string Text = Name.str();
  if (Function *Existing = M.getFunction(Text))
    return Existing;
  auto *F = Function::Create(
      FunctionType::get(Type::getVoidTy(M.getContext()), /*isVarArg=*/false),
      GlobalValue::ExternalWeakLinkage, Text, M);
  F->setVisibility(Visibility);
  return F;
}

/// A flag of the program, or shared library, that \p M becomes part of: 1 if it
/// allocates with the standard library's allocator. \p Name is one of the
/// functions that rustc calls.
///
/// The allocator is known only after the link: rustc then generates
/// __rust_alloc as a jump to __rdl_alloc, and runs no plugin on it.
static GlobalVariable *standardAllocatorFlag(Module &M, StringRef Name) {
  constexpr StringLiteral kFlag = "__inmem_rust_allocates_by_malloc";
  if (GlobalVariable *Flag = M.getNamedGlobal(kFlag))
    return Flag;
  LLVMContext &Context = M.getContext();
  Comdat *Group = M.getOrInsertComdat(kFlag);
  Type *I8 = Type::getInt8Ty(Context);
  auto *Flag = new GlobalVariable(M, I8, /*isConstant=*/false,
                                  GlobalValue::LinkOnceODRLinkage,
                                  ConstantInt::get(I8, 0), kFlag);
  auto *Init =
      Function::Create(FunctionType::get(Type::getVoidTy(Context), false),
                       GlobalValue::LinkOnceODRLinkage, "__inmem_rust_init", M);
  for (GlobalObject *Part :
       {static_cast<GlobalObject *>(Flag), static_cast<GlobalObject *>(Init)}) {
    Part->setComdat(Group);
    Part->setVisibility(GlobalValue::HiddenVisibility);
    Part->setDSOLocal(true);
  }
  Init->addFnAttr(Attribute::NoUnwind);
  Init->addFnAttr(Attribute::DisableSanitizerInstrumentation);
  Init->setUWTableKind(UWTableKind::Default);

  // Newer names are mangled, with lengths: "…12___rust_alloc".
  StringRef Scope = Name.take_front(Name.rfind("__rust_"));
  const bool Mangled = Scope.consume_back("_");
  Scope = Scope.rtrim("0123456789");
  Function *Allocator =
      declareWeak(M, Scope + (Mangled ? "12_" : "") + "__rust_alloc",
                  GlobalValue::DefaultVisibility);
  Function *Standard =
      declareWeak(M, Scope + (Mangled ? "11_" : "") + "__rdl_alloc",
                  GlobalValue::HiddenVisibility);
  RuntimeHooks Hooks(M);
  IRBuilder<> Builder(BasicBlock::Create(Context, "", Init));
  Builder.CreateStore(Builder.CreateCall(Hooks.isJump(), {Allocator, Standard}),
                      Flag);
  Builder.CreateRetVoid();
  // Runs before the program's constructors: their priorities start at 101.
  appendToGlobalCtors(M, Init, /*Priority=*/1, Init);
  return Flag;
}

namespace {
/// Calls the runtime's hook for malloc, or for a related function, instead of
/// \p Call if the standard library's allocator would call that function. For
/// all other blocks, the call stays.
class MallocInstead {
public:
  MallocInstead(CallBase &Call, RuntimeHooks &Hooks, GlobalVariable *Site,
                Value *Slot)
      : Call(Call), Hooks(Hooks), Site(Site), Slot(Slot), Builder(&Call) {}

  void run() {
    Found = findMallocCall(Call);
    if (!Found || isa<InvokeInst>(Call))
      return;
    Size = Call.getArgOperand(Found->Size);
    Align = Call.getArgOperand(Found->Align);
    const auto *Fixed = dyn_cast<ConstantInt>(Align);
    const bool BeyondMalloc = Fixed && Fixed->getZExtValue() > kMallocAlign;
    // The library implements other functions with such an alignment by copying
    // or clearing.
    if (BeyondMalloc && Found->C != "malloc")
      return;
    GlobalVariable *Flag =
        standardAllocatorFlag(*Call.getModule(), directCallee(Call)->getName());
    Value *Is = Builder.CreateICmpNE(
        Builder.CreateLoad(Builder.getInt8Ty(), Flag), Builder.getInt8(0));
    if (!BeyondMalloc)
      Is = Builder.CreateAnd(Is, isMallocs());
    Instruction *Then = nullptr, *Else = nullptr;
    SplitBlockAndInsertIfThenElse(
        Is, &Call, &Then, &Else,
        MDBuilder(Call.getContext()).createBranchWeights(2000, 1));
    Builder.SetInsertPoint(&Call);
    PHINode *Block = Builder.CreatePHI(Call.getType(), 2);
    Call.replaceAllUsesWith(Block);
    Call.moveBefore(*Else->getParent(), Else->getIterator());
    Builder.SetInsertPoint(Then);
    Builder.SetCurrentDebugLocation(Call.getDebugLoc());
    Block->addIncoming(BeyondMalloc ? allocateAligned() : allocate(),
                       Then->getParent());
    Block->addIncoming(&Call, Else->getParent());
  }

private:
  /// True if malloc's alignment suffices, so that the library requests none.
  Value *isMallocs() {
    return Builder.CreateAnd(
        Builder.CreateICmpULE(Align,
                              ConstantInt::get(Align->getType(), kMallocAlign)),
        Builder.CreateICmpULE(Align, Size));
  }

  Value *call(StringRef Name, Type *Result, SmallVector<Value *, 5> Arguments) {
    Arguments.push_back(Site);
    if (Slot)
      Arguments.push_back(Slot);
    CallInst *New = Builder.CreateCall(
        Hooks.allocation(Name, Result, Arguments, Slot != nullptr), Arguments);
    if (Slot)
      New->setTailCallKind(CallInst::TCK_NoTail);
    return New;
  }

  Value *allocate() {
    if (Found->C == "calloc")
      return call("calloc", Call.getType(),
                  {ConstantInt::get(Size->getType(), 1), Size});
    if (Found->C == "realloc")
      return call("realloc", Call.getType(), {Call.getArgOperand(0), Size});
    return call("malloc", Call.getType(), {Size});
  }

  Value *allocateAligned() {
    BasicBlock &Entry = Call.getFunction()->getEntryBlock();
    auto *Where = IRBuilder<>(&Entry, Entry.getFirstInsertionPt())
                      .CreateAlloca(Call.getType());
    Value *Error =
        call("posix_memalign", Builder.getInt32Ty(), {Where, Align, Size});
    return Builder.CreateSelect(
        Builder.CreateICmpEQ(Error, Builder.getInt32(0)),
        Builder.CreateLoad(Call.getType(), Where),
        Constant::getNullValue(Call.getType()));
  }

  CallBase &Call;
  RuntimeHooks &Hooks;
  GlobalVariable *Site;
  Value *Slot; ///< or null
  IRBuilder<> Builder;
  const MallocCall *Found = nullptr;
  Value *Size = nullptr, *Align = nullptr;
};
} // namespace

/// Announces \p Site to the allocator that \p Call calls. On paths that do not
/// allocate by malloc, withdraws the announcement.
static void announceBlock(CallBase &Call, RuntimeHooks &Hooks,
                          GlobalVariable *Site, Value *Slot) {
  IRBuilder<> Builder(&Call);
  Value *Before = Hooks.newestBlock(Builder);
  if (Slot)
    Builder.CreateCall(Hooks.expectFrom(), {Site, Slot});
  else
    Builder.CreateCall(Hooks.expect(), {Site});
  Builder.SetInsertPoint(pointAfter(Call));
  Builder.SetCurrentDebugLocation(Call.getDebugLoc());
  Value *After = Hooks.newestBlock(Builder);
  // A new block may have the same address: the announcement is then used up,
  // and withdrawing it has no effect.
  Instruction *Then = SplitBlockAndInsertIfThen(
      Builder.CreateICmpEQ(Before, After), &*Builder.GetInsertPoint(),
      /*Unreachable=*/false);
  Builder.SetInsertPoint(Then);
  Builder.SetCurrentDebugLocation(Call.getDebugLoc());
  Builder.CreateCall(Hooks.expect(),
                     {ConstantPointerNull::get(Builder.getPtrTy())});
}

void recordRustBlock(CallBase &Call, RuntimeHooks &Hooks, GlobalVariable *Site,
                     Value *Slot) {
  MallocInstead(Call, Hooks, Site, Slot).run();
  // A growing block has a site, which an announcement would not replace.
  if (!directCallee(Call)->getName().ends_with("__rust_realloc"))
    return announceBlock(Call, Hooks, Site, Slot);
  IRBuilder<> Builder(pointAfter(Call));
  Builder.SetCurrentDebugLocation(Call.getDebugLoc());
  Builder.CreateCall(Hooks.retag(), {&Call, Site});
}

void retagNewest(CallBase &Call, RuntimeHooks &Hooks, GlobalVariable *Site) {
  IRBuilder<> Builder(&Call);
  Value *Before = Hooks.newestBlock(Builder);
  Builder.SetInsertPoint(pointAfter(Call));
  Builder.SetCurrentDebugLocation(Call.getDebugLoc());
  Value *After = Hooks.newestBlock(Builder);
  Value *IsNew = Builder.CreateICmpNE(Before, After);
  Instruction *Then = SplitBlockAndInsertIfThen(
      IsNew, &*Builder.GetInsertPoint(), /*Unreachable=*/false);
  Builder.SetInsertPoint(Then);
  Builder.SetCurrentDebugLocation(Call.getDebugLoc());
  Builder.CreateCall(Hooks.retag(), {After, Site});
}

} // namespace inmem
