//===- DescribeStringCopies.cpp - records of strings only read ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SiteTable.h"
#include "ir/DescriptorEmitter.h"
#include "ir/ModuleRecords.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace inmem {

bool describeStringCopies(Module &M, bool LTOPreLink) {
  const std::vector<StringCopyFact> &Facts = SiteTable::current().StringCopies;
  if (Facts.empty())
    return false;
  DescriptorEmitter Emitter(M, LTOPreLink);
  SmallVector<GlobalValue *, 16> Records;
  for (const StringCopyFact &Fact : Facts)
    if (GlobalVariable *Record = Emitter.addStringCopy(Fact))
      Records.push_back(Record);
  // No code refers to the records, so --gc-sections would drop them.
  appendToUsed(M, Records);
  Emitter.addRegistration();
  return true;
}

} // namespace inmem
