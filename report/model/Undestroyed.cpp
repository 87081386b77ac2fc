//===- Undestroyed.cpp --------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/model/Undestroyed.h"

#include "report/names/TypeName.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace inmem::report {

/// Blocks that are alive of those that make_shared puts an object into, by what
/// such blocks are called.
static std::map<std::string_view, uint64_t> liveSharedBlocks(const Profile &P) {
  std::map<std::string_view, uint64_t> Out;
  for (const TypeResult &T : P.Types)
    if (T.Sum.LiveAllocations > 0 &&
        T.Alias.ends_with("> object and control block"))
      Out[T.Alias] += T.Sum.LiveAllocations;
  return Out;
}

std::vector<Undestroyed> undestroyed(const Profile &P) {
  std::vector<Undestroyed> Rows;
  const auto Shared = liveSharedBlocks(P);
  for (const TypeResult &T : P.Types) {
    if (!T.Objects || !T.Name)
      continue;
    Undestroyed Row{&T, T.Objects->alive()};
    if (Row.Alive == 0 || (!Row.Alive && T.Objects->Heap == 0))
      continue;
    Row.InLiveBlocks = T.Sum.LiveAllocations;
    if (const auto Made = Shared.find(
            fmt::format("std::shared_ptr<{}> object and control block",
                        simplifyName(*T.Name)));
        Made != Shared.end())
      Row.InLiveBlocks += Made->second;
    if (Row.atLeast() > 0)
      Rows.push_back(Row);
  }
  std::sort(Rows.begin(), Rows.end(), [](const auto &A, const auto &B) {
    return A.atLeast() != B.atLeast() ? A.atLeast() > B.atLeast()
                                      : A.Type < B.Type; // of one vector
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
