//===- Profile.h - Contents of a trace, as plain results ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface between traces and all code that shows or compares them:
// printers, diff, check, export. Built from validated traces; does not depend
// on files, argv or formatting. An unknown value is an empty optional or
// string, never 0.
//
// Invariant of every Counts: Allocations + CarriedAllocations = Frees +
// LiveAllocations, and the same in bytes. Totals are the sums over Sites, and
// over Types, unless Profile::Filtered.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_REPORT_PROFILE_H
#define INMEM_REPORT_PROFILE_H

#include "report/base/Histogram.h"
#include "report/model/CallerResolver.h"
#include "report/model/Phases.h"
#include "report/model/SizeGroups.h"
#include "report/model/StringCopy.h"

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace inmem::report {

/// Blocks and requested bytes. A realloc of a live block counts as a free and
/// an allocation.
struct Counts {
  uint64_t Allocations = 0, AllocatedBytes = 0;
  uint64_t Frees = 0, FreedBytes = 0;
  uint64_t LiveAllocations = 0, LiveBytes = 0; ///< at the end
  uint64_t Temporary = 0;
  uint64_t Reallocations = 0; ///< included in Allocations
  /// Alive at the last reset of recording; 0 without a reset.
  uint64_t CarriedAllocations = 0, CarriedBytes = 0;
  /// Figures that another tool's profile (`inmem import`) lacks, as
  /// trace::HeaderFlags. Their values here have no meaning.
  uint16_t Unknown = 0;
  /// Blocks were sampled: Allocations and AllocatedBytes are estimates, and
  /// these are their variances.
  bool Estimated = false;
  double AllocationsVariance = 0, BytesVariance = 0;

  void add(const Counts &Other);
  // The figure; none if it is unknown.
  std::optional<uint64_t> allocations() const;
  std::optional<uint64_t> allocatedBytes() const;
  std::optional<uint64_t> frees() const;
  std::optional<uint64_t> freedBytes() const;
  std::optional<uint64_t> liveAllocations() const;
  std::optional<uint64_t> liveBytes() const;
  std::optional<uint64_t> temporary() const;
  /// The true value is within this distance of the estimate with a probability
  /// of 95 %.
  uint64_t allocationsWithin() const;
  uint64_t bytesWithin() const;
};

/// Lifetimes of freed blocks, or objects. Values are in Profile::LifetimeUnit.
struct Lifetime {
  uint64_t Count = 0; ///< frees
  uint64_t Timed = 0; ///< number of frees with a measured lifetime
  std::optional<uint64_t> Min, Mean, P50, P90, P99, Max;
  Histogram Lifetimes; ///< adds up to Count, unless nothing was timed

  bool known() const { return !Lifetimes.empty(); }
};

/// Where objects of a class are constructed, and how.
struct ObjectSite {
  SourceLocation Where;
  uint8_t Storage = 0; ///< enum inmem_object_storage
  uint8_t Manner = 0;  ///< enum inmem_object_manner
  uint64_t Constructed = 0;
  /// Followed objects, with objects=lifetime.
  std::optional<uint64_t> Alive;
  /// Allocations by copies, with objects=lifetime: made inside the constructor,
  /// by all that it calls.
  std::optional<uint64_t> InnerAllocations, InnerBytes;
};

/// Constructions and destructions of a class, without base subobjects.
struct ObjectCounts {
  ObjectCounts();
  ~ObjectCounts();
  ObjectCounts(const ObjectCounts &);
  ObjectCounts(ObjectCounts &&) noexcept;
  ObjectCounts &operator=(const ObjectCounts &);
  ObjectCounts &operator=(ObjectCounts &&) noexcept;

  uint64_t Heap = 0, Stack = 0, Static = 0, Thread = 0, Member = 0, Placed = 0,
           Unknown = 0; ///< constructed objects, by storage
  uint64_t Destroyed = 0;
  /// Alive at the start of the selected part of the run; none if unknown.
  std::optional<uint64_t> Carried = 0;
  /// The class has a counted destructor.
  bool DestructorKnown = false;
  /// Constructed, by manner.
  uint64_t Defaulted = 0, Copied = 0, Moved = 0, Converted = 0, Aggregate = 0,
           Other = 0;
  std::vector<ObjectSite> Sites; ///< most constructions first
  /// Known with objects=lifetime. Otherwise known if each object is alone in
  /// its heap block, or none was destroyed.
  std::optional<uint64_t> PeakAlive;
  /// Lower and upper bound on the peak object count; empty if live objects are
  /// unknown.
  std::optional<uint64_t> PeakAtLeast, PeakAtMost;
  // Known with objects=lifetime.
  Lifetime Life; ///< lifetimes of destroyed objects
  /// Destroyed, by the storage (enum inmem_object_storage) they lived in.
  std::optional<std::array<uint64_t, 8>> DestroyedIn;

  uint64_t constructed() const {
    return Heap + Stack + Static + Thread + Member + Placed + Unknown;
  }
  /// Destroyed by storage: as followed. Without objects=lifetime, only if
  /// counts leave one answer: all were destroyed, or none, or all lived in one
  /// storage.
  std::optional<std::array<uint64_t, 8>> destroyedIn() const;
  /// Constructed and not destroyed; none if unknown.
  std::optional<uint64_t> alive() const {
    if (!DestructorKnown || !Carried || Destroyed > constructed() + *Carried)
      return std::nullopt;
    return constructed() + *Carried - Destroyed;
  }
};

/// Live blocks at the process's peak, as two bounds that are equal if the
/// number is exact. For several processes, the sum.
struct AtPeak {
  uint64_t BytesAtLeast = 0, BytesAtMost = 0;
  uint64_t BlocksAtLeast = 0, BlocksAtMost = 0;

  std::optional<uint64_t> bytes() const {
    return BytesAtLeast == BytesAtMost ? std::optional(BytesAtMost)
                                       : std::nullopt;
  }
  std::optional<uint64_t> blocks() const {
    return BlocksAtLeast == BlocksAtMost ? std::optional(BlocksAtMost)
                                         : std::nullopt;
  }
  void add(const AtPeak &Other);
};

struct SiteResult {
  SiteResult();
  ~SiteResult();
  SiteResult(const SiteResult &);
  SiteResult(SiteResult &&) noexcept;
  SiteResult &operator=(const SiteResult &);
  SiteResult &operator=(SiteResult &&) noexcept;

  /// The first location outside system headers, walking out through inlined
  /// calls; for callers, the symbol or module+offset.
  SourceLocation Where;
  /// The nearest location in the user's code above Where, if Where is a
  /// library's. A site that several locations of the user's share has a row for
  /// each. None if Where is the user's own, or the trace lacks the caller.
  std::optional<SourceLocation> Caller;
  /// Locations from the allocating call outwards, through inlined calls. For
  /// merged sites, their common part.
  std::vector<SourceLocation> Chain;
  /// If the function of Chain only returns memory: the calls from it outwards
  /// to Caller, on the first path that was recorded. Empty if unknown.
  std::vector<SourceLocation> Callers;
  std::string Kind;   ///< a word of trace::kSiteKindNames
  std::string Module; ///< path; only for kind "caller"
  /// The certainty of Type and, for blocks of code without instrumentation, the
  /// rule that found it.
  trace::TypeSource Source = trace::TypeSource::None;
  trace::FoundRule FoundBy = trace::FoundRule::None;
  uint64_t Key = 0; ///< inmem_site.key of the first merged site
  size_t Type = 0;  ///< index into Profile::Types
  Counts Sum;
  Lifetime Life;
  Lifetime LifetimeInAllocations; ///< clock=events, over the whole run
  SizeGroups Sizes;
  std::optional<AtPeak> Peak;
  std::vector<uint64_t> LiveBytesAt; ///< parallel to its type's
  std::string Alias;                 ///< such as `std::vector<Foo> buffer`
  /// The type of its blocks if the trace has none, and a std::pmr resource
  /// requested them; see chunkOfResource().
  std::string_view Chunk;
  /// Objects constructed in its blocks by placement new, by class
  /// (objects=lifetime).
  std::map<std::string, uint64_t> PlacedObjects;
};

/// mmap=on: mappings of one line, in bytes of whole pages. Not included in the
/// totals of blocks.
struct MappedResult {
  SiteResult Site;  ///< without counts; no location: unknown
  std::string Call; ///< a word of trace::kMapCallNames
  uint64_t Calls = 0, Bytes = 0, UnmappedBytes = 0;
  uint64_t PeakBytes = 0; ///< maximum at one moment; over processes: the sum
  uint64_t liveBytes() const { return Bytes - UnmappedBytes; }
};

/// A class with its members in a smaller order.
struct PackedResult {
  uint64_t Bytes = 0;             ///< packed size, less than the current size
  std::vector<std::string> Order; ///< member names
};

/// Blocks of one type that share a name, such as `std::string buffer`.
struct KindResult {
  std::string Name;
  Counts Sum;
  Lifetime Life;
  std::optional<AtPeak> Peak; ///< at the process's peak, not at its own
  std::vector<size_t> Sites;  ///< indexes into Profile::Sites, largest first
  std::vector<uint64_t> LiveBytesAt; ///< parallel to its type's
};

struct FieldResult;
struct StreamResult;

struct TypeResult {
  TypeResult();
  ~TypeResult();
  TypeResult(const TypeResult &);
  TypeResult(TypeResult &&) noexcept;
  TypeResult &operator=(const TypeResult &);
  TypeResult &operator=(TypeResult &&) noexcept;

  std::optional<std::string> Name; ///< nullopt: memory of unknown type
  /// The least certain source among its sites; None if it has no blocks, or no
  /// name.
  trace::TypeSource Source = trace::TypeSource::None;
  std::string Alias;       ///< for display; may be empty
  std::string BlocksAlias; ///< the common name of all its blocks, if different
  uint64_t Id = 0;
  std::optional<uint64_t> Size, Align;
  std::optional<PackedResult> Packed; ///< see packingOf()
  Counts Sum;
  std::optional<uint64_t> PeakLiveBytes; ///< summed over processes
  /// An upper bound of the peak, if it is unknown because the report, rather
  /// than the run, found the type of some blocks.
  std::optional<uint64_t> PeakAtMost;
  std::optional<AtPeak> Peak; ///< at the process's peak, not at its own
  std::optional<uint64_t>
      Elements; ///< objects in the blocks, including array elements
  std::optional<ObjectCounts> Objects;
  std::vector<FieldResult> Fields;   ///< by offset; empty: not counted
  std::vector<StreamResult> Streams; ///< most elements first
  Lifetime Life;
  Lifetime LifetimeInAllocations; ///< clock=events, over the whole run
  std::vector<size_t> Sites; ///< indexes into Profile::Sites, largest first
  std::vector<KindResult>
      Kinds; ///< most bytes first; empty: all share one name
  /// One value for each moment of Profile::Timeline. It may be shorter: the
  /// rest are 0.
  std::vector<uint64_t> LiveBytesAt;
};

/// A moment of a run with known live blocks.
struct TimePoint {
  uint64_t Ns = 0;  ///< since recording began
  std::string Kind; ///< a word of trace::kSnapshotNames, or start, or end
  std::string Name; ///< the program's name for the phase or snapshot
  /// Resident bytes, including inmem's own.
  std::optional<uint64_t> ResidentBytes = {};
};

/// Events between two marks of a run.
struct PhaseResult {
  PhaseResult();
  ~PhaseResult();
  PhaseResult(const PhaseResult &);
  PhaseResult(PhaseResult &&) noexcept;
  PhaseResult &operator=(const PhaseResult &);
  PhaseResult &operator=(PhaseResult &&) noexcept;

  uint64_t Pid = 0;
  std::string Name; ///< empty: before the first phase
  uint64_t BeginNs = 0, DurationNs = 0;
  Counts Sum; ///< carried: live at the phase's start; live: at its end
  struct Part {
    std::optional<std::string> Type;
    std::string Alias;
    Counts Sum;
    std::optional<uint64_t> PeakLiveBytes;
    std::optional<ObjectCounts> Objects;
  };
  std::vector<Part> Types; ///< most bytes first
  std::optional<uint64_t> PeakLiveBytes;
  /// Objects of all classes; none if no objects were counted.
  std::optional<uint64_t> Constructed, Destroyed, Copied;
};

/// A frame of a call stack. Function is never empty: without a name it is
/// module+offset.
struct StackFrame {
  enum class Kind : uint8_t {
    Call,
    Inlined,  ///< into the next outer frame
    TailCall, ///< jumped to the next inner frame, or to one in between
    Signal,   ///< where the kernel called a signal handler
    Cut,      ///< placeholder for callers beyond stacks=N
    Lost      ///< placeholder for callers not found
  };
  SourceLocation Where;
  std::string Module; ///< file name without folders; may be empty
  Kind How = Kind::Call;
  /// The address in the module of a function without a name.
  std::optional<uint64_t> Offset = {};
  std::optional<bool> OfLibrary = {}; ///< isLibrary(); nullopt: not computed
};

/// Blocks of one type that were allocated by one site through one stack.
struct StackResult {
  std::vector<uint32_t> Frames; ///< indexes into CallStacks, outermost first
  size_t Type = 0;              ///< index into Profile::Types
  Counts Sum;
  /// Lifetimes of freed blocks, in Profile::LifetimeUnit: their sum, and their
  /// number.
  double LivedSum = 0, LivedCount = 0;
  std::optional<uint64_t> P50; ///< median lifetime
  SizeGroups Sizes;
  uint64_t PeakLiveBytes = 0; ///< live bytes at the process's peak
  size_t Site = 0;            ///< index into Profile::Sites
  uint64_t Entry = 0;         ///< see EntryRow
};

struct CallStacks {
  std::vector<StackFrame> Frames;  ///< without duplicates
  std::vector<StackResult> Stacks; ///< most bytes first
  uint32_t Deepest = 0;            ///< depth of the deepest recorded stack
  bool empty() const { return Stacks.empty(); }
};

/// The row of an entry, if there is only one trace.
struct EntryRow {
  uint64_t Entry = 0; ///< site in the upper 32 bits, type in the lower
  size_t Site = 0;    ///< index into Profile::Sites
};

/// Blocks of an entry, if there is only one trace, that one thread used, and
/// that lived about equally long or were alive at the end.
struct PartResult {
  uint64_t Entry = 0; ///< see EntryRow
  std::string Thread; ///< name; empty: not distinguished
  /// The least number of freed blocks with known lifetimes, in
  /// Profile::LifetimeUnit.
  std::optional<uint64_t> LivedFrom;
  Counts Sum;
};

/// A thread of a process; Index is 0 if unknown.
struct ThreadName {
  uint64_t Pid = 0;
  uint32_t Index = 0, Tid = 0;
  std::string Name;
};

/// frees=on: blocks of one type and site that one thread allocated, and one
/// thread freed in one place.
struct FreeResult {
  size_t Type = 0; ///< index into Profile::Types
  size_t Site = 0; ///< allocating site: index into Profile::Sites
  std::vector<uint32_t>
      Allocating; ///< indexes into CallStacks; empty without stacks=
  std::vector<uint32_t> Freeing; ///< as Allocating; empty if unknown
  ThreadName AllocatedIn, FreedIn;
  uint64_t Frees = 0, FreedBytes = 0;
};

/// Activity of one thread. Live is allocations minus frees, and negative if it
/// frees other threads' blocks.
struct ThreadResult {
  uint64_t Pid = 0;
  uint32_t Index = 0, Tid = 0; ///< Tid 0: several threads together
  std::string Name;
  std::string Start; ///< start function; may be empty
  uint64_t Allocations = 0, AllocatedBytes = 0;
  uint64_t Frees = 0, FreedBytes = 0, Temporary = 0;
  /// Since recording began; none if unknown, or if it had not ended.
  std::optional<uint64_t> BeganNs, EndedNs;
  /// While it was watched: the multiples of the thresholds that it crossed, and
  /// bytes allocated in columns of equal time.
  uint64_t Crossings = 0;
  uint64_t LineFromNs = 0, LineWidthNs = 0;
  std::vector<uint64_t> Line;

  int64_t liveBytes() const {
    return static_cast<int64_t>(AllocatedBytes - FreedBytes);
  }
};

/// A function, by samples of threads, or all code of a module without names.
/// Counts are intervals.
struct SampledFunction {
  SourceLocation Where; ///< Line: the first relevant frame's, or any
  uint64_t Self = 0,
           Total = 0; ///< Self: innermost frame; Total: anywhere on the stack
  uint64_t Running = 0, Blocked = 0; ///< split of Total
  uint64_t Interesting = 0;          ///< innermost relevant frame of its stack
  uint64_t Allocator = 0; ///< the C library's allocator was running for it
  uint64_t Allocations = 0, AllocatedBytes = 0; ///< at sites in the function
  /// Offsets in a module, with the Self of each, in descending order.
  std::vector<std::pair<uint64_t, uint64_t>> Offsets;
};
/// One stack of one thread in one state.
struct SampledStack {
  std::vector<uint32_t> Frames; ///< indexes into CallStacks, outermost first
  std::string Thread, State;    ///< State: "running", or the wait's kind
  uint64_t Count = 0;
  uint32_t Tid = 0; ///< the thread's id; 0 if unknown
};
/// profile=
struct Sampled {
  std::string Clock; ///< wall or cpu
  uint64_t IntervalNs = 0;
  uint64_t Samples = 0, Unwound = 0, Running = 0, Blocked = 0;
  uint64_t SignalBlocked = 0,
           Dropped = 0; ///< samples without a stack, by reason
  uint64_t Other =
      0; ///< samples with another clock or interval, not in Samples
  std::vector<SampledFunction> Functions; ///< most Self first
  std::vector<SampledStack> Stacks;
  std::vector<std::pair<std::string, uint64_t>> Threads, Waits; ///< most first
};

struct ProcessResult {
  ProcessResult();
  ~ProcessResult();
  ProcessResult(const ProcessResult &);
  ProcessResult(ProcessResult &&) noexcept;
  ProcessResult &operator=(const ProcessResult &);
  ProcessResult &operator=(ProcessResult &&) noexcept;

  std::string File;
  uint64_t Pid = 0, ParentPid = 0;
  std::vector<std::string> Command;
  std::vector<std::pair<std::string, std::string>> Labels; ///< labels=
  std::string Host, Executable;
  uint64_t StartUnixNs = 0;
  std::optional<uint64_t> DurationNs;
  bool Complete = false; ///< ended in order, and the file is whole
  bool Cut = false;      ///< the file ends early
  bool Running = false;  ///< had not ended, or was killed
  bool Verified = false; ///< checksums cover all figures and match
  std::string Clock;
  bool Instrumented = false; ///< had code that was compiled with inmem
  uint64_t DroppedEvents = 0;
  bool Sampled = false; ///< figures are estimates
  uint64_t SampleBytes = 0, Every = 1;
  bool Reset = false;    ///< figures count from the last reset
  bool Imported = false; ///< another tool recorded it
  uint64_t Allocations = 0, AllocatedBytes = 0;
  /// Resident bytes, including inmem's own: at the end, and the highest.
  std::optional<uint64_t> ResidentBytes, PeakResidentBytes;
};

/// Rules by which the types of blocks were found (docs/types.md).
struct RuleResult {
  std::string Rule; ///< a word of trace::kTypeRuleNames, or "caller"
  uint64_t Allocations = 0, AllocatedBytes = 0;
};

/// A site with a doubtful type.
struct DoubtResult {
  enum class Kind {
    Disagree, ///< two rules named two types; the precedence chose
    TooSmall, ///< a block is smaller than the type, so no type is shown
    Remainder ///< the bytes are not a multiple of the type's size
  } What = Kind::Disagree;
  SiteResult Site;       ///< Type is unset; Sum covers the process
  std::string Type;      ///< type name; empty: no type is shown
  uint64_t TypeSize = 0; ///< bytes; 0 if unknown
};
std::string_view nameOf(DoubtResult::Kind What);

/// Blocks that a process had before it was forked. In each Counts, Allocations
/// were alive at the fork, and Frees of them have been freed since.
struct InheritedResult {
  Counts Sum;
  /// By the type's name; null if unknown. Most bytes first.
  std::vector<std::pair<std::optional<std::string>, Counts>> Types;
};

struct Profile {
  Profile();
  ~Profile();
  Profile(const Profile &);
  Profile(Profile &&) noexcept;
  Profile &operator=(const Profile &);
  Profile &operator=(Profile &&) noexcept;

  std::vector<RuleResult> Rules;   ///< in order of precedence
  std::vector<DoubtResult> Doubts; ///< most bytes first
  std::vector<ProcessResult> Processes;
  Unit LifetimeUnit = Unit::Nanoseconds;
  uint64_t Resolution = 0; ///< of lifetimes: shorter ones are indistinguishable
  Counts Totals;
  std::optional<InheritedResult> Inherited; ///< not included in Totals
  std::optional<uint64_t> PeakLiveBytes;    ///< summed over processes
  /// Sums over processes of their resident memory; none if one of them is
  /// unknown.
  std::optional<uint64_t> residentBytes() const;
  std::optional<uint64_t> peakResidentBytes() const;
  std::vector<TypeResult> Types; ///< largest first
  std::vector<SiteResult> Sites; ///< largest first
  std::vector<ThreadResult> Threads;
  std::optional<Sampled> Samples; ///< with profile=
  bool SamplesOfWholeRun =
      false;        ///< samples exist, but not for the selected part
  CallStacks Calls; ///< from traces recorded with stacks=
  /// The folders to which the program's source paths are relative, if debug
  /// information has them, with a trailing slash.
  std::vector<std::string> CompileFolders;
  std::vector<EntryRow> Entries; ///< for a single trace
  /// If ProfileOptions::Parts is set: the parts of a whole single trace. Those
  /// of an entry add up to it.
  std::vector<PartResult> Parts;
  /// frees=on: add up to the frees of Sites. Most bytes first; none if only
  /// blocks with some lifetimes were selected.
  std::vector<FreeResult> Frees;
  bool FieldsKnown = false; ///< accesses=on: some accesses were counted
  /// mmap=on: the largest first, and all of them. None if nothing was mapped,
  /// or a part of the run was selected.
  std::vector<MappedResult> Mapped;
  std::optional<MappedResult> MappedTotals;
  std::vector<StringCopy> StringCopies; ///< without duplicates
  /// Sorted by time; empty without snapshots, and for several processes.
  std::vector<TimePoint> Timeline;
  std::string TimelineUnit; ///< "instructions", "bytes"; empty: nanoseconds
  std::vector<PhaseResult> Phases; ///< see phasesOf() (OverTime.h)
  /// False if only blocks with some lifetimes were selected.
  bool TemporaryKnown = true;
  /// False for a part of the run, for some of the blocks, or up to some moment:
  /// live blocks may have been freed later.
  bool WholeRun = true;
  /// Types, Sites and their sums are a part of the process's, so that Totals
  /// are not their sums.
  bool Filtered = false;
  bool ObjectsKnown = false; ///< objects were counted, even if there were none
  std::vector<std::string> Notes; ///< notes for the user, one line each
};

/// Facts from the user about a library without instrumentation.
struct Assumption {
  std::string Module;   ///< glob on the file's name, with or without .N.N
  std::string Function; ///< glob on the symbol that allocates
  std::string Type;
};

struct ProfileOptions {
  std::vector<Assumption> Assumptions; ///< the first that matches counts
  std::vector<std::string> TypeGlobs;  ///< match any: spelling or alias
  std::vector<std::string> SiteGlobs;  ///< match any: function, file, file:line
  std::vector<std::string> ThreadGlobs; ///< match any: name, tid or index
  /// Select only blocks with a lifetime (LifetimeUnit) in a range: From is
  /// included, To is not.
  struct Range {
    uint64_t From = 0, To = ~uint64_t{0};
  };
  std::optional<Range> Lived;
  /// Select only events of this phase (findInterval() in Phases.h has the
  /// syntax), or of the interval Within of the only trace.
  std::string Phase;
  std::optional<Interval> Within;
  CallerResolver *Resolver = nullptr;
  bool Parts = false; ///< see Profile::Parts
  /// Leave out types that are not certain, so that their blocks have no type.
  bool ExactTypes = false;
  /// Merges types that a reader cannot distinguish: equal names in another
  /// process or unit, or different spellings of one name.
  bool ByReadableName = false;

  /// True if only a part of the run is selected.
  bool inPhase() const { return !Phase.empty() || Within; }
  /// True if some blocks are not selected, so that peaks are unknown.
  bool ofSomeBlocks() const { return !ThreadGlobs.empty() || Lived; }
  bool inPart() const { return ofSomeBlocks() || inPhase(); }
};

/// Adds up traces. With globs, threads or Lived, Types, Sites and their sums
/// are limited to matches; Totals cover the whole processes. With a phase, all
/// figures cover the phase. \returns an error if the traces measure lifetimes
/// in different units, or if there is no such phase
trace::Result<Profile> buildProfile(std::span<const trace::Trace> Traces,
                                    const ProfileOptions &Options = {});

} // namespace inmem::report

#endif
