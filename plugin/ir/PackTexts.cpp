//===- PackTexts.cpp - names take little of what is loaded ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of instances share much text: packed together, the names in a
// template-heavy unit take a seventh of their size. Units with few names keep
// them as strings, which the linker merges across units. Names stay in a
// section that is loaded, because stripping a program removes the others.
//
//===----------------------------------------------------------------------===//
#include "PluginOptions.h"
#include "inmem/abi.h"
#include "ir/DescriptorEmitter.h"
#include "ir/Passes.h"
#include "ir/RuntimeHooks.h"
#include "ir/TextPacker.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Support/Endian.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace inmem {

namespace {

/// Units with less text are not packed.
constexpr size_t kFewBytes = 4096;

struct Text {
  StringRef Bytes;                            ///< without the NUL
  SmallVector<GlobalVariable *, 2> Variables; ///< one per pass
};

bool isText(const GlobalVariable &G) {
  if (!G.hasPrivateLinkage() || !G.getName().starts_with(kTextPrefix) ||
      !G.hasInitializer())
    return false;
  auto *Data = dyn_cast<ConstantDataArray>(G.getInitializer());
  return Data && Data->isCString();
}

/// All texts worth packing, with common prefixes next to each other.
std::vector<Text> textsOf(Module &M) {
  MapVector<StringRef, Text> Found;
  for (GlobalVariable &G : M.globals()) {
    if (!isText(G) || G.use_empty())
      continue;
    StringRef Bytes =
        cast<ConstantDataArray>(G.getInitializer())->getAsCString();
    if (Bytes.size() + 1 >= INMEM_PACKED_LEAST &&
        Bytes.size() < INMEM_PACKED_MOST / 2)
      Found[Bytes].Variables.push_back(&G);
  }
  std::vector<Text> Texts;
  for (auto &[Bytes, T] : Found)
    Texts.push_back({Bytes, std::move(T.Variables)});
  sort(Texts, [](const Text &A, const Text &B) { return A.Bytes < B.Bytes; });
  return Texts;
}

void appendWord(std::string &To, uint32_t Word) {
  char Bytes[sizeof Word];
  support::endian::write32le(Bytes, Word);
  To.append(Bytes, sizeof Bytes);
}

/// Replaces the variables of \p Texts by one packed variable, as described in
/// abi.h. Does nothing if that saves less than half.
bool pack(Module &M, ArrayRef<Text> Texts) {
  std::string Plain, Data;
  for (const Text &T : Texts)
    Plain.append(T.Bytes.begin(), T.Bytes.end()).push_back(0);
  const std::string Packed = packText(Plain);
  const size_t Words = Texts.size() * sizeof(uint32_t);
  if ((Words + sizeof(inmem_packed_texts) + Packed.size()) * 2 > Plain.size())
    return false;
  for (size_t I = 0; I < Texts.size(); ++I)
    appendWord(Data, INMEM_PACKED_TEXT | uint32_t(Texts.size() - I) << 8);
  for (size_t Number : {Texts.size(), Plain.size(), Packed.size()})
    appendWord(Data, uint32_t(Number));
  Data += Packed;
  LLVMContext &Context = M.getContext();
  Constant *Value =
      ConstantDataArray::getString(Context, Data, /*AddNull=*/false);
  auto *All =
      new GlobalVariable(M, Value->getType(), /*isConstant=*/true,
                         GlobalValue::PrivateLinkage, Value, kPackedPrefix);
  All->setAlignment(Align(alignof(inmem_packed_texts)));
  for (size_t I = 0; I < Texts.size(); ++I) {
    Constant *Word = ConstantExpr::getInBoundsGetElementPtr(
        Type::getInt8Ty(Context), All,
        ConstantInt::get(Type::getInt64Ty(Context), I * sizeof(uint32_t)));
    for (GlobalVariable *Old : Texts[I].Variables) {
      Old->replaceAllUsesWith(Word);
      Old->eraseFromParent();
    }
  }
  return true;
}

/// Makes the link fail with a runtime that cannot unpack texts.
void requireRuntime(Module &M) {
  static constexpr StringLiteral kName = "__inmem_needs_texts";
  if (M.getFunction(kName))
    return;
  LLVMContext &Context = M.getContext();
  auto *F = Function::Create(FunctionType::get(Type::getVoidTy(Context), false),
                             GlobalValue::InternalLinkage, kName, &M);
  for (const auto Kind : {Attribute::NoUnwind, Attribute::NoProfile,
                          Attribute::DisableSanitizerInstrumentation})
    F->addFnAttr(Kind);
  F->setAlignment(Align(1));
  IRBuilder<> Builder(BasicBlock::Create(Context, "", F));
  Constant *Symbol = M.getOrInsertGlobal(INMEM_STRINGIFY(INMEM_PACKED_SYMBOL),
                                         Type::getInt8Ty(Context));
  // Volatile, so that optimisation does not drop the reference.
  Builder.CreateStore(Symbol, Builder.CreateAlloca(Symbol->getType()),
                      /*isVolatile=*/true);
  Builder.CreateRetVoid();
  appendToCompilerUsed(M, F);
}

} // namespace

PreservedAnalyses PackTextsPass::run(Module &M, ModuleAnalysisManager &) {
  if (!Options::current().PackedNames)
    return PreservedAnalyses::all();
  std::vector<Text> Texts = textsOf(M);
  size_t Bytes = 0;
  for (const Text &T : Texts)
    Bytes += T.Bytes.size() + 1;
  if (Bytes < kFewBytes)
    return PreservedAnalyses::all();
  bool Changed = false;
  for (size_t Begin = 0, End = 0; Begin < Texts.size(); Begin = End) {
    size_t Room = INMEM_PACKED_MOST;
    while (End < Texts.size() && Texts[End].Bytes.size() < Room)
      Room -= Texts[End++].Bytes.size() + 1;
    Changed |= pack(M, ArrayRef(Texts).slice(Begin, End - Begin));
  }
  if (!Changed)
    return PreservedAnalyses::all();
  requireRuntime(M);
  return PreservedAnalyses::none();
}

} // namespace inmem
