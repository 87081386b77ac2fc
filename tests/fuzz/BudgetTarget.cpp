//===- BudgetTarget.cpp - The budget file of `inmem check` ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Fuzz.h"

#include "report/compare/Budget.h"

using namespace inmem;
using namespace inmem::report;

int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  const fuzz::WithinASecond Limit;
  const std::string_view Text(reinterpret_cast<const char *>(Data), Size);
  const auto B = parseBudget(Text, "budget.toml");
  if (!B) {
    fuzz::check(!B.status().str().empty(), "a bad budget has a message");
    return 0;
  }
  for (const auto &One : B->Limits)
    fuzz::check(One.Max || One.Min, "a limit limits something");
  B->phases();
  parseTolerance(Text);
  return 0;
}
