// Intent: a signal within the program's own operator new or delete, whose handler allocates: its
// blocks are counted as any others, and what the operators allocate to do their work is not,
// however deep in the stack; also on an alternate stack, and after a jump out of an operator.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O1 %s -o %t.exe
// RUN: %record %t.json -- %t.exe
// RUN: %expect %t.json 'types["Outer"].allocations == 200 == types["Outer"].frees' 'types["Kept"].allocations == 20' 'types["Kept"].frees == 10'
// RUN: %expect %t.json 'types["Inner"].allocations == 400 == types["Inner"].frees' 'types["Plain"].allocations == 400 == types["Plain"].frees'
// RUN: %expect %t.json '"Log" not in types' 'types["Deep"].allocations == 100 == types["Deep"].frees' 'types["After"].allocations == 10'
// RUN: %expect %t.json 'processes[0].dropped_events == 0' 'processes[0].complete is True'
// RUN: %record %t.json mode=trace -- %t.exe
// RUN: %expect %t.json 'types["Inner"].allocations == 400 == types["Inner"].frees' 'types["Plain"].allocations == 400 == types["Plain"].frees' '"Log" not in types'
// RUN: %record %t.json stacks=8 -- %t.exe
// RUN: %expect %t.json 'types["Inner"].allocations == 400 == types["Inner"].frees' 'types["Plain"].allocations == 400 == types["Plain"].frees' '"Log" not in types'

// A static executable's operator is called, and its malloc brings the block: its type must stay.
// RUN: %inmem-clangxx -O1 -static %s -o %t.static
// RUN: %record %t.json -- %t.static
// RUN: %expect %t.json --in %s
// EXPECT: types["Outer"].allocations == 200 == types["Outer"].frees
// EXPECT: types["Inner"].allocations == 400 == types["Inner"].frees
// EXPECT: types["Plain"].allocations == 400 == types["Plain"].frees

#include <csetjmp>
#include <csignal>
#include <cstdlib>
#include <cstring>
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
struct Deep {
  long values[9];
};
struct Plain {
  long values[11];
};
struct Log {
  long values[13];
};
struct After {
  long values[15];
};
static void *volatile Sink;
static Kept *Blocks[20];
static volatile std::sig_atomic_t Handled, Raising, Jumping;
static sigjmp_buf Before;

static void onSignal(int) {
  if (Jumping)
    siglongjmp(Before, 1);
  Inner *volatile one = new Inner;
  delete one;
  auto *volatile plain = static_cast<Plain *>(std::malloc(sizeof(Plain)));
  std::free(plain);
  if (Handled < 10)
    delete Blocks[Handled];
  Handled = Handled + 1;
}

/// The operator's own work, as far from it in the stack as a handler would be.
__attribute__((noinline)) static void note(std::size_t size) {
  volatile char room[8000];
  std::memset(const_cast<char *>(room), static_cast<int>(size), sizeof room);
  auto *volatile log = static_cast<Log *>(std::malloc(sizeof(Log)));
  std::free(log);
}

__attribute__((noinline)) void *operator new(std::size_t size) {
  if (size == sizeof(Deep))
    note(size);
  if (Raising && size == sizeof(Outer))
    std::raise(SIGUSR1);
  void *block = std::malloc(size);
  return block ? block : throw std::bad_alloc();
}
__attribute__((noinline)) void operator delete(void *block) noexcept {
  if (Raising && *static_cast<long *>(block) == 77)
    std::raise(SIGUSR1);
  std::free(block);
}
void operator delete(void *block, std::size_t) noexcept { operator delete(block); }

/// A signal in each new, and in each delete.
static void interrupt(int flags) {
  struct sigaction action = {};
  action.sa_handler = onSignal;
  action.sa_flags = flags;
  sigaction(SIGUSR1, &action, nullptr);
  for (int i = 0; i < 100; ++i) {
    Outer *one = new Outer;
    Sink = one;
    one->values[0] = 77;
    delete one;
  }
}

int main() {
  for (auto &one : Blocks)
    one = new Kept;
  for (int i = 0; i < 100; ++i) {
    Sink = new Deep;
    delete static_cast<Deep *>(Sink);
  }
  stack_t stack = {};
  stack.ss_size = 1 << 16;
  stack.ss_sp = std::malloc(stack.ss_size);
  sigaltstack(&stack, nullptr);
  Raising = 1;
  interrupt(0);
  interrupt(SA_ONSTACK);
  if (Handled != 400)
    return 1;
  Jumping = 1;
  if (sigsetjmp(Before, 1) == 0)
    Sink = new Outer;
  for (int i = 0; i < 10; ++i)
    Sink = std::malloc(sizeof(After));
}
