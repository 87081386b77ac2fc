//===- Trace.h - A trace as the reader hands it out -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The validated model of one process: plain values, strings as views into the
// Buffer that the Trace keeps alive. Rows are merged over threads; histograms,
// frames, fields and events are read on demand, so that a model stays small
// next to its file. docs/trace-format.md explains the terms.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_TRACE_TRACE_H
#define INMEM_TRACE_TRACE_H

#include "inmem/abi.h"
#include "trace/format/FoundTypeFormat.h"
#include "trace/read/Buffer.h"
#include "trace/read/RowTotals.h"
#include "trace/read/Status.h"

#include <array>
#include <functional>
#include <map>
#include <string_view>

namespace inmem::trace {

/// Something that the reader or the verifier noticed.
struct Diagnostic {
  enum class Level {
    Note,      ///< worth knowing
    Cut,       ///< the file ends early; all data before that is valid
    Invariant, ///< figures contradict one another
    Damage     ///< invalid bytes: part of the file is skipped
  };
  Level Severity = Level::Note;
  uint64_t Offset = 0; ///< byte in the file
  std::string What, Expected, Found;

  Status status(const std::string &File) const {
    return Status::at(File, Offset, What, Expected, Found);
  }
};

struct Module {
  uint32_t Id = 0;
  uint64_t Base = 0;
  std::string_view Path;
  std::string_view BuildId; ///< raw bytes
};

struct Field {
  uint64_t TypeId = 0;
  uint32_t Offset = 0, Size = 0;
  std::string_view Name, TypeName;
  uint8_t Kind = 0, Bit = 0;
};

/// Index 0: the record is missing.
struct Type {
  INMEM_SEEN_IN(INMEM_TYPE_RECORD)
  uint64_t Record = 0; ///< file offset of the TypeRecord
  uint32_t FieldCount = 0, Fields = 0;
};

struct Frame {
  std::string_view Function, File;
  uint32_t Line = 0, Column = 0;
  bool Passed = false; ///< in a library, or implicit
};

/// A call, in one of the modules.
struct CallerCall {
  uint32_t Module = 0; ///< Module::Id; 0: unknown
  uint64_t Offset = 0; ///< offset of its last byte from the module's base
};

/// Id 0: the record is missing.
struct Site {
  INMEM_SEEN_IN(INMEM_SITE_RECORD)
  uint64_t Record = 0; ///< file offset of the SiteRecord
  uint32_t FrameCount = 0, Frames = 0;
  /// Set for an id of a site with a stack; the members above are the site's.
  uint32_t Plain = 0; ///< id of the site without the stack
  uint32_t Stack = 0; ///< index into Trace::Stacks
  /// Set for an id of a site with its caller (callers=on), together with
  /// HasCaller.
  Frame Caller;
  bool HasCaller = false;
  /// Range of Trace::callsOf().
  uint32_t FirstCall = 0, CallCount = 0;

