// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Index.h"

#include <cctype>
#include <utility>

namespace atlas {

std::vector<std::string> wordsOf(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  for (unsigned char c : text) {
    if (std::isalnum(c) || c >= 0x80)
      word += static_cast<char>(std::tolower(c));
    else if (!word.empty())
      words.push_back(std::exchange(word, {}));
  }
  if (!word.empty())
    words.push_back(std::move(word));
  return words;
}

Index::Index(const Catalog &catalog) {
  for (const RecordPtr &record : catalog.records()) {
    codes_.emplace(std::pair(record->kind, record->code), record);
    for (std::string &word : wordsOf(record->name)) {
      auto &postings = words_[word];
      if (postings.empty())
        addWord(word);
      if (postings.empty() || postings.back() != record)
        postings.push_back(record);
    }
  }
}

void Index::addWord(std::string_view word) {
  TrieNode *node = &root_;
  for (char letter : word) {
    auto &child = node->children[letter];
    if (!child) {
      child = std::make_unique<TrieNode>();
      ++nodeCount_;
    }
    node = child.get();
  }
  node->endsWord = true;
}

RecordPtr Index::byCode(Kind kind, const std::string &code) const {
  auto found = codes_.find({kind, code});
  return found == codes_.end() ? nullptr : found->second;
}

const std::vector<RecordPtr> &Index::byWord(const std::string &word) const {
  static const std::vector<RecordPtr> none;
  auto found = words_.find(word);
  return found == words_.end() ? none : found->second;
}

std::vector<std::string> Index::complete(std::string_view prefix,
                                         std::size_t limit) const {
  const TrieNode *node = &root_;
  for (char letter : prefix) {
    auto child = node->children.find(letter);
    if (child == node->children.end())
      return {};
    node = child->second.get();
  }
  std::vector<std::string> found;
  std::string word(prefix);
  collect(*node, word, limit, found);
  return found;
}

void Index::collect(const TrieNode &node, std::string &word, std::size_t limit,
                    std::vector<std::string> &found) {
  if (node.endsWord && found.size() < limit)
    found.push_back(word);
  for (const auto &[letter, child] : node.children) {
    if (found.size() >= limit)
      return;
    word.push_back(letter);
    collect(*child, word, limit, found);
    word.pop_back();
  }
}

} // namespace atlas
