// Intent: contexts=on: every stack that is known by its context, or by words, is the one that a walk shows,
// whatever control flow has left the context behind; and where all code has contexts, few are walked.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %if all-tiers %{ %inmem-clangxx -std=c++20 -O0 -fplugin-arg-inmem-contexts=on %s -o %t.0 %}
// RUN: %if all-tiers %{ env INMEM_OPTIONS=output=none:stacks=64:check_stacks=on %t.0 2>&1 | %FileCheck %s %}
// RUN: %inmem-clangxx -std=c++20 -O2 -fplugin-arg-inmem-contexts=on %s -o %t.2
// RUN: env INMEM_OPTIONS=output=none:stacks=64:check_stacks=on %t.2 2>&1 | %FileCheck %s
// RUN: env INMEM_OPTIONS=output=none:stacks=2:check_stacks=on %t.2 2>&1 | %FileCheck %s
// RUN: %if all-tiers %{ %inmem-clangxx -std=c++20 -O3 -fPIC -pie -fno-omit-frame-pointer -fplugin-arg-inmem-contexts=on %s -o %t.3 %}
// RUN: %if all-tiers %{ env INMEM_OPTIONS=output=none:stacks=16:check_stacks=on %t.3 2>&1 | %FileCheck %s %}
// RUN: %inmem-clangxx -std=c++20 -O2 %s -o %t.without
// RUN: env INMEM_OPTIONS=output=none:stacks=16:check_stacks=on %t.without 2>&1 | %FileCheck %s --check-prefix=WITHOUT
// RUN: %if all-tiers %{ %inmem-clangxx -std=c++20 -O2 -fno-omit-frame-pointer %s -o %t.frames %}
// RUN: %if all-tiers %{ env INMEM_OPTIONS=output=none:stacks=16:check_stacks=on %t.frames 2>&1 | %FileCheck %s --check-prefix=WITHOUT %}
#include <alloca.h>
#include <coroutine>
#include <csetjmp>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <ucontext.h>
#include <vector>

#define KEPT __attribute__((noinline))
static void *volatile Kept;

// The pointer is its own: threads and a signal handler come here, too.
KEPT void leaf(size_t Size) {
  void *volatile Block = ::operator new(Size);
  ::operator delete(Block);
}
KEPT void left() { leaf(8), leaf(16); }
KEPT void right() { leaf(8), leaf(24); }

// One site by two ways in turn.
KEPT void turns(int Count) {
  for (int I = 0; I < Count; ++I)
    I % 2 ? left() : right();
}

// Exceptions leave the context of what threw.
KEPT void thrower(int I) {
  left();
  if (I % 3 == 0)
    throw I;
  right();
}
KEPT void exceptions(int Count) {
  for (int I = 0; I < Count; ++I) {
    try {
      thrower(I);
    } catch (int) {
      leaf(32);
    }
    leaf(40);
  }
}

// So does longjmp.
static thread_local jmp_buf Back; // all() runs on several threads
KEPT void jumper(int I) {
  left();
  if (I % 2)
    longjmp(Back, 1);
  right();
}
KEPT void jumps(int Count) {
  for (volatile int I = 0; I < Count; I = I + 1) {
    if (setjmp(Back) == 0)
      jumper(I);
    leaf(48);
  }
}

// A callback through code without contexts, from two places of one function.
static int byNumber(const void *A, const void *B) {
  leaf(56);
  return *static_cast<const int *>(A) - *static_cast<const int *>(B);
}
KEPT void callbacks(int Count) {
  for (int I = 0; I < Count; ++I) {
    int Numbers[] = {4, 2, 3, 1}, Others[] = {9, 8};
    qsort(Numbers, 4, sizeof(int), byNumber);
    leaf(64);
    qsort(Others, 2, sizeof(int), byNumber);
    int Key = 2;
    Kept = bsearch(&Key, Numbers, 4, sizeof(int), byNumber);
  }
}

// Recursion, of few and of very many levels.
KEPT int deep(int Levels) {
  if (Levels == 0)
    return left(), 1;
  int Result = deep(Levels - 1) + 1;
  leaf(static_cast<size_t>(Levels % 7 + 1));
  return Result;
}
KEPT void even(int N);
KEPT void odd(int N) {
  left();
  if (N > 0)
    even(N - 1); // a jump
}
KEPT void even(int N) {
  right();
  if (N > 0)
    odd(N - 1);
}

