//===- Json.h - JSON with members in insertion order ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_JSON_H
#define INMEM_REPORT_JSON_H

#include <concepts>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace inmem::report {

using Json = nlohmann::ordered_json;

/// Unknown values are null, never 0 or "".
template <class T> Json orNull(const std::optional<T> &Value) {
  return Value ? Json(*Value) : Json(nullptr);
}
inline Json orNull(const std::string &Text) {
  return Text.empty() ? Json(nullptr) : Json(Text);
}
inline Json orNull(std::unsigned_integral auto Number) {
  return Number == 0 ? Json(nullptr) : Json(Number);
}

/// A document as commands print it: indented by two, with a newline at the end.
/// Bytes that are not UTF-8 become replacement characters.
inline std::string jsonText(const Json &Document) {
  return Document.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

} // namespace inmem::report

#endif
