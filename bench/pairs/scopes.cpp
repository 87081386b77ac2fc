// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// scopes.cpp - as lifo.cpp, while a scope or a budget of inmem/scope.h is open:
// `scopes PAIRS KIND`, KIND one of none, count, follow, follow-all, budget.
#include "Pair.h"

#include <inmem/scope.h>

#include <cstring>
#include <optional>

int main(int Argc, char **Argv) {
  uint64_t Pairs = bench::pairsFrom(Argc, Argv);
  const inmem::Action Never = inmem::OnExcess::Report;
  const char *Kind = Argc > 2 ? Argv[2] : "";
  std::optional<inmem::AllocationScope> Scope;
  std::optional<inmem::detail::ActiveBudget> Budget;
  if (!std::strcmp(Kind, "count"))
    Scope.emplace();
  else if (!std::strcmp(Kind, "follow"))
    Scope.emplace(inmem::Follow::EachBlock);
  else if (!std::strcmp(Kind, "follow-all"))
    Scope.emplace(inmem::Follow::EachBlock, inmem::allThreads);
  else if (!std::strcmp(Kind, "budget"))
    Budget.emplace(inmem::noLimit, inmem::noLimit, nullptr, &Never, __FILE__,
                   __LINE__);
  else if (std::strcmp(Kind, "none"))
    return 2;
  if (Scope && !Scope->exact())
    return 3;
  return bench::print(bench::nsPerPair(Pairs, [](uint64_t N) {
    for (uint64_t I = 0; I < N; ++I) {
      uint64_t *P = new uint64_t[6];
      bench::keep(P);
      delete[] P;
    }
    return N;
  }));
}
