// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LOGSTAT_PARSE_H
#define LOGSTAT_PARSE_H

#include <string>
#include <vector>

namespace logstat {

/// One request of an access log: `client method path status bytes`.
struct Request {
  std::string Client, Path;
  int Status = 0;
  long Bytes = 0;
};

/// Splits a line at blanks.
std::vector<std::string> fieldsOf(const std::string &Line);

/// \returns false if the line is not a request
bool parse(const std::string &Line, Request &Into);

} // namespace logstat

#endif