// Frames of a size of their own.
KEPT void dynamic(int I) {
  volatile char *Room =
      static_cast<char *>(alloca(static_cast<size_t>(16 + I % 5 * 16)));
  Room[0] = 1;
  left();
  leaf(72);
}
struct alignas(64) Wide {
  char C[64];
};
KEPT void realigned(int I) {
  Wide W;
  W.C[I & 63] = 1;
  Kept = &W;
  right();
}

// Handlers at any moment.
KEPT static void onSignal(int) { left(); }
KEPT void signals(int Count) {
  struct sigaction Action = {};
  Action.sa_handler = onSignal;
  sigaction(SIGUSR1, &Action, nullptr);
  for (int I = 0; I < Count; ++I) {
    raise(SIGUSR1);
    leaf(80);
  }
  // While others store and load.
  timer_t Timer;
  sigevent Event = {};
  Event.sigev_notify = SIGEV_SIGNAL;
  Event.sigev_signo = SIGUSR1;
  if (timer_create(CLOCK_MONOTONIC, &Event, &Timer) == 0) {
    itimerspec Every = {{0, 50000}, {0, 50000}};
    timer_settime(Timer, 0, &Every, nullptr);
    turns(Count * 10);
    timer_delete(Timer);
  }
}

// Coroutines are resumed from elsewhere.
struct Task {
  struct promise_type {
    Task get_return_object() {
      return {std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> Handle;
};
KEPT Task steps() {
  for (;;) {
    left();
    co_await std::suspend_always();
    right();
    co_await std::suspend_always();
  }
}
KEPT void resumeHere(Task &T) { T.Handle.resume(); }
KEPT void resumeThere(Task &T) {
  T.Handle.resume();
  leaf(88);
}
KEPT void coroutines(int Count) {
  Task T = steps(), Other = steps();
  for (int I = 0; I < Count; ++I) {
    resumeHere(T);
    resumeThere(I % 3 ? T : Other);
  }
  T.Handle.destroy();
  Other.Handle.destroy();
}

// Stacks of their own.
static ucontext_t Main, Fibres[2];
static void fibre(int Number) {
  for (;;) {
    Number ? left() : right();
    swapcontext(&Fibres[Number], &Main);
    leaf(96);
  }
}
KEPT void fibres(int Count) {
  for (int I = 0; I < 2; ++I) {
    getcontext(&Fibres[I]);
    Fibres[I].uc_stack.ss_sp = malloc(65536);
    Fibres[I].uc_stack.ss_size = 65536;
    makecontext(&Fibres[I], reinterpret_cast<void (*)()>(fibre), 1, I);
  }
  for (int I = 0; I < Count; ++I) {
    swapcontext(&Main, &Fibres[I % 2]);
    left();
  }
}

// Through a pointer: functions with contexts, and the library's.
KEPT void pointers(int Count) {
  void *(*volatile Makers[])(size_t) = {
      [](size_t Size) { return leaf(Size), malloc(Size); }, malloc};
  for (int I = 0; I < Count; ++I) {
    std::function<void()> F = [I] { leaf(static_cast<size_t>(I % 4 + 1)); };
    F();
    free(Makers[I % 2](104));
  }
}

// The library's own allocations, below functions with contexts.
KEPT size_t strings(int Count) {
  std::string S;
  std::map<std::string, std::vector<int>> All;
  for (int I = 0; I < Count; ++I) {
    S.append("a text that is long enough for the heap");
    if (I % 3 == 0)
      S.append("and another one, appended at another place");
    S = std::to_string(I) + " is a number that is written in words";
    All[S].push_back(I);
  }
  return All.size();
}

KEPT void all(int Count) {
  turns(Count);
  exceptions(Count);
  jumps(Count);
  callbacks(Count);
  for (int I = 0; I < Count; ++I) {
    dynamic(I);
    realigned(I);
    even(I % 9);
    deep(I % 12);
  }
  coroutines(Count);
  pointers(Count);
  strings(Count);
}

static const bool Early = (all(20), true); // before main

int main() {
  all(400);
  fibres(100);
  signals(200);
  deep(5000);
  deep(5000);
  std::vector<std::thread> Threads;
  for (int I = 0; I < 4; ++I)
    Threads.emplace_back([] {
      all(200);
      deep(300);
    });
  for (auto &T : Threads)
    T.join();
  return Early ? 0 : 1;
}
// CHECK: check_stacks: known by context {{[0-9][0-9][0-9][0-9]+}}, by words {{[0-9]+}}, walked {{[0-9]+}}, wrong 0{{$}}
// WITHOUT: check_stacks: known by context 0, by words {{[0-9][0-9][0-9][0-9]+}}, walked {{[0-9]+}}, wrong 0{{$}}
