//===- PlainNames.h - Functions as a programmer writes them ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_MODEL_PLAINNAMES_H
#define INMEM_REPORT_MODEL_PLAINNAMES_H

#include "report/names/TypeName.h"

#include <unordered_map>

namespace inmem::report {

/// Demangles each linkage name once.
class PlainNames {
public:
  const std::string &plain(std::string_view Linkage) {
    const auto [Where, New] = Plain.try_emplace(std::string(Linkage));
    if (New)
      Where->second = demangle(Linkage);
    return Where->second;
  }

private:
  std::unordered_map<std::string, std::string> Plain;
};

} // namespace inmem::report

#endif
