// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// atlas: loads the iso-codes catalogue, indexes it and answers questions about
// it, the way a small service would.
//
//   atlas [number of questions] [folder of the iso_*.json files]
#include "Cache.h"

#include <charconv>
#include <iostream>
#include <random>

namespace {

/// Asks what people ask: a few things again and again, the rest of the world
/// now and then.
class Visitor {
public:
  explicit Visitor(const atlas::Catalog &catalog)
      : records_(catalog.records()) {}

  std::string nextQuestion() {
    const atlas::Record &record = *records_[pick()];
    switch (random_() % 4) {
    case 0:
      return std::string(atlas::kKindNames[record.kind]) + ":" + record.code;
    case 1:
      return atlas::wordsOf(record.name + " x").front().substr(0, 3) + "*";
    default:
      break;
    }
    std::string question;
    for (const std::string &word : atlas::wordsOf(record.name))
      question += (question.empty() ? "" : " ") + word;
    return question;
  }

private:
  std::size_t pick() { // half of the questions are about 64 records
    return random_() % 2 ? random_() % 64 * 97 % records_.size()
                         : random_() % records_.size();
  }
  const std::vector<atlas::RecordPtr> &records_;
  std::mt19937 random_{2024};
};

int run(unsigned questions, const char *folder) {
  const atlas::Catalog catalog = atlas::Catalog::load(folder);
  const atlas::Index index(catalog);
  std::cout << "catalogue: " << catalog.records().size() << " records, "
            << index.wordCount() << " words, " << index.nodeCount()
            << " index nodes\n";

  atlas::Cache cache(512);
  Visitor visitor(catalog);
  std::size_t found = 0, considered = 0;
  for (unsigned i = 0; i < questions; ++i) {
    std::string question = visitor.nextQuestion();
    const atlas::Answer *answer = cache.find(question);
    if (!answer) {
      atlas::Query query(std::move(question));
      answer = cache.put(query.run(index));
      considered += answer->considered;
    }
    found += answer->records.size();
  }
  std::cout << "questions: " << questions << ", " << found << " records found, "
            << considered << " considered\n"
            << "cache: " << cache.hits << " hits, " << cache.misses
            << " misses, " << cache.refreshed << " refreshed, " << cache.evicted
            << " evicted\n";
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  unsigned questions = 120000;
  const char *folder = argc > 2 ? argv[2] : "/usr/share/iso-codes/json";
  if (argc > 1) {
    std::string_view number = argv[1];
    auto [stop, error] =
        std::from_chars(number.begin(), number.end(), questions);
    if (argc > 3 || error != std::errc() || stop != number.end()) {
      std::cerr << "usage: atlas [number of questions] [folder of the "
                   "iso_*.json files]\n";
      return 2;
    }
  }
  try {
    return run(questions, folder);
  } catch (const std::exception &error) {
    std::cerr << "atlas: " << error.what() << '\n';
    return 1;
  }
}
