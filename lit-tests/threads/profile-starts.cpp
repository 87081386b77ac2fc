// Intent: a thread gets no sample signal before it has an alternate stack: its own stack may have no room for a signal's frame.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -std=c++17 -O1 -pthread %s -o %t.exe
// RUN: env INMEM_OPTIONS=output=%t.inmem %t.exe wall
// RUN: %if all-tiers %{ env INMEM_OPTIONS=output=%t.inmem %t.exe cpu %}
#include <inmem/profile_api.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <pthread.h>
#include <sys/auxv.h>
#include <sys/mman.h>

static volatile bool Done;
static void *nothing(void *) { return nullptr; }
static void *busy(void *) {
  volatile double X = 1;
  while (!Done)
    X = X * 1.0000001;
  return nullptr;
}

/// The most that one of many threads uses of its stack, whose
/// contents are known before.
static size_t mostUsed(int Rounds) {
  constexpr size_t kBytes = 32768, kThreads = 4;
  static unsigned char *Stacks[kThreads];
  size_t Most = 0;
  for (int R = 0; R < Rounds; ++R) {
    pthread_t Ids[kThreads];
    for (size_t I = 0; I < kThreads; ++I) {
      if (!Stacks[I])
        Stacks[I] = static_cast<unsigned char *>(
            mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
      std::memset(Stacks[I], 0x5a, kBytes);
      pthread_attr_t Attributes;
      pthread_attr_init(&Attributes);
      pthread_attr_setstack(&Attributes, Stacks[I], kBytes);
      pthread_create(&Ids[I], &Attributes, nothing, nullptr);
    }
    for (const pthread_t Id : Ids)
      pthread_join(Id, nullptr);
    for (const unsigned char *Stack : Stacks)
      Most = std::max(
          Most, size_t(Stack + kBytes -
                       std::find_if(Stack, Stack + kBytes,
                                    [](unsigned char C) { return C != 0x5a; })));
  }
  return Most;
}

int main(int, char **Arguments) {
  pthread_t Load[3];
  for (pthread_t &Id : Load)
    pthread_create(&Id, nullptr, busy, nullptr);
  const size_t Before = mostUsed(400);
  inmem_profile_options How = {};
  How.interval_ns = 100000;
  How.clock = std::strcmp(Arguments[1], "cpu") == 0 ? INMEM_PROFILE_CPU
                                                      : INMEM_PROFILE_WALL;
  if (!inmem_profile_start(&How))
    return 2;
  const size_t Sampled = mostUsed(1600);
  Done = true;
  for (const pthread_t Id : Load)
    pthread_join(Id, nullptr);
  const size_t Frame = getauxval(AT_MINSIGSTKSZ);
  std::printf("%zu bytes of a stack; sampled %zu; a signal's frame %zu\n", Before,
              Sampled, Frame);
  return Sampled >= Before + (Frame ? Frame : 512);
}
