//===- assemble.cpp - The text form of a trace to a trace -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// %assemble -o OUT TEXT: the opposite of `inmem dump`, for tests that need a
// trace of a certain content. Exit code 2: wrong usage; 3: no such text.
//
//===----------------------------------------------------------------------===//
#include "trace/read/Buffer.h"
#include "trace/text/Text.h"

#include <cstdio>
#include <cstring>
#include <fstream>

int main(int Count, char **Words) {
  if (Count != 4 || std::strcmp(Words[1], "-o") != 0) {
    std::fputs("usage: inmem-assemble -o OUT TEXT\n", stderr);
    return 2;
  }
  const auto Text = inmem::trace::Buffer::open(Words[3]);
  if (!Text) {
    std::fprintf(stderr, "%s\n", Text.status().str().c_str());
    return 3;
  }
  const auto Bytes = inmem::trace::assemble(
      {reinterpret_cast<const char *>((*Text)->bytes().data()),
       (*Text)->bytes().size()});
  if (!Bytes) {
    std::fprintf(stderr, "%s: %s\n", Words[3], Bytes.status().str().c_str());
    return 3;
  }
  std::ofstream Out(Words[2], std::ios::binary);
  Out.write(reinterpret_cast<const char *>(Bytes->data()),
            static_cast<std::streamsize>(Bytes->size()));
  return Out.flush() ? 0 : 1;
}
