// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Batches of objects that live for a known time: 30, then 20, then 10, one "10
// seconds" after the other, all dropped at the end. `batches MILLISECONDS` says
// how long such a second is (default 20).
//
//   inmem-clang++ -O2 -std=c++20 batches.cpp -o batches && ./batches
//   inmem report --buckets 100ms,300ms,500ms,700ms inmem.*.inmem
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

struct TestObject {
  long value;
};
using Batch = std::vector<std::unique_ptr<TestObject>>;

static Batch allocateObjects(int count) {
  Batch batch;
  for (int i = 0; i < count; ++i)
    batch.push_back(std::make_unique<TestObject>());
  return batch;
}

static std::chrono::milliseconds second{20};

static void wait(int seconds) { std::this_thread::sleep_for(seconds * second); }

int main(int argc, char **argv) {
  if (argc > 1)
    second = std::chrono::milliseconds(std::atoi(argv[1]));

  Batch round1 = allocateObjects(30);
  wait(10);
  Batch round2 = allocateObjects(20);
  wait(10);
  Batch round3 = allocateObjects(10);
  wait(10);

  round1 = allocateObjects(1); // drops 30 that are 30 seconds old
  round1.clear();              // drops 1 that is 0 seconds old
  round2.clear();              // drops 20 that are 20 seconds old
  round3.clear();              // drops 10 that are 10 seconds old
  std::puts("===");
}
