// Intent: deprecated names in the headers do what the new ones do, without a warning.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -std=c++20 -O1 -Wall -Wextra -Werror %s -o %t.exe && env INMEM_OPTIONS=output=none %t.exe
// RUN: %if all-tiers %{ %clangxx -std=c++17 -Wall -Wextra -Werror -I%include -fsyntax-only %s %}
#include <inmem/graph.h>
#include <inmem/scope.h>

#include <string_view>
#include <type_traits>
#include <vector>

static_assert(std::is_same_v<inmem::Counts, inmem::AllocationCounts>);
static_assert(std::is_same_v<inmem::Action, inmem::ExcessResponse>);

static void *volatile Made;

/// What a budget of one block, by either name, finds of three.
static bool allowsOne(inmem::AllocationBudget &&Budget) {
  for (int I = 0; I < 3; ++I) {
    Made = ::operator new(8);
    ::operator delete(Made);
  }
  return Budget.excesses() == 2 && Budget.usedBlocks() == 3 && Budget.usedObjects() == 3;
}

static bool budgetsAreAlike() {
  constexpr auto Warn = inmem::OnExcess::Report;
  return allowsOne({.blocks = 1, .onExcess = Warn}) && allowsOne({.onExcess = Warn, .objects = 1}) && allowsOne({.blocks = 1, .onExcess = Warn, .objects = 2}) &&
         allowsOne({inmem::noLimit, 1, {}, Warn});
}

int main() {
  const inmem::TypeLimit Old = inmem::limit<long>(2, 30), New = inmem::typeLimit<long>(2, 30);
  const bool Limits = Old.id == New.id && std::string_view(Old.name) == New.name && Old.bytes == 30 && New.bytes == 30 && Old.objects == 2 && New.objects == 2;
  const std::vector<long> Object(100);
  const bool Profiles = inmem::profile(Object).text() == inmem::profileObject(Object).text() && !inmem::profile(Object).text().empty();
  return Limits && Profiles && budgetsAreAlike() ? 0 : 1;
}
