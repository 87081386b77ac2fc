// Intent: two calls of one line that begin the two ways of a branch keep their line with LTO, which optimises once more.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: rm -rf %t && mkdir %t
// DEFINE: %{lto} =
// DEFINE: %{lines} = %inmem-clangxx -O3 %{lto} %s -fuse-ld=lld -o %t/exe && env INMEM_OPTIONS=output=%t/inmem %t/exe && \
// DEFINE:   %inmem report %t/inmem --format json > %t/json && %python %S/Inputs/lines.py %t/json branches.cpp > %t/lines && \
// DEFINE:   %FileCheck %s < %t/lines && rm %t/inmem
// RUN: %{lines}
// REDEFINE: %{lto} = -flto
// RUN: %{lines}
// REDEFINE: %{lto} = -flto=thin
// RUN: %{lines}
// CHECK: whole
// CHECK: line 24: 20
#include <ostream>
#include <sstream>

// The C++ library's operator<< of a character inserts a string of one character
// where there is a width, and else puts the character.
__attribute__((noinline)) void insert(std::ostream &Out, int Width) {
  Out.width(Width);
  if (Width < 0)
    return;
  Out << '\n';
}

int main() {
  for (int I = 0; I < 10; ++I)
    for (int Width : {0, 5}) {
      std::ostringstream Out;
      Out << "fifteen letters";
      insert(Out, Width);
    }
}
