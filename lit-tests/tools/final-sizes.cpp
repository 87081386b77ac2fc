// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Intent: a regrowth's finding has p50 and p99 of the sizes at which vectors and strings end, and suggests a reserve
// that follows from them. With clock=events each size has lives of its own, so the figures are exact.
// RUN: %inmem-clangxx -std=c++17 -O2 -g %s -o %t.exe
// RUN: env INMEM_OPTIONS=output=%t.inmem:clock=events:stacks=8 %t.exe
// RUN: env COLUMNS=160 %inmem report --by finding %t.inmem | %FileCheck %s
// RUN: %inmem report --format json %t.inmem > %t.json
// RUN: %expect %t.json \
// RUN:   'sorted((f["site"]["function"], f["final_size"]["p50"], f["final_size"]["p99"]) for f in report["findings"] if "final_size" in f) == [("alike(int)", 512, 512), ("skewed(int)", 32, 2048), ("text(int)", 480, 1920)]'
#include <string>
#include <vector>

// What is allocated while a buffer of the last size lives tells that size by its life.
static char *volatile used;
static void use(std::size_t capacity) {
  used = new char[5 * capacity + 64];
  delete[] used;
}

// CHECK-DAG: std::vector<long> buffer · skewed
// CHECK-DAG: 6600 blocks for about 100{{[0-9]}} vectors, 1.8 MiB moved; final size p50 32, p99 2048 elements
// CHECK-DAG: → reuse one, outside of the loop or the caller's, which keeps its room; or reserve(32), or what each will hold
static long skewed(int count) {
  std::vector<long> out;
  for (int i = 0; i < count; ++i)
    out.push_back(i);
  use(out.capacity() * sizeof(long));
  return out.back();
}

// CHECK-DAG: std::vector<int> buffer · alike
// CHECK-DAG: final size p50 512, p99 512 elements
// CHECK-DAG: or reserve(512) before it is filled
static int alike(int count) {
  std::vector<int> out;
  for (int i = 0; i < count; ++i)
    out.push_back(i);
  use(out.capacity() * sizeof(int));
  return out.back();
}

// CHECK-DAG: std::string buffer · text
// CHECK-DAG: final size p50 480, p99 1920 characters
static std::size_t text(int rows) {
  std::string out;
  for (int i = 0; i < rows; ++i)
    out += "12345678";
  use(out.capacity() + 1);
  return out.size();
}

int main() {
  long sum = 0;
  for (int i = 0; i < 1000; ++i) {
    sum += skewed(i % 10 == 0 ? 2000 : 30);
    sum += alike(400);
    sum += static_cast<long>(text(i % 20 == 0 ? 200 : 50));
  }
  return sum == 0;
}
