// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// lifetimes.cpp - keeps its own exact record of every life and writes it out,
// to be compared with what the report says of the same run: in ns, for each of
// the types Life<0> ... Life<6>, which are one site each.
//
//   lifetimes OUT BLOCKS THREADS    OUT.<type>: lives as uint32 ns, saturated
//
// Lengths are spread wide on purpose: this program's reading of the clock and
// the runtime's lie a hook apart, and a spike or an edge would move to another
// bucket.
//
// The kinds of life differ in what a thinned record could get wrong: short
// ones, wide distributions, lives that follow a period of 32 allocations, lives
// that change in the middle of the run, queues, and stacks.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <time.h>
#include <vector>
#include <x86intrin.h>

namespace {

constexpr int Kinds = 7;

/// As large as any block of interest. Birth is this program's record.
template <int Kind> struct Life {
  uint64_t Birth;
  uint64_t Payload[Kind + 1];
};

double NsPerTick;

struct Lives {
  std::vector<uint32_t> Ns[Kinds];
  void add(int Kind, uint64_t Birth, uint64_t Now) {
    double Length = static_cast<double>(Now - Birth) * NsPerTick;
    Ns[Kind].push_back(Length < 4e9 ? static_cast<uint32_t>(Length)
                                    : 4000000000u);
  }
};

// Reads the clock when the runtime does: right after the block is allocated,
// right before it is freed.
template <int Kind> __attribute__((noinline)) Life<Kind> *make() {
  auto *L = new Life<Kind>;
  L->Birth = __rdtsc();
  return L;
}
template <int Kind>
__attribute__((noinline)) void end(Life<Kind> *L, Lives &To) {
  uint64_t Birth = L->Birth, Now = __rdtsc();
  delete L;
  To.add(Kind, Birth, Now);
}

void spin(uint64_t Ns) {
  uint64_t Until =
      __rdtsc() + static_cast<uint64_t>(static_cast<double>(Ns) / NsPerTick);
  while (__rdtsc() < Until)
    ;
}

/// 200 to 6400 ns, each octave equally likely, so that no edge is sharper than
/// a bucket.
uint64_t spread(uint64_t Bits) {
  uint64_t Octave = 200ull << (Bits & 0xFF) % 5;
  return Octave + (Bits >> 8 & 0xFFFF) * Octave / 0x10000;
}

struct Random {
  uint64_t State;
  uint64_t next() {
    State ^= State << 13;
    State ^= State >> 7;
    return State ^= State << 17;
  }
};

/// A fixed number of slots, of which a random one is replaced: lifetimes are
/// exponential.
template <int Kind, int Slots> struct Pool {
  Life<Kind> *Live[Slots] = {};
  void step(uint64_t Bits, Lives &To) {
    Life<Kind> *&Slot = Live[Bits % Slots];
    if (Slot)
      end(Slot, To);
    Slot = make<Kind>();
  }
  void clear(Lives &To) {
    for (auto *&L : Live)
      if (L)
        end(L, To), L = nullptr;
  }
};

/// A queue of varying length.
template <int Kind, int Most> struct Ring {
  Life<Kind> *Live[Most] = {};
  uint64_t Head = 0, Tail = 0;
  void step(uint64_t Length, Lives &To) {
    while (Head - Tail > Length % Most)
      end(Live[Tail++ % Most], To);
    Live[Head++ % Most] = make<Kind>();
  }
  void clear(Lives &To) {
    while (Tail != Head)
      end(Live[Tail++ % Most], To);
  }
};

void work(int Thread, uint64_t Blocks, Lives &To) {
  Random R{0x9E3779B97F4A7C15u + static_cast<uint64_t>(Thread)};
  auto Small = std::make_unique<Pool<0, 64>>();
  auto Wide = std::make_unique<Pool<1, 8192>>();
  auto Queue = std::make_unique<Ring<2, 512>>();
  auto Changing = std::make_unique<Ring<3, 4096>>();
  auto Stack = std::vector<Life<5> *>();
  for (uint64_t I = 0; I < Blocks; ++I) {
    uint64_t Bits = R.next();
    Small->step(Bits, To);
    Wide->step(Bits >> 8, To);
    Queue->step(64 + I / 64 % 400, To);
    // Lifetimes grow fifty-fold in the second half.
    Changing->step(I < Blocks / 2 ? 50 : 2500, To);
    // One block in 32 lives five times as long. Sampling with a period must not
    // miss it.
    Life<4> *Short = make<4>();
    spin(spread(Bits >> 30) * (I % 32 == 0 ? 5 : 1));
    end(Short, To);
    Stack.push_back(make<5>());
    if (Stack.size() > 16 + Bits % 64)
      while (Stack.size() > Bits % 16)
        end(Stack.back(), To), Stack.pop_back();
    if (I % 4 == 0) {
      Life<6> *Mixed = make<6>();
      Small->step(Bits >> 16, To);
      if (Bits >> 20 & 1)
        spin(2 * spread(Bits >> 40));
      end(Mixed, To);
    }
  }
  Small->clear(To), Wide->clear(To), Queue->clear(To), Changing->clear(To);
  for (auto *L : Stack)
    end(L, To);
}

void calibrate() {
  timespec A, B;
  clock_gettime(CLOCK_MONOTONIC, &A);
  uint64_t Start = __rdtsc();
  double Ns;
  do {
    clock_gettime(CLOCK_MONOTONIC, &B);
    Ns = static_cast<double>(B.tv_sec - A.tv_sec) * 1e9 +
         static_cast<double>(B.tv_nsec - A.tv_nsec);
  } while (Ns < 5e7);
  NsPerTick = Ns / static_cast<double>(__rdtsc() - Start);
}

} // namespace

int main(int Argc, char **Argv) {
  if (Argc != 4)
    return 2;
  calibrate();
  uint64_t Blocks = std::strtoull(Argv[2], nullptr, 10);
  int Count = std::atoi(Argv[3]);
  std::vector<Lives> All(static_cast<size_t>(Count));
  std::vector<std::thread> Threads;
  for (int T = 0; T < Count; ++T)
    Threads.emplace_back([&, T] {
      for (auto &Ns : All[static_cast<size_t>(T)].Ns)
        Ns.reserve(Blocks * 3 / 2);
      work(T, Blocks, All[static_cast<size_t>(T)]);
    });
  for (auto &T : Threads)
    T.join();
  for (int Kind = 0; Kind < Kinds; ++Kind) {
    FILE *Out = std::fopen(
        (std::string(Argv[1]) + "." + std::to_string(Kind)).c_str(), "wb");
    if (!Out)
      return 1;
    for (auto &L : All)
      std::fwrite(L.Ns[Kind].data(), sizeof(uint32_t), L.Ns[Kind].size(), Out);
    std::fclose(Out);
  }
  return 0;
}
