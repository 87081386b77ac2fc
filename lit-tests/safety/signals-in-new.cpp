// Intent: a signal within the program's own operator new or delete, whose handler allocates: the blocks
// outside are counted exactly, those of the handler count as a part of the operator, and what it
// frees of the others is seen.

// RUN: %inmem-clangxx -O1 %s -o %t.exe
// RUN: %record %t.json -- %t.exe
// RUN: %expect %t.json 'types["Outer"].allocations == 100 == types["Outer"].frees' 'types["Kept"].allocations == 20' 'types["Kept"].frees == 10'
// RUN: %expect %t.json '"Inner" not in types' 'processes[0].dropped_events == 0' 'processes[0].complete is True'

#include <csignal>
#include <cstdlib>
#include <new>

struct Outer {
  long values[3];
};
struct Inner {
  long values[5];
};
struct Kept {
  long values[7];
};
static void *volatile Sink;
static Kept *Blocks[20];
static volatile std::sig_atomic_t Handled, Raising;

static void onSignal(int) {
  Inner *volatile one = new Inner;
  delete one;
  if (Handled < 10)
    delete Blocks[Handled];
  Handled = Handled + 1;
}

__attribute__((noinline)) void *operator new(std::size_t size) {
  if (Raising && size == sizeof(Outer))
    std::raise(SIGUSR1);
  void *block = std::malloc(size);
  return block ? block : throw std::bad_alloc();
}
void operator delete(void *block) noexcept { std::free(block); }
void operator delete(void *block, std::size_t) noexcept { std::free(block); }

int main() {
  std::signal(SIGUSR1, onSignal);
  for (auto &one : Blocks)
    one = new Kept;
  Raising = 1;
  for (int i = 0; i < 100; ++i) {
    Sink = new Outer;
    delete static_cast<Outer *>(Sink);
  }
  return Handled == 100 ? 0 : 1;
}
