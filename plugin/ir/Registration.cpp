//===- Registration.cpp - a module hands its records to the runtime -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Compat.h"
#include "ir/DescriptorEmitter.h"
#include "ir/RuntimeHooks.h"
#include "llvm/IR/Constants.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace inmem {

/// Constructors of the program start at 101; ours come before them.
static constexpr int kRegistrationPriority = 1;

bool DescriptorEmitter::usesTable() const {
  return M.getPICLevel() != PICLevel::NotPIC &&
         M.getPIELevel() == PIELevel::Default;
}

static GlobalVariable *hiddenLinkOnce(Module &M, Type *T, StringRef Name) {
  if (GlobalVariable *Existing = M.getNamedGlobal(Name))
    return Existing;
  auto *Variable = new GlobalVariable(M, T, /*isConstant=*/false,
                                      GlobalValue::LinkOnceODRLinkage,
                                      Constant::getNullValue(T), Name);
  Variable->setComdat(M.getOrInsertComdat(Name));
  Variable->setVisibility(GlobalValue::HiddenVisibility);
  Variable->setDSOLocal(true);
  return Variable;
}

GlobalVariable *DescriptorEmitter::deltaVariable() {
  if (usesTable())
    return nullptr;
  GlobalVariable *Delta = hiddenLinkOnce(M, I64, "__inmem_delta");
  Delta->setThreadLocalMode(GlobalValue::LocalExecTLSModel);
  Delta->setAlignment(Align(8));
  return Delta;
}

GlobalVariable *DescriptorEmitter::tableIndex() {
  return hiddenLinkOnce(M, I32, "__inmem_table_index");
}

/// The symbol that the linker defines for a section's start or end; null if the
/// section does not exist.
static Constant *sectionBound(Module &M, StringRef Prefix, StringRef Section) {
  std::string Symbol = (Prefix + Section).str();
  auto *Variable = M.getNamedGlobal(Symbol);
  if (!Variable) {
    Variable = new GlobalVariable(
        M, Type::getInt8Ty(M.getContext()), /*isConstant=*/false,
        GlobalValue::ExternalWeakLinkage, nullptr, Symbol);
    Variable->setVisibility(GlobalValue::HiddenVisibility);
  }
  return Variable;
}

/// Adds a function before all others that refers to \p Version and is never
/// called. Linkers report undefined symbols in code order, so that without the
/// runtime, the first error names it.
static void addFirstReference(Module &M, Constant *Version) {
  LLVMContext &Context = M.getContext();
  auto *F =
      Function::Create(FunctionType::get(Type::getVoidTy(Context), false),
                       GlobalValue::InternalLinkage, "__inmem_needs_runtime");
  M.getFunctionList().push_front(F);
  for (const auto Kind : {Attribute::NoUnwind, Attribute::NoProfile,
                          Attribute::DisableSanitizerInstrumentation})
    F->addFnAttr(Kind);
  F->setAlignment(Align(1));
  IRBuilder<> Builder(BasicBlock::Create(Context, "", F));
  // Volatile, so that optimisation does not drop the reference.
  Builder.CreateStore(Version, Builder.CreateAlloca(Version->getType()),
                      /*isVolatile=*/true);
  Builder.CreateRetVoid();
  appendToCompilerUsed(M, F);
}

// Units of both forms may be linked into one shared object. Each form has its
// own constructor, and the runtime treats the second registration as an update
// of the first.
StringRef DescriptorEmitter::registrationName() const {
  return usesTable() ? "__inmem_dso_init_pic" : "__inmem_dso_init";
}