  /// True if rows of the site count blocks that the process allocated, not
  /// objects.
  bool ofBlocks() const {
    return Kind != INMEM_SITE_OBJECT && Kind != INMEM_SITE_HELD && !inherited();
  }
  /// True if each block is one object, whatever its size.
  bool ofSingles() const {
    return Kind == INMEM_SITE_NEW || Kind == INMEM_SITE_COROUTINE ||
           Kind == INMEM_SITE_EXCEPTION || (Flags & INMEM_SITE_ONE) != 0;
  }
  /// True if the type was inferred from the source, and not given by the
  /// language.
  bool isConcluded() const {
    return (Rule >= INMEM_RULE_SIZEOF && Rule <= INMEM_RULE_VARIABLE) ||
           Rule == INMEM_RULE_FLOW;
  }
  /// True if rows of the site count blocks that existed before the process was
  /// forked: Allocations are blocks alive then, Frees ones freed since.
  bool inherited() const { return (Flags & INMEM_SITE_INHERITED) != 0; }
};

/// A location in the code to which stacks refer.
struct Address {
  uint32_t Id = 0; ///< 0: the record is missing
  uint32_t Module = 0, Flags = 0;
  uint64_t Offset = 0;
  std::string_view Function; ///< dynamic symbol; may be empty
  uint32_t SymbolOffset = 0;
  /// Source locations, with inlined calls expanded, innermost first; none
  /// before `inmem symbolize`.
  std::vector<Frame> Source;
};

/// A frame and how it was reached. Parents have lower ids.
struct Stack {
  uint32_t Id = 0; ///< 0: the record is missing
  uint32_t Parent = 0, Address = 0, Flags = 0;
  uint32_t Depth = 0; ///< frames from here to the root
};

/// Lifetime buckets of one row or entry; index octave * 8 + bucket.
struct Buckets {
  struct Cell {
    uint64_t Count = 0, Bytes = 0;
  };
  std::array<Cell, kOctaves * kBucketsPerOctave> Cells{};
};

/// All rows of one site and type, over all threads.
struct Entry {
  uint32_t Site = 0, Type = 0;
  uint32_t FirstRow = 0; ///< index into Trace::Rows
  RowTotals Totals;
  /// clock=events: the first row of lifetimes in allocations.
  uint32_t FirstAllocationLifetimes = 0xffffffffu;
};

/// The location of a row; rows of an entry form a list.
struct RowRef {
  uint64_t Offset = 0;
  uint32_t Thread = 0;
  uint32_t Next = kNone;
  static constexpr uint32_t kNone = 0xffffffffu;
};

struct Thread {
  INMEM_SEEN_IN(INMEM_THREAD_RECORD)
  /// The sums of the thread's rows: frees belong to the thread that freed.
  RowTotals Totals;
};

/// One thread, running or ended, of several that shared rows.
struct LivedThread {
  uint32_t Index = 0; ///< owner of its rows; 0: no events yet
  uint32_t Tid = 0;   ///< 0: all threads beyond the limit
  uint32_t Start = 0; ///< index into Trace::Addresses; 0: unknown
  uint64_t BeganNs = 0,
           EndedNs = 0; ///< since recording began; EndedNs 0: not ended
  std::string_view Name;
  ThreadCounts Counts{}; ///< the thread's own
};

/// Sampling parameters, from some time on.
struct Profiling {
  ProfileClock Clock{};
  uint32_t Depth = 0;
  uint64_t IntervalNs = 0;
  std::string_view Include,
      Exclude; ///< globs that select the interesting frame
};

/// A wait of a thread.
struct Wait {
  int32_t Call = 0; ///< system call number; -1: not in a system call
  uint32_t Machine = 0;
  std::string_view Target;
};

/// frees=on: one thread's frees, as in FreeCell.
struct Freed {
  FreeCell Cell{};
  uint32_t Thread = 0; ///< the freeing thread
};

/// A counter of constructions or destructions, over all threads.
struct Object {
  INMEM_SEEN_IN(INMEM_OBJECT_RECORD) // Times: at least 1
  uint64_t Count = 0;
};

/// A source location at which the compiler saw a string that is only read.
struct StringCopy {
  INMEM_SEEN_IN(INMEM_STRING_COPY_RECORD)
};

/// A source file of the user's.
struct Source {
  INMEM_SEEN_IN(INMEM_SOURCE_RECORD)
};

/// The type of a site's blocks, found in the program's file.
struct FoundType {
  INMEM_SEEN_IN(INMEM_FOUND_TYPE_RECORD) // Source: TypeSource; Rule: FoundRule
};

/// The type of a site's blocks, as tools find it.
struct SiteType {
  std::string Name;
  uint64_t Size = 0; ///< 0 if unknown
  TypeSource Source = TypeSource::None;
  FoundRule Rule = FoundRule::None;
  uint16_t Passed = 0; ///< see FoundTypeRecord
};

struct Snapshot {
  uint64_t Offset = 0; ///< the extent's file offset
  uint64_t Sequence = 0;
  SnapshotHeader Header{};
  /// A pending request of another process, to be executed before the next
  /// event: its totals are the trace's current ones, and its rows the entries.
  bool Now = false;
  uint64_t Rows = 0;    ///< file offset of Row[Header.Rows]
  uint64_t Octaves = 0; ///< file offset of Octave[Header.OctaveBlocks]
};

struct Note {
  NoteKind Kind{};
  uint64_t Ticks = 0;
  std::string_view Text;
};

struct Phase {
  uint64_t Ticks = 0;
  uint32_t Snapshot = 0;
  bool OnlyName = false; ///< names the snapshot without starting a phase
  std::string_view Name;
};

struct Extent {
  uint64_t Offset = 0; ///< the header's file offset
  ExtentHeader Header{};
  uint64_t Whole = 0; ///< complete elements (bytes for Meta, Events)
};

/// Order of creation within kind and owner.
inline bool comesBefore(const Extent &A, const Extent &B) {
  return A.Header.Sequence != B.Header.Sequence
             ? A.Header.Sequence < B.Header.Sequence
             : A.Offset < B.Offset;
}

/// Live bytes of one type, by its cells and totals.
struct TypeLive {
  int64_t Live = 0;          ///< flushed and pending bytes
  int64_t Peak = 0;          ///< peak of the run; at least Live
  int64_t PeakSinceMark = 0; ///< since the last Reset or Manual snapshot
};

/// A note of all rows near the process's peak (PeakRow).
struct PeakNote {
  uint32_t Order = 0;
  bool Rising = false;        ///< taken while rising to a new peak
  uint64_t PeakLiveBytes = 0; ///< the highest until then
  size_t Extent = 0;          ///< index into Trace::Extents
};

/// The most live bytes in a part of the run.
struct PartPeaks {
  int64_t Process = 0;
  std::vector<int64_t> Types; ///< by type index, as Trace::Live
};

/// One process. Copyable; copies share the Buffer.
class Trace {
public:
  // Defined in Trace.cpp, because each user would compile this code again.
  Trace();
  ~Trace();
  Trace(const Trace &);
  Trace(Trace &&) noexcept;
  Trace &operator=(const Trace &);
  Trace &operator=(Trace &&) noexcept;

