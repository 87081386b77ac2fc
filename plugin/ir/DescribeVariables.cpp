//===- DescribeVariables.cpp - variables that hold memory -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SiteTable.h"
#include "ir/DescriptorEmitter.h"
#include "ir/ModuleRecords.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace inmem {

bool describeVariables(Module &M, bool LTOPreLink) {
  DescriptorEmitter Emitter(M, LTOPreLink);
  SmallVector<GlobalValue *, 16> Records;
  for (const VariableFact &Fact : SiteTable::current().Variables) {
    const GlobalVariable *Variable =
        M.getGlobalVariable(Fact.Name, /*AllowInternal=*/true);
    if (!Variable || Variable->isDeclarationForLinker() ||
        Variable->isConstant())
      continue;
    if (GlobalVariable *Record = Emitter.addVariable(Fact))
      Records.push_back(Record);
  }
  if (Records.empty())
    return false;
  // No code refers to the records, so --gc-sections would drop them.
  appendToUsed(M, Records);
  Emitter.addRegistration();
  return true;
}

} // namespace inmem
