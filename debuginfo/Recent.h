//===- Recent.h - A cache that forgets what was used longest ago -*- C++ -*-==//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_DEBUGINFO_RECENT_H
#define INMEM_DEBUGINFO_RECENT_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace inmem::debuginfo {

/// Values by key, of which trim() keeps the most recently used ones. Not
/// thread-safe.
template <class Key, class Value> class Recent {
public:
  /// The value of \p Of; null if it has none. It is valid until trim().
  Value *find(const Key &Of) {
    const auto At = All.find(Of);
    if (At == All.end())
      return nullptr;
    At->second.UsedAt = ++Uses;
    return &At->second.Kept;
  }

  /// As find(), if need be of a new value that \p Arguments construct, and true
  /// for a new one.
  template <class... Types>
  std::pair<Value &, bool> get(const Key &Of, Types &&...Arguments) {
    const auto [At, New] =
        All.try_emplace(Of, std::forward<Types>(Arguments)...);
    At->second.UsedAt = ++Uses;
    return {At->second.Kept, New};
  }

  size_t size() const { return All.size(); }
  void clear() { All.clear(); }

  /// Drops values until no more than \p Most are left. If there are more, half
  /// of \p Most is left, so that few calls have to look at all values.
  void trim(size_t Most) {
    if (All.size() <= Most)
      return;
    std::vector<uint64_t> Times;
    Times.reserve(All.size());
    for (const auto &[Of, One] : All)
      Times.push_back(One.UsedAt);
    const auto Oldest = Times.end() - static_cast<std::ptrdiff_t>(Most / 2 + 1);
    std::ranges::nth_element(Times, Oldest);
    std::erase_if(All, [Last = *Oldest](const auto &One) {
      return One.second.UsedAt <= Last;
    });
  }

private:
  struct Entry {
    template <class... Types>
    explicit Entry(Types &&...Arguments)
        : Kept(std::forward<Types>(Arguments)...) {}
    Value Kept;
    uint64_t UsedAt = 0;
  };
  std::map<Key, Entry> All;
  uint64_t Uses = 0;
};

} // namespace inmem::debuginfo

#endif
