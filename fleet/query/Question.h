//===- Question.h - Stored questions and their parameters -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stored question is a file NAME.sql of one SELECT that DuckDB and Spark
// answer alike. After its licence it has a line of help, and one for each
// parameter:
//
//   -- What it says.
//   -- :top integer 20 rows
//
// A default of `-` is none: the parameter must be given.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_FLEET_QUESTION_H
#define INMEM_FLEET_QUESTION_H

#include "fleet/query/Duck.h"

#include <filesystem>

namespace inmem::fleet {

struct QuestionParameter {
  std::string Name, Help;
  bool Integer = false;
  std::optional<std::string> Default;
};

struct Question {
  std::string Name, Help; ///< empty: given as text
  std::vector<QuestionParameter> Parameters;
  std::string Sql; ///< parameters are `:name`
};

/// Reads the text of a stored question.
trace::Result<Question> parseQuestion(const std::string &Name,
                                      const std::string &Text);
/// All questions of a folder, by name.
trace::Result<std::vector<Question>>
storedQuestions(const std::filesystem::path &Folder);

/// `:name` to DuckDB's `$name`, but for texts, names in quotes, comments and
/// `::` casts.
std::string withDollars(std::string_view Sql);

/// Values for the parameters of Q from words `name=value`; defaults fill in.
/// A text question takes each word: an integer if it reads as one.
trace::Result<std::vector<Parameter>>
valuesFor(const Question &Q, const std::vector<std::string> &Words);

} // namespace inmem::fleet

#endif
