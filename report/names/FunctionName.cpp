//===- FunctionName.cpp - Functions as short as tables need them ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/names/TypeName.h"

#include <algorithm>

namespace inmem::report {

/// Turns `void make<int>` into `make<int>`: templates are demangled with the
/// type that they return.
static std::string withoutReturnType(const std::string &Name) {
  int Depth = 0;
  size_t From = 0;
  for (size_t I = 0; I < Name.size(); ++I) {
    if (std::string_view(Name).substr(I).starts_with("operator"))
      break; // the rest may contain brackets and spaces
    if (std::string_view("<([{").find(Name[I]) != std::string_view::npos)
      ++Depth;
    else if (std::string_view(">)]}").find(Name[I]) != std::string_view::npos)
      --Depth;
    else if (Name[I] == ' ' && Depth == 0)
      From = I + 1;
  }
  return Depth == 0 || From > 0 ? Name.substr(From) : Name;
}

/// `f(int) [clone .isra.0]`, `f(int) (.resume)` without the compiler's suffix:
/// a clone has its lines.
static std::string_view withoutCloneMark(std::string_view Name) {
  for (;;) {
    const size_t Square =
        Name.ends_with(']') ? Name.rfind(" [clone ") : Name.npos;
    const size_t Round = Name.ends_with(')') ? Name.rfind(" (.") : Name.npos;
    const size_t At = std::min(Square, Round);
    if (At == Name.npos || At == 0)
      return Name;
    Name = Name.substr(0, At);
  }
}

std::string_view withoutParameters(std::string_view Name) {
  Name = withoutCloneMark(Name);
  if (!Name.ends_with(')') && !Name.ends_with(") const"))
    return Name;
  const size_t End = Name.rfind(')');
  int Depth = 0;
  for (size_t I = End + 1; I-- > 0;) {
    if (Name[I] == ')')
      ++Depth;
    else if (Name[I] == '(' && --Depth == 0) {
      // `operator()` and `(anonymous namespace)` are kept.
      if (I == 0 || Name.substr(0, I).ends_with("operator"))
        return Name;
      return Name.substr(0, I);
    }
  }
  return Name;
}

std::string bareFunction(std::string_view Demangled) {
  return withoutReturnType(std::string(withoutParameters(Demangled)));
}

std::string shortFunction(std::string_view Demangled) {
  return bareFunction(simplifyName(Demangled));
}

/// Where the last part of a scoped name begins; 0 without a scope.
static size_t lastPart(std::string_view Name) {
  int Depth = 0;
  size_t Last = 0;
  for (size_t I = 0; I + 1 < Name.size(); ++I) {
    if (Depth == 0 && Name.substr(I).starts_with("operator"))
      break; // the rest is not a scope
    if (std::string_view("<([{").find(Name[I]) != std::string_view::npos)
      ++Depth;
    else if (std::string_view(">)]}").find(Name[I]) != std::string_view::npos)
      --Depth;
    else if (Depth == 0 && Name[I] == ':' && Name[I + 1] == ':')
      Last = ++I + 1;
  }
  return Last;
}

std::string_view withoutClone(std::string_view Linkage) {
  return Linkage.substr(0, Linkage.find_first_of(".@", 1));
}

std::string scopeOf(std::string_view ShortFunction) {
  const size_t Last = lastPart(ShortFunction);
  return std::string(ShortFunction.substr(0, Last < 2 ? 0 : Last - 2));
}

} // namespace inmem::report
