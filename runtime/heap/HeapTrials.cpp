//===- HeapTrials.cpp - Promises put to the test --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `inmem resident PID --verify`: the child of a snapshot waits for a file that
// lists remedies, and forks once for each of them. That process really calls
// malloc_trim(), or frees the blocks of the listed sites and writes as much
// memory elsewhere, and counts the pages before and after. The program itself
// continues, and does not change the child's memory.
//
// The request, NAME.heap.try, has a line for each remedy: trim, or copy or
// place and the numbers of sites. The answer, NAME.heap.tried, has kTrialLine
// bytes for each: a number of bytes, or -.
//
//===----------------------------------------------------------------------===//
#include "heap/HeapWriter.h"

#include "allocator/Allocator.h"
#include "platform/Clocks.h"
#include "platform/Files.h"
#include "platform/PageScan.h"
#include "platform/Process.h"
#include "state/TracePath.h"

extern "C" {
__attribute__((weak)) int malloc_trim(size_t);
__attribute__((weak)) int mallopt(int, int);
}

namespace inmem::rt {

namespace {

/// Counts the anonymous memory of this process, with a memory of its own that
/// is the same each time.
class AnonymousMemory {
public:
  AnonymousMemory() {
    Scan.populate();
    Maps.read();
  }
  uint64_t bytes();

private:
  Mappings Maps;
  PageScan Scan;
};

uint64_t AnonymousMemory::bytes() {
  if (!Scan.isOpen() || !Maps.read())
    return 0;
  uint64_t Pages = 0;
  for (size_t I = 0; I < Maps.size(); ++I)
    if (!Maps[I].IsFile && !Maps[I].Shared && !isOfKernel(Maps.nameOf(Maps[I])))
      Scan.scan(
          Maps[I].Start, Maps[I].End,
          [](void *Sum, const PageRun &R) {
            if (!(R.Flags & heap::kPageSwapped))
              *static_cast<uint64_t *>(Sum) += R.Count;
          },
          &Pages);
  return Pages * pageSize();
}

/// A line of the answer; \p Bytes below 0: unknown.
void answer(int Fd, uint64_t Line, int64_t Bytes) {
  constexpr size_t kLine = heap::kTrialLine;
  char Text[kLine];
  memset(Text, ' ', sizeof Text);
  Text[kLine - 1] = '\n';
  if (Bytes < 0)
    Text[0] = '-';
  else
    PathBuilder(Text, kLine).number(static_cast<uint64_t>(Bytes));
  for (char &C : Text)
    C = C ? C : ' ';
  writeAt(Fd, Text, sizeof Text, Line * kLine);
}

/// The words of a line, one after the other.
const char *skipWord(const char *At) {
  while (*At && *At != ' ')
    ++At;
  while (*At == ' ')
    ++At;
  return At;
}

void freeBlock(uintptr_t Begin) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  Real.free(reinterpret_cast<void *>(Begin));
}

} // namespace

/// Frees the blocks of the sites, and writes as many bytes elsewhere. Free
/// chunks are merged immediately, and the last block of each heap is freed
/// after malloc_trim(). The end of another arena's heap shrinks only when a
/// chunk next to it is freed, which happens sooner or later in a running
/// program.
bool HeapWriter::moveBlocks(const NumberMap &Sites) {
  constexpr int kLargestFast = 1; // M_MXFAST
  uint64_t Bytes = 0;
  Pages<uintptr_t> Last; ///< by heap
  if (!Last.extend(Glibc.Heaps.size() + 1))
    return false;
  size_t In = 0;
  const auto IsMoved = [&](const Object &O) {
    return Sites.find(uint64_t{O.Site} + 1) != nullptr;
  };
  for (const Object &O : Objects) {
    while (In < Glibc.Heaps.size() && O.Begin >= Glibc.Heaps[In].End)
      ++In;
    if (!IsMoved(O))
      continue;
    Bytes += (O.Size + 8 + 15) & ~uint64_t{15};
    if (In < Glibc.Heaps.size() && O.Begin >= Glibc.Heaps[In].Begin)
      Last[In] = O.Begin;
  }
  void *Copies = Bytes ? mapPages(Bytes) : nullptr;
  if (!Copies)
    return false;
  memset(Copies, 1, Bytes);
  mallopt(kLargestFast, 0);
  In = 0;
  for (const Object &O : Objects) {
    while (In < Glibc.Heaps.size() && O.Begin >= Glibc.Heaps[In].End)
      ++In;
    if (IsMoved(O) && O.Begin != Last[In])
      freeBlock(O.Begin);
  }
  malloc_trim(0);
  for (const uintptr_t Begin : Last)
    if (Begin)
      freeBlock(Begin);
  return true;
}

/// Runs in a forked child. \returns the bytes that it returned; -1: unknown
int64_t HeapWriter::tryOne(const char *Line) {
  const bool IsTrim = startsWith(Line, "trim"),
             IsPlace = startsWith(Line, "place");
  NumberMap Sites;
  for (const char *At = skipWord(Line); *At; At = skipWord(At)) {
    uint64_t Site = 0;
    for (const char *C = At; *C >= '0' && *C <= '9'; ++C)
      Site = Site * 10 + static_cast<uint64_t>(*C - '0');
    Sites.findOrMake(Site + 1);
  }
  if (IsPlace) // the prediction excludes memory that is already free
    malloc_trim(0);
  AnonymousMemory Now;
  const uint64_t Before = Now.bytes();
  if (!IsTrim && !moveBlocks(Sites))
    return -1;
  malloc_trim(0);
  const uint64_t After = Now.bytes();
  return Before && After <= Before ? static_cast<int64_t>(Before - After) : 0;
}

void HeapWriter::tryRemedies(const char *Snapshot) {
  constexpr uint64_t kPatienceNs = 30'000'000'000, kStepNs = 10'000'000;
  static constinit char Request[1200] = {}, Part[1200] = {}, Answer[1200] = {};
  PathBuilder(Request, sizeof Request).add(Snapshot).add(".try");
  PathBuilder(Answer, sizeof Answer).add(Snapshot).add(".tried");
  PathBuilder(Part, sizeof Part).add(Answer).add(".part");
  int In = -1;
  for (uint64_t Waited = 0; In < 0 && Waited < kPatienceNs; Waited += kStepNs) {
    In = openForReading(Request);
    if (In < 0)
      sleepNs(kStepNs);
  }
  Pages<char> Text;
  constexpr size_t kMost = 1 << 20;
  if (In < 0 || !Text.extend(kMost))
    return;
  readAt(In, Text.data(), kMost - 1, 0);
  closeFile(In);
  removeFile(Part);
  const int To = createFile(Part);
  if (To < 0)
    return;
  const bool CanTry = H.Allocator == heap::AllocatorKind::Glibc &&
                      &malloc_trim && &mallopt && Glibc.isIdle();
  uint64_t Number = 0;
  for (char *Line = Text.data(); *Line; ++Number) {
    char *End = Line;
    while (*End && *End != '\n')
      ++End;
    const bool More = *End != 0;
    *End = 0;
    answer(To, Number, -1);
    const int Pid = CanTry ? forkQuietly() : -1;
    if (Pid == 0) {
      answer(To, Number, tryOne(Line));
      exitNow(0);
    }
    if (Pid > 0)
      reapWriter(Pid, /*Wait=*/true);
    Line = More ? End + 1 : End;
  }
  closeFile(To);
  renameFile(Part, Answer);
}

} // namespace inmem::rt
