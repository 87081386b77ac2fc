//===- assemble.cpp - The text form of a trace to a trace -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// %assemble -o OUT TEXT: the opposite of `inmem dump`, for tests that need a
// trace of a certain content. A text with several headers is that of several
// processes, one after the other as `inmem merge` leaves them (followers=N).
// Exit code 2: wrong usage; 3: no such text.
//
//===----------------------------------------------------------------------===//
#include "trace/read/Buffer.h"
#include "trace/text/Text.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string_view>

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
  std::string_view Rest(
      reinterpret_cast<const char *>((*Text)->bytes().data()),
      (*Text)->bytes().size());
  std::ofstream Out(Words[2], std::ios::binary);
  do {
    const std::string_view One = Rest.substr(
        0, std::min(Rest.find("\nheader ", Rest.find("header ")), Rest.size()));
    Rest.remove_prefix(One.size());
    const auto Bytes = inmem::trace::assemble(One);
    if (!Bytes) {
      std::fprintf(stderr, "%s: %s\n", Words[3], Bytes.status().str().c_str());
      return 3;
    }
    Out.write(reinterpret_cast<const char *>(Bytes->data()),
              static_cast<std::streamsize>(Bytes->size()));
  } while (!Rest.empty());
  return Out.flush() ? 0 : 1;
}
