//===- Printers.h - Answers as text, CSV, JSON and a page -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_FLEET_PRINTERS_H
#define INMEM_FLEET_PRINTERS_H

#include "fleet/query/Question.h"
#include "report/text/Table.h"

namespace inmem::fleet {

std::string answerText(const Answer &A, const report::Style &S);
/// Begins with a line of names; what has a comma, quote or line end is in
/// quotes.
std::string answerCsv(const Answer &A);
/// An array of objects; numbers are exact.
std::string answerJson(const Answer &A);
/// A budget of `inmem check`, from rows with `type` (null: the totals) and
/// columns that are called like limits. Lifetimes are in ns.
trace::Result<std::string> answerBudget(const Answer &A);
/// One self-contained page: the question, its parameters, and a table that a
/// click on a column's title sorts.
std::string answerPage(const Answer &A, const Question &Q,
                       const std::vector<Parameter> &Given);

} // namespace inmem::fleet

#endif
