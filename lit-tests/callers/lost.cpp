// Intent: where a caller can be lost, the line is the right one or none at all: never another one of the program's. Line N allocates N * 1000
// bytes and more, so that a block at another line's row shows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %clangxx -std=c++20 -O2 -fno-inline -DLIBRARY -c %s -o %t.library.o
// RUN: %clangxx -std=c++20 -O2 -fno-inline -DLIBRARY -DBARE -fomit-frame-pointer -fno-exceptions -fno-asynchronous-unwind-tables -c %s -o %t.bare.o
// RUN: %if all-tiers %{ %inmem-clangxx -std=c++20 -O0 %s %t.library.o %t.bare.o -o %t.exe %}
// RUN: %if all-tiers %{ rm -f %t.inmem && env INMEM_OPTIONS=output=%t.inmem %t.exe %}
// RUN: %if all-tiers %{ %inmem report %t.inmem --format json > %t.json && %python %S/Inputs/sizes.py %t.json %s "FOUND|PLAIN" | %FileCheck %s %}
// RUN: %inmem-clangxx -std=c++20 -O2 %s %t.library.o %t.bare.o -o %t.exe
// RUN: rm -f %t.inmem && env INMEM_OPTIONS=output=%t.inmem %t.exe
// RUN: %inmem report %t.inmem --format json > %t.json && %python %S/Inputs/sizes.py %t.json %s "FOUND|PLAIN" | %FileCheck %s
// RUN: %inmem-clangxx -std=c++20 -O2 -fno-inline -fomit-frame-pointer -g %s %t.library.o %t.bare.o -o %t.exe
// RUN: rm -f %t.inmem && env INMEM_OPTIONS=output=%t.inmem %t.exe
// RUN: %inmem report %t.inmem --format json > %t.json && %python %S/Inputs/sizes.py %t.json %s "FOUND|PLAIN" | %FileCheck %s
// RUN: %if all-tiers %{ %inmem-clangxx -std=c++20 -O1 -fsanitize=address %s %t.library.o %t.bare.o -o %t.exe %}
// RUN: %if all-tiers %{ rm -f %t.inmem && env INMEM_OPTIONS=output=%t.inmem %t.exe %}
// RUN: %if all-tiers %{ %inmem report %t.inmem --format json > %t.json && %python %S/Inputs/sizes.py %t.json %s | %FileCheck %s %}
// CHECK: {{^}}0 wrong lines
// CHECK-NOT: {{.}}
#include <coroutine>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <ucontext.h>
#include <vector>

#define APART __attribute__((noinline))
using Vector = std::vector<char>;

// Code that is not instrumented.
void plain(int Bytes);
void bare(int Bytes);
void callsBack(void (*F)(int), int Bytes);
void callsBackBare(void (*F)(int), int Bytes);
void onSignal(int);
void onFibre(int Bytes);
extern "C" void plainForAssembly(int Bytes);
extern volatile int SignalBytes;
extern void *volatile Sink;

#ifdef LIBRARY
APART static void allocate(int Bytes) {
  asm volatile("" ::: "rbp"); // saves it
  Sink = ::operator new(Bytes);
  ::operator delete(Sink);
}
#ifdef BARE
void bare(int Bytes) {
  allocate(Bytes);
  Sink = nullptr;
}
void callsBackBare(void (*F)(int), int Bytes) {
  F(Bytes);
  Sink = nullptr;
}
#else
void *volatile Sink;
volatile int SignalBytes;
void plain(int Bytes) {
  allocate(Bytes);
  Sink = nullptr;
}
void callsBack(void (*F)(int), int Bytes) {
  F(Bytes);
  Sink = nullptr;
}
void onSignal(int) {
  allocate(SignalBytes);
  Sink = nullptr;
}
void onFibre(int Bytes) {
  allocate(Bytes);
  Sink = nullptr;
}
extern "C" void plainForAssembly(int Bytes) {
  allocate(Bytes);
  Sink = nullptr;
}
#endif
#else

APART void use(Vector &V) { asm volatile("" ::"r"(&V) : "memory"); }
/// As many bytes as say which line asked for them.
#define HERE (__LINE__ * 1000)

/// A call that may lead anywhere.
APART void through(void (*F)()) {
  F();
  Sink = nullptr;
}
// At -O0 nothing but the call needs a location here.
APART void noLocations() {
  plain(HERE); // MAYBE
  Sink = nullptr;
}
APART void throughNoLocations() {
  Vector V;
  through(noLocations);
  use(V);
}
APART void direct(int) {
  Vector V;
  V.reserve(HERE); // FOUND
  use(V);
}
APART void libraries() {
  Vector V;
  V.reserve(HERE); // FOUND
  plain(HERE); // PLAIN
  use(V);
}
APART void withoutTables() {
  Vector V;
  bare(HERE); // MAYBE
  use(V);
}

