//===- ReadThreads.cpp ----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/read/ReadThreads.h"

#include "trace/format/FeatureRecords.h"

#include <algorithm>
#include <cstring>
#include <tuple>

namespace inmem::trace {

namespace {

/// \p Now minus \p Before, an earlier reading; not below 0, because rows may
/// have been cut.
ThreadCounts minus(const ThreadCounts &Now, const ThreadCounts &Before) {
  const auto Less = [](uint64_t A, uint64_t B) { return A - std::min(A, B); };
  return {Less(Now.Allocations, Before.Allocations),
          Less(Now.Bytes, Before.Bytes), Less(Now.Frees, Before.Frees),
          Less(Now.FreedBytes, Before.FreedBytes),
          Less(Now.Temporary, Before.Temporary)};
}

class ThreadReader {
public:
  explicit ThreadReader(Trace &Into) : Out(Into) {}

  void run() {
    Out.LivedThreads.resize(1);
    std::vector<ThreadLifetime> Lifetimes(1);
    elements<ThreadLifetime>(
        ExtentKind::ThreadLifetimes, [&](const ThreadLifetime &L, uint64_t At) {
          // A view of the name in the file, not in the copy.
          const char *Name =
              reinterpret_cast<const char *>(Out.File->bytes().data()) + At +
              offsetof(ThreadLifetime, Name);
          LivedThread T;
          T.Index = L.Index;
          T.Tid = L.Tid;
          T.Start = L.Start < Out.Addresses.size() ? L.Start : 0;
          T.BeganNs = L.BeganNs;
          T.EndedNs = L.EndedNs;
          T.Name = {Name, strnlen(Name, sizeof L.Name)};
          Out.LivedThreads.push_back(T);
          Lifetimes.push_back(L);
        });
    divide(Lifetimes);
    Out.Waits.resize(1);
    readRecords();
    elements<ProfileCell>(
        ExtentKind::ProfileCells, [&](const ProfileCell &C, uint64_t At) {
          if (C.Wait >= Out.Waits.size() && !Out.Cut)
            return damage(At + offsetof(ProfileCell, Wait), "state of a sample",
                          "below " + std::to_string(Out.Waits.size()), C.Wait);
          if (C.Session > Out.Profilings.size() && !Out.Cut)
            return damage(
                At + offsetof(ProfileCell, Session), "session of a sample",
                "at most " + std::to_string(Out.Profilings.size()), C.Session);
          if (C.Count != 0)
            Out.Samples.push_back(C);
        });
    elements<ThreadCrossing>(
        ExtentKind::ThreadCrossings, [&](const ThreadCrossing &C, uint64_t At) {
          if (isKnown(C.Lifetime, At + offsetof(ThreadCrossing, Lifetime)))
            Out.Crossings.push_back(C);
        });
    elements<ThreadLine>(
        ExtentKind::ThreadLines, [&](const ThreadLine &L, uint64_t At) {
          if (!isKnown(L.Lifetime, At + offsetof(ThreadLine, Lifetime)))
            return;
          if (L.Active > 1)
            return damage(At + offsetof(ThreadLine, Active),
                          "form of a thread's time line", "0 or 1", L.Active);
          if (L.Forms[L.Active].WidthNs == 0)
            return damage(At + offsetof(ThreadLine, Forms),
                          "width of a thread's time line", "more than 0", 0);
          Out.ThreadLines.push_back(L);
        });
  }

private:
  std::string_view text(uint64_t At, const RecordHeader &H, StringOffset O) {
    if (O == 0)
      return {};
    if (const auto S = Out.string(At, H.Bytes, O))
      return *S;
    damage(At, "string of a record",
           "an offset below " + std::to_string(H.Bytes) +
               " to NUL-terminated bytes",
           O);
    return {};
  }

  template <class R> bool load(uint64_t At, const RecordHeader &H, R &Record) {
    if (H.Bytes >= sizeof(R))
      return Out.load(At, Record);
    damage(At,
           "record of kind " + std::to_string(static_cast<uint16_t>(H.Kind)),
           "at least " + std::to_string(sizeof(R)) + " bytes", H.Bytes);
    return false;
  }

