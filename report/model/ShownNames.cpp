//===- ShownNames.cpp -----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/model/ShownNames.h"

#include "report/model/LibraryCode.h"
#include "report/names/TypeName.h"

namespace inmem::report {

std::string_view sourceMark(trace::TypeSource Source) {
  return Source > trace::TypeSource::Certain ? "~" : "";
}

std::string shownOwn(const TypeResult &T) {
  if (!T.Name)
    return std::string(kUnknownType);
  return T.Alias.empty() ? simplifyName(*T.Name) : T.Alias;
}

std::string shownType(const TypeResult &T) {
  return T.BlocksAlias.empty() ? shownOwn(T) : T.BlocksAlias;
}

std::string shownClass(const TypeResult &T) {
  if (!T.Name)
    return std::string(kUnknownType);
  const std::string Alias = aliasOf(*T.Name);
  return Alias.empty() ? simplifyName(*T.Name) : Alias;
}

std::string shownBlocks(const Profile &P, const SiteResult &S) {
  const TypeResult &T = P.Types[S.Type];
  if (T.Name)
    return S.Alias.empty() ? shownType(T) : S.Alias;
  return isLibraryMemory(P, S) ? std::string(kLibraryMemory)
                               : std::string(kUnknownType);
}

std::string markedType(const TypeResult &T) {
  return std::string(sourceMark(T.Source)) + shownType(T);
}

std::string markedBlocks(const Profile &P, const SiteResult &S) {
  return std::string(sourceMark(S.Source)) + shownBlocks(P, S);
}

} // namespace inmem::report
