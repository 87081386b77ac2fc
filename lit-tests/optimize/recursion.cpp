// Intent: a program that recurses along its data has thousands of contexts; its profile is small, nonetheless, and no signal
// that ends `inmem optimize` leaves a file behind.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -std=c++20 -O2 -g %s -o %t.recorded
// RUN: env INMEM_OPTIONS=stacks=16:clock=events:output=%t.inmem %t.recorded
// RUN: rm -rf %t.dir && mkdir %t.dir
// RUN: bash -c 'ulimit -v 1000000; exec %inmem optimize -o %t.dir/app.yaml %t.inmem' | %FileCheck --check-prefix=SUMMARY %s
// RUN: bash -c 'ulimit -v 1000000; exec %inmem optimize -o %t.dir/app.memprofdata %t.inmem'
// RUN: %python -c 'import os, sys; sys.exit(os.path.getsize(sys.argv[1]) > os.path.getsize(sys.argv[2]) / 4)' %t.dir/app.yaml %t.inmem
//
// The tool that makes the indexed form takes its time. It ends with us.
// RUN: env INMEM_OPTIONS=stacks=16:clock=events:output=%t.few.inmem %t.recorded few
// RUN: %python %S/Inputs/interrupted.py %t.dir/killed %inmem optimize -o %t.dir/killed/app.memprofdata %t.few.inmem
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

// SUMMARY: app.yaml: {{[1-9][0-9]*}} sites, {{[1-9].*}} contexts:

struct Expression {
  virtual ~Expression() = default;
  virtual std::string value() const = 0;
};
struct Word : Expression {
  std::string Text;
  std::string value() const override { return Text; }
};
template <int Kind> struct Both : Expression {
  std::unique_ptr<Expression> Left, Right;
  std::string value() const override {
    std::string All = Left->value() + Right->value();
    if (All.size() > 100)
      All.resize(30);
    return All;
  }
};

static unsigned Random = 1;
static unsigned next() { return Random = Random * 1664525 + 1013904223; }

static std::unique_ptr<Expression> make(unsigned Depth) {
  if (Depth == 0) {
    auto Leaf = std::make_unique<Word>();
    Leaf->Text = std::string(20 + (next() >> 9) % 30, 's');
    return Leaf;
  }
  const auto With = [&](auto Node) -> std::unique_ptr<Expression> {
    Node->Left = make(Depth - 1);
    Node->Right = make(Depth - 1);
    return Node;
  };
  switch (next() >> 25 & 3) {
  case 0:
    return With(std::make_unique<Both<0>>());
  case 1:
    return With(std::make_unique<Both<1>>());
  case 2:
    return With(std::make_unique<Both<2>>());
  default:
    return With(std::make_unique<Both<3>>());
  }
}

int main(int Count, char **) {
  std::vector<std::unique_ptr<Expression>> Program;
  for (int I = 0; I < (Count > 1 ? 1 : 30); ++I)
    Program.push_back(make(7));
  size_t Sum = 0;
  for (const auto &E : Program)
    Sum += E->value().size();
  return Sum == 0;
}
