// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "parse.h"

#include <cstdlib>

namespace logstat {

std::vector<std::string> fieldsOf(const std::string &Line) {
  std::vector<std::string> Fields;
  std::string Field;
  for (const char C : Line) {
    if (C != ' ') {
      Field += C;
      continue;
    }
    Fields.push_back(Field);
    Field.clear();
  }
  Fields.push_back(Field);
  return Fields;
}

bool parse(const std::string &Line, Request &Into) {
  const std::vector<std::string> Fields = fieldsOf(Line);
  if (Fields.size() != 5)
    return false;
  Into.Client = Fields[0];
  Into.Path = Fields[2];
  Into.Status = std::atoi(Fields[3].c_str());
  Into.Bytes = std::atol(Fields[4].c_str());
  return true;
}

} // namespace logstat
