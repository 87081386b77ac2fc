//===- DescribeTypes.cpp - descriptions for inmem/graph.h -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SiteTable.h"
#include "ir/DescriptorEmitter.h"
#include "ir/ModuleRecords.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace inmem {

/// struct inmem_description (abi.h): the number of records, and the address of
/// each.
static GlobalVariable *emitList(Module &M, DescriptorEmitter &Emitter,
                                ArrayRef<std::string> Keys) {
  LLVMContext &Context = M.getContext();
  Type *I32 = Type::getInt32Ty(Context);
  SmallVector<GlobalVariable *, 16> Records;
  for (const std::string &Key : Keys)
    if (GlobalVariable *Record = Emitter.type(Key))
      Records.push_back(Record);
  auto *Layout = ArrayType::get(I32, Records.size() + 1);
  auto *List = new GlobalVariable(M, Layout, /*isConstant=*/true,
                                  GlobalValue::PrivateLinkage, nullptr,
                                  "__inmem_description");
  List->setAlignment(Align(4));
  List->setSection(kRecordSection);
  SmallVector<Constant *, 16> Words = {ConstantInt::get(I32, Records.size())};
  for (GlobalVariable *Record : Records)
    Words.push_back(
        Emitter.relative(Record, List, Words.size() * sizeof(int32_t)));
  List->setInitializer(ConstantArray::get(Layout, Words));
  return List;
}

/// The functions that the AST half has annotated, by annotation. Removes the
/// annotations.
static StringMap<Function *> takeAnnotated(Module &M) {
  StringMap<Function *> Found;
  GlobalVariable *All = M.getNamedGlobal("llvm.global.annotations");
  auto *Array = All && All->hasInitializer()
                    ? dyn_cast<ConstantArray>(All->getInitializer())
                    : nullptr;
  if (!Array)
    return Found;
  SmallVector<Constant *, 16> Others;
  for (Value *Operand : Array->operands()) {
    auto *Entry = dyn_cast<ConstantStruct>(Operand);
    auto *F =
        Entry ? dyn_cast<Function>(Entry->getOperand(0)->stripPointerCasts())
              : nullptr;
    auto *Text = Entry ? dyn_cast<GlobalVariable>(
                             Entry->getOperand(1)->stripPointerCasts())
                       : nullptr;
    auto *Data = Text && Text->hasInitializer()
                     ? dyn_cast<ConstantDataArray>(Text->getInitializer())
                     : nullptr;
    StringRef Annotation =
        Data && Data->isCString() ? Data->getAsCString() : StringRef();
    if (F && Annotation.starts_with(kDescribedAnnotation))
      Found[Annotation] = F;
    else
      Others.push_back(cast<Constant>(Operand));
  }
  if (Found.empty())
    return Found;
  if (!Others.empty()) {
    auto *Layout = ArrayType::get(Others[0]->getType(), Others.size());
    auto *Rest =
        new GlobalVariable(M, Layout, All->isConstant(), All->getLinkage(),
                           ConstantArray::get(Layout, Others));
    Rest->takeName(All);
    Rest->setSection(All->getSection());
  }
  All->eraseFromParent();
  return Found;
}

bool describeTypes(Module &M, bool LTOPreLink) {
  bool Any = false;
  DescriptorEmitter Emitter(M, LTOPreLink);
  if (SiteTable::current().described().empty())
    return false;
  StringMap<Function *> Annotated = takeAnnotated(M);
  for (const auto &Entry : SiteTable::current().described()) {
    Function *F = Entry.first().starts_with(kDescribedAnnotation)
                      ? Annotated.lookup(Entry.first())
                      : M.getFunction(Entry.first());
    if (!F || F->isDeclaration() || !F->getReturnType()->isPointerTy() ||
        Entry.second.empty())
      continue;
    Any = true;
    GlobalValue::LinkageTypes Linkage = F->getLinkage();
    Comdat *Group = F->getComdat();
    F->deleteBody();
    F->setLinkage(Linkage);
    F->setComdat(Group);
    IRBuilder<> Builder(BasicBlock::Create(M.getContext(), "", F));
    Builder.CreateRet(emitList(M, Emitter, Entry.second));
    // The new body has no source lines.
    F->setSubprogram(nullptr);
  }
  if (Any)
    Emitter.addRegistration();
  return Any;
}

} // namespace inmem
