//===- ResidentPages.cpp --------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heap/ResidentPages.h"

#include "heap/HeapSort.h"
#include "platform/Files.h"
#include "trace/format/HeapFormat.h"

namespace inmem::rt {

namespace {

/// True if a forked child does not have its pages.
bool isLostByFork(const Mapping &M) { return M.IsFile || M.Shared; }

/// Adds pages to a list of runs.
void addRun(void *Runs, const PageRun &R) {
  auto &Out = *static_cast<Pages<PageRun> *>(Runs);
  if (Out.size()) {
    PageRun &Last = Out[Out.size() - 1];
    if (Last.First + Last.Count == R.First && Last.Flags == R.Flags) {
      Last.Count += R.Count;
      return;
    }
  }
  Out.add(R);
}

} // namespace

/// The address at the start of a mapping's line, such as "1a-2b rw-p". Other
/// lines begin with a word in capitals; returns \p Otherwise for these.
static uintptr_t leadingAddress(const char *Line, uintptr_t Otherwise) {
  static constexpr char kDigits[] = "0123456789abcdef";
  constexpr unsigned kDigitBits = 4;
  uintptr_t Value = 0;
  for (; *Line; ++Line) {
    const char *Digit = strchr(kDigits, *Line);
    if (!Digit)
      break;
    Value = Value << kDigitBits | static_cast<uintptr_t>(Digit - kDigits);
  }
  return *Line == '-' ? Value : Otherwise;
}

bool isOfKernel(const char *Name) {
  return strncmp(Name, "[vvar", 5) == 0 || strncmp(Name, "[vsyscall", 9) == 0;
}

/// Mappings of huge pages that RSS does not count: only smaps shows them, by
/// the flag "ht".
void ResidentPages::findHugetlb() {
  const int Fd = openForReading("/proc/self/smaps");
  if (Fd < 0)
    return;
  constexpr size_t kRoom = 16 * 1024;
  Pages<char> Buffer;
  char *Text = Buffer.extend(kRoom);
  uintptr_t Start = 0;
  size_t Kept = 0; ///< bytes of an incomplete line
  for (uint64_t At = 0; Text && Kept + 1 < kRoom;) {
    const long Got = readAt(Fd, Text + Kept, kRoom - 1 - Kept, At);
    if (Got <= 0)
      break;
    At += static_cast<uint64_t>(Got);
    Text[Kept + static_cast<size_t>(Got)] = 0;
    char *Line = Text;
    for (char *End; (End = strchr(Line, '\n')); Line = End + 1) {
      *End = 0;
      if (strncmp(Line, "VmFlags:", 8) != 0)
        Start = leadingAddress(Line, Start);
      else if (strstr(Line, " ht"))
        HugetlbStarts.add(Start);
    }
    Kept = strlen(Line);
    memmove(Text, Line, Kept);
  }
  Buffer.release();
  closeFile(Fd);
}

bool ResidentPages::isHugetlb(uintptr_t Start) const {
  for (const uintptr_t Known : HugetlbStarts)
    if (Known == Start)
      return true;
  return false;
}

void ResidentPages::scanInParent() {
  PageScan Scan;
  if (!Scan.isOpen() || !Maps.read())
    return;
  PageTables = numberInFile("/proc/self/status", "VmPTE:", 0) << 10; // KiB
  Hugetlb = numberInFile("/proc/self/status", "HugetlbPages:", 0) << 10;
  if (Hugetlb)
    findHugetlb();
  Ksm = numberInFile("/proc/self/ksm_merging_pages", "", heap::kNotKnown);
  if (Ksm != heap::kNotKnown)
    Ksm *= pageSize();
  for (size_t I = 0; I < Maps.size(); ++I)
    if (isLostByFork(Maps[I]) && !isHugetlb(Maps[I].Start))
      Scan.scan(Maps[I].Start, Maps[I].End, addRun, &Runs);
  struct Context {
    PageScan &Scan;
    Pages<PageRun> &Runs;
  } C = {Scan, Runs};
  forEachOwnRange(
      [](void *Data, const OwnRange &R) {
        auto &In = *static_cast<Context *>(Data);
        if (R.IsWiped)
          In.Scan.scan(R.Start, roundUp(R.End, pageSize()), addRun, &In.Runs);
      },
      &C);
}

void ResidentPages::noteOwnRanges() {
  forEachOwnRange(
      [](void *Data, const OwnRange &R) {
        static_cast<Pages<OwnRange> *>(Data)->add(R);
      },
      &Own);
}

void ResidentPages::scanInChild() {
  // The parent's lists are in the memory that the fork copied. They stay as
  // they are; the child extends copies of its own.
  RunsOfParent.swap(Runs);
  if (Runs.extend(RunsOfParent.size()))
    memcpy(Runs.data(), RunsOfParent.data(),
           RunsOfParent.size() * sizeof(PageRun));
  Mappings Now;
  PageScan Scan;
  if (!Scan.isOpen() || !Now.read())
    return;
  noteOwnRanges();
  sortInPlace(Own.data(), Own.size(), [](const OwnRange &A, const OwnRange &B) {
    return A.Start < B.Start;
  });
  for (size_t I = 0; I < Now.size(); ++I) {
    const Mapping &In = Now[I];
    if (isLostByFork(In) || isOfKernel(Now.nameOf(In)))
      continue;
    uintptr_t At = In.Start;
    for (const OwnRange &O : Own) {
      const uintptr_t End = roundUp(O.End, pageSize());
      if (!O.IsWiped || End <= At || O.Start >= In.End)
        continue;
      Scan.scan(At, O.Start, addRun, &Runs);
      At = End;
    }
    Scan.scan(At, In.End, addRun, &Runs);
  }
  noteOwnRanges(); // our lists may have moved
  sortInPlace(Runs.data(), Runs.size(), [](const PageRun &A, const PageRun &B) {
    return A.First < B.First;
  });
  splitZeros(Now);
}

/// True if all words of a page are 0. Most pages show immediately that they are
/// not.
static bool isZero(uintptr_t Page) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  const auto *Words = reinterpret_cast<const uint64_t *>(Page);
  for (size_t I = 0; I < pageSize() / sizeof(uint64_t); ++I)
    if (Words[I])
      return false;
  return true;
}

/// Separates pages of zeros from others.
void ResidentPages::splitZeros(const Mappings &All) {
  Pages<PageRun> Before;
  Before.swap(Runs);
  for (const PageRun &R : Before) {
    const Mapping *In = All.find(R.First * pageSize());
    if (R.Flags & (heap::kPageFile | heap::kPageSwapped) || !In ||
        !In->Readable || isLostByFork(*In) ||
        In->End < (R.First + R.Count) * pageSize()) {
      Runs.add(R);
      continue;
    }
    addSplit(R);
  }
}

void ResidentPages::addSplit(const PageRun &R) {
  for (uint64_t I = 0; I < R.Count;) {
    const bool Zero = isZero((R.First + I) * pageSize());
    uint64_t End = I + 1;
    while (End < R.Count && isZero((R.First + End) * pageSize()) == Zero)
      ++End;
    Runs.add({R.First + I, End - I,
              R.Flags | (Zero ? uint64_t{heap::kPageZero} : 0)});
    I = End;
  }
}

void ResidentPages::release() {
  Runs.release();
  HugetlbStarts.release();
  Maps.release();
}

} // namespace inmem::rt