  std::shared_ptr<const Buffer> File;
  uint64_t Base = 0; ///< file offset where this process begins
  uint64_t End = 0;  ///< file offset where its last whole extent ends
  FileHeader Header{};
  bool Recording = true; ///< recording was on when the trace was read
  bool Cut = false;      ///< the file is shorter than its header says
  bool Sealed = false;   ///< checksums cover all significant data (Checksum.h)
  std::string_view Host, Executable;
  std::vector<std::string_view> Command;
  std::vector<Module> Modules;         ///< by id; [0] unused
  std::vector<Type> Types;             ///< by index; [0] is the unknown type
  std::vector<Site> Sites;             ///< by id; [0] unused
  std::vector<Address> Addresses;      ///< by id; [0] unused
  std::vector<Stack> Stacks;           ///< by id; [0] is the empty stack
  std::vector<CallerCall> CallerCalls; ///< innermost first; see callsOf()
  std::map<uint32_t, Thread> Threads;
  std::vector<LivedThread> LivedThreads; ///< by number; [0] unused
  std::vector<ThreadCrossing> Crossings; ///< crossings of watchers' thresholds
  std::vector<ThreadLine> ThreadLines;   ///< lines of watched threads
  std::vector<Profiling> Profilings;     ///< sampling settings, in order
  std::vector<Wait> Waits;               ///< by id; [0] unused
  std::vector<ProfileCell> Samples;      ///< profile=
  std::vector<Entry> Entries;            ///< in order of site, then type
  std::vector<RowRef> Rows;
  std::vector<Object> Objects;
  std::vector<StringCopy> StringCopies;
  std::map<uint32_t, FoundType> FoundTypes; ///< by id of the site or pair
  std::vector<Source> Sources; ///< a file compiled twice may have two versions
  std::vector<TypeLive> Live;  ///< by type index; may be shorter than Types
  TypeLive Process;            ///< sum over all types
  /// Live bytes by site at the process's peak; only sites with any.
  std::map<uint32_t, uint64_t> AtPeak;
  std::vector<PeakNote> PeakNotes; ///< in order of time
  std::vector<Freed> Frees;        ///< frees=on
  std::vector<MappedTotal> Mapped; ///< mmap=on
  std::vector<Snapshot> Snapshots; ///< in order of Sequence
  std::vector<Note> Notes;
  std::vector<Phase> Phases;
  std::vector<Extent> Extents; ///< in file order
  std::vector<Diagnostic> Diagnostics;
  uint64_t DiagnosticsLeftOut = 0; ///< number beyond the first thousand

