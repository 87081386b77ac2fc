//===- NoteList.h - Notes on traces, each of them once --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_MODEL_NOTELIST_H
#define INMEM_REPORT_MODEL_NOTELIST_H

#include "trace/read/Reader.h"

#include <string>
#include <utility>
#include <vector>

namespace inmem::report {

/// Holds pointers to the traces that it was given.
class NoteList {
public:
  /// Once, if it is said again before anything is said of another trace.
  void add(const trace::Trace &T, std::string Text);
  /// One line for all traces of which it is said.
  void writeTo(std::vector<std::string> &Out) const;

private:
  std::vector<std::pair<std::string, std::vector<const trace::Trace *>>> Notes;
  size_t MoreNotes = 0;
};

} // namespace inmem::report

#endif
