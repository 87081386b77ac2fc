//===- TextFields.cpp - Which members a line of the text form has ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/text/TextFields.h"

#include <cstddef>
#include <deque>
#include <string>
#include <tuple>

namespace inmem::trace {

std::vector<Member>
inOrder(std::initializer_list<std::pair<unsigned, Member>> Ranked) {
  std::vector<Member> Out(Ranked.size());
  for (const auto &[Rank, Of] : Ranked)
    Out.at(Rank) = Of;
  return Out;
}

std::span<const Member> headerMembers() {
  using H = FileHeader;
  static const Member All[] = {
      INMEM_MEMBER(H, "version", Version, Form::Decimal),
      INMEM_MEMBER(H, "state", State, Form::Word, kStateNames),
      INMEM_MEMBER(H, "flags", Flags, Form::Words, kHeaderFlagNames),
      INMEM_MEMBER(H, "pid", Pid, Form::Decimal),
      INMEM_MEMBER(H, "parent", ParentPid, Form::Decimal),
      INMEM_MEMBER(H, "start-unix-ns", StartUnixNs, Form::Decimal),
      INMEM_MEMBER(H, "end-unix-ns", EndUnixNs, Form::Decimal),
      INMEM_MEMBER(H, "start-ticks", StartTicks, Form::Decimal),
      INMEM_MEMBER(H, "last-ticks", LastTicks, Form::Decimal),
      INMEM_MEMBER(H, "ticks-per-second", TicksPerSecond, Form::Decimal),
      INMEM_MEMBER(H, "clock", Clock, Form::Word, kClockNames),
      INMEM_MEMBER(H, "tick-shift", TickShift, Form::Decimal),
      INMEM_MEMBER(H, "exact-lives", ExactLifetimes, Form::Decimal),
      INMEM_MEMBER(H, "thin-by", ThinBy, Form::Decimal),
      INMEM_MEMBER(H, "live-bytes", LiveBytes, Form::Signed),
      INMEM_MEMBER(H, "peak-live-bytes", PeakLiveBytes, Form::Signed),
      INMEM_MEMBER(H, "earlier-peak-live-bytes", EarlierPeakLiveBytes,
                   Form::Signed),
      INMEM_MEMBER(H, "dropped-events", DroppedEvents, Form::Decimal),
      INMEM_MEMBER(H, "sample-bytes", SampleBytes, Form::Decimal),
      INMEM_MEMBER(H, "every", Every, Form::Decimal),
      INMEM_MEMBER(H, "min-size", MinSize, Form::Decimal),
      INMEM_MEMBER(H, "max-size", MaxSize, Form::Decimal),
      INMEM_MEMBER(H, "earlier-frees", EarlierFrees, Form::Decimal),
      INMEM_MEMBER(H, "resident-bytes", ResidentBytes, Form::Decimal),
      INMEM_MEMBER(H, "peak-resident-bytes", PeakResidentBytes, Form::Decimal),
      INMEM_MEMBER(H, "lost-bytes", LostBytes, Form::Decimal),
      INMEM_MEMBER(H, "exit-code", ExitCode, Form::Decimal),
      INMEM_MEMBER(H, "followers", Followers, Form::Decimal)};
  return All;
}

std::span<const Member> typeMembers() {
  static const auto All = INMEM_MEMBERS_OF(TypeRecord, INMEM_TYPE_RECORD);
  return All;
}

std::span<const Member> fieldMembers() {
  static const auto All = INMEM_MEMBERS_OF(FieldRecord, INMEM_FIELD_RECORD);
  return All;
}

std::span<const Member> siteMembers() {
  static const auto All = INMEM_MEMBERS_OF(SiteRecord, INMEM_SITE_RECORD);
  return All;
}

std::span<const Member> frameMembers() {
  static const auto All = INMEM_MEMBERS_OF(FrameRecord, INMEM_FRAME_RECORD);
  return All;
}

std::span<const Member> moduleMembers() {
  static const auto All = INMEM_MEMBERS_OF(ModuleRecord, INMEM_MODULE_RECORD);
  return All;
}

std::span<const Member> threadMembers() {
  static const auto All = INMEM_MEMBERS_OF(ThreadRecord, INMEM_THREAD_RECORD);
  return All;
}

std::span<const Member> objectMembers() {
  static const auto All = INMEM_MEMBERS_OF(ObjectRecord, INMEM_OBJECT_RECORD);
  return All;
}

std::span<const Member> stringCopyMembers() {
  static const auto All =
      INMEM_MEMBERS_OF(StringCopyRecord, INMEM_STRING_COPY_RECORD);
  return All;
}

std::span<const Member> sourceMembers() {
  static const auto All = INMEM_MEMBERS_OF(SourceRecord, INMEM_SOURCE_RECORD);
  return All;
}

std::span<const Member> foundTypeMembers() {
  static const auto All =
      INMEM_MEMBERS_OF(FoundTypeRecord, INMEM_FOUND_TYPE_RECORD);
  return All;
}

std::span<const Member> noteMembers() {
  static const auto All = INMEM_MEMBERS_OF(NoteRecord, INMEM_NOTE_RECORD);
  return All;
}

std::span<const Member> phaseMembers() {
  static const auto All = [] {
    auto Out = INMEM_MEMBERS_OF(PhaseRecord, INMEM_PHASE_RECORD);
    Out.insert(Out.end() - 1, {"only-name",
                               offsetof(PhaseRecord, Header) +
                                   offsetof(RecordHeader, Reserved),
                               sizeof(RecordHeader::Reserved), Form::Decimal});
    return Out;
  }();
  return All;
}

std::span<const Member> addressMembers() {
  static const auto All = INMEM_MEMBERS_OF(AddressRecord, INMEM_ADDRESS_RECORD);
  return All;
}

std::span<const Member> stackMembers() {
  static const auto All = INMEM_MEMBERS_OF(StackRecord, INMEM_STACK_RECORD);
  return All;
}

std::span<const Member> stackedSiteMembers() {
  static const auto All =
      INMEM_MEMBERS_OF(StackedSiteRecord, INMEM_STACKED_SITE_RECORD);
  return All;
}

std::span<const Member> calledSiteMembers() {
  static const auto All =
      INMEM_MEMBERS_OF(CalledSiteRecord, INMEM_CALLED_SITE_RECORD);
  return All;
}

std::span<const Member> callerCallMembers() {
  static const auto All =
      INMEM_MEMBERS_OF(CallerCallRecord, INMEM_CALLER_CALL_RECORD);
  return All;
}

std::span<const Member> symbolMembers() {
  static const auto All = INMEM_MEMBERS_OF(SymbolRecord, INMEM_SYMBOL_RECORD);
  return All;
}

std::span<const Member> nameMembers() {
  static const auto All = INMEM_MEMBERS_OF(NameRecord, INMEM_NAME_RECORD);
  return All;
}

// Members that rows of a thread and rows at a mark have in common.
#define INMEM_COUNT_MEMBERS(R)                                                 \
  INMEM_MEMBER(R, "site", Site, Form::Decimal),                                \
      INMEM_MEMBER(R, "type", Type, Form::Decimal),                            \
      INMEM_MEMBER(R, "allocations", Allocations, Form::Decimal),              \
      INMEM_MEMBER(R, "bytes", Bytes, Form::Decimal),                          \
      INMEM_MEMBER(R, "frees", Frees, Form::Decimal),                          \
      INMEM_MEMBER(R, "freed-bytes", FreedBytes, Form::Decimal),               \
      INMEM_MEMBER(R, "temporary", Temporary, Form::Decimal),                  \
      INMEM_MEMBER(R, "reallocations", Reallocations, Form::Decimal)
#define INMEM_WEIGHT_MEMBERS(R)                                                \
  INMEM_MEMBER(R, "moved-out", MovedOut, Form::Decimal),                       \
      INMEM_MEMBER(R, "moved-out-bytes", MovedOutBytes, Form::Decimal),        \
      INMEM_MEMBER(R, "weighted-allocations", WeightedAllocations,             \
                   Form::Double),                                              \
      INMEM_MEMBER(R, "weighted-bytes", WeightedBytes, Form::Double),          \
      INMEM_MEMBER(R, "weighted-frees", WeightedFrees, Form::Double),          \
      INMEM_MEMBER(R, "weighted-freed-bytes", WeightedFreedBytes,              \
                   Form::Double)

std::span<const Member> rowMembers() {
  using R = Row;
  static const Member All[] = {
      INMEM_COUNT_MEMBERS(R),
      INMEM_MEMBER(R, "inner-allocations", InnerAllocations, Form::Decimal),
      INMEM_MEMBER(R, "inner-bytes", InnerBytes, Form::Decimal),
      INMEM_MEMBER(R, "timed", Timed, Form::Decimal),
      INMEM_MEMBER(R, "weighted-timed", WeightedTimed, Form::Decimal),
      INMEM_MEMBER(R, "sum", SumTicks, Form::Decimal),
      INMEM_MEMBER(R, "min", MinTicks, Form::Decimal),
      INMEM_MEMBER(R, "max", MaxTicks, Form::Decimal),
      INMEM_WEIGHT_MEMBERS(R)};
  return All;
}

std::span<const Member> cellMembers() {
  using R = Cell;
  static const Member All[] = {INMEM_MEMBER(R, "type", Type, Form::Decimal),
                               INMEM_MEMBER(R, "delta", Delta, Form::Signed),
                               INMEM_MEMBER(R, "high", High, Form::Signed),
                               INMEM_MEMBER(R, "limit", Limit, Form::Signed)};
  return All;
}

std::span<const Member> peakMembers() {
  using R = PeakEntry;
  static const Member All[] = {
      INMEM_MEMBER(R, "site", Site, Form::Decimal),
      INMEM_MEMBER(R, "live", LiveBytes, Form::Signed)};
  return All;
}

std::span<const Member> freeMembers() {
  using R = FreeCell;
  static const Member All[] = {INMEM_MEMBER(R, "site", Site, Form::Decimal),
                               INMEM_MEMBER(R, "stack", Stack, Form::Decimal),
                               INMEM_MEMBER(R, "thread", Thread, Form::Decimal),
                               INMEM_MEMBER(R, "since", Since, Form::Decimal),
                               INMEM_MEMBER(R, "frees", Frees, Form::Decimal),
                               INMEM_MEMBER(R, "bytes", Bytes, Form::Decimal)};
  return All;
}

std::span<const Member> mappedMembers() {
  using R = MappedTotal;
  static const Member All[] = {
      INMEM_MEMBER(R, "site", Site, Form::Decimal),
      INMEM_MEMBER(R, "call", Call, Form::Word, kMapCallNames),
      INMEM_MEMBER(R, "calls", Calls, Form::Decimal),
      INMEM_MEMBER(R, "bytes", Bytes, Form::Decimal),
      INMEM_MEMBER(R, "unmapped", UnmappedBytes, Form::Decimal),
      INMEM_MEMBER(R, "peak", PeakBytes, Form::Decimal)};
  return All;
}

std::span<const Member> markRowMembers() {
  using R = MarkRow;
  static const Member All[] = {
      INMEM_MEMBER(R, "snapshot", Snapshot, Form::Decimal),
      INMEM_MEMBER(R, "thread", Thread, Form::Decimal), INMEM_COUNT_MEMBERS(R),
      INMEM_WEIGHT_MEMBERS(R)};
  return All;
}

std::span<const Member> markObjectMembers() {
  using R = MarkObject;
  static const Member All[] = {
      INMEM_MEMBER(R, "snapshot", Snapshot, Form::Decimal),
      INMEM_MEMBER(R, "module", Module, Form::Decimal),
      INMEM_MEMBER(R, "cell", Cell, Form::Decimal),
      INMEM_MEMBER(R, "count", Count, Form::Decimal)};
  return All;
}

std::span<const Member> markPeakMembers() {
  using R = MarkPeak;
  static const Member All[] = {
      INMEM_MEMBER(R, "snapshot", Snapshot, Form::Decimal),
      INMEM_MEMBER(R, "type", Type, Form::Decimal),
      INMEM_MEMBER(R, "peak", PeakBytes, Form::Signed)};
  return All;
}

std::span<const Member> peakRowMembers() {
  using R = PeakRow;
  static const Member All[] = {
      INMEM_MEMBER(R, "site", Site, Form::Decimal),
      INMEM_MEMBER(R, "order", Order, Form::Decimal),
      INMEM_MEMBER(R, "allocations", Allocations, Form::Decimal),
      INMEM_MEMBER(R, "bytes", Bytes, Form::Decimal),
      INMEM_MEMBER(R, "frees", Frees, Form::Decimal),
      INMEM_MEMBER(R, "freed-bytes", FreedBytes, Form::Decimal)};
  return All;
}

#define INMEM_THREAD_COUNTS(R, When, Of)                                       \
  INMEM_MEMBER(R, When "-allocations", Of.Allocations, Form::Decimal),         \
      INMEM_MEMBER(R, When "-bytes", Of.Bytes, Form::Decimal),                 \
      INMEM_MEMBER(R, When "-frees", Of.Frees, Form::Decimal),                 \
      INMEM_MEMBER(R, When "-freed-bytes", Of.FreedBytes, Form::Decimal),      \
      INMEM_MEMBER(R, When "-temporary", Of.Temporary, Form::Decimal)

std::span<const Member> threadLifetimeMembers() {
  using R = ThreadLifetime;
  static const Member All[] = {
      INMEM_MEMBER(R, "block", Index, Form::Decimal),
      INMEM_MEMBER(R, "tid", Tid, Form::Decimal),
      INMEM_MEMBER(R, "flags", Flags, Form::Words, kLifetimeFlagNames),
      INMEM_MEMBER(R, "start", Start, Form::Decimal),
      INMEM_MEMBER(R, "began", BeganNs, Form::Decimal),
      INMEM_MEMBER(R, "ended", EndedNs, Form::Decimal),
      INMEM_MEMBER(R, "name", Name, Form::Chars),
      INMEM_THREAD_COUNTS(R, "before", Before),
      INMEM_THREAD_COUNTS(R, "after", After)};
  return All;
}

std::span<const Member> profileMembers() {
  static const auto All = INMEM_MEMBERS_OF(ProfileRecord, INMEM_PROFILE_RECORD);
  return All;
}

std::span<const Member> waitMembers() {
  static const auto All = INMEM_MEMBERS_OF(WaitRecord, INMEM_WAIT_RECORD);
  return All;
}

std::span<const Member> sampleMembers() {
  using R = ProfileCell;
  static const Member All[] = {
      INMEM_MEMBER(R, "stack", Stack, Form::Decimal),
      INMEM_MEMBER(R, "life", Lifetime, Form::Decimal),
      INMEM_MEMBER(R, "wait", Wait, Form::Decimal),
      INMEM_MEMBER(R, "flags", Flags, Form::Words, kProfileFlagNames),
      INMEM_MEMBER(R, "session", Session, Form::Decimal),
      INMEM_MEMBER(R, "count", Count, Form::Decimal)};
  return All;
}

std::span<const Member> crossingMembers() {
  using R = ThreadCrossing;
  static const Member All[] = {
      INMEM_MEMBER(R, "life", Lifetime, Form::Decimal),
      INMEM_MEMBER(R, "kind", Kind, Form::Word, kCrossingNames),
      INMEM_MEMBER(R, "at", AtNs, Form::Decimal),
      INMEM_MEMBER(R, "amount", Amount, Form::Decimal),
      INMEM_MEMBER(R, "total", Total, Form::Decimal),
      INMEM_MEMBER(R, "times", Times, Form::Decimal)};
  return All;
}

/// Members of both forms; zeros are not written.
std::span<const Member> threadLineMembers() {
  static const std::vector<Member> All = [] {
    static std::deque<std::string> Keys;
    std::vector<Member> Out = {
        INMEM_MEMBER(ThreadLine, "life", Lifetime, Form::Decimal),
        INMEM_MEMBER(ThreadLine, "active", Active, Form::Decimal)};
    for (size_t F = 0; F < 2; ++F)
      for (size_t I = 0; I < sizeof(ThreadLine::Form) / 8; ++I) {
        Keys.push_back((F == 0 ? "a" : "b") + (I == 0 ? std::string("-from")
                                               : I == 1
                                                   ? "-width"
                                                   : std::to_string(I - 2)));
        Out.push_back(
            {Keys.back(),
             offsetof(ThreadLine, Forms) + F * sizeof(ThreadLine::Form) + I * 8,
             8});
      }
    return Out;
  }();
  return All;
}

std::span<const Member> totalMembers() {
  using R = TypeTotal;
  static const Member All[] = {
      INMEM_MEMBER(R, "live", Live, Form::Signed),
      INMEM_MEMBER(R, "peak", Peak, Form::Signed),
      INMEM_MEMBER(R, "earlier-peak", EarlierPeak, Form::Signed)};
  return All;
}

std::span<const Member> snapshotMembers() {
  using R = SnapshotHeader;
  static const Member All[] = {
      INMEM_MEMBER(R, "kind", Kind, Form::Word, kSnapshotNames),
      INMEM_MEMBER(R, "flags", Flags, Form::Decimal),
      INMEM_MEMBER(R, "ticks", Ticks, Form::Decimal),
      INMEM_MEMBER(R, "unix-ns", UnixNs, Form::Decimal),
      INMEM_MEMBER(R, "live-bytes", LiveBytes, Form::Signed),
      INMEM_MEMBER(R, "peak-live-bytes", PeakLiveBytes, Form::Signed),
      INMEM_MEMBER(R, "part-peak-live-bytes", PartPeakLiveBytes, Form::Signed),
      INMEM_MEMBER(R, "resident-bytes", ResidentBytes, Form::Decimal)};
  return All;
}

#undef INMEM_THREAD_COUNTS
#undef INMEM_COUNT_MEMBERS
#undef INMEM_WEIGHT_MEMBERS

std::optional<PlainElement> plainElement(std::string_view Word) {
  const std::tuple<std::string_view, size_t, std::span<const Member> (*)()>
      All[] = {{"at-peak", sizeof(PeakEntry), peakMembers},
               {"freed", sizeof(FreeCell), freeMembers},
               {"mapped", sizeof(MappedTotal), mappedMembers},
               {"row-at", sizeof(MarkRow), markRowMembers},
               {"objects-at", sizeof(MarkObject), markObjectMembers},
               {"peak-at", sizeof(MarkPeak), markPeakMembers},
               {"near-peak", sizeof(PeakRow), peakRowMembers},
               {"thread-life", sizeof(ThreadLifetime), threadLifetimeMembers},
               {"crossing", sizeof(ThreadCrossing), crossingMembers},
               {"thread-line", sizeof(ThreadLine), threadLineMembers},
               {"sample", sizeof(ProfileCell), sampleMembers},
               {"cell", sizeof(Cell), cellMembers},
               {"total", sizeof(TypeTotal), totalMembers}};
  for (const auto &[Name, Bytes, Members] : All)
    if (Name == Word)
      return PlainElement{Bytes, Members()};
  return std::nullopt;
}

std::optional<RecordShape> recordShape(std::string_view Word) {
  struct Line {
    std::string_view Starts;
    RecordKind Kind;
    size_t Bytes;
    std::span<const Member> (*Members)();
  };
  const Line All[] = {
      {"type", RecordKind::Type, sizeof(TypeRecord), typeMembers},
      {"site", RecordKind::Site, sizeof(SiteRecord), siteMembers},
      {"module", RecordKind::Module, sizeof(ModuleRecord), moduleMembers},
      {"thread", RecordKind::Thread, sizeof(ThreadRecord), threadMembers},
      {"object", RecordKind::Object, sizeof(ObjectRecord), objectMembers},
      {"string-copy", RecordKind::StringCopy, sizeof(StringCopyRecord),
       stringCopyMembers},
      {"source", RecordKind::Source, sizeof(SourceRecord), sourceMembers},
      {"note", RecordKind::Note, sizeof(NoteRecord), noteMembers},
      {"profile", RecordKind::Profile, sizeof(ProfileRecord), profileMembers},
      {"wait", RecordKind::Wait, sizeof(WaitRecord), waitMembers},
      {"phase", RecordKind::Phase, sizeof(PhaseRecord), phaseMembers},
      {"address", RecordKind::Address, sizeof(AddressRecord), addressMembers},
      {"stack", RecordKind::Stack, sizeof(StackRecord), stackMembers},
      {"stacked-site", RecordKind::StackedSite, sizeof(StackedSiteRecord),
       stackedSiteMembers},
      {"called-site", RecordKind::CalledSite, sizeof(CalledSiteRecord),
       calledSiteMembers},
      {"caller-call", RecordKind::CallerCall, sizeof(CallerCallRecord),
       callerCallMembers},
      {"symbol", RecordKind::Symbol, sizeof(SymbolRecord), symbolMembers},
      {"name", RecordKind::Name, sizeof(NameRecord), nameMembers},
      {"found-type", RecordKind::FoundType, sizeof(FoundTypeRecord),
       foundTypeMembers}};
  for (const Line &L : All)
    if (L.Starts == Word)
      return RecordShape{L.Kind, L.Bytes, L.Members()};
  return std::nullopt;
}

} // namespace inmem::trace
