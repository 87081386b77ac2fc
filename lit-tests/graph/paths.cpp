// Intent: paths read as one would write them: elements of arrays of arrays have an index for each, and so have those of containers of containers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -std=c++17 -O1 %s -o %t
// RUN: env INMEM_OPTIONS=output=%t.inmem %t | %FileCheck %s
#include <inmem/graph.h>

#include <array>
#include <cstdio>
#include <deque>
#include <memory>
#include <string>
#include <vector>

struct Leaf {
  long v[4];
};
struct Cell {
  std::unique_ptr<Leaf> leaf;
};
struct Holder {
  Leaf *raw[2][3] = {};
  std::unique_ptr<Leaf> grid[2][3][4];
  Cell cells[2][2];
  std::string names[3][2];
  std::vector<std::vector<std::unique_ptr<Leaf>>> vectors;
  std::vector<int> row[2];
  std::array<std::array<std::unique_ptr<Leaf>, 2>, 2> arrays;
  std::vector<std::array<std::unique_ptr<Leaf>, 2>> mixed;
  std::deque<std::vector<std::unique_ptr<Leaf>>> deque;
  Leaf *(*rows)[3] = nullptr;
  Leaf *(*function)(int) = nullptr;
};

static std::unique_ptr<Leaf> leaf() { return std::make_unique<Leaf>(); }
template <class T> static void show(const T &Object) {
  inmem::profile(Object).visit([](const inmem::ObjectNode &N) {
    if (!N.isShell() && N.type() != "Holder")
      std::printf("%s : %s (%s)\n", N.path().c_str(), N.type().c_str(), N.field().c_str());
  });
}

int main() {
  auto H = std::make_unique<Holder>();
  H->raw[1][2] = new Leaf;
  H->grid[1][0][2] = leaf();
  H->cells[1][0].leaf = leaf();
  H->names[2][1] = std::string(50, 'x');
  H->vectors.resize(2);
  H->vectors[1].resize(2);
  H->vectors[1][0] = leaf();
  H->row[1] = {1, 2, 3};
  H->arrays[1][0] = leaf();
  H->mixed.resize(2);
  H->mixed[1][0] = leaf();
  H->deque.resize(2);
  H->deque[1].resize(1);
  H->deque[1][0] = leaf();
  H->rows = new Leaf *[2][3] {};
  H->rows[1][0] = new Leaf;
  show(*H);
  // CHECK-DAG: root.raw[1][2] : Leaf (raw[1][2])
  // CHECK-DAG: root.grid[1][0][2] : Leaf (
  // CHECK-DAG: root.cells[1][0].leaf : Leaf (
  // CHECK-DAG: root.names[2][1] : char [51] (
  // CHECK-DAG: root.vectors[1][0] : Leaf (
  // CHECK-DAG: root.row[1] : int [3] (
  // CHECK-DAG: root.arrays[1][0] : Leaf (
  // CHECK-DAG: root.mixed[1][0] : Leaf (
  // CHECK-DAG: root.deque[1][0] : Leaf (
  // CHECK-DAG: root.rows[1][0] : Leaf (
  std::puts("local");
  // CHECK: local
  std::unique_ptr<Cell> local[2][3];
  local[1][1] = std::make_unique<Cell>();
  local[1][1]->leaf = leaf();
  show(local);
  // CHECK: root[1][1]->leaf : Leaf (leaf)
}
