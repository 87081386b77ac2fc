//===- PackTrace.cpp - Traces to inputs of the fuzz targets ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   pack_trace FOLDER TRACE...     writes FOLDER/NAME of each TRACE
//
//===----------------------------------------------------------------------===//
#include "TraceInput.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

int main(int Count, char **Arguments) {
  if (Count < 3) {
    std::fprintf(stderr, "usage: pack_trace FOLDER TRACE...\n");
    return 2;
  }
  for (int I = 2; I < Count; ++I) {
    const std::filesystem::path From(Arguments[I]);
    std::ifstream In(From, std::ios::binary);
    const std::vector<char> Bytes{std::istreambuf_iterator<char>(In), {}};
    const auto Packed =
        inmem::fuzz::packTrace({Bytes.begin(), Bytes.end()}, true);
    std::ofstream(std::filesystem::path(Arguments[1]) / From.stem(),
                  std::ios::binary)
        .write(reinterpret_cast<const char *>(Packed.data()),
               static_cast<std::streamsize>(Packed.size()));
  }
  return 0;
}
