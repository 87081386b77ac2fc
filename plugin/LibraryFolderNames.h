//===- LibraryFolderNames.h - folders for code of others ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared by the plugin and `inmem init`: C++17, without LLVM.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_PLUGIN_LIBRARYFOLDERNAMES_H
#define INMEM_PLUGIN_LIBRARYFOLDERNAMES_H

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string_view>

namespace inmem {

/// True for folder names that projects use for third-party code. Ignores case.
inline bool isNameOfLibraries(std::string_view Folder) {
  constexpr std::string_view kNames[] = {
      "third_party", "3rdparty",    "third-party",     "thirdparty",
      "vendor",      "external",    "extern",          "deps",
      "_deps",       "subprojects", "vcpkg_installed", "node_modules",
      "submodules"};
  const auto IsSame = [Folder](std::string_view Name) {
    return Folder.size() == Name.size() &&
           std::equal(Folder.begin(), Folder.end(), Name.begin(),
                      [](unsigned char A, unsigned char B) {
                        return std::tolower(A) == B;
                      });
  };
  return std::any_of(std::begin(kNames), std::end(kNames), IsSame) ||
         Folder.substr(0, 6) == ".conan";
}

} // namespace inmem

#endif
