// Intent: where the C++ library allocates, "made by" is the user's line, or else the function that the library's were inlined into;
// types have the names that reports give them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -std=c++17 -O2 %s -o %t.program
// RUN: env INMEM_OPTIONS=output=%t.inmem %t.program
// RUN: %inmem heap --top 0 %t.heap > %t.text
// RUN: %FileCheck --input-file %t.text %s
// RUN: %not grep -E '_Rb_tree_node|new_allocator\.h|__new_allocator' %t.text
// RUN: %inmem heap --why 'std::map<int, std::string> node' %t.heap | %FileCheck --check-prefix=WHY %s
// CHECK: TYPES
// CHECK: std::map<int, std::string> node
// CHECK: DUPLICATES
// CHECK: char {{ *}}6 {{ *}}2 {{ *}}100 B {{ *}}400 B  main  made-by.cpp:[[@LINE+15]]
// RUN: %inmem heap --why 'std::vector<char>' %t.heap | %FileCheck --check-prefix=GROWN %s
// GROWN: made by std::vector<std::vector<char>>::_M_realloc_{{.*}} at {{vector.tcc|stl_vector.h}}
// WHY: std::map<int, std::string> node at
#include <inmem/inmem.h>

#include <map>
#include <string>
#include <vector>

static std::map<int, std::string> Names;
static std::vector<std::vector<char>> Texts;

int main() {
  for (int I = 0; I < 6; ++I) {
    Texts.push_back(std::vector<char>(100, I % 2 ? 'x' : 'y'));
    Names[I] = "of the inside";
  }
  inmem_snapshot();
  return Names.size() + Texts.size() == 0;
}
