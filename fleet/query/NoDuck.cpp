//===- NoDuck.cpp - A build without DuckDB's header -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces Duck.cpp and its dependencies. No Duck can be opened, so that the
// other functions are never reached.
//
//===----------------------------------------------------------------------===//
#include "fleet/query/Duck.h"

namespace inmem::fleet {

using trace::Result;
using trace::Status;

static Status unavailable() {
  return Status::error("", "this inmem was built without DuckDB's header: "
                           "scripts/quickstart --fleet fetches it and builds "
                           "again");
}

struct Duck::State {};
Duck::Duck(std::unique_ptr<State> Of) : Of(std::move(Of)) {}
Duck::Duck(Duck &&From) noexcept = default;
Duck::~Duck() = default;

std::string sqlText(std::string_view Text) { return std::string(Text); }
Result<Duck> Duck::open(const Limits &) { return unavailable(); }
std::string Duck::version() const { return ""; }
Status Duck::run(const std::string &) { return unavailable(); }
Status Duck::confine(const std::vector<std::string> &,
                     const std::vector<std::string> &) {
  return unavailable();
}
Status Duck::checkReadOnly(const std::string &) { return unavailable(); }
Result<QueryResult> Duck::query(const std::string &,
                                const std::vector<Parameter> &) {
  return unavailable();
}
Status Duck::runWith(const std::string &, const std::vector<Parameter> &) {
  return unavailable();
}
Status Duck::writeParquet(const Rows &, const std::vector<uint32_t> &,
                          const std::string &) {
  return unavailable();
}

} // namespace inmem::fleet
