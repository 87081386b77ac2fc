// Intent: a string that a library returns, which was not compiled with inmem, is a string's buffer at the line that called the library, with and without
// optimisation, from functions and methods, by exceptions' way too; short strings and strings that were there before change nothing.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: rm -rf %t && mkdir -p %t && %split-file %s %t
// RUN: %clangxx -O2 -fPIC -shared %t/library.cpp -I %t/vendor -o %t/liblibrary.so
// RUN: %inmem-clangxx -O2 -isystem %t/vendor %t/main.cpp %t/liblibrary.so -Wl,-rpath,%t -o %t/2 && env INMEM_OPTIONS=output=%t/2.inmem %t/2
// RUN: %inmem report --format json %t/2.inmem > %t/2.json
// RUN: %expect %t/2.json 'types["char"].allocations == 311' 'types["char"].allocated_bytes == 200 * 101 + 100 * 51 + 10 * 41 + 201'
// RUN: %inmem report --full %t/2.inmem | %FileCheck %t/main.cpp
// RUN: %inmem-clangxx -O0 -isystem %t/vendor %t/main.cpp %t/liblibrary.so -Wl,-rpath,%t -o %t/0 && env INMEM_OPTIONS=output=%t/0.inmem %t/0
// RUN: %inmem report --format json %t/0.inmem > %t/0.json
// RUN: %expect %t/0.json 'types["char"].allocations == 311'
// RUN: %inmem report --full %t/0.inmem | %FileCheck %t/main.cpp

;--- vendor/library.h
#include <string>
struct Table {
  std::string cell(int width) const;
  std::string held = std::string(200, 'h');
  const std::string &name() const;
};
std::string row(int width);
std::string failing(int width);
inline std::string format(int width) { return row(width); }
;--- library.cpp
#include "library.h"
static const char Text[201] = "a text of a library that makes its strings inline, as programs do at -O2";
static std::string made(int width) { return std::string(Text, Text + width); }
std::string Table::cell(int width) const { return made(width); }
const std::string &Table::name() const { return held; }
std::string row(int width) { return made(width); }
std::string failing(int width) { return width % 2 ? throw width : made(width); }
;--- main.cpp
#include "library.h"
static std::size_t total;
int main() {
  Table table;
  for (int i = 0; i < 100; ++i) {
    total += row(100).size();
    total += format(100).size();
    total += table.cell(50).size();
    total += row(3).size() + table.name().size();
  }
  for (int i = 0; i < 20; ++i)
    try {
      total += failing(40 + i % 2).size();
    } catch (int) {
    }
  return total == 0;
}
// CHECK: std::string buffer
// CHECK-DAG: main{{.*}}main.cpp:6
// CHECK-DAG: main{{.*}}main.cpp:7
// CHECK-DAG: main{{.*}}main.cpp:8
// CHECK-DAG: main{{.*}}main.cpp:13
