//===- StringCopySums.h - Copies of strings, each once --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_MODEL_STRINGCOPYSUMS_H
#define INMEM_REPORT_MODEL_STRINGCOPYSUMS_H

#include "report/model/PlainNames.h"
#include "report/model/Profile.h"

#include <set>

namespace inmem::report {

class StringCopySums {
public:
  StringCopySums(std::vector<StringCopy> &Out, PlainNames &Names)
      : Out(Out), Names(Names) {}

  void add(const trace::Trace &T);

private:
  std::vector<StringCopy> &Out;
  PlainNames &Names;
  /// By their location, kind and parameter.
  std::set<std::tuple<std::string, uint32_t, uint32_t, uint8_t, uint64_t>>
      Known;
};

} // namespace inmem::report

#endif
