//===- LibraryNamespacesTest.cpp - Namespaces by folders of headers -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "registry/LibraryNamespaces.h"

#include <gtest/gtest.h>
#include <string>

using namespace inmem::rt;

namespace {

LibraryNamespaces of(const char *Path) {
  LibraryNamespaces Out;
  Out.addFolder(Path);
  return Out;
}

TEST(LibraryNamespaces, AreFoldersBehindInclude) {
  const auto All = of("/usr/include/nlohmann/detail/input");
  EXPECT_TRUE(All.contain("_ZN8nlohmann5parseEv"));
  EXPECT_TRUE(All.contain("_ZNK8nlohmann10basic_jsonIiE4dumpEv"));
  EXPECT_TRUE(All.contain("_ZNKR8nlohmann4dumpEv"));
  EXPECT_FALSE(All.contain("_ZN6detail5parseEv"));
  EXPECT_FALSE(All.contain("_ZN3app5parseERN8nlohmann4jsonE"));
  EXPECT_FALSE(All.contain("_ZN8nlohmanX5parseEv"));
  EXPECT_FALSE(All.contain("_ZN99999999999999999999nlohmannE"));
  EXPECT_FALSE(All.contain("nlohmann"));
  EXPECT_TRUE(of("/usr/include/eigen3/Eigen/src").contain("_ZN5Eigen1fEv"));
  EXPECT_TRUE(of("/usr/local/include/toml++/impl").contain("_ZN4toml1fEv"));
}

TEST(LibraryNamespaces, AreFoldersOfProjectsForCodeOfOthers) {
  EXPECT_TRUE(
      of("/home/me/app/third_party/fmt/include/fmt").contain("_ZN3fmt1fEv"));
  EXPECT_TRUE(of("../deps/kit").contain("_ZN3kit1fEv"));
  EXPECT_FALSE(of("/home/me/app/include/app").contain("_ZN3app1fEv"));
  EXPECT_FALSE(of("/home/me/fmt").contain("_ZN3fmt1fEv"));
}

TEST(LibraryNamespaces, AreNotThoseOfTheCompilerAndOfCommonNames) {
  EXPECT_FALSE(
      of("/usr/include/c++/12/experimental").contain("_ZN12experimental1fEv"));
  EXPECT_FALSE(of("/usr/include/core/src").contain("_ZN4core1fEv"));
}

TEST(LibraryNamespaces, AreReadFromAnyBytes) {
  LibraryNamespaces All;
  using namespace std::string_literals;
  const std::string Text = "\x01\xff/usr/include/fmt\0\x80/home/me/app\0"
                           "/usr/include/boost/asio"s;
  All.addStrings(Text.data(), Text.size());
  EXPECT_TRUE(All.contain("_ZN3fmt1fEv"));
  EXPECT_TRUE(All.contain("_ZN5boost1fEv"));
  EXPECT_FALSE(All.contain("_ZN2me1fEv"));
  for (int I = 0; I < 1000; ++I) // more than there is room for
    All.addFolder(("/usr/include/n" + std::to_string(I)).c_str());
  EXPECT_TRUE(All.contain("_ZN3fmt1fEv"));
  All.addFolder(("/usr/include/" + std::string(4000, 'x')).c_str());
}

} // namespace
