//===- StringCopySums.cpp - Copies of strings, each once ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/model/Accumulators.h"

namespace inmem::report {

void StringCopySums::add(const trace::Trace &T) {
  for (const trace::StringCopy &C : T.StringCopies)
    if (Known.emplace(std::string(C.File), C.Line, C.Column, C.Kind, C.Key)
            .second)
      Out.push_back(
          {{Names.plain(C.Function), std::string(C.File), C.Line, C.Column},
           std::string(C.Name),
           C.Key,
           C.Kind,
           C.Flags});
}

} // namespace inmem::report
