// Intent: a call into libstdc++.so at the end of a function is not a tail call, so that what it allocates has the function's line; debug information changes nothing.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: rm -rf %t && mkdir %t
// DEFINE: %{g} =
// DEFINE: %{lines} = %inmem-clangxx -O2 -fPIC %{g} %s -o %t/exe%{g} && env INMEM_OPTIONS=output=%t/inmem%{g} %t/exe%{g} && \
// DEFINE:   %inmem report %t/inmem%{g} --format json > %t/json%{g} && %python %S/Inputs/lines.py %t/json%{g} tail-calls.cpp > %t/lines%{g}
// REDEFINE: %{g} = -g0
// RUN: %{lines}
// REDEFINE: %{g} = -gline-tables-only
// RUN: %{lines}
// REDEFINE: %{g} = -g
// RUN: %{lines}
// RUN: diff %t/lines-g0 %t/lines-gline-tables-only
// RUN: diff %t/lines-g0 %t/lines-g
// RUN: %FileCheck %s < %t/lines-g
// CHECK: whole
// CHECK: line 25: 10
// CHECK: line 29: 10
#include <ostream>
#include <sstream>
#include <string>

__attribute__((noinline)) void insert(std::ostream &Out,
                                      const std::string &Text) {
  Out << Text;
}
__attribute__((noinline)) void append(std::string &Out,
                                      const std::string &Text) {
  Out.append(Text);
}

int main() {
  const std::string Text = "short text";
  for (int I = 0; I < 10; ++I) {
    std::ostringstream Out;
    insert(Out, Text + Text);
    std::string S = "0123456789";
    append(S, Text);
  }
}
