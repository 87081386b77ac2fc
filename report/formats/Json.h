//===- Json.h - JSON whose members keep their order ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_JSON_H
#define INMEM_REPORT_JSON_H

#include <nlohmann/json.hpp>

namespace inmem::report {

using Json = nlohmann::ordered_json;

} // namespace inmem::report

#endif
