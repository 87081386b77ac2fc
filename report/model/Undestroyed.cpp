//===- Undestroyed.cpp - Classes with objects that were not destroyed -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/model/TypeFacts.h"

#include "report/names/TypeName.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <map>

namespace inmem::report {

/// Types of the blocks into which make_shared puts an object, keyed by the
/// names of such blocks, for sites with live blocks only.
static std::multimap<std::string_view, const TypeResult *>
sharedBlocks(const Profile &P) {
  std::multimap<std::string_view, const TypeResult *> Out;
  for (const TypeResult &T : P.Types)
    if (T.Sum.LiveAllocations > 0 &&
        T.Alias.ends_with("> object and control block"))
      Out.emplace(T.Alias, &T);
  return Out;
}

static void addLiveBlocks(const Profile &P, const TypeResult &Of,
                          Undestroyed &To) {
  To.InLiveBlocks += Of.Sum.LiveAllocations;
  for (const size_t I : Of.Sites)
    if (P.Sites[I].Sum.LiveAllocations > 0)
      To.LiveSites.push_back(I);
}

std::vector<Undestroyed> undestroyed(const Profile &P) {
  std::vector<Undestroyed> Rows;
  const auto Shared = sharedBlocks(P);
  for (const TypeResult &T : P.Types) {
    if (!T.Objects || !T.Name)
      continue;
    Undestroyed Row{&T, T.Objects->alive(), 0, {}};
    if (Row.Alive == 0 || (!Row.Alive && T.Objects->Heap == 0))
      continue;
    addLiveBlocks(P, T, Row);
    const auto [From, To] = Shared.equal_range(fmt::format(
        "std::shared_ptr<{}> object and control block", simplifyName(*T.Name)));
    for (auto Made = From; Made != To; ++Made)
      addLiveBlocks(P, *Made->second, Row);
    std::ranges::stable_sort(Row.LiveSites, std::greater{}, [&](size_t I) {
      return P.Sites[I].Sum.LiveAllocations;
    });
    if (Row.atLeast() > 0)
      Rows.push_back(std::move(Row));
  }
  std::sort(Rows.begin(), Rows.end(), [](const auto &A, const auto &B) {
    return A.atLeast() != B.atLeast()
               ? A.atLeast() > B.atLeast()
               : A.Type < B.Type; // elements of one vector
  });
  return Rows;
}

std::vector<ObjectSite> suspects(const ObjectCounts &Objects) {
  std::vector<ObjectSite> Sites = Objects.Sites;
  if (Objects.DestroyedIn)
    std::erase_if(Sites, [](const ObjectSite &S) { return S.Alive == 0; });
  std::stable_sort(Sites.begin(), Sites.end(),
                   [](const auto &A, const auto &B) {
                     return A.Alive.value_or(0) > B.Alive.value_or(0);
                   });
  return Sites;
}

} // namespace inmem::report