// Fibres: the entry is the program's, and the library's.
ucontext_t Main, Fibre;
alignas(16) char Stack[256 << 10];
APART void fibre() {
  Vector V;
  V.reserve(HERE); // FOUND
  use(V);
  swapcontext(&Fibre, &Main);
  V.reserve(HERE); // FOUND
  use(V);
}
APART void run(void (*F)(), int Arguments, int Bytes) {
  getcontext(&Fibre);
  Fibre.uc_stack.ss_sp = Stack;
  Fibre.uc_stack.ss_size = sizeof Stack;
  Fibre.uc_link = &Main;
  makecontext(&Fibre, F, Arguments, Bytes);
  swapcontext(&Main, &Fibre);
}

// Handlers: the call that was interrupted did not lead there.
APART void ownHandler(int) {
  Vector V;
  V.reserve(HERE); // FOUND
  use(V);
}
APART void interrupted() {
  std::signal(SIGUSR1, onSignal);
  SignalBytes = HERE; // MAYBE
  raise(SIGUSR1);
  std::signal(SIGUSR1, ownHandler);
  raise(SIGUSR1);
}

// Assembly: nothing describes what it does to the stack.
__attribute__((naked)) void naked(int) {
  asm("subq $24, %rsp\n\tcall plainForAssembly\n\taddq $24, %rsp\n\tret");
}
void (*volatile Through)(int);
APART void callsNaked() {
  Through = naked;
  Through(HERE); // MAYBE
  Sink = nullptr;
}
#define ALIGNED_CALL "movq %%rsp, %%rbx\n\tsubq $256, %%rsp\n\tandq $-16, %%rsp\n\tcall plainForAssembly\n\tmovq %%rbx, %%rsp"
APART void callsByAssembly() {
  Vector V;
  V.reserve(HERE); // FOUND
  // The red zone is not to be written to.
  asm volatile(ALIGNED_CALL ::"D"(HERE) // MAYBE
               : "memory", "cc", "rbx", "rax", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11");
  use(V);
}
/// And makes no other call.
APART void onlyByAssembly() {
  asm volatile(ALIGNED_CALL ::"D"(HERE) // MAYBE
               : "memory", "cc", "rbx", "rax", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11");
}
APART void throughAssembly() {
  Vector V;
  callsByAssembly();
  through(onlyByAssembly);
  through(callsNaked);
  use(V);
}

// What has jumped away has no frame.
APART void jumps(int Bytes) { [[clang::musttail]] return plain(Bytes); }
APART void callsJumps() {
  Vector V;
  jumps(HERE); // MAYBE
  use(V);
}

// As above, but through a pointer: the call does not name its target.
void (*volatile Elsewhere)(int) = plain;
APART void jumpsToPlain(int) {
  return plain(HERE); // MAYBE
}
APART void jumpsByPointer(int) {
  return Elsewhere(HERE); // MAYBE
}
struct Base {
  virtual void f(int Bytes) = 0;
};
struct Jumping : Base {
  void f(int) override {
    return plain(HERE); // MAYBE
  }
};
APART void callsByPointer(Base &B) {
  Vector V;
  Through = jumpsToPlain;
  Through(0);
  Through = jumpsByPointer;
  Through(0);
  B.f(0);
  Through = direct;
  Through(0);
  use(V);
}

struct Task {
  struct promise_type {
    Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> Handle;
};
APART Task coroutine() {
  Vector V;
  V.reserve(HERE); // FOUND
  use(V);
  co_await std::suspend_always();
  V.reserve(HERE); // FOUND
  plain(HERE); // PLAIN
  use(V);
}
APART void resumes() {
  Task T = coroutine();
  T.Handle.resume();
  Vector V;
  V.reserve(HERE); // FOUND
  use(V);
  T.Handle.resume();
  T.Handle.destroy();
}

APART void thrower(int Bytes) {
  plain(Bytes);
  throw std::runtime_error("");
}
APART void afterThrow() {
  try {
    thrower(10);
  } catch (const std::exception &) {
    plain(HERE); // PLAIN
  }
  plain(HERE); // PLAIN
  Sink = nullptr;
}
jmp_buf Environment;
APART void longjumps() {
  plain(10);
  longjmp(Environment, 1);
}
APART void afterLongjmp() {
  Vector V;
  if (!setjmp(Environment))
    longjumps();
  plain(HERE); // PLAIN
  use(V);
}
APART void recursive(int Depth) {
  Vector V;
  if (Depth)
    recursive(Depth - 1);
  else
    plain(HERE); // PLAIN
  use(V);
}
APART void callbacks() {
  callsBack(plain, HERE); // MAYBE
  callsBack(direct, 0);
  callsBackBare(direct, 0);
  callsBackBare(plain, HERE); // MAYBE
}
int main() {
  for (int Round = 0; Round < 3; ++Round) {
    throughNoLocations();
    libraries();
    withoutTables();
    run(fibre, 0, 0);
    swapcontext(&Main, &Fibre);
    run(reinterpret_cast<void (*)()>(onFibre), 1, HERE);
    interrupted();
    callsNaked();
    throughAssembly();
    callsJumps();
    Jumping J;
    asm volatile("" ::"r"(&J) : "memory");
    callsByPointer(J);
    resumes();
    afterThrow();
    afterLongjmp();
    recursive(5);
    callbacks();
  }
}
#endif
