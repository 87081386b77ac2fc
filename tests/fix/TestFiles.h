//===- TestFiles.h - Files for a test ---------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_TESTS_FIX_TESTFILES_H
#define INMEM_TESTS_FIX_TESTFILES_H

#include "support/TemporaryFolder.h"

#include "llvm/Support/Error.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>

namespace inmem::test {

/// Files in a folder that is removed after the test.
class Files : public ::testing::Test {
protected:
  std::string write(const std::string &Name, const std::string &Text) const {
    const auto Path = Folder / Name;
    std::ofstream(Path) << Text;
    return Path.string();
  }

private:
  TemporaryFolder Temporary{"inmem-fix"};

protected:
  const std::filesystem::path Folder = Temporary.path();
};

/// The message of what failed; empty: nothing did.
template <class T> std::string messageOf(llvm::Expected<T> Of) {
  return Of ? std::string() : llvm::toString(Of.takeError());
}

} // namespace inmem::test

#endif
