// Intent: where the C++ library allocates, "allocated by" is the user's line, with the library's function behind it; types have the names that
// reports give them.
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
// CHECK: std::vector<char> buffer {{ *}}6 {{ *}}2 {{ *}}100 B {{ *}}400 B  main  made-by.cpp:[[@LINE+32]]
// RUN: %inmem heap --why 'std::vector<char>' %t.heap | %FileCheck --check-prefix=GROWN %s
// GROWN: allocated by main at made-by.cpp:[[@LINE+30]]  [_M_realloc_{{.*}}]
// WHY: std::map<int, std::string> node at
// WHY-NEXT: allocated by main at made-by.cpp:[[@LINE+29]]
//
// Without inlining, too; two lines that call one function of the library are two places, and roots and containers are found as before.
// RUN: %inmem-clangxx -std=c++17 -O0 %s -o %t.program
// RUN: env INMEM_OPTIONS=output=%t.inmem %t.program
// RUN: %inmem heap --top 0 %t.heap > %t.text
// RUN: %FileCheck --check-prefix=TWICE --input-file %t.text %s
// TWICE: no leaks
// TWICE: Texts {{ *}}std::vector<std::vector<char>> {{ *}}6
// TWICE: DUPLICATES
// TWICE-DAG: std::vector<char> buffer {{ *}}6 {{ *}}2 {{ *}}100 B {{ *}}400 B  main  made-by.cpp:[[@LINE+18]]{{ +}}[{{.+}}]
// TWICE-DAG: std::string buffer {{ *}}2 {{ *}}1 {{ *}}301 B {{ *}}301 B  main  made-by.cpp:[[@LINE+21]]{{ +}}[{{.+}}]
// TWICE-DAG: std::string buffer {{ *}}2 {{ *}}1 {{ *}}301 B {{ *}}301 B  main  made-by.cpp:[[@LINE+21]]{{ +}}[{{.+}}]
//
// RUN: env INMEM_OPTIONS=output=%t.inmem:callers=off %t.program
// RUN: %inmem heap --top 0 %t.heap | %not grep "main *made-by.cpp"
#include <inmem/inmem.h>

#include <map>
#include <string>
#include <vector>

static std::map<int, std::string> Names;
static std::vector<std::vector<char>> Texts;
static std::vector<std::string> Twice;

int main() {
  for (int I = 0; I < 6; ++I) {
    Texts.push_back(std::vector<char>(100, I % 2 ? 'x' : 'y'));
    Names[I] = "of the inside";
  }
  for (int I = 0; I < 2; ++I) {
    Twice.push_back(std::string(300, 'a'));
    Twice.push_back(std::string(300, 'b'));
  }
  inmem_snapshot();
  return Names.size() + Texts.size() == 0;
}