  const std::string &fileName() const { return File->name(); }
  bool complete() const { return !Cut && Header.State != RunState::Running; }
  bool damaged() const;
  /// Keys and values of labels=, in their order.
  std::vector<std::pair<std::string_view, std::string_view>> labels() const;
  /// True if checksums cover every figure, and all of them hold.
  bool verified() const { return Sealed && !Cut && !damaged(); }
  /// False if E is complete, has a checksum, and that is wrong.
  bool checksumHolds(const Extent &E) const;

  const Type &type(uint32_t Index) const {
    return Index < Types.size() ? Types[Index] : Types[0];
  }
  const Site &site(uint32_t Id) const {
    return Id < Sites.size() ? Sites[Id] : Sites[0];
  }
  const Module &module(uint32_t Id) const {
    return Id < Modules.size() ? Modules[Id] : Modules[0];
  }

  const Address &address(uint32_t Id) const {
    return Id < Addresses.size() ? Addresses[Id] : Addresses[0];
  }
  const Stack &stack(uint32_t Id) const {
    return Id < Stacks.size() ? Stacks[Id] : Stacks[0];
  }

  /// The calls on one path to a site from its Caller, the call in the Caller
  /// last; empty if unknown.
  std::span<const CallerCall> callsOf(const Site &S) const {
    return std::span(CallerCalls).subspan(S.FirstCall, S.CallCount);
  }

  /// Calls of the inlined chain around a site, innermost caller first.
  std::vector<Frame> frames(const Site &S) const;
  /// \p Count FrameRecords at \p Frames of the record at file offset Record.
  std::vector<Frame> framesAt(uint64_t Record, uint32_t Frames,
                              uint32_t Count) const;
  std::vector<Field> fields(const Type &T) const;
  /// Reads a row again; zeros if Ref is not in the file.
  Row row(const RowRef &Ref) const;
  /// Lifetimes of one row. False if a reference is invalid (that octave is then
  /// left out).
  bool addBuckets(const RowRef &Ref, Buckets &Out) const;
  /// Lifetimes of all rows of an entry.
  Buckets buckets(const Entry &E) const;
  /// Lifetimes in allocations (clock=events): their sums, of which only Timed
  /// to MaxTicks are valid, and in \p Out their buckets.
  RowTotals allocationLifetimes(const Entry &E, Buckets &Out) const;
  /// Row I of a snapshot, and its lifetimes if Out is given.
  Row snapshotRow(const Snapshot &S, uint32_t I, Buckets *Out = nullptr) const;
  /// The rows of a note, by site; rows of site 0 are left out.
  std::vector<PeakRow> rowsOf(const PeakNote &Note) const;
  uint64_t atPeak(uint32_t Site) const {
    const auto At = AtPeak.find(Site);
    return At == AtPeak.end() ? 0 : At->second;
  }
  /// Rows of single threads at a snapshot, of any site; nullopt if unknown.
  std::optional<std::vector<MarkRow>> rowsAt(const Snapshot &S) const;
  /// As above, at the end.
  std::vector<MarkRow> rowsNow() const;
  /// Counts of Objects at a snapshot, in their order; nullopt if unknown.
  std::optional<std::vector<uint64_t>> objectsAt(const Snapshot &S) const;
  /// Peaks between two marks; null means the start or the end. nullopt if
  /// unknown.
  std::optional<PartPeaks> peaksBetween(const Snapshot *From,
                                        const Snapshot *To) const;
  /// Counts of Objects at the end, for threads with an index for which \p
  /// Wanted returns true.
  std::vector<uint64_t>
  objectsOf(const std::function<bool(uint32_t)> &Wanted) const;
  /// The last Reset snapshot, or null.
  const Snapshot *lastReset() const;

