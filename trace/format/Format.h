//===- Format.h - The trace file's layout, shared by writer and reader ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One owner: runtime/ maps these structures and updates them in place, trace/
// reads them (docs/trace-format.md has an example). Little-endian; every
// structure has a fixed size and no pointers. Valid for readers at any instant,
// also after the program was killed: counters only grow, and whatever is
// published by a count (`Used`) is complete below that count.
//
//   file   := FileHeader (4096 bytes) extent*
//   extent := ExtentHeader (64 bytes) payload     -- size a multiple of 4096
//
// An extent with an all-zero header (or without its magic) marks the end of the
// data: the tail of the file may be preallocated zeros.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_TRACE_FORMAT_H
#define INMEM_TRACE_FORMAT_H

#include "trace/format/EventFormat.h"
#include "trace/format/FeatureFormat.h"
#include "trace/format/ImportedFlags.h"
#include "trace/format/LifetimeFormat.h"
#include "trace/format/Records.h"
#include "trace/format/ThreadFormat.h"

#include <stdint.h>

namespace inmem::trace {

inline constexpr char kMagic[8] = {'i', 'n', 'm', 'e', 'm', '\r', '\n', '\x1a'};
inline constexpr uint32_t kVersion = 1;
inline constexpr uint32_t kExtentMagic = 0x58454d49; // "IMEX"
inline constexpr uint32_t kHeaderBytes = 4096;
inline constexpr uint32_t kExtentAlign = 4096;

/// Unit of lifetimes' ticks.
enum class ClockKind : uint32_t {
  Auto = 0,  ///< hardware ticks; thinned after 1024 lifetimes
  Exact = 1, ///< hardware ticks; every block is timed
  Events = 2 ///< bytes that the process had allocated, and in rows of their
             ///< own allocations; deterministic
};

/// Progress of a process. If a process is gone but its state is Running, its
/// trace was cut short.
enum class RunState : uint32_t { Running = 1, Complete = 2, Execed = 3 };

enum HeaderFlags : uint32_t {
  kFlagFull = 1,   ///< the disk or the size limit was reached
  kFlagForked = 2, ///< the process is a forked child
  kFlagEvents = 4, ///< mode=trace: Events extents are present
  kFlagSampledBytes =
      8, ///< sample_bytes: the Weighted members of rows are valid
  kFlagSampledEvery = 16, ///< every=N
  kFlagInstrumented = 32, ///< code compiled with inmem was loaded
  kFlagCut = 64,          ///< the trace was cut before `inmem merge`
  kFlagAttached = 1 << 17 ///< `inmem attach`: older blocks are not recorded
};

/// Command from another process of the same user (`inmem ctl`).
enum class CommandKind : uint32_t {
  Start = 1,
  Stop = 2,
  Reset = 3,
  Snapshot = 4,
  Heap = 5,         ///< a heap snapshot (HeapFormat.h), next to the trace;
                    ///< Name: "verify": its child tries remedies
  ProfileStart = 6, ///< Name: interval,clock,depth, or empty
  ProfileStop = 7,
  Periodic = 8 ///< Name: the option's value
};
struct ControlCommand {
  CommandKind Kind;
  uint32_t Reserved;
  uint64_t UnixNs; ///< when the command was sent
  char Name[48];   ///< name of a snapshot; NUL-terminated
};
static_assert(sizeof(ControlCommand) == 64);

/// Commands written by other processes, one at a time (flock). The recording
/// process executes them before its next event, so a reader may treat pending
/// ones as executed. The member Writing keeps out the recording process's own
/// signal handlers.
struct CommandQueue {
  static constexpr uint32_t kRoom = 16;
  uint32_t Recording; ///< 1: allocations are recorded; set by the process
  uint32_t Given;     ///< commands sent; grows, release, by other processes
  uint32_t Obeyed;    ///< commands executed; grows, release, by the process
  uint32_t Writing;   ///< 1 while a command is being sent
  ControlCommand Slots[kRoom]; ///< command N, from 0, is at N % kRoom
};
static_assert(sizeof(CommandQueue) == 16 + 16 * sizeof(ControlCommand));

/// A cell's limit that makes its thread's next event execute commands; the
/// cell's High is set to the same value.
inline constexpr int64_t kCommandLimit = -(int64_t{1} << 60);
/// True also for the limit that a snapshot sets: it adds the cell's Delta to
/// the total and the amount to kCommandLimit. The owner subtracts the amount
/// when it flushes.
constexpr bool isCommandLimit(int64_t L) { return L < kCommandLimit / 2; }
constexpr int64_t owedBy(int64_t Limit) {
  return isCommandLimit(Limit) ? Limit - kCommandLimit : 0;
}

/// Stored at offset 0. Multi-byte members are updated in place by the process.
struct FileHeader {
  char Magic[8];
  uint32_t Version;
  uint32_t HeaderBytes; ///< offset of the first extent: 4096
  RunState State;
  uint32_t Flags; ///< HeaderFlags
  uint64_t Pid;
  uint64_t ParentPid;
  uint64_t StartUnixNs; ///< CLOCK_REALTIME when recording began
  uint64_t EndUnixNs;   ///< 0 while running
  uint64_t StartTicks;  ///< hardware clock when recording began
  uint64_t LastTicks;   ///< hardware clock at the last slow-path event or end
  uint64_t TicksPerSecond; ///< rate of the hardware clock, before TickShift
  ClockKind Clock;
  uint32_t TickShift; ///< a lifetime of L in the trace is L << TickShift ticks
  uint32_t ExactLifetimes; ///< clock=auto: first lifetimes per thread and site,
                           ///< all timed
  uint32_t ThinBy;         ///< clock=auto: then 1 in ThinBy is timed
  int64_t LiveBytes;       ///< sum of flushed per-thread live bytes
  int64_t PeakLiveBytes;   ///< highest at a flush since the last mark
  uint64_t DroppedEvents;  ///< allocations that could not be recorded
  uint64_t SampleBytes;    ///< mean sampling interval; 0: none
  uint64_t Every;          ///< sampling interval in blocks; 1: all
  uint64_t MinSize;
  uint64_t FileBytes; ///< bytes of the file in use (end of the last extent)
  uint64_t LostBytes; ///< bytes recorded into memory after the file was full
  uint32_t ExitCode;  ///< reserved for tools; 0
  uint32_t Followers; ///< processes after this one in a merged file
  char Host[64];
  char Executable[256]; ///< path, NUL-terminated, cut at 255
  CommandQueue Commands;
  int64_t
      EarlierPeakLiveBytes; ///< highest before the last mark; 0: no mark yet
  uint64_t MaxSize;         ///< of recorded blocks; 0: no limit
  uint64_t EarlierFrees;    ///< kFlagAttached: of blocks from before; 0 too if
                            ///< that is unknown (sampling, filters)
  /// The process's resident memory, including the runtime's: at the end, or
  /// when it was last noted (at each snapshot, and as the peak of live bytes
  /// grows), and the highest value until then. 0: unknown.
  uint64_t ResidentBytes, PeakResidentBytes;
};
/// The last 8 bytes of the header's page: 0 while the trace may change, then
/// the checksum of all bytes before it (Checksum.h). A trace with it is
/// *sealed*: each extent has its checksum too.
inline constexpr uint32_t kSealOffset = kHeaderBytes - 8;
static_assert(sizeof(FileHeader) <= kSealOffset);

enum class ExtentKind : uint16_t {
  Meta = 1,     ///< records (RecordHeader); owner 0
  Rows = 2,     ///< Row[Used]; owner: thread index
  Octaves = 3,  ///< Octave[Used]; owner: thread index
  Cells = 4,    ///< Cell[Used]; owner: thread index
  Types = 5,    ///< TypeTotal[Used]; owner 0
  Counters = 6, ///< uint64_t[Used] of one module and thread; owner: thread
                ///< index, Module set
  Events = 7,   ///< a thread's event stream, Used bytes; owner: thread index
  Snapshot = 8, ///< SnapshotHeader, then Row[] and Octave[] (see below)
  AllocationLifetimes =
      9,            ///< clock=events: Row[Used], of which only frees and their
                    ///< lives, in allocations, count; owner: thread index
  Peak = 16,        ///< stacks=: PeakEntry[Used]; the last nonempty one counts
  Frees = 17,       ///< frees=on: FreeCell[Used]; owner: thread index
  MarkRows = 18,    ///< MarkRow[Used] of one snapshot; owner 0
  MarkObjects = 19, ///< MarkObject[Used] of one snapshot; owner 0
  MarkPeaks = 20,   ///< MarkPeak[Used] of one snapshot; owner 0
  PeakRows = 21,    ///< PeakRow[Used] of one note (FeatureFormat.h); owner 0
  Mapped = 22,      ///< MappedTotal[Used] (FeatureFormat.h); owner 0
  // ThreadFormat.h
  ThreadLifetimes = 32, ///< ThreadLifetime[Used]; owner 0
  ThreadCrossings = 33, ///< ThreadCrossing[Used]; owner 0
  ThreadLines = 34,     ///< ThreadLine[Used]; owner 0
  ProfileCells = 35     ///< ProfileCell[Used]; owner 0 (FeatureFormat.h)
};

enum ExtentFlags : uint16_t {
  kExtentFinal = 1 ///< it is full and constant: Checksum is valid
};

/// Starts each extent; the payload follows directly.
struct ExtentHeader {
  uint32_t Magic; ///< kExtentMagic, written last
  ExtentKind Kind;
  uint16_t Flags;    ///< ExtentFlags
  uint64_t Bytes;    ///< whole extent, header included
  uint32_t Owner;    ///< thread index, 1-based; 0: the process
  uint32_t Module;   ///< Counters: module id
  uint64_t Used;     ///< elements in use (Meta, Events: bytes); grows, release
  uint64_t Sequence; ///< order of creation within kind and owner
  uint64_t Checksum; ///< of header and payload in use (Checksum.h); holds if
                     ///< the trace is sealed or the extent final, else anything
  uint64_t Identity; ///< checksum of the constant members: magic, kind, bytes,
                     ///< owner, module, sequence
  uint64_t LastTicks; ///< Cells: time of the owner's last timed event, or 0
};
static_assert(sizeof(ExtentHeader) == 64);

/// Counts of one site on one thread. In rows of sites of INMEM_SITE_OBJECT a
/// "block" is an object: constructed, destroyed, alive. Those and rows of
/// INMEM_SITE_HELD are not in the process's totals. Counts never decrease. A
/// free is counted in the row of the freeing thread, under the allocation's
/// site: a single row's Frees may exceed its Allocations, but the sum over
/// threads may not.
struct Row {
  // The cache line that every event accesses.
  uint32_t Site; ///< site id (Site record in Meta)
  uint32_t Type; ///< type index (Type record in Meta); 0: unknown
  uint64_t Allocations;
  uint64_t Bytes; ///< requested; a request of 0 bytes counts as 1, as in DHAT
  uint64_t Frees;
  uint64_t FreedBytes;
  uint64_t Temporary;     ///< freed before the thread's next allocation
  uint64_t Reallocations; ///< Allocations by realloc of a live block
  int32_t Untimed; ///< runtime only: allocations until the next timed one
  union {          // runtime only, too
    uint32_t
        Weyl; ///< clock=auto: Weyl value of the next timed one (Thinning.h)
    uint32_t
        AllocationLifetimes; ///< clock=events: offset / 64 of its row there
  };
  // Accessed only by timed frees.
  uint64_t Timed;         ///< frees with a measured lifetime
  uint64_t WeightedTimed; ///< sum of these frees' weights
  uint64_t SumTicks;      ///< weighted sum of lifetimes
  uint64_t MinTicks;      ///< valid if Timed > 0
  uint64_t MaxTicks;
  uint64_t MovedOut;      ///< blocks that __inmem_retag moved to another site:
  uint64_t MovedOutBytes; ///< subtract from Allocations and Bytes
  uint64_t InnerAllocations; ///< object sites: allocations in constructors
  uint64_t InnerBytes;       ///< bytes of InnerAllocations
  // sample_bytes only: sums of 1/P(sampled), as doubles.
  double WeightedAllocations;
  double WeightedBytes;
  double WeightedFrees;
  double WeightedFreedBytes;
  /// File offset / 64 of the Octave block of each octave; 0: none yet.
  uint32_t Octaves[kOctaves];
};
static_assert(sizeof(Row) == 320);

/// The eight buckets of an octave, with weighted counts; a reader scales them
/// to the number of frees.
struct Octave {
  struct {
    uint64_t Count;
    uint64_t Bytes;
  } Buckets[kBucketsPerOctave];
};
static_assert(sizeof(Octave) == 128);

/// Live bytes of one type that a thread has not flushed yet, and their maximum
/// since the last flush. peak(type) over all threads = max(TypeTotal.Peak,
/// TypeTotal.Live + pending High): exact with one thread, otherwise off by at
/// most Limit per thread.
struct Cell {
  uint32_t Type;    ///< type index; kProcessCell for the sum over all types
  uint32_t Flushes; ///< number so far, while every event flushes
  int64_t Delta;    ///< bytes live since the last flush, may be negative
  int64_t High;     ///< highest Delta since the last flush
  int64_t Limit;    ///< flush when High > Limit, or Delta < -Limit in
                    ///< large or timed frees; owedBy() it is in the total
};
static_assert(sizeof(Cell) == 32);
inline constexpr uint32_t kProcessCell = 0xffffffffu;

/// Flushed live bytes of one type. Entry i of the concatenated Types extents
/// belongs to type index i (0: unknown type).
struct TypeTotal {
  int64_t Live;
  int64_t Peak;        ///< since the last mark
  int64_t EarlierPeak; ///< highest before the last mark; 0: no mark yet
  uint64_t Reserved;
};
static_assert(sizeof(TypeTotal) == 32);

enum class RecordKind : uint16_t {
  Process = 1,      ///< the command line, as in /proc/self/cmdline
  Type = 2,         ///< TypeRecord
  Site = 3,         ///< SiteRecord
  Module = 4,       ///< ModuleRecord
  Thread = 5,       ///< ThreadRecord; a later one of the same index replaces it
  Object = 6,       ///< ObjectRecord
  Note = 7,         ///< NoteRecord: something the reader should show
  Phase = 8,        ///< PhaseRecord: inmem_phase() or inmem_snapshot()
  StringCopy = 9,   ///< StringCopyRecord (FeatureRecords.h)
  Source = 10,      ///< SourceRecord (FeatureRecords.h)
  Address = 16,     ///< AddressRecord: code that stacks refer to
  Stack = 17,       ///< StackRecord
  StackedSite = 18, ///< StackedSiteRecord
  Symbol = 19,      ///< SymbolRecord: source of an Address, found later
  Name = 20,        ///< NameRecord: function of an Address, found later
  CalledSite = 21,  ///< FeatureRecords.h
  CallerCall = 22,  ///< FeatureRecords.h
  FoundType = 23,   ///< FoundTypeFormat.h
  Profile = 32,     ///< ProfileRecord: sampling began
  Wait = 33         ///< WaitRecord
};

/// Starts each record of a Meta extent; records are 8-byte aligned.
struct RecordHeader {
  RecordKind Kind;
  uint16_t Reserved;
  uint32_t Bytes; ///< header and payload, a multiple of 8
};
static_assert(sizeof(RecordHeader) == 8);

/// A string within a record: offset from the start of the record (its
/// RecordHeader) to UTF-8 bytes, which are also NUL-terminated; 0: none.
using StringOffset = uint32_t;

struct TypeRecord {
  RecordHeader Header;
  INMEM_STORED_IN(INMEM_TYPE_RECORD)
};
static_assert(sizeof(TypeRecord) == 48);

struct FieldRecord {
  INMEM_STORED_IN(INMEM_FIELD_RECORD)
};
static_assert(sizeof(FieldRecord) == 32);

struct FrameRecord {
  INMEM_STORED_IN(INMEM_FRAME_RECORD)
};
static_assert(sizeof(FrameRecord) == 16);

struct SiteRecord {
  RecordHeader Header;
  INMEM_STORED_IN(INMEM_SITE_RECORD)
};
static_assert(sizeof(SiteRecord) == 72);

struct ModuleRecord {
  RecordHeader Header;
  INMEM_STORED_IN(INMEM_MODULE_RECORD)
};
static_assert(sizeof(ModuleRecord) == 32);

struct ThreadRecord {
  RecordHeader Header;
  INMEM_STORED_IN(INMEM_THREAD_RECORD)
};
static_assert(sizeof(ThreadRecord) == 32);

/// Describes the counts of counter cell Cell of module Module, or a part of
/// them.
struct ObjectRecord {
  RecordHeader Header;
  INMEM_STORED_IN(INMEM_OBJECT_RECORD)
};
static_assert(sizeof(ObjectRecord) == 56);

enum class NoteKind : uint32_t {
  Full = 1,    ///< the disk or the size limit was reached
  Warning = 2, ///< Text is for the user
  Sealed = 3,  ///< the process exited normally
  Labels = 4   ///< labels=
};
struct NoteRecord {
  RecordHeader Header;
  INMEM_STORED_IN(INMEM_NOTE_RECORD)
};
static_assert(sizeof(NoteRecord) == 24);

struct PhaseRecord {
  RecordHeader Header;
  INMEM_STORED_IN(INMEM_PHASE_RECORD)
};
static_assert(sizeof(PhaseRecord) == 24);

enum AddressFlags : uint32_t {
  kAddressSignal = 1 ///< the kernel's signal-handler frame
};
/// A place in a module's code: the last byte of a call, the instruction that a
/// signal interrupted, or the start of a function (kStackTailCall).
struct AddressRecord {
  RecordHeader Header;
  INMEM_STORED_IN(INMEM_ADDRESS_RECORD)
};
static_assert(sizeof(AddressRecord) == 40);

/// The function of an Address without one: from the file's own symbol table,
/// which is read when the process ends or flushes.
struct NameRecord {
  RecordHeader Header;
  INMEM_STORED_IN(INMEM_NAME_RECORD)
};
static_assert(sizeof(NameRecord) == 24);

enum StackFlags : uint32_t {
  kStackTailCall = 1, ///< the frame is gone: its function jumped to the next
                      ///< inner one's, or to one in between
  kStackCut = 2,      ///< has callers beyond the requested depth
  kStackLost = 4      ///< has callers that were not found
};
/// A node of the tree of stacks: a frame and how it was reached. A stack is
/// represented by the node of its innermost frame; no two nodes are equal.
struct StackRecord {
  RecordHeader Header;
  INMEM_STORED_IN(INMEM_STACK_RECORD)
};
static_assert(sizeof(StackRecord) == 24);

/// An id in the numbers of sites for a site with one stack. Rows, snapshots and
/// events use it as any other; the site's totals are the sum over all its ids.
struct StackedSiteRecord {
  RecordHeader Header;
  INMEM_STORED_IN(INMEM_STACKED_SITE_RECORD)
};
static_assert(sizeof(StackedSiteRecord) == 24);

/// The source location of an address, with inlined calls expanded. If the
/// address has a function of its own, that is the function of the outermost
/// frame, which may lack one.
struct SymbolRecord {
  RecordHeader Header;
  INMEM_STORED_IN(INMEM_SYMBOL_RECORD)
};
static_assert(sizeof(SymbolRecord) == 24);

enum class SnapshotKind : uint32_t {
  Periodic = 1,
  Reset = 2, ///< reports ignore earlier totals
  Manual = 3
};
enum SnapshotFlags : uint32_t {
  kSnapshotRows = 1,    ///< all its MarkRows are present
  kSnapshotObjects = 2, ///< all its MarkObjects are present
  kSnapshotPeaks = 4    ///< and MarkPeaks extents, and PartPeakLiveBytes; peaks
                        ///< begin again
};
/// A Snapshot extent: this header, then Rows Row structures (one per site, all
/// threads added up), then OctaveBlocks Octave structures; Row.Octaves here
/// holds 1-based indexes into those, not file offsets.
struct SnapshotHeader {
  SnapshotKind Kind;
  uint32_t Rows;
  uint32_t OctaveBlocks;
  uint32_t Flags; ///< SnapshotFlags
  uint64_t Ticks;
  uint64_t UnixNs;
  int64_t LiveBytes;
  int64_t PeakLiveBytes; ///< of the run so far
  int64_t
      PartPeakLiveBytes;  ///< peak since the previous mark, if kSnapshotPeaks
  uint64_t ResidentBytes; ///< as FileHeader.ResidentBytes; 0 if unknown
};
static_assert(sizeof(SnapshotHeader) == 64);

/// frees=on: one thread's frees of the blocks that one site and thread had
/// allocated, by the code that freed them. Counts never decrease; the cells of
/// a site add up to its frees.
struct FreeCell {
  uint32_t Site;   ///< the allocation's, as Row.Site
  uint32_t Stack;  ///< the free's StackRecord.Id; 0 if unknown
  uint32_t Thread; ///< the allocating thread; 0 if unknown
  uint32_t Since;  ///< counts are of the part of the run that begins with the
                   ///< snapshot of this Sequence (Reset, Manual); 0: the start
  uint64_t Frees;
  uint64_t Bytes;
};
static_assert(sizeof(FreeCell) == 32);

/// A thread's row at a snapshot (Reset, Manual), without lifetimes; rows
/// without events are left out.
struct MarkRow {
  uint32_t Snapshot;   ///< Sequence of the Snapshot extent
  uint32_t Thread;     ///< index; 0: inherited blocks
  uint32_t Site, Type; ///< this and the following as in Row
  uint64_t Allocations, Bytes, Frees, FreedBytes, Temporary, Reallocations;
  uint64_t MovedOut, MovedOutBytes;
  double WeightedAllocations, WeightedBytes, WeightedFrees, WeightedFreedBytes;
};
static_assert(sizeof(MarkRow) == 112);

/// A counter of objects at a snapshot (Reset, Manual), all threads added up;
/// zeros are left out.
struct MarkObject {
  uint32_t Snapshot; ///< Sequence of the Snapshot extent
  uint32_t Module;   ///< as in ObjectRecord
  uint32_t Cell;
  uint32_t Reserved;
  uint64_t Count;
};
static_assert(sizeof(MarkObject) == 24);

/// The most live bytes of a type between the previous mark (or the start) and a
/// snapshot (Reset, Manual); zeros are left out.
struct MarkPeak {
  uint32_t Snapshot; ///< Sequence of the Snapshot extent
  uint32_t Type;     ///< index
  int64_t PeakBytes;
};
static_assert(sizeof(MarkPeak) == 16);

/// Size of the elements that ExtentHeader.Used counts; 0: the payload has
/// counts of its own, or the kind is unknown.
constexpr uint64_t elementBytes(ExtentKind Kind) {
  switch (Kind) {
  case ExtentKind::Meta:
  case ExtentKind::Events:
    return 1;
  case ExtentKind::Rows:
  case ExtentKind::AllocationLifetimes:
    return sizeof(Row);
  case ExtentKind::Octaves:
    return sizeof(Octave);
  case ExtentKind::Cells:
    return sizeof(Cell);
  case ExtentKind::Types:
    return sizeof(TypeTotal);
  case ExtentKind::Counters:
    return sizeof(uint64_t);
  case ExtentKind::Peak:
    return sizeof(PeakEntry);
  case ExtentKind::Frees:
    return sizeof(FreeCell);
  case ExtentKind::MarkRows:
    return sizeof(MarkRow);
  case ExtentKind::MarkObjects:
    return sizeof(MarkObject);
  case ExtentKind::MarkPeaks:
    return sizeof(MarkPeak);
  case ExtentKind::PeakRows:
    return sizeof(PeakRow);
  case ExtentKind::ThreadLifetimes:
    return sizeof(ThreadLifetime);
  case ExtentKind::ThreadCrossings:
    return sizeof(ThreadCrossing);
  case ExtentKind::ThreadLines:
    return sizeof(ThreadLine);
  case ExtentKind::ProfileCells:
    return sizeof(ProfileCell);
  case ExtentKind::Mapped:
    return sizeof(MappedTotal);
  case ExtentKind::Snapshot:
    return 0;
  }
  return 0;
}

} // namespace inmem::trace

#endif
