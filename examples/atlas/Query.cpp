// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Query.h"

#include <algorithm>
#include <sstream>
#include <unordered_map>

namespace atlas {
namespace {

std::unique_ptr<Term> parseTerm(std::string word) {
  if (auto colon = word.find(':'); colon != std::string::npos)
    for (Kind kind : {Country, Subdivision, Language, Currency, Script})
      if (word.compare(0, colon, kKindNames[kind]) == 0)
        return std::make_unique<Term>(
            Term{Term::Code, kind, word.substr(colon + 1)});
  auto shape = word.ends_with('*') ? Term::Prefix : Term::Word;
  if (shape == Term::Prefix)
    word.pop_back();
  return std::make_unique<Term>(Term{shape, {}, std::move(word)});
}

} // namespace

std::vector<RecordPtr> Term::find(const Index &index) const {
  if (shape == Word)
    return index.byWord(text);
  std::vector<RecordPtr> found;
  if (shape == Prefix)
    for (const std::string &word : index.complete(text, 500))
      for (const RecordPtr &record : index.byWord(word))
        found.push_back(record);
  else if (RecordPtr record = index.byCode(kind, text))
    found.push_back(std::move(record));
  return found;
}

Query::Query(std::string text) : text_(std::move(text)) {
  std::istringstream in(text_);
  for (std::string word; in >> word;)
    terms_.push_back(parseTerm(word));
}

std::unique_ptr<Answer> Query::run(const Index &index) const {
  auto answer = std::make_unique<Answer>();
  answer->question = text_;
  std::unordered_map<const Record *, std::size_t> hits;
  for (const auto &term : terms_)
    for (const RecordPtr &record : term->find(index)) {
      ++answer->considered;
      if (++hits[record.get()] == terms_.size())
        answer->records.push_back(record);
    }
  std::ranges::sort(answer->records, {}, [](const RecordPtr &r) {
    return std::tie(r->name, r->code);
  });
  return answer;
}

} // namespace atlas
