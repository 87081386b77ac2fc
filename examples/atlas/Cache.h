// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The answers asked for most recently. The oldest goes when it is full; an
// answer that was used often enough is asked anew, in case the data changed.
#pragma once

#include "Query.h"

#include <list>

namespace atlas {

class Cache {
public:
  explicit Cache(std::size_t capacity) : capacity_(capacity) {}
  ~Cache();
  Cache(const Cache &) = delete;
  Cache &operator=(const Cache &) = delete;

  /// The answer, or null if it is not here or due to be refreshed.
  const Answer *find(const std::string &question);
  const Answer *put(std::unique_ptr<Answer> answer);

  std::size_t hits = 0, misses = 0, refreshed = 0, evicted = 0;

private:
  static constexpr int kUsesUntilRefresh = 50;
  struct Entry {
    std::string question;
    Answer *answer; // owned
    int uses = 0;
  };
  std::size_t capacity_;
  std::list<Entry> entries_; // the most recently used first
  std::unordered_map<std::string, std::list<Entry>::iterator> lookup_;
};

} // namespace atlas
