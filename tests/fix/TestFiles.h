//===- TestFiles.h - Files for a test ---------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_TESTS_FIX_TESTFILES_H
#define INMEM_TESTS_FIX_TESTFILES_H

#include "llvm/Support/Error.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

namespace inmem::test {

/// Files in a folder that is removed after the test.
class Files : public ::testing::Test {
protected:
  Files()
      : Folder(std::filesystem::canonical(::testing::TempDir()) /
               ("inmem-fix-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(Folder);
  }
  ~Files() override { std::filesystem::remove_all(Folder); }

  std::string write(const std::string &Name, const std::string &Text) const {
    const auto Path = Folder / Name;
    std::ofstream(Path) << Text;
    return Path.string();
  }

  std::filesystem::path Folder;
};

/// The message of what failed; empty: nothing did.
template <class T> std::string messageOf(llvm::Expected<T> Of) {
  return Of ? std::string() : llvm::toString(Of.takeError());
}

} // namespace inmem::test

#endif
