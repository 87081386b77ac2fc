//===- SiteDescriber.cpp --------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/SiteDescriber.h"
#include "ir/ModuleRecords.h"
#include "ir/PassedFunctions.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace inmem {

/// LLVM 16 has no debug locations here, but the early pass records unambiguous
/// ones.
static void placeFromAttribute(const CallBase &Call, SiteInfo &Site) {
  StringRef Text = Call.getFnAttr(kPlaceAttribute).getValueAsString();
  SmallVector<StringRef, 4> Parts;
  Text.split(Parts, '|', /*MaxSplit=*/3);
  if (Parts.size() != 4 || Parts[1].getAsInteger(10, Site.Where.Line) ||
      Parts[2].getAsInteger(10, Site.Where.Column))
    return;
  Site.Function = Parts[0].str();
  Site.Where.File = Parts[3].str();
}

static void adopt(const PipelineState::Call &Known, SiteInfo &Site) {
  Site.TypeKey = Known.TypeKey;
  Site.Cookie = Known.Cookie;
  Site.Rule = Known.Rule;
  Site.Flags = Known.Flags;
  Site.Unit = Known.Unit;
}

SiteInfo SiteDescriber::describe(const CallBase &Call, uint8_t DefaultKind) {
  SiteInfo Site;
  Site.Kind = DefaultKind;
  bool Tagged = Call.hasFnAttr(kSiteAttribute);
  PipelineState::Call Known = readCall(Call);
  adopt(Known, Site);
  if (Known.Kind)
    Site.Kind = Known.Kind;

  const Function &F = *Call.getFunction();
  const DILocation *Loc = Call.getDebugLoc().get();
  if (!Loc) {
    Site.Function = withoutUniqueSuffix(F.getName()).str();
    placeFromAttribute(Call, Site);
    return Site;
  }
  Site.Function = functionName(*Loc, F);
  Site.Where = locationOf(*Loc);
  Lines.note(Site.Function, *Loc);
  if (!Tagged)
    recover(*Loc, Site);
  const DILocation *Inner = Loc;
  bool Forwarded = Site.TypeKey.empty();
  for (const DILocation *Caller = Loc->getInlinedAt(); Caller;
       Inner = Caller, Caller = Caller->getInlinedAt()) {
    Site.Inlined.push_back(
        {functionName(*Caller, F), locationOf(*Caller),
         uint16_t(isPassed(*Caller) ? INMEM_FRAME_PASSED : 0)});
    Lines.note(Site.Inlined.back().Function, *Caller);
    // If a wrapper was inlined, its caller knows the block's type.
    Forwarded &= State.Wrappers.contains(State.functionOf(*Inner));
    if (Forwarded && Site.TypeKey.empty())
      adoptWrapperCall(*Caller, Site);
  }
  if (isPassed(*Loc)) // the other flags may be from any of the calls
    Site.Flags |= INMEM_SITE_PASSED;
  return Site;
}

/// Handles a call that the optimiser created (malloc and memset become calloc).
void SiteDescriber::recover(const DILocation &Loc, SiteInfo &Site) {
  auto It = State.Allocations.find(
      {State.functionOf(Loc), Loc.getLine(), Loc.getColumn()});
  if (It == State.Allocations.end() || It->second.Ambiguous)
    return;
  adopt(It->second, Site);
}

void SiteDescriber::adoptWrapperCall(const DILocation &Caller, SiteInfo &Site) {
  PipelineState::Line Line = {State.functionOf(Caller), Caller.getLine(),
                              Caller.getColumn()};
  // The second map covers a program's own operator new or malloc, inlined.
  for (const auto *Calls : {&State.WrapperCalls, &State.Allocations}) {
    auto It = Calls->find(Line);
    if (It == Calls->end() || It->second.Ambiguous)
      continue;
    adopt(It->second, Site);
    Site.Kind = It->second.Kind;
    return;
  }
}

bool SiteDescriber::isPassed(const DILocation &Loc) const {
  return State.Passed.contains(State.functionOf(Loc));
}

std::string SiteDescriber::functionName(const DILocation &Loc,
                                        const Function &F) {
  const DISubprogram *Subprogram = State.functionOf(Loc);
  auto It = State.FunctionNames.find(Subprogram);
  if (It != State.FunctionNames.end())
    return It->second;
  if (Subprogram == F.getSubprogram() || !Subprogram)
    return withoutUniqueSuffix(F.getName()).str();
  StringRef Linkage = Subprogram->getLinkageName();
  return withoutUniqueSuffix(Linkage.empty() ? Subprogram->getName() : Linkage)
      .str();
}

void SiteDescriber::completeCoroutine(const CallBase &Call, SiteInfo &Site) {
  if (Site.Kind != INMEM_SITE_COROUTINE ||
      SiteTable::current().findType(Site.TypeKey))
    return;
  TypeInfo Frame;
  Frame.Name = Site.TypeKey;
  Frame.Flags = INMEM_TYPE_COROUTINE;
  auto *Size =
      Call.arg_size() ? dyn_cast<ConstantInt>(Call.getArgOperand(0)) : nullptr;
  if (Size)
    Frame.Size = Size->getZExtValue();
  else
    Frame.Flags |= INMEM_TYPE_OPAQUE;
  Frame.Align = Size ? 16 : 1;
  Frame.Key = Site.TypeKey;
  Frame.Id = typeId(Frame);
  SiteTable::current().addType(std::move(Frame));
}

void stripTransportAttributes(CallBase &Call) {
  for (StringRef Name : {kTypeAttribute, kSiteAttribute, kRetagAttribute,
                         kConditionalRetagAttribute, kNumbersAttribute,
                         kSkipAttribute, kPlaceAttribute})
    Call.removeAttributeAtIndex(AttributeList::FunctionIndex, Name);
}

} // namespace inmem