void DescriptorEmitter::addRegistration() {
  const StringRef Name = registrationName();
  if (M.getFunction(Name))
    return;
  Comdat *Group = M.getOrInsertComdat(Name);

  addSources();
  SmallVector<Constant *, 24> Members = {
      ConstantInt::get(I32, INMEM_ABI_VERSION),
      ConstantInt::get(I32, sizeof(inmem_module))};
  auto AddBounds = [&](StringRef Section) {
    Members.push_back(sectionBound(M, "__start_", Section));
    Members.push_back(sectionBound(M, "__stop_", Section));
  };
  for (StringRef Section : {INMEM_SECTION_TYPES, INMEM_SECTION_SITES,
                            INMEM_SECTION_COUNTERS, INMEM_SECTION_OBJECTS})
    AddBounds(Section);
  Members.push_back(ConstantPointerNull::get(Ptr));
  Members.push_back(usesTable() ? cast<Constant>(tableIndex())
                                : ConstantPointerNull::get(Ptr));
  AddBounds(INMEM_SECTION_COPIES);
  AddBounds(INMEM_SECTION_VARIABLES);
  AddBounds(INMEM_SECTION_CALLS);
  AddBounds(INMEM_SECTION_SOURCES);
  AddBounds(INMEM_SECTION_REFERENCES);
  Constant *Value = ConstantStruct::getAnon(Context, Members);
  auto *Module =
      new GlobalVariable(M, Value->getType(), /*isConstant=*/false,
                         GlobalValue::LinkOnceODRLinkage, Value,
                         usesTable() ? "__inmem_module_pic" : "__inmem_module");
  Module->setComdat(Group);
  Module->setVisibility(GlobalValue::HiddenVisibility);
  Module->setDSOLocal(true);
  Module->setAlignment(Align(8));

  // If the runtime is missing or too old, the linker reports only this symbol.
  Constant *Version =
      M.getOrInsertGlobal(INMEM_STRINGIFY(INMEM_ABI_SYMBOL), I8);

  addFirstReference(M, Version);

  RuntimeHooks Hooks(M);
  auto AddFunction = [&](StringRef FunctionName) {
    auto *F =
        Function::Create(FunctionType::get(Type::getVoidTy(Context), false),
                         GlobalValue::LinkOnceODRLinkage, FunctionName, &M);
    F->setComdat(Group);
    F->setVisibility(GlobalValue::HiddenVisibility);
    F->setDSOLocal(true);
    F->addFnAttr(Attribute::NoUnwind);
    F->addFnAttr(Attribute::DisableSanitizerInstrumentation);
    F->setUWTableKind(UWTableKind::Default);
    return F;
  };

  Function *Init = AddFunction(Name);
  IRBuilder<> Builder(BasicBlock::Create(Context, "", Init));
  // Refer to the symbol here, too: some linkers discard functions that are
  // never called.
  Builder.CreateStore(Version, Builder.CreateAlloca(Ptr), /*isVolatile=*/true);
  if (GlobalVariable *Delta = deltaVariable()) {
    constexpr uint64_t At = offsetof(inmem_module, delta);
    Builder.CreateStore(compat::threadLocalAddress(Builder, Delta),
                        Builder.CreateConstInBoundsGEP1_64(I8, Module, At));
  }
  Builder.CreateCall(Hooks.registerModule(), {Module});
  Builder.CreateRetVoid();
  appendToGlobalCtors(M, Init, kRegistrationPriority, Init);

  Function *Fini =
      AddFunction(usesTable() ? "__inmem_dso_fini_pic" : "__inmem_dso_fini");
  Builder.SetInsertPoint(BasicBlock::Create(Context, "", Fini));
  Builder.CreateCall(Hooks.unregisterModule(), {Module});
  Builder.CreateRetVoid();
  // Uses the constructor's group, so that the linker keeps or drops both.
  appendToGlobalDtors(M, Fini, kRegistrationPriority, Fini);
}

bool DescriptorEmitter::addEarlyRegistration() {
  static constexpr StringLiteral kSection = ".preinit_array";
  if (none_of(M.globals(), [](const GlobalVariable &Variable) {
        return Variable.hasSection() && Variable.getSection() == kSection;
      }))
    return false;
  addRegistration();
  // The array follows the order of the variables. Only programs may have one.
  auto *Entry = new GlobalVariable(
      M, Ptr, /*isConstant=*/true, GlobalValue::PrivateLinkage,
      M.getFunction(registrationName()), "__inmem_preinit", &*M.global_begin());
  Entry->setSection(kSection);
  Entry->setAlignment(Align(M.getDataLayout().getPointerSize()));
  appendToUsed(M, {Entry});
  return true;
}

} // namespace inmem
