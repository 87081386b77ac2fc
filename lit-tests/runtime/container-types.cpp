// Intent: the memory of standard containers is typed by what they hold.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -std=c++20 -O2 %s -o %t.exe
// RUN: %record %t.json -- %t.exe
// RUN: %expect %t.json 'types["Point"].elements >= 100' 'types["std::_Rb_tree_node<std::pair<const int, Point>>"].allocations == 50' \
// RUN:   'types["std::_List_node<Point>"].allocations == 20' 'any("Sp_counted" in row.type and row.allocations == 7 for row in typed)' \
// RUN:   'any("_Hash_node" in row.type and row.allocations == 30 for row in typed)'

// Filters take the readable names, commas and all.
// RUN: rm -f %t.inmem && env INMEM_OPTIONS=output=%t.inmem %t.exe
// RUN: %inmem report --full --type 'std::map<int, Point> node,std::list<Point> node' %t.inmem | %FileCheck %s --implicit-check-not=vector
// CHECK: chosen of it {{.*}} 2 types
// CHECK-DAG: map<int, Point> node
// CHECK-DAG: list<Point> node
// RUN: %inmem report --full --type 'map<int, Point> node' %t.inmem | %FileCheck %s --check-prefix=NONE
// NONE: no type is left (--type

#include <list>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

struct Point {
  int x, y, z;
};

int main() {
  std::vector<Point> points;
  std::map<int, Point> ordered;
  std::list<Point> chain;
  std::vector<std::shared_ptr<Point>> shared;
  std::unordered_map<int, Point> hashed;
  for (int i = 0; i < 100; ++i)
    points.push_back({i, i, i});
  for (int i = 0; i < 50; ++i)
    ordered[i] = points[i];
  for (int i = 0; i < 20; ++i)
    chain.push_back(points[i]);
  for (int i = 0; i < 7; ++i)
    shared.push_back(std::make_shared<Point>(points[i]));
  for (int i = 0; i < 30; ++i)
    hashed[i] = points[i];
}