  /// Copies a T at file offset Offset; false if it is not in the file.
  template <class T> bool load(uint64_t Offset, T &Out) const {
    const auto Bytes = File->bytes();
    if (Offset > Bytes.size() || sizeof(T) > Bytes.size() - Offset)
      return false;
    __builtin_memcpy(static_cast<void *>(&Out), Bytes.data() + Offset,
                     sizeof(T));
    return true;
  }
  /// The string at `String` of a record of Bytes at file offset Record; nullopt
  /// if it leaves the record or has no end.
  std::optional<std::string_view> string(uint64_t Record, uint32_t Bytes,
                                         StringOffset String) const;

private:
  // The stages of reading that fill the indexes below.
  friend class ExtentIndex;
  friend class ProcessReader;
  friend class RowReader;
  template <class Element>
  std::vector<Element> elementsAt(ExtentKind Kind, const Snapshot &S) const;
  struct OctaveRange {
    uint64_t Begin, End; ///< file offsets of whole blocks
    uint32_t Owner;
  };
  std::vector<OctaveRange> OctaveRanges; ///< sorted by Begin
  /// An extent with the state at a snapshot. Sorted by kind and snapshot.
  struct MarkExtent {
    ExtentKind Kind;
    uint64_t Snapshot;
    size_t Extent; ///< index into Extents
    auto operator<=>(const MarkExtent &) const = default;
  };
  std::vector<MarkExtent> MarkExtents; ///< sorted
  void indexMarks();
  /// Marks of a kind and of snapshots from First to Last.
  std::span<const MarkExtent> marks(ExtentKind Kind, uint64_t First,
                                    uint64_t Last) const;
  std::vector<uint64_t> SharedLifetimes; ///< offsets of rows that refer to the
                                         ///< lifetimes of another; sorted
};

/// One event of mode=trace.
struct Event {
  EventKind Kind{};
  uint32_t Site = 0;
  uint32_t From = 0; ///< Retag: the previous site
  bool Timed = false;
  bool Clocked = false; ///< Ticks is this event's own time
  uint64_t Size = 0;
  /// Since FileHeader.StartTicks, shifted as written: the time of this event
  /// or, if it has none, of the last event before it that has one.
  uint64_t Ticks = 0;
  uint64_t Lifetime = 0; ///< if Timed: ticks, shifted as recorded
};

/// Walks the events of one thread in order, without keeping them.
class EventStream {
public:
  /// `From` must outlive the stream.
  EventStream(const Trace &From, uint32_t Thread);

  /// False at the end, or at invalid bytes (see damage()).
  bool next(Event &Out);
  const std::optional<Diagnostic> &damage() const { return Damage; }

private:
  bool varint(uint64_t &Out);
  bool fail(const char *Expected);

  const Trace &Source;
  std::vector<Extent> Parts;
  size_t Part = 0;
  uint64_t At = 0, PartEnd = 0;
  uint64_t Released = 0; ///< pages of the part before it are released
  /// Pages are released in pieces of this size once they are read, so that
  /// memory does not grow with the length of the trace.
  static constexpr uint64_t kPiece = 128 << 10;
  uint64_t Ticks = 0;
  struct Pair {
    uint32_t Site = 0; ///< 0: the slot is empty
    uint64_t Size = 0;
  };
  std::vector<Pair> Pairs;
  std::optional<Diagnostic> Damage;
};

} // namespace inmem::trace

#endif
