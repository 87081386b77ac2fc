// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Discriminator.cpp - the one function that the header of LLVM's demangler
// leaves to its library, which Debian has for glibc alone.
#include <algorithm>
#include <llvm/Demangle/ItaniumDemangle.h>

namespace llvm::itanium_demangle {

/// Which of several local entities of one name: `_5`, `__12_`, or digits that
/// end the name. \returns what follows; \p First: there is none
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
