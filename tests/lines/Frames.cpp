//===- Frames.cpp - Source frames of code as both of our readers see them -===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   inmem-frames runtime|report FILE < addresses
//
// The addresses are the file's own, in hexadecimal, one per line. Each gives a
// line "address" and a line "  function<TAB>file<TAB>line" for each frame,
// innermost first. compare.py compares them.
//
//===----------------------------------------------------------------------===//
#include "platform/Signals.h"
#include "stacks/Lines.h"
#include "tools/inmem/files/Symbolizer.h"

#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <iostream>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

std::vector<uint64_t> readAddresses() {
  std::vector<uint64_t> Out;
  uint64_t Address = 0;
  while (std::cin >> std::hex >> Address)
    Out.push_back(Address);
  return Out;
}

void show(const char *Function, const char *File, uint32_t Line) {
  std::printf("  %s\t%s\t%u\n", Function ? Function : "", File ? File : "",
              Line);
}

struct Job {
  const char *Path;
  std::vector<uint64_t> Addresses;
};

/// As the runtime does, with one reader for all.
void showRuntime(Job &J) {
  const auto Work = [](void *Context) {
    auto &J = *static_cast<Job *>(Context);
    const int Fd = open(J.Path, O_RDONLY);
    {
      inmem::rt::LineReader Lines(J.Path, Fd, size_t{4} << 30);
      for (const uint64_t Address : J.Addresses) {
        std::printf("%llx\n", static_cast<unsigned long long>(Address));
        const inmem::rt::LineFrame *Frames = nullptr;
        const unsigned Count = Lines.find(Address, Frames);
        for (unsigned I = 0; I < Count; ++I)
          show(Frames[I].Function, Frames[I].File, Frames[I].Line);
      }
    }
    close(Fd);
  };
  inmem::rt::runOnOwnStack(8 << 20, Work, &J);
}

void showReport(const Job &J) {
  inmem::tools::Symbolizer Symbols;
  for (const uint64_t Address : J.Addresses) {
    std::printf("%llx\n", static_cast<unsigned long long>(Address));
    for (const inmem::report::SourceLocation &P :
         Symbols.expand(J.Path, "", Address))
      show(P.Function.c_str(), P.File.c_str(), P.Line);
  }
}

} // namespace

int main(int Count, char **Arguments) {
  if (Count != 3) {
    std::fprintf(stderr, "usage: inmem-frames runtime|report FILE\n");
    return 2;
  }
  if (strcmp(Arguments[1], "runtime") == 0 &&
      !inmem::rt::LineReader::isAvailable())
    return 77;
  Job J = {Arguments[2], readAddresses()};
  if (strcmp(Arguments[1], "runtime") == 0)
    showRuntime(J);
  else
    showReport(J);
  return 0;
}
