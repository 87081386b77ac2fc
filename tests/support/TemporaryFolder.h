//===- TemporaryFolder.h - A folder that is removed after a test ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_TESTS_SUPPORT_TEMPORARYFOLDER_H
#define INMEM_TESTS_SUPPORT_TEMPORARYFOLDER_H

#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <system_error>

namespace inmem::test {

/// A new folder for a test's files, without links in its path. Removed with all
/// that is in it.
class TemporaryFolder {
public:
  /// \p Name: what its name begins with
  explicit TemporaryFolder(const std::string &Name) {
    std::string Pattern =
        (std::filesystem::canonical(testing::TempDir()) / (Name + "-XXXXXX"))
            .string();
    if (mkdtemp(Pattern.data()))
      Path = Pattern;
    else
      ADD_FAILURE() << "no folder " << Pattern;
  }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;
  ~TemporaryFolder() {
    std::error_code Ignored;
    if (!Path.empty())
      std::filesystem::remove_all(Path, Ignored);
  }

  const std::filesystem::path &path() const { return Path; }

private:
  std::filesystem::path Path;
};

} // namespace inmem::test

#endif
