// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds records by code, by word and by the beginning of a word.
#pragma once

#include "Catalog.h"

#include <map>
#include <string_view>
#include <unordered_map>

namespace atlas {

/// Lower-case words of a text; bytes beyond ASCII count as letters.
std::vector<std::string> wordsOf(std::string_view text);

class Index {
public:
  explicit Index(const Catalog &catalog);

  RecordPtr byCode(Kind kind, const std::string &code) const;
  const std::vector<RecordPtr> &byWord(const std::string &word) const;

  /// Up to `limit` words that begin with `prefix`, in alphabetical order.
  std::vector<std::string> complete(std::string_view prefix,
                                    std::size_t limit) const;

  std::size_t wordCount() const { return words_.size(); }
  std::size_t nodeCount() const { return nodeCount_; }

private:
  /// A node of the prefix tree over all words.
  struct TrieNode {
    std::map<char, std::unique_ptr<TrieNode>> children;
    bool endsWord = false;
  };
  void addWord(std::string_view word);
  static void collect(const TrieNode &node, std::string &word,
                      std::size_t limit, std::vector<std::string> &found);

  std::map<std::pair<Kind, std::string>, RecordPtr> codes_;
  std::unordered_map<std::string, std::vector<RecordPtr>> words_;
  TrieNode root_;
  std::size_t nodeCount_ = 1;
};

} // namespace atlas
