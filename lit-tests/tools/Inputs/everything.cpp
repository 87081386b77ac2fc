// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Does a little of all that reports have a member for.
//   everything         phases, threads, a forked child, a heap snapshot
//   everything wait    reads a line first, as a server that is looked at
//   everything more    allocates more
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <inmem/inmem.h>

struct Padded {
  char kind = 0;
  long number = 0;
  char state = 0;
  std::string *name = nullptr;
};
struct Copied {
  std::vector<int> numbers = std::vector<int>(100);
};
struct Leaf {
  int n = 0;
  ~Leaf() { n = 0; }
};
struct Wide {
  long words[3];
};

static void *volatile Sink;
static std::map<int, std::unique_ptr<Padded>> ByNumber;
static std::vector<int> *Sparse;
static std::vector<std::string *> *Same;

[[gnu::noinline]] static void grow(int count) {
  std::vector<int> all;
  for (int i = 0; i < count; ++i)
    all.push_back(i);
  Sink = all.data();
}

[[gnu::noinline]] static size_t copyEach(const std::vector<Copied> &all) {
  size_t sum = 0;
  for (Copied each : all)
    sum += each.numbers.size();
  return sum;
}

[[gnu::noinline]] static void recurse(int depth) {
  auto *text = new std::string(40 + depth, 'x');
  if (depth > 0)
    recurse(depth - 1);
  Sink = text;
  delete text;
}

// The size says Leaf, the pointer Wide.
[[gnu::noinline]] static void doubtful() {
  static volatile size_t Count = 3;
  auto *wide = static_cast<Wide *>(std::malloc(Count * 16 * sizeof(Leaf)));
  Sink = wide;
}

// Blocks of one kind at two lines.
[[gnu::noinline]] static void twice(int rounds) {
  for (int i = 0; i < rounds; ++i) {
    auto *first = new std::string(100, 'x');
    Sink = first;
    delete first;
    auto *second = new std::string(100, 'y');
    Sink = second;
    delete second;
  }
}

[[gnu::noinline]] static void leak() {
  for (int i = 0; i < 30; ++i)
    Sink = new Leaf;
  delete new (std::nothrow) Leaf;
  Sink = nullptr;
}

[[gnu::noinline]] static void spin(long rounds) {
  char text[64];
  volatile double sum = 0;
  for (long i = 0; i < rounds; ++i) {
    std::snprintf(text, sizeof text, "%ld %g", i, sum);
    sum = sum + std::strlen(text);
  }
  // Long enough for dozens of samples in the program itself, at one a millisecond.
  for (long i = 0; i < 50 * rounds; ++i)
    sum = sum + 1;
}

static void keep() {
  for (int i = 0; i < 20; ++i)
    ByNumber[i] = std::make_unique<Padded>();
  Sparse = new std::vector<int>();
  Sparse->reserve(100000);
  Same = new std::vector<std::string *>();
  for (int i = 0; i < 50; ++i)
    Same->push_back(new std::string(200, 'x'));
  // Objects in a block that is no object of theirs; and a leak.
  char *arena = new char[256];
  for (int i = 0; i < 4; ++i)
    new (arena + 16 * i) Leaf;
  Sink = arena;
  static char *volatile Kept;
  Kept = arena;
}

int main(int argc, char **argv) {
  char line[16];
  const bool Waits = argc > 1 && !std::strcmp(argv[1], "wait");
  const bool More = argc > 1 && !std::strcmp(argv[1], "more");
  if (Waits) {
    std::puts("ready");
    std::fflush(stdout);
    if (!std::fgets(line, sizeof line, stdin))
      return 1;
  }
  inmem_phase("first");
  Sink = mmap(nullptr, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  keep();
  leak();
  inmem_snapshot(nullptr);
  for (int i = 0; i < (More ? 300 : 200); ++i)
    grow(1000);
  // A time line has slopes from twelve points on.
  for (int i = 0; i < 14; ++i) {
    Sink = new Wide[10];
    usleep(1000);
    inmem_snapshot("tick");
  }
  std::vector<Copied> all(20);
  std::printf("%zu\n", copyEach(all));
  recurse(5);
  twice(500);
  doubtful();
  inmem_snapshot("middle");
  inmem_phase("second");
  std::thread([] {
    for (int i = 0; i < 1000; ++i)
      grow(1000);
  }).join();
  for (int i = 0; i < 50; ++i)
    Same->push_back(new std::string(200, 'y'));
  inmem_snapshot(nullptr);
  spin(Waits ? 1 : 400000);
  if (const pid_t child = fork()) {
    int status = 0;
    waitpid(child, &status, 0);
  } else {
    delete Sparse;
    Sink = new Leaf;
    return 0;
  }
}
