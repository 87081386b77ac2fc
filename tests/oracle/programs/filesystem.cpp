// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Paths, directory iteration and errors of std::filesystem.
#include <cstdio>
#include <filesystem>

int main() {
  namespace fs = std::filesystem;
  std::size_t total = 0;
  for (const fs::directory_entry &entry :
       fs::directory_iterator("/proc/self/attr"))
    total += entry.path().filename().string().size();
  fs::path path = "/some/where/far/../away/./from/home.tar.gz";
  total += path.lexically_normal().string().size() +
           path.extension().string().size();
  for (const fs::path &part : path)
    total += part.string().size();
  std::error_code error;
  total += fs::exists("/no/such/file", error);
  try {
    fs::file_size("/no/such/file");
  } catch (const fs::filesystem_error &failure) {
    total += failure.path1().string().size();
  }
  std::printf("%zu\n", total);
}
