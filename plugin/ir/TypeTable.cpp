//===- TypeTable.cpp ------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/TypeTable.h"
#include "PluginOptions.h"
#include "inmem/type_table.h"
#include "ir/AllocationFunctions.h"
#include "ir/DescriptorEmitter.h"
#include "ir/ModuleRecords.h"
#include "ir/PassedFunctions.h"
#include "ir/SiteDescriber.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace inmem {

/// Metadata of calls, between the early and the late pass.
static constexpr StringLiteral kTags = "inmem.tags";
/// LLVM's own metadata for debug information: it stays with the machine
/// instruction.
static constexpr StringLiteral kMarker = "heapallocsite";
static constexpr StringLiteral kFirst = "inmem";
/// Metadata of calls, until locations are dropped.
static constexpr StringLiteral kEntry = "inmem.entry";
static constexpr StringLiteral kHasTable = "inmem.typetable";

static constexpr StringLiteral kAttributes[] = {kTypeAttribute,
                                                kSiteAttribute,
                                                kPlaceAttribute,
                                                kRetagAttribute,
                                                kSkipAttribute,
                                                kNumbersAttribute,
                                                kConditionalRetagAttribute};

void keepTagsAsMetadata(Module &M) {
  LLVMContext &Context = M.getContext();
  for (Function &F : M)
    for (Instruction &I : instructions(F)) {
      auto *Call = dyn_cast<CallBase>(&I);
      if (!Call)
        continue;
      SmallVector<Metadata *, 8> Tags;
      for (StringRef Name : kAttributes)
        if (Attribute Tag = Call->getFnAttr(Name); Tag.isValid())
          Tags.append({MDString::get(Context, Name),
                       MDString::get(Context, Tag.getValueAsString())});
      if (Tags.empty())
        continue;
      stripTransportAttributes(*Call);
      Call->setMetadata(kTags, MDNode::get(Context, Tags));
    }
}

/// Reverses keepTagsAsMetadata() for one call.
static void takeTags(CallBase &Call) {
  const MDNode *Tags = Call.getMetadata(kTags);
  if (!Tags)
    return;
  for (unsigned I = 0; I + 1 < Tags->getNumOperands(); I += 2)
    Call.addFnAttr(Attribute::get(
        Call.getContext(), cast<MDString>(Tags->getOperand(I))->getString(),
        cast<MDString>(Tags->getOperand(I + 1))->getString()));
  Call.setMetadata(kTags, nullptr);
}

MDNode *encodeTypedCall(LLVMContext &Context, const TypedCall &Call) {
  const auto Number = [&](uint64_t Value) {
    return ConstantAsMetadata::get(
        ConstantInt::get(Type::getInt64Ty(Context), Value));
  };
  return MDNode::get(Context,
                     {MDString::get(Context, kFirst),
                      MDString::get(Context, Call.Type),
                      MDString::get(Context, Call.File), Number(Call.Size),
                      Number(Call.Line), Number(Call.Flags)});
}

std::optional<TypedCall> decodeTypedCall(const MDNode *Node) {
  constexpr unsigned kOperands = 6;
  if (!Node || !isa<MDTuple>(Node) || Node->getNumOperands() != kOperands)
    return std::nullopt;
  const auto Text = [&](unsigned I) {
    auto *Is = dyn_cast_or_null<MDString>(Node->getOperand(I).get());
    return Is ? Is->getString() : StringRef();
  };
  const auto Number = [&](unsigned I) {
    auto *Is = mdconst::dyn_extract_or_null<ConstantInt>(Node->getOperand(I));
    return Is ? Is->getZExtValue() : 0;
  };
  if (Text(0) != kFirst)
    return std::nullopt;
  return TypedCall{Text(1), Text(2), Number(3),
                   static_cast<uint32_t>(Number(4)),
                   static_cast<uint32_t>(Number(5))};
}

bool hasTypeTable(const Module &M) { return M.getNamedMetadata(kHasTable); }

void markTypedCalls(Module &M) {
  for (Function &F : M)
    for (Instruction &I : instructions(F))
      if (MDNode *Entry = I.getMetadata(kEntry)) {
        I.setMetadata(kEntry, nullptr);
        I.setMetadata(kMarker, Entry);
      }
}

namespace {

class TableMaker {
public:
  TableMaker(Module &M, PipelineState &State) : M(M), Sites(State, Lines) {}

  void run() {
    for (Function &F : M)
      if (!F.isDeclaration() && !F.hasAvailableExternallyLinkage())
        for (Instruction &I : instructions(F))
          if (auto *Call = dyn_cast<CallBase>(&I);
              Call && !isa<IntrinsicInst>(Call))
            describe(*Call);
  }

private:
  void describe(CallBase &Call) {
    takeTags(Call);
    const HookedFunction *Hooked = hookedCallee(Call);
    const OwningFunction *Owner = owningCallee(Call);
    const bool IsTagged =
        Call.hasFnAttr(kSiteAttribute) || Call.hasFnAttr(kTypeAttribute);
    if (Call.hasFnAttr(kSkipAttribute) || (Hooked && Hooked->Frees) ||
        !(Hooked || Owner || IsTagged))
      return stripTransportAttributes(Call);
    SiteInfo Site = Sites.describe(Call, Hooked ? Hooked->Kind
                                                : uint8_t{INMEM_SITE_CUSTOM});
    Sites.completeCoroutine(Call, Site);
    if (Owner && Owner->ArrayKey.empty())
      Site.TypeKey = Owner->TypeKey.str();
    const TypeInfo *Type = SiteTable::current().findType(Site.TypeKey);
    TypedCall Entry;
    const std::string Name = typeNameOf(Site.TypeKey);
    const bool Ignored = (Type && Type->Ignored) ||
                         (!Name.empty() && Options::current().filtersTypes() &&
                          Options::current().ignoresType(Name));
    if (!Ignored)
      Entry.Type = Name;
    Entry.Size = Type && !Ignored ? Type->Size : 0;
    Entry.Line = Site.Where.Line;
    Entry.File = Site.Where.File;
    if (Name.empty() && Site.Flags & INMEM_SITE_PASSED)
      Entry.Flags |= INMEM_TYPED_CALL_PASSED;
    if (Call.hasFnAttr(kConditionalRetagAttribute)) {
      Entry.Flags |= INMEM_TYPED_CALL_MAY;
      Entry.Size = Site.Unit > 1 ? Site.Unit : Entry.Size;
    }
    stripTransportAttributes(Call);
    Call.setMetadata(kEntry, encodeTypedCall(M.getContext(), Entry));
  }

  /// The type's name as in reports; empty if unknown.
  static std::string typeNameOf(StringRef Key) {
    if (Key.empty())
      return {};
    if (const TypeInfo *Known = SiteTable::current().findType(Key))
      return Known->Name;
    return Key == "_ZTSc" ? "char" : Key == "_ZTSw" ? "wchar_t" : "";
  }

  Module &M;
  FunctionLines Lines;
  SiteDescriber Sites;
};

} // namespace

PreservedAnalyses TypeTablePass::run(Module &M, ModuleAnalysisManager &) {
  if (!hasTypeTable(M)) {
    TableMaker(M, *State).run();
    M.getOrInsertNamedMetadata(kHasTable)->addOperand(
        MDNode::get(M.getContext(), {}));
    // Leave nothing to do at a link.
    claimAllStages(M);
  }
  // No analysis depends on metadata.
  return PreservedAnalyses::all();
}

} // namespace inmem
