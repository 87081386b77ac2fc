//===- Replayer.cpp - Allocates as a recorded program did -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// replayer FD [SYMBOL]: runs the script in file FD (Format.h), one thread for
// each of its threads, and prints how much memory became resident. Allocates
// only what the script requires, so that any malloc may be preloaded. SYMBOL is
// one that the requested malloc exports.
//
// The threads take turns, and only one runs at a time, so that an order is
// reproducible.
//
//===----------------------------------------------------------------------===//
#include "Format.h"

#include <atomic>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// Null if the C library does not have it.
extern "C" __attribute__((weak)) int malloc_trim(size_t);
// Defined in libinmem_place, if that is preloaded.
extern "C" __attribute__((weak)) void __inmem_place_expect(int Class);

using namespace inmem::replayer;

namespace {

constexpr size_t kPage = 4096;

/// Where a thread waits for its turn.
struct alignas(64) Seat {
  std::atomic<uint32_t> Turn; ///< number + 1; 0: no turn yet
  pthread_t Thread;
};
constexpr uint32_t kLeave = UINT32_MAX;

const Header *Head;
const Step *Steps;
const Turn *Turns;
void **Blocks;
Seat *Seats;

void *mapZeros(size_t Bytes) {
  void *Out = mmap(nullptr, Bytes ? Bytes : 1, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  return Out == MAP_FAILED ? nullptr : Out;
}

void futex(std::atomic<uint32_t> &Word, int Operation, uint32_t Value) {
  syscall(SYS_futex, &Word, Operation, Value, nullptr, nullptr, 0);
}

void wake(uint32_t Thread, uint32_t Turn) {
  Seats[Thread].Turn.store(Turn, std::memory_order_release);
  futex(Seats[Thread].Turn, FUTEX_WAKE_PRIVATE, 1);
}

/// Waits until the thread's turn differs from \p Last.
uint32_t waitForTurn(uint32_t Thread, uint32_t Last) {
  std::atomic<uint32_t> &Word = Seats[Thread].Turn;
  for (;;) {
    const uint32_t Now = Word.load(std::memory_order_acquire);
    if (Now != Last)
      return Now;
    futex(Word, FUTEX_WAIT_PRIVATE, Last);
  }
}

/// Wakes the thread of turn \p Next. The main thread handles turns other than
/// Run, and the end.
void pass(uint64_t Next) {
  const bool IsMain = Next == Head->Turns || Turns[Next].Kind != TurnKind::Run;
  wake(IsMain ? 0 : Turns[Next].Thread, static_cast<uint32_t>(Next) + 1);
}

/// Writes to each page of a block, as its program did.
void touch(void *Block, size_t Size) {
  auto *Bytes = static_cast<volatile char *>(Block);
  for (size_t I = 0; I < Size; I += kPage)
    Bytes[I] = 1;
  if (Size)
    Bytes[Size - 1] = 1;
}

void run(const Step &S) {
  void *&Block = Blocks[S.Block];
  if (S.Kind == StepKind::Free) {
    free(Block);
    Block = nullptr;
    return;
  }
  if (S.Class && &__inmem_place_expect)
    __inmem_place_expect(S.Class);
  void *Next = nullptr;
  if (S.Kind == StepKind::Reallocate)
    Next = realloc(Block, S.Size ? S.Size : 1);
  else
    Next = S.Kind == StepKind::Zeroed ? calloc(1, S.Size) : malloc(S.Size);
  if (!Next && S.Size)
    _exit(kOutOfMemory);
  Block = Next;
  touch(Block, S.IsReserved && S.Size > kPage ? kPage : S.Size);
}

void runTurn(uint64_t Number) {
  const Turn &T = Turns[Number];
  for (uint64_t I = T.First; I < T.First + T.Count; ++I)
    run(Steps[I]);
}

void *runThread(void *Self) {
  const auto Thread = static_cast<uint32_t>(reinterpret_cast<size_t>(Self));
  for (uint32_t Now = 0; (Now = waitForTurn(Thread, Now)) != kLeave;) {
    runTurn(Now - 1);
    pass(Now);
  }
  return nullptr;
}

void runMain() {
  pass(0);
  for (uint32_t Now = 0; (Now = waitForTurn(0, Now)) - 1 < Head->Turns;) {
    const Turn &T = Turns[Now - 1];
    switch (T.Kind) {
    case TurnKind::Run:
      runTurn(Now - 1);
      break;
    case TurnKind::Begin:
      if (pthread_create(&Seats[T.Thread].Thread, nullptr, runThread,
                         reinterpret_cast<void *>(size_t{T.Thread})))
        _exit(kOutOfMemory);
      break;
    case TurnKind::End:
      wake(T.Thread, kLeave);
      pthread_join(Seats[T.Thread].Thread, nullptr);
      break;
    }
    pass(Now);
  }
}

/// A figure in bytes from a file in /proc; -1 if it is missing.
long long figureIn(const char *Path, const char *Name) {
  static char Text[8192];
  const int Fd = open(Path, O_RDONLY | O_CLOEXEC);
  size_t Used = 0;
  for (ssize_t Got; Fd >= 0 && Used + 1 < sizeof Text &&
                    (Got = read(Fd, Text + Used, sizeof Text - 1 - Used)) > 0;)
    Used += static_cast<size_t>(Got);
  if (Fd >= 0)
    close(Fd);
  Text[Used] = 0;
  const char *Line = strstr(Text, Name);
  return Line ? strtoll(Line + strlen(Name), nullptr, 10) * 1024 : -1;
}
long long residentBytes() {
  return figureIn("/proc/self/smaps_rollup", "\nRss:");
}
long long peakBytes() { return figureIn("/proc/self/status", "\nVmHWM:"); }

/// Resets the peak. If that fails, the peak is the highest since the program's
/// start.
void resetPeak() {
  const int Fd = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
  if (Fd < 0)
    return;
  const ssize_t Ignored = write(Fd, "5", 1);
  (void)Ignored;
  close(Fd);
}

bool openScript(int Fd) {
  struct stat Facts = {};
  if (fstat(Fd, &Facts) != 0 ||
      Facts.st_size < static_cast<off_t>(sizeof *Head))
    return false;
  const auto Bytes = static_cast<uint64_t>(Facts.st_size);
  void *Text =
      mmap(nullptr, Bytes, PROT_READ, MAP_PRIVATE | MAP_POPULATE, Fd, 0);
  if (Text == MAP_FAILED)
    return false;
  Head = static_cast<const Header *>(Text);
  if (Head->Magic != kMagic || Head->Turns >= kLeave ||
      Bytes != sizeof *Head + Head->Steps * sizeof(Step) +
                   Head->Turns * sizeof(Turn))
    return false;
  Steps = reinterpret_cast<const Step *>(Head + 1);
  Turns = reinterpret_cast<const Turn *>(Steps + Head->Steps);
  return true;
}

} // namespace

int main(int Count, char **Words) {
  if (Count < 2 || !openScript(static_cast<int>(strtol(Words[1], nullptr, 10))))
    return kBadScript;
  if (Count > 2 && !dlsym(RTLD_DEFAULT, Words[2]))
    return kWrongAllocator;
  Blocks = static_cast<void **>(mapZeros(Head->Blocks * sizeof(void *)));
  Seats = static_cast<Seat *>(mapZeros(Head->Threads * sizeof(Seat)));
  if (!Blocks || !Seats)
    return kOutOfMemory;
  residentBytes(); // makes its buffer resident
  peakBytes();
  resetPeak();
  const long long Before = residentBytes();
  runMain();
  const long long Peak = peakBytes(), End = residentBytes();
  if (&malloc_trim)
    malloc_trim(0);
  const long long Trimmed = residentBytes();
  if (Before < 0 || Peak < 0 || End < 0)
    return kNoMeasure;
  const auto Less = [Before](long long Size) {
    return Size > Before ? Size - Before : 0;
  };
  char Line[96];
  const int Length = snprintf(Line, sizeof Line, kResult, Less(Peak), Less(End),
                              Less(Trimmed));
  // Use _exit: threads that did not end still exist.
  _exit(write(STDOUT_FILENO, Line, static_cast<size_t>(Length)) == Length
            ? 0
            : kNoMeasure);
}
