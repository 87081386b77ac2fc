//===- CallTable.cpp ------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/optimize/CallTable.h"

#include <algorithm>
#include <iterator>

namespace inmem::report {

uint32_t CallTable::numberOf(CodeStack Call) {
  const auto [Where, New] =
      Numbers.try_emplace(std::move(Call), static_cast<uint32_t>(Calls.size()));
  if (New)
    Calls.push_back(&Where->first);
  return Where->second;
}

CallStack CallTable::add(const CodeStack &Frames) {
  CallStack Out;
  for (auto First = Frames.begin(); First != Frames.end();) {
    auto Last = std::find_if_not(First, Frames.end(),
                                 [](const CodeFrame &F) { return F.Inlined; });
    if (Last != Frames.end())
      ++Last;
    Out.push_back(numberOf({First, Last}));
    First = Last;
  }
  return Out;
}

std::optional<uint32_t> CallTable::find(const CodeStack &Call) const {
  const auto Found = Numbers.find(Call);
  return Found == Numbers.end() ? std::nullopt : std::optional(Found->second);
}

CodeStack CallTable::frames(const CallStack &Stack) const {
  CodeStack Out;
  for (const uint32_t Call : Stack)
    std::ranges::copy((*this)[Call], std::back_inserter(Out));
  return Out;
}

std::vector<uint32_t> CallTable::ranks() const {
  std::vector<uint32_t> Out(Calls.size());
  uint32_t Rank = 0;
  for (const auto &[Call, Number] : Numbers)
    Out[Number] = Rank++;
  return Out;
}

CallStack foldRecursion(CallStack Stack, const CallTable &Of) {
  size_t Kept = std::min<size_t>(Stack.size(), 1);
  for (size_t I = Kept; I < Stack.size(); ++I) {
    unsigned Times = 0;
    size_t Second = 1;
    for (; Second < Kept; ++Second)
      if (Of.isSameFunction(Stack[Second], Stack[I]) && ++Times == 2)
        break;
    if (Times == 2) // same callers as at the inner occurrence
      Kept = Second + 1;
    else
      Stack[Kept++] = Stack[I];
  }
  Stack.resize(Kept);
  return Stack;
}

} // namespace inmem::report
