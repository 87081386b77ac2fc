//===- Question.h - Stored questions and their parameters -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stored question is a file NAME.sql of one SELECT that DuckDB and Spark
// answer alike. After its licence it has a line of help, and one for each
// parameter:
//
//   -- Description.
//   -- :top integer 20 rows
//
// A default of `-` means no default: the parameter must be given.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_FLEET_QUESTION_H
#define INMEM_FLEET_QUESTION_H

#include "fleet/query/Duck.h"
#include "report/text/Table.h"

#include <filesystem>

namespace inmem::fleet {

struct QuestionParameter {
  std::string Name, Help;
  bool Integer = false;
  std::optional<std::string> Default;
};

struct Question {
  std::string Name, Help; ///< an empty Name: given as text
  std::vector<QuestionParameter> Parameters;
  std::string Sql; ///< parameters are `:name`
};

/// Reads the text of a stored question.
trace::Result<Question> parseQuestion(const std::string &Name,
                                      const std::string &Text);
/// All questions of a folder, by name.
trace::Result<std::vector<Question>>
storedQuestions(const std::filesystem::path &Folder);

/// Replaces `:name` by DuckDB's `$name`, except in texts, quoted names,
/// comments and `::` casts.
std::string withDollars(std::string_view Sql);

/// Values for the parameters of Q from words `name=value`; defaults fill in the
/// rest. A question given as SQL declares no parameters: any name is valid, and
/// a value that reads as an integer is one.
trace::Result<std::vector<Parameter>>
valuesFor(const Question &Q, const std::vector<std::string> &Words);

// Printers.cpp: Answers as text, CSV, JSON and a page.

std::string resultText(const QueryResult &A, const report::Style &S);
/// Begins with a line of names. Cells with a comma, quote or line end are
/// quoted.
std::string resultCsv(const QueryResult &A);
/// An array of objects; numbers are exact.
std::string resultJson(const QueryResult &A);
/// A budget of `inmem check`, from rows with `type` (null for the totals) and
/// columns named like limits. Lifetimes are in ns.
trace::Result<std::string> resultBudget(const QueryResult &A);
/// A self-contained page with the question, its parameters, and a table that
/// can be sorted by clicking a column's title.
std::string resultPage(const QueryResult &A, const Question &Q,
                       const std::vector<Parameter> &Given);

// Folders.cpp: The fleet's files in an installation.

/// `lib/inmem` next to the running program's `bin`; build folders and
/// installations have the same shape.
std::filesystem::path libraryFolder();
/// `share/inmem/queries`: the stored questions.
std::filesystem::path queryFolder();

} // namespace inmem::fleet

#endif
