// The program of attach.test: it knows nothing of inmem. It makes blocks until
// it is told to stop and counts them itself, so that what was recorded in the
// time between two counts can be held against the counts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   attached MODE THREADS [LIBRARY]
//
//   loop      malloc and free in tight loops
//   fork      the same, with a thread that forks
//   signal    the same, interrupted by a handler on an alternate stack
//   open      the same, with a thread that opens and closes LIBRARY
//   stale     the same, with old return addresses of malloc's on all stacks
//   busy      the same, and the main thread never waits either
//
// Commands on standard input: "count N" makes N blocks on each thread while
// the loops pause, "late" calls LIBRARY, "end".
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <string>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

struct Counted {
  long Value[6];
};

static std::atomic<bool> Ends, Paused;
static std::atomic<int> Resting;
static std::atomic<long> ToMake, Made, Failed;
static int Threads;
static volatile sig_atomic_t Interrupts;

static const void *Stale; // an address behind a call in malloc
static void findStale() {
  constexpr unsigned char kCall = 0xe8;
  auto *Code = reinterpret_cast<const unsigned char *>(&std::malloc);
  const unsigned char *At = Code + 5;
  while (At[-5] != kCall)
    ++At;
  Stale = At;
}
#define KEEP_STALE                                                             \
  const void *volatile Old[] = {Stale, Stale, Stale, Stale};                   \
  asm volatile("" ::"r"(Old) : "memory")

static __attribute__((noinline)) void *makeOne(size_t Size) {
  return std::malloc(Size);
}
static __attribute__((noinline)) Counted *makeCounted() { return new Counted(); }

static void *work(void *) {
  KEEP_STALE;
  std::vector<void *> Older;
  for (int I = 0; I < 100; ++I)
    Older.push_back(std::malloc(100));
  while (!Ends) {
    for (int I = 0; I < 200; ++I) {
      void *P = makeOne(16 + static_cast<size_t>(I));
      if (!P)
        ++Failed;
      std::memset(P, I, 16);
      std::free(P);
    }
    if (!Paused)
      continue;
    ++Resting;
    while (Paused && !Ends) {
      if (ToMake > 0) {
        for (long I = 0, N = ToMake; I < N; ++I)
          delete makeCounted();
        ++Made;
        while (Paused && ToMake > 0 && !Ends)
          usleep(100);
      }
      usleep(100);
    }
    --Resting;
  }
  for (void *P : Older)
    std::free(P);
  return nullptr;
}

static void *forking(void *) {
  while (!Ends) {
    const pid_t Child = fork();
    if (Child == 0)
      _exit(0);
    int Status = 1;
    if (Child < 0 || waitpid(Child, &Status, 0) != Child || Status != 0)
      ++Failed;
  }
  return nullptr;
}

static const char *Library;
static void *opening(void *) {
  while (!Ends) {
    void *Handle = dlopen(Library, RTLD_NOW);
    if (!Handle || !dlsym(Handle, "makeLate"))
      ++Failed;
    dlclose(Handle);
  }
  return nullptr;
}

static void onAlarm(int) {
  Interrupts = Interrupts + 1;
  char Room[4096];
  std::memset(Room, 1, sizeof Room);
  asm volatile("" ::"r"(Room) : "memory");
}

static void interrupt() {
  static char Room[64 << 10];
  const stack_t Stack = {Room, 0, sizeof Room};
  sigaltstack(&Stack, nullptr);
  struct sigaction Act = {};
  Act.sa_handler = onAlarm;
  Act.sa_flags = SA_ONSTACK | SA_RESTART;
  sigaction(SIGALRM, &Act, nullptr);
  const itimerval Every = {{0, 1000}, {0, 1000}};
  setitimer(ITIMER_REAL, &Every, nullptr);
}

static bool command(const std::string &Line) {
  if (Line.rfind("count ", 0) == 0) {
    Made = 0;
    Paused = true;
    while (Resting < Threads)
      usleep(100);
    ToMake = std::atol(Line.c_str() + 6);
    while (Made < Threads)
      usleep(100);
    ToMake = 0;
    Paused = false;
    while (Resting > 0)
      usleep(100);
    std::puts("counted");
  } else if (Line == "late") {
    void *Handle = dlopen(Library, RTLD_NOW);
    auto Make = reinterpret_cast<void (*)(int)>(dlsym(Handle, "makeLate"));
    Make(50);
    std::puts("late");
  } else {
    return false;
  }
  std::fflush(stdout);
  return true;
}

int main(int Argc, char **Argv) {
  const std::string Mode = Argc > 1 ? Argv[1] : "loop";
  Threads = Argc > 2 ? std::atoi(Argv[2]) : 1;
  Library = Argc > 3 ? Argv[3] : nullptr;
  if (Mode == "stale")
    findStale();
  KEEP_STALE;
  std::vector<pthread_t> All(static_cast<size_t>(Threads));
  for (pthread_t &One : All)
    pthread_create(&One, nullptr, work, nullptr);
  pthread_t Other;
  if (Mode == "fork" || Mode == "open")
    pthread_create(&Other, nullptr, Mode == "fork" ? forking : opening,
                   nullptr);
  if (Mode == "signal")
    interrupt();
  if (Mode == "busy")
    fcntl(STDIN_FILENO, F_SETFL, O_NONBLOCK);
  std::puts("ready");
  std::fflush(stdout);
  std::string Line;
  for (int C; (C = getchar_unlocked()) != EOF || ferror(stdin);) {
    if (C == EOF) {
      clearerr(stdin);
      for (int I = 0; I < 50; ++I)
        std::free(makeOne(static_cast<size_t>(I) + 1));
      continue;
    }
    if (C != '\n') {
      Line += static_cast<char>(C);
      continue;
    }
    if (!command(Line))
      break;
    Line.clear();
  }
  Ends = true;
  for (pthread_t One : All)
    pthread_join(One, nullptr);
  if (Mode == "fork" || Mode == "open")
    pthread_join(Other, nullptr);
  std::printf("ended, %ld failed\n", Failed.load());
  return 0;
}
