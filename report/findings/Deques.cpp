//===- Deques.cpp - Deques that hold a few elements -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/base/Units.h"
#include "report/findings/Rules.h"
#include "report/names/TypeName.h"

#include <fmt/format.h>
#include <map>
#include <string_view>

namespace inmem::report {

/// A line and the type of its deques.
struct DequeLine {
  std::string_view Type, Function, File;
  uint32_t Line;

  auto operator<=>(const DequeLine &) const = default;
};

/// Allocations of a DequeLine: arrays of pointers, and the chunks of elements
/// that these point to.
struct DequesOfLine {
  const SiteResult *Map = nullptr;
  std::vector<size_t> Sites;
  uint64_t Maps = 0, MapBytes = 0, Chunks = 0, ChunkBytes = 0;
};

/// libstdc++ allocates two blocks for each deque, even for one that stays
/// empty: a chunk of elements and an array of pointers to chunks. A vector
/// allocates nothing while it is empty.
void findShortDeques(FindingList &Out) {
  const Profile &P = Out.P;
  std::map<DequeLine, DequesOfLine> All;
  for (size_t I = 0; I < P.Sites.size(); ++I) {
    const SiteResult &S = P.Sites[I];
    const std::string_view Alias = S.Alias;
    const bool IsMap = Alias.ends_with(" map");
    if (!isInStd(Alias, "deque<") || (!IsMap && !Alias.ends_with(" block")))
      continue;
    const SourceLocation &At = locationOf(S);
    DequesOfLine &D =
        All[{Alias.substr(0, Alias.rfind(' ')), At.Function, At.File, At.Line}];
    D.Sites.push_back(I);
    if (IsMap) {
      D.Map = &S;
      D.Maps += S.Sum.Allocations;
      D.MapBytes += S.Sum.AllocatedBytes;
    } else {
      D.Chunks += S.Sum.Allocations;
      D.ChunkBytes += S.Sum.AllocatedBytes;
    }
  }
  // At most one deque in this number may have had a second chunk, or a larger
  // map.
  constexpr uint64_t kFew = 10;
  for (const auto &[Of, D] : All) {
    if (!D.Map || D.Chunks > D.Maps + D.Maps / kFew)
      continue;
    Finding F = Out.of(RuleId::ShortDeque, *D.Map);
    F.Alias = Of.Type;
    F.Sites = D.Sites;
    F.Allocations = D.Maps + D.Chunks;
    F.Bytes = D.MapBytes + D.ChunkBytes;
    F.SavesAllocations = D.Maps;
    F.SavesBytes = D.MapBytes;
    F.Judged = Finding::Blocks{F.Bytes, F.Allocations};
    F.Message = fmt::format(
        "{} of at most one chunk, {} and {} each", counted(D.Maps, "deque"),
        counted(F.Allocations / D.Maps, "block"), humanBytes(F.Bytes / D.Maps));
    F.Advice = "std::vector, or for a std::stack std::stack<T, std::vector<T>>,"
               " allocates nothing while it is empty and one block for the "
               "first element";
    Out.add(std::move(F), D.Map);
  }
}

} // namespace inmem::report
