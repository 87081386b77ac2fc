//===- Accumulators.h - Sums of one subject each, for a Profile -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ProfileBuilder.cpp adds each trace to these objects, and finishes them in
// order.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_REPORT_MODEL_ACCUMULATORS_H
#define INMEM_REPORT_MODEL_ACCUMULATORS_H

#include "report/model/Blocks.h"
#include "report/model/CallStacks.h"
#include "report/model/PartRows.h"
#include "report/model/Profile.h"
#include "report/model/RowSums.h"
#include "report/model/SiteRows.h"
#include "trace/read/Trace.h"

#include <set>

namespace inmem::report {

// FreeCounts.cpp: frees by allocating and freeing code.

/// Frees by the block's site and the freeing code.
class FreeSums {
public:
  FreeSums(const ProfileOptions &With, Profile &Out, StackBuilder &Calls)
      : Options(With), Out(Out), Calls(Calls) {}

  /// \param Blocks of the same trace, which were added before
  void add(const TracePart &Part, const BlockSums &Blocks);

private:
  const ProfileOptions &Options;
  Profile &Out;
  StackBuilder &Calls;
};

// InheritedBlocks.cpp: Blocks from before a fork.
//
// A forked process inherits blocks from its parent. They do not count in its
// totals, but it may free them. Used by ProfileBuilder.cpp.

/// Adds the inherited blocks of \p T to \p Out, the types with most bytes
/// first.
void addInherited(const trace::Trace &T, std::optional<InheritedResult> &Out);

// MappedSums.cpp: Memory that the program maps.

/// Adds up mappings by caller. Callers that look the same in reports share a
/// row.
class MappedSums {
public:
  MappedSums(Profile &Out, SiteRows &Sites) : Out(Out), Sites(Sites) {}

  void add(const trace::Trace &T);
  void finish();

private:
  Profile &Out;
  SiteRows &Sites;
  std::unordered_map<std::string, size_t> Index;
};

// ProcessRows.cpp: A row for each process, with its notes.

void addProcess(const TracePart &Part, const ProfileOptions &Options,
                NoteList &Notes, Profile &Out);

// Samples.cpp: Code that threads were in when sampled.

class SampleSums {
public:
  SampleSums(const ProfileOptions &With, Profile &Out, StackBuilder &Calls)
      : Options(With), Out(Out), Calls(Calls) {}

  void add(const trace::Trace &T);
  /// Call this after all sites are known: finds the allocations of the
  /// functions.
  void finish();

private:
  const ProfileOptions &Options;
  Profile &Out;
  StackBuilder &Calls;
};

// StringCopySums.cpp: Copies of strings without duplicates.

class StringCopySums {
public:
  StringCopySums(std::vector<StringCopy> &Out, PlainNames &Names)
      : Out(Out), Names(Names) {}

  void add(const trace::Trace &T);

private:
  std::vector<StringCopy> &Out;
  PlainNames &Names;
  /// Keys are location, kind and parameter.
  std::set<std::tuple<std::string, uint32_t, uint32_t, uint8_t, uint64_t>>
      Known;
};

// ThreadResults.cpp: Activity of single threads.

class ThreadSums {
public:
  ThreadSums(const ProfileOptions &With, std::vector<ThreadResult> &Out,
             StackBuilder &Calls, NoteList &Notes)
      : Options(With), Out(Out), Calls(Calls), Notes(Notes) {}

  void add(const TracePart &Part);

private:
  void addLived(const trace::Trace &T);
  std::string startOf(const trace::Trace &T, const trace::LivedThread &Thread);

  const ProfileOptions &Options;
  std::vector<ThreadResult> &Out;
  StackBuilder &Calls;
  NoteList &Notes;
};

// Parts.cpp: Samples by thread and lifetime.

/// Divides the blocks of an entry: freed ones by the decade of their lifetime,
/// and live ones. By thread, if no thread freed more than it had allocated; a
/// free counts for the freeing thread.
void addParts(const trace::Trace &T, const trace::Entry &E, const Counts &C,
              const LifetimeSum &Life, std::vector<PartResult> &To);

// Order.cpp: The order of results.

/// Sorts rows, so that output is stable, and derives values that depend on all
/// of them. Drops types without blocks or objects.
void orderResults(Profile &Out);

} // namespace inmem::report

#endif
