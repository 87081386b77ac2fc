//===- Replay.cpp - Runs a target on files, without libFuzzer -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   replay_NAME FILE|FOLDER...
//
//===----------------------------------------------------------------------===//
#include "Fuzz.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

namespace inmem::fuzz {
size_t peakOfHeap() { return 0; }
void resetPeak() {}
} // namespace inmem::fuzz

static size_t replay(const std::filesystem::path &File) {
  std::ifstream In(File, std::ios::binary);
  inmem::fuzz::check(In.is_open(), "the input can be opened");
  const std::vector<char> Bytes{std::istreambuf_iterator<char>(In), {}};
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t *>(Bytes.data()),
                         Bytes.size());
  return 1;
}

int main(int Count, char **Paths) {
  size_t Files = 0;
  for (int I = 1; I < Count; ++I)
    if (std::filesystem::is_directory(Paths[I]))
      for (const auto &Entry : std::filesystem::directory_iterator(Paths[I]))
        Files += replay(Entry.path());
    else
      Files += replay(Paths[I]);
  std::printf("%zu inputs\n", Files);
  return Files > 0 ? 0 : 1;
}
