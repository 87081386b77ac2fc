//===- OptionsTarget.cpp - INMEM_OPTIONS ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Fuzz.h"

#include "options/Options.h"

#include <cstring>
#include <string>

using namespace inmem;

int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  const fuzz::WithinASecond Limit;
  const std::string Spec(reinterpret_cast<const char *>(Data), Size);
  static rt::Options O;
  rt::wantsHelp(Spec.c_str());
  rt::parseOptions(Spec.c_str(), O, [](const char *Line) {
    fuzz::check(std::strlen(Line) < 1024, "a complaint is one line");
  });
  fuzz::check(O.Every > 0, "every is at least 1");
  fuzz::check(O.Output.Value[0] != 0, "there is a name for the trace");
  const size_t Half = Size / 2;
  rt::matchesAnyGlob(Spec.substr(0, Half).c_str(), Spec.substr(Half).c_str());
  return 0;
}
