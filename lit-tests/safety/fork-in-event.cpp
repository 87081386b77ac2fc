// Intent: a signal handler forks at each single instruction of the runtime in an allocation and a free, and returns: the
// event ends in both processes; the parent's counts are exact, and nothing of the child gets into its trace.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O1 %s -o %t.exe
// RUN: rm -rf %t.d && mkdir %t.d
// RUN: env INMEM_OPTIONS=output=%t.d/a.inmem %t.exe
// RUN: env INMEM_OPTIONS=output=%t.d/b.inmem:mode=trace %t.exe again
// RUN: %inmem report --format json %t.d/a.inmem > %t.json
// RUN: %expect %t.json 'types["Item"].allocations == types["Item"].frees' 'processes[0].complete is True'
// RUN: %inmem report --format json %t.d/b.inmem > %t.json
// RUN: %expect %t.json 'types["Item"].allocations == types["Item"].frees' 'processes[0].complete is True'

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <link.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

struct Item {
  char Bytes[40];
};
static Item *volatile Sink;
__attribute__((noinline)) static void makeAndFree() {
  Sink = new Item;
  delete Sink;
}

static uintptr_t Begin, End; ///< of the runtime's code
static int findRuntime(dl_phdr_info *Info, size_t, void *) {
  for (int I = 0; std::strstr(Info->dlpi_name, "libinmem_rt") && I < Info->dlpi_phnum; ++I)
    if (const auto &Part = Info->dlpi_phdr[I]; Part.p_type == PT_LOAD && (Part.p_flags & PF_X)) {
      Begin = Info->dlpi_addr + Part.p_vaddr;
      End = Begin + Part.p_memsz;
    }
  return 0;
}

constexpr unsigned long long kTrapFlag = 0x100;
static volatile int Steps, Target; ///< instructions of the runtime since Target was set, and the one to fork at
static volatile bool IsChild, AllocatesInHandler;
static volatile pid_t Child;

static void onStep(int, siginfo_t *, void *Context) {
  auto &Registers = static_cast<ucontext_t *>(Context)->uc_mcontext.gregs;
  const auto At = static_cast<uintptr_t>(Registers[REG_RIP]);
  if (At < Begin || At >= End || ++Steps != Target)
    return;
  if ((Child = fork()) != 0)
    return;
  IsChild = true;
  Registers[REG_EFL] &= ~kTrapFlag;
  if (AllocatesInHandler)
    std::free(std::malloc(77));
}
static void singleStep(bool On) {
  unsigned long long Flags;
  __asm__ volatile("pushfq; popq %0" : "=r"(Flags));
  Flags = On ? Flags | kTrapFlag : Flags & ~kTrapFlag;
  __asm__ volatile("pushq %0; popfq" ::"r"(Flags) : "cc", "memory");
}

int main(int Count, char **) {
  AllocatesInHandler = Count > 1;
  dl_iterate_phdr(findRuntime, nullptr);
  for (int I = 0; I < 3000; ++I) // until not every lifetime is timed
    makeAndFree();
  struct sigaction Action = {};
  Action.sa_sigaction = onStep;
  Action.sa_flags = SA_SIGINFO;
  sigaction(SIGTRAP, &Action, nullptr);
  int Failed = 0;
  for (Child = 1; Child != 0;) {
    Child = Steps = 0;
    ++Target;
    singleStep(true);
    makeAndFree();
    singleStep(false);
    if (IsChild) {
      for (int I = 0; I < 20; ++I)
        makeAndFree();
      _exit(0);
    }
    int Status = 0;
    if (Child != 0 && (waitpid(Child, &Status, 0) != Child || Status != 0)) {
      std::printf("instruction %d: %#x\n", static_cast<int>(Target), Status);
      ++Failed;
    }
  }
  return Failed != 0 || Target < 50;
}
