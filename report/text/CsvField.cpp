//===- CsvField.cpp -------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/text/CsvField.h"

#include "report/text/Table.h"

#include <algorithm>

namespace inmem::report {

/// Text that is safe for a terminal: UTF-8, without control characters except
/// line ends and tabs.
static std::string cleaned(std::string_view Text) {
  std::string Out;
  for (size_t At = 0; At <= Text.size(); ++At) {
    const size_t End = std::min(Text.find_first_of("\t\r\n", At), Text.size());
    Out += printable({}, Text.substr(At, End - At));
    if (End < Text.size())
      Out += Text[End];
    At = End;
  }
  return Out;
}

std::string csvField(std::string_view Raw) {
  std::string Text = cleaned(Raw);
  if (Text.find_first_of(",\"\r\n") == std::string_view::npos)
    return Text;
  std::string Out = "\"";
  for (const char C : Text) {
    if (C == '"')
      Out += '"';
    Out += C;
  }
  return Out += '"';
}

} // namespace inmem::report
