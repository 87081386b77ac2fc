// Intent: eight threads read and end one scope of all threads at once, and have scopes and budgets of their own: counts are exact, ended scopes stay as they are, nothing races.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -std=c++17 -O1 -pthread %s -o %t.exe
// RUN: env INMEM_OPTIONS=output=%t.inmem %t.exe
// RUN: %if all-tiers %{ %inmem-clangxx -std=c++17 -O1 -fsanitize=thread -pthread %s -o %t.tsan %}
// RUN: %if all-tiers %{ env INMEM_OPTIONS=output=%t.inmem TSAN_OPTIONS=halt_on_error=1 %t.tsan few %}
#include "Inputs/eight.h"
#include <inmem/scope.h>

#include <memory>

static unsigned Less = 1;

/// A scope that all read, and then all end.
static void shared(inmem::Follow What) {
  for (unsigned Times = 0; Times < 20 / Less; ++Times) {
    inmem_scope *Scope =
        inmem_scope_begin(What == inmem::Follow::EachBlock, INMEM_ALL_THREADS);
    REQUIRE(Scope);
    std::atomic<uint64_t> Made{0};
    onEight(40, [&](unsigned Thread, unsigned Round) {
      if (Round == 39) {
        inmem_scope_end(Scope);
        return;
      }
      inmem_scope_counts Totals;
      for (int I = 0; I < 5; ++I) {
        const uint64_t Least = Made;
        REQUIRE(inmem_scope_read(Scope, &Totals) == INMEM_SCOPE_OK);
        REQUIRE(Totals.allocations >= Least);
        REQUIRE(Totals.allocations < 1000000);
        const auto AddUp = [](const inmem_scope_type *T, void *Sum) {
          *static_cast<uint64_t *>(Sum) += T->counts.allocations;
        };
        const auto AddSites = [](const inmem_scope_site *S, void *Sum) {
          *static_cast<uint64_t *>(Sum) += S->counts.allocations;
        };
        uint64_t ByType = 0, BySite = 0;
        REQUIRE(inmem_scope_types(Scope, AddUp, &ByType) == INMEM_SCOPE_OK);
        REQUIRE(inmem_scope_sites(Scope, AddSites, &BySite) == INMEM_SCOPE_OK);
        REQUIRE(ByType >= Least && ByType < 1000000);
        REQUIRE(BySite >= Least && BySite < 1000000);
        makeJobs(Thread + 1);
        Made += Thread + 1;
      }
    });
    inmem_scope_counts Then, Now;
    REQUIRE(inmem_scope_read(Scope, &Then) == INMEM_SCOPE_OK);
    makeJobs(100);
    REQUIRE(inmem_scope_read(Scope, &Now) == INMEM_SCOPE_OK);
    REQUIRE(Then.allocations == Now.allocations);
    REQUIRE(inmem_scope_free(Scope) == INMEM_SCOPE_OK);
  }
}

static void own() {
  onEight(100 / Less, [](unsigned Thread, unsigned Round) {
    inmem::AllocationScope Scope(Round % 2 ? inmem::Follow::EachBlock
                                           : inmem::Follow::Nothing);
    makeJobs(Thread + 1);
    {
      inmem::Unseen Hidden;
      makeJobs(7);
    }
    REQUIRE(Scope.blocks() == Thread + 1);
    REQUIRE(Scope.end().of<Job>().live == 0);
    const auto All = inmem::allocationsOf([&] { makeJobs(Thread); });
    REQUIRE(All.of<Job>().blocks == Thread);
  });
}

static std::atomic<unsigned> Acted{0};

/// A budget that all exceed, and then all end.
static void budgets() {
  for (unsigned Times = 0; Times < 40 / Less; ++Times) {
    inmem_budget Budget = {};
    Budget.bytes = INMEM_NO_LIMIT;
    Budget.blocks = 100;
    Budget.act = [](inmem_budget *, const inmem_excess *) { ++Acted; };
    REQUIRE(inmem_budget_begin_for(&Budget, INMEM_ALL_THREADS) ==
            INMEM_SCOPE_OK);
    std::atomic<unsigned> Ended{0};
    onEight(2, [&](unsigned, unsigned Round) {
      inmem_budget Own = {};
      Own.bytes = Own.blocks = INMEM_NO_LIMIT;
      REQUIRE(inmem_budget_begin(&Own) == INMEM_SCOPE_OK);
      makeJobs(50);
      REQUIRE(Own.used_blocks == 50);
      REQUIRE(inmem_budget_end(&Own) == INMEM_SCOPE_OK);
      if (Round == 0)
        return;
      const int Status = inmem_budget_end(&Budget);
      REQUIRE(Status == INMEM_SCOPE_OK || Status == INMEM_SCOPE_OFF);
      Ended += Status == INMEM_SCOPE_OK;
    });
    REQUIRE(Ended == 1);
    REQUIRE(Budget.excesses > 0);
  }
  REQUIRE(Acted > 0);
}

int main(int Count, char **) {
  Less = Count > 1 ? 4 : 1;
  shared(inmem::Follow::Nothing);
  shared(inmem::Follow::EachBlock);
  own();
  budgets();
  // All is closed: an allocation takes the fast path, and no scope sees it.
  inmem::AllocationScope Last;
  makeJobs(10);
  REQUIRE(Last.blocks() == 10);
}
