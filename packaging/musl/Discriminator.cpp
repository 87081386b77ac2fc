// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Discriminator.cpp - the one function that the header of LLVM's demangler
// leaves to its library. Debian builds that library only for glibc.
#include <algorithm>
#include <llvm/Demangle/ItaniumDemangle.h>

namespace llvm::itanium_demangle {

/// The number of a local entity among several with one name: `_5`, `__12_`, or
/// digits that end the name. \returns the rest of the text; \p First if there
/// is no number
const char *parse_discriminator(const char *First, const char *Last) {
  const auto digitsEnd = [Last](const char *At) {
    return std::find_if(At, Last, [](char C) { return C < '0' || C > '9'; });
  };
  const size_t Underscores = First != Last && *First == '_'
                                 ? Last - First > 1 && First[1] == '_' ? 2 : 1
                                 : 0;
  const char *Digits = First + Underscores, *End = digitsEnd(Digits);
  switch (Underscores) {
  case 0:
    return End == Last ? Last : First;
  case 1:
    return End == Digits ? First : Digits + 1;
  default:
    return End != Last && *End == '_' ? End + 1 : First;
  }
}

} // namespace llvm::itanium_demangle
