//===- BlockValues.cpp - Blocks that a call does not return ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/Calls.h"
#include "ir/RuntimeHooks.h"
#include "llvm/IR/IRBuilder.h"

using namespace llvm;

namespace inmem {

Instruction *loadStoredBlock(CallBase &Call, unsigned Index) {
  LLVMContext &Context = Call.getContext();
  IRBuilder<> Builder(pointAfter(Call));
  LoadInst *Stored = Builder.CreateLoad(PointerType::getUnqual(Context),
                                        Call.getArgOperand(Index));
  Stored->setMetadata(LLVMContext::MD_nosanitize, MDNode::get(Context, {}));
  return cast<Instruction>(Builder.CreateFreeze(Stored));
}

Instruction *extractFirstMember(CallBase &Call) {
  auto *Structure = dyn_cast<StructType>(Call.getType());
  auto *Words = dyn_cast<ArrayType>(Call.getType()); // AArch64
  Type *Ptr = PointerType::getUnqual(Call.getContext());
  const bool IsPointer = Structure && Structure->getNumElements() > 0 &&
                         Structure->getElementType(0) == Ptr;
  if (!IsPointer && !(Words && Words->getNumElements() > 0 &&
                      Words->getElementType()->isIntegerTy(64)))
    return nullptr;
  IRBuilder<> Builder(pointAfter(Call));
  Value *Block = Builder.CreateExtractValue(&Call, 0);
  if (!IsPointer)
    Block = Builder.CreateIntToPtr(Block, Ptr);
  return cast<Instruction>(Block);
}

} // namespace inmem
