// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A question in the atlas's small language, and its answer.
//
//   republic of guinea     records whose name has all of these words
//   guin*                  words that begin so complete the question
//   country:FR             the one record of that kind and code
#pragma once

#include "Index.h"

namespace atlas {

struct Answer {
  std::string question;
  std::vector<RecordPtr> records;
  std::size_t considered = 0; // candidates looked at on the way
};

/// One word of a question, as parsed. Lives as long as the question.
struct Term {
  enum { Word, Prefix, Code } shape;
  Kind kind; // of a Code
  std::string text;
  std::vector<RecordPtr> find(const Index &index) const;
};

class Query {
public:
  explicit Query(std::string text);
  std::unique_ptr<Answer> run(const Index &index) const;

private:
  std::string text_;
  std::vector<std::unique_ptr<Term>> terms_;
};

} // namespace atlas
