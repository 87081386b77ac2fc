//===- NamesTarget.cpp - Names from traces, words from the command line ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lines: the first is also a pattern, all are functions from inside outwards.
//
//===----------------------------------------------------------------------===//
#include "Fuzz.h"

#include "report/base/Units.h"
#include "report/base/Words.h"
#include "report/names/TypeName.h"

using namespace inmem;
using namespace inmem::report;

int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  const fuzz::WithinASecond Limit;
  const std::string_view All(reinterpret_cast<const char *>(Data), Size);
  std::vector<std::string_view> Lines;
  for (std::string_view Rest = All; !Rest.empty();) {
    const size_t End = Rest.find('\n');
    Lines.push_back(Rest.substr(0, End));
    Rest = End == std::string_view::npos ? std::string_view()
                                         : Rest.substr(End + 1);
  }
  fuzz::resetPeak();
  for (const std::string_view Line : Lines) {
    simplifyName(Line);
    aliasOf(Line);
    demangle(Line);
    isSystemPath(Line);
    parseDuration(Line);
    parseBytes(Line);
    matchesGlob(Lines[0], Line);
    typeInLibrary(Lines[0], Line);
  }
  aliasOfSite(Lines);
  fuzz::check(fuzz::peakOfHeap() <= (1 << 20) + 64 * Size,
              "names take at most 64 times their length");
  return 0;
}
