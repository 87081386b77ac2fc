//===- holes.cpp - Programs that leave holes ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// holes MODE: brings its heap into a state, and serves (Serve.h).
//
//   cache    entries come and go; what is kept of each tenth request stays
//   phase    nine of ten blocks of one line are freed, as at a phase's end
//   grow     a buffer that was large, and blocks at the end of the heap
//   server   sixteen threads that live on, each with a cache as above, hand
//            each fiftieth entry to the next one
//
//===----------------------------------------------------------------------===//
#include "Serve.h"

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

struct Entry {
  char *Text;
  uint32_t Key, Length;
};
struct Session {
  uint64_t Id;
  char Name[48];
};

class Random {
public:
  explicit Random(uint32_t Seed) : State(Seed) {}
  uint32_t below(uint32_t Limit) {
    State = State * 1664525 + 1013904223;
    return (State >> 8) % Limit;
  }

private:
  uint32_t State;
};

__attribute__((noinline)) Entry *newEntry(Random &R, uint32_t Key) {
  auto *E = new Entry;
  E->Key = Key;
  E->Length = 80 + R.below(300);
  E->Text = static_cast<char *>(memset(malloc(E->Length), 'x', E->Length));
  return E;
}
__attribute__((noinline)) Session *newSession(uint32_t Key) {
  auto *S = new Session;
  S->Id = Key;
  memset(S->Name, 'n', sizeof S->Name);
  return S;
}
void drop(Entry *E) {
  free(E->Text);
  delete E;
}

std::mutex Lock;
std::vector<Entry *> Handed;

/// Hands an entry over, and gets an older one; null: there is none.
Entry *handOver(Entry *E) {
  const std::lock_guard<std::mutex> L(Lock);
  Handed.push_back(E);
  if (Handed.size() < 40)
    return nullptr;
  Entry *Old = Handed.front();
  Handed.erase(Handed.begin());
  return Old;
}

void serveRequests(uint32_t Seed, uint32_t Count, bool Hands) {
  Random R(Seed);
  // Neither is freed: it is what the program keeps.
  auto *Sessions = new std::vector<Session *>;
  auto *Entries = new std::vector<Entry *>;
  Entries->reserve(Count);
  Sessions->reserve(Count / 10 + 1);
  for (uint32_t I = 0; I < Count; ++I) {
    Entries->push_back(newEntry(R, I));
    if (I % 10 == 0)
      Sessions->push_back(newSession(I));
    if (Hands && I % 50 == 49)
      Entries->back() = handOver(Entries->back());
  }
  for (Entry *E : *Entries)
    if (E)
      drop(E);
  delete Entries;
}

void dropPhase() {
  constexpr uint32_t kCount = 300000;
  Random R(7);
  auto *Entries = new std::vector<Entry *>;
  for (uint32_t I = 0; I < kCount; ++I)
    Entries->push_back(newEntry(R, I));
  for (Entry *&E : *Entries)
    if (R.below(10) != 0) {
      drop(E);
      E = nullptr;
    }
}

void grow() {
  // Freed, it raises the sizes above which blocks are mapped and ends trimmed.
  free(memset(malloc(20 << 20), 1, 20 << 20));
  std::vector<char *> Blocks;
  for (int I = 0; I < 500; ++I)
    Blocks.push_back(static_cast<char *>(memset(malloc(90000), 1, 90000)));
  for (char *B : Blocks)
    free(B);
}

void serveThreads() {
  constexpr unsigned kThreads = 16;
  std::condition_variable Changed;
  unsigned Ready = 0;
  bool Ends = false;
  std::vector<std::thread> All;
  for (unsigned I = 0; I < kThreads; ++I)
    All.emplace_back([&, I] {
      serveRequests(I + 1, 30000, true);
      std::unique_lock<std::mutex> L(Lock);
      ++Ready;
      Changed.notify_all();
      Changed.wait(L, [&] { return Ends; });
    });
  {
    std::unique_lock<std::mutex> L(Lock);
    Changed.wait(L, [&] { return Ready == kThreads; });
  }
  serve();
  {
    const std::lock_guard<std::mutex> L(Lock);
    Ends = true;
  }
  Changed.notify_all();
  for (std::thread &T : All)
    T.join();
}

} // namespace

int main(int, char **Words) {
  const std::string Mode = Words[1];
  if (Mode == "server") {
    serveThreads();
    return 0;
  }
  if (Mode == "cache")
    serveRequests(1, 400000, false);
  else if (Mode == "phase")
    dropPhase();
  else
    grow();
  serve();
}
