// Intent: pointers to freed memory cost one search of it, not one each, and what lives in between is found all the same.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -std=c++17 -O1 %s -o %t.exe
// RUN: env INMEM_OPTIONS=output=%t.inmem %t.exe
#include <inmem/graph.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <vector>

#define REQUIRE(C)                                                             \
  ((C) ? (void)0                                                               \
       : (std::fprintf(stderr, "line %d: %s\n", __LINE__, #C), std::_Exit(1)))

struct Node {
  int Values[4];
};

static double cpuSeconds() {
  timespec T;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &T);
  return double(T.tv_sec) + double(T.tv_nsec) * 1e-9;
}

/// The least of three runs.
static double cpuSecondsOf(const std::vector<Node *> &Dangling) {
  double Least = 1e9;
  for (int Run = 0; Run < 3; ++Run) {
    const double Before = cpuSeconds();
    const auto Size = inmem::deepSize(Dangling);
    Least = std::min(Least, cpuSeconds() - Before);
    REQUIRE(Size == sizeof Dangling + Dangling.capacity() * sizeof(Node *));
  }
  return Least;
}

// 64 MB of freed blocks, of which a thousand pointers take one search, as does
// one pointer.
static void cost() {
  std::vector<char *> Blocks;
  for (int I = 0; I < (64 << 20) / 4096; ++I)
    Blocks.push_back(static_cast<char *>(std::malloc(4080)));
  std::vector<Node *> Dangling;
  for (size_t I = 0; I < 1000; ++I)
    Dangling.push_back(reinterpret_cast<Node *>(Blocks[I * 7919 % Blocks.size()] + 64));
  for (char *B : Blocks)
    std::free(B);
  const double One = cpuSecondsOf({Dangling[500]}), All = cpuSecondsOf(Dangling);
  std::printf("%.6f s for one pointer, %.6f s for a thousand\n", One, All);
  REQUIRE(All < 100 * One);
}

// Islands of live blocks of all sizes in freed memory, in any order.
static void sizes(unsigned Seed) {
  std::mt19937 Random(Seed);
  std::vector<Node *> All;
  std::vector<void *> Between;
  std::vector<uint64_t> Sizes;
  Sizes.reserve(1500);
  for (int I = 0; I < 1500; ++I) {
    const size_t Count = 1 + Random() % (I % 50 == 0 ? 5000 : 8);
    All.push_back(new Node[Count]);
    All.back()->Values[0] = static_cast<int>(Count);
    Between.push_back(std::malloc(16 + Random() % (I % 100 == 0 ? 1000000 : 3000)));
  }
  std::shuffle(All.begin(), All.end(), Random);
  for (void *P : Between)
    std::free(P);
  for (Node *N : All) {
    const bool Lives = Random() % 4 == 0;
    Sizes.push_back(Lives ? static_cast<uint64_t>(N->Values[0]) * sizeof(Node) : 0);
    if (!Lives)
      delete[] N;
  }
  for (size_t I = 0; I < All.size(); ++I)
    REQUIRE(inmem::deepSize(All[I]) == sizeof(Node *) + Sizes[I]);
}

int main() {
  cost();
  for (unsigned Seed = 0; Seed < 2; ++Seed)
    sizes(Seed);
}
