//===- UserPlaces.cpp -----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/model/UserPlaces.h"

#include "report/model/Blame.h"
#include "report/names/TypeName.h"

#include <set>

namespace inmem::report {

const Place *userFrame(const Profile &P, const StackResult &R) {
  const auto F = innermostThatMatters(P, R.Frames, {});
  return F && !isLibrary(P.Calls.Frames[*F]) ? &P.Calls.Frames[*F].Where
                                             : nullptr;
}

UserPlaces::UserPlaces(const Profile &P) {
  if (P.Calls.empty())
    return;
  std::set<std::string_view> Functions; // that somebody's caller is wanted of
  for (const SiteResult &S : P.Sites)
    if (!isUserPath(S.Where.File))
      Functions.insert(S.Where.Function);
  std::vector<bool> Wanted;
  Wanted.reserve(P.Calls.Frames.size());
  for (const StackFrame &F : P.Calls.Frames)
    Wanted.push_back(Functions.contains(F.Where.Function));
  std::map<std::pair<size_t, std::string_view>, uint64_t> Most;
  for (const StackResult &R : P.Calls.Stacks) {
    const Place *User = nullptr;
    for (const uint32_t F : R.Frames) {
      if (!Wanted[F])
        continue;
      if (!User && !(User = userFrame(P, R)))
        break;
      const std::pair Key(R.Type,
                          std::string_view(P.Calls.Frames[F].Where.Function));
      const auto [Bytes, New] = Most.try_emplace(Key, R.Sum.AllocatedBytes);
      if (New || R.Sum.AllocatedBytes > Bytes->second) {
        Bytes->second = R.Sum.AllocatedBytes;
        Callers[Key] = User;
      }
    }
  }
}

const Place *UserPlaces::of(const SiteResult &S) const {
  if (isUserPath(S.Where.File))
    return &S.Where; // of the chain the first, see Where
  const auto At = Callers.find({S.Type, S.Where.Function});
  return At == Callers.end() ? nullptr : At->second;
}

} // namespace inmem::report