  /// Reads notes, and the records that samples refer to. Other damage has been
  /// reported already.
  void readRecords() {
    for (const Extent &E : Out.Extents) {
      if (E.Header.Kind != ExtentKind::Meta)
        continue;
      const uint64_t End = E.Offset + sizeof(ExtentHeader) + E.Whole;
      RecordHeader H;
      for (uint64_t At = E.Offset + sizeof(ExtentHeader);
           End - At >= sizeof H && Out.load(At, H) && H.Bytes >= sizeof H &&
           H.Bytes % 8 == 0 && H.Bytes <= End - At;
           At += H.Bytes)
        readRecord(At, H);
    }
  }

  void readRecord(uint64_t At, const RecordHeader &H) {
    if (H.Kind == RecordKind::Note) {
      NoteRecord R;
      if (load(At, H, R))
        Out.Notes.push_back({R.Kind, R.Ticks, text(At, H, R.Text)});
    } else if (H.Kind == RecordKind::Profile) {
      ProfileRecord R;
      if (load(At, H, R))
        Out.Profilings.push_back({R.Clock, R.Depth, R.IntervalNs,
                                  text(At, H, R.Include),
                                  text(At, H, R.Exclude)});
    } else if (H.Kind == RecordKind::Wait) {
      WaitRecord R;
      if (load(At, H, R))
        Out.Waits.push_back({R.Call, R.Machine, text(At, H, R.Target)});
    }
  }

  void damage(uint64_t Offset, std::string What, std::string Expected,
              uint64_t Found) {
    if (Out.Diagnostics.size() < 1000)
      Out.Diagnostics.push_back({Diagnostic::Level::Damage, Offset,
                                 std::move(What), std::move(Expected),
                                 std::to_string(Found)});
    else
      ++Out.DiagnosticsLeftOut;
  }

  bool isKnown(uint32_t Lifetime, uint64_t At) {
    if (Lifetime > 0 && Lifetime < Out.LivedThreads.size())
      return true;
    if (!Out.Cut)
      damage(At, "number of a thread",
             "1 to " + std::to_string(Out.LivedThreads.size() - 1), Lifetime);
    return false;
  }

  template <class Element, class Function>
  void elements(ExtentKind Kind, Function Visit) {
    std::vector<const Extent *> Some;
    for (const Extent &E : Out.Extents)
      if (E.Header.Kind == Kind)
        Some.push_back(&E);
    std::sort(Some.begin(), Some.end(), [](const Extent *A, const Extent *B) {
      return comesBefore(*A, *B);
    });
    for (const Extent *E : Some)
      for (uint64_t I = 0; I < E->Whole; ++I) {
        const uint64_t At =
            E->Offset + sizeof(ExtentHeader) + I * sizeof(Element);
        Element One;
        if (!Out.load(At, One))
          break;
        Visit(One, At);
      }
  }

  static uint64_t events(const ThreadCounts &C) {
    return C.Allocations + C.Frees;
  }

  /// Divides the counts of shared rows among its threads. Counts after one
  /// thread's end and before the next one's beginning belong to the thread that
  /// ended.
  void divide(const std::vector<ThreadLifetime> &Lifetimes) {
    std::map<uint32_t, std::vector<size_t>> ByIndex;
    for (size_t I = 1; I < Lifetimes.size(); ++I)
      if (Lifetimes[I].Index != 0)
        ByIndex[Lifetimes[I].Index].push_back(I);
    for (auto &[Index, Those] : ByIndex) {
      // Threads are numbered when they are first seen, possibly before they
      // have rows, so sort by their counts. Of several with the same beginning,
      // all but the last did nothing.
      std::sort(Those.begin(), Those.end(), [&](size_t A, size_t B) {
        const auto Key = [&](size_t I) {
          const ThreadLifetime &L = Lifetimes[I];
          return std::tuple(events(L.Before), L.EndedNs == 0, events(L.After),
                            I);
        };
        return Key(A) < Key(B);
      });
      for (size_t I = 0; I + 1 < Those.size(); ++I)
        Out.LivedThreads[Those[I]].Counts =
            minus(Lifetimes[Those[I + 1]].Before, Lifetimes[Those[I]].Before);
      const auto Known = Out.Threads.find(Index);
      if (Known == Out.Threads.end())
        continue;
      const RowTotals &R = Known->second.Totals;
      const ThreadCounts Now = {R.Allocations - R.MovedOut,
                                R.Bytes - R.MovedOutBytes, R.Frees,
                                R.FreedBytes, R.Temporary};
      Out.LivedThreads[Those.back()].Counts =
          minus(Now, Lifetimes[Those.back()].Before);
    }
  }

  Trace &Out;
};

} // namespace

void readThreads(Trace &Out) { ThreadReader(Out).run(); }

} // namespace inmem::trace
