//===- Names.cpp - The tables of words ------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/text/Names.h"

#include "inmem/abi.h"
#include "trace/format/FoundTypeFormat.h"

namespace inmem::trace {

namespace {
template <class E> constexpr Name name(E Value, std::string_view Text) {
  return {static_cast<uint64_t>(Value), Text};
}

constexpr Name kExtents[] = {
    name(ExtentKind::Peak, "peak"),
    name(ExtentKind::Frees, "frees"),
    name(ExtentKind::MarkRows, "mark-rows"),
    name(ExtentKind::MarkObjects, "mark-objects"),
    name(ExtentKind::MarkPeaks, "mark-peaks"),
    name(ExtentKind::PeakRows, "peak-rows"),
    name(ExtentKind::Mapped, "mapped"),
    name(ExtentKind::ThreadLifetimes, "thread-lives"),
    name(ExtentKind::ThreadCrossings, "thread-crossings"),
    name(ExtentKind::ThreadLines, "thread-lines"),
    name(ExtentKind::ProfileCells, "profile-cells"),
    name(ExtentKind::Meta, "meta"),
    name(ExtentKind::Rows, "rows"),
    name(ExtentKind::Octaves, "octaves"),
    name(ExtentKind::Cells, "cells"),
    name(ExtentKind::Types, "types"),
    name(ExtentKind::Counters, "counters"),
    name(ExtentKind::Events, "events"),
    name(ExtentKind::Snapshot, "snapshot"),
    name(ExtentKind::AllocationLifetimes, "allocation-lives")};
constexpr Name kMapCalls[] = {name(MapCall::Mmap, "mmap"),
                              name(MapCall::Mremap, "mremap"),
                              name(MapCall::Sbrk, "sbrk")};
constexpr Name kClocks[] = {name(ClockKind::Auto, "auto"),
                            name(ClockKind::Exact, "exact"),
                            name(ClockKind::Events, "events")};
constexpr Name kStates[] = {name(RunState::Running, "running"),
                            name(RunState::Complete, "complete"),
                            name(RunState::Execed, "execed")};
constexpr Name kFlags[] = {
    name(kFlagFull, "full"),
    name(kFlagForked, "forked"),
    name(kFlagEvents, "events"),
    name(kFlagSampledBytes, "sampled-bytes"),
    name(kFlagSampledEvery, "sampled-every"),
    name(kFlagInstrumented, "instrumented"),
    name(kFlagCut, "cut"),
    name(kFlagAttached, "attached"),
    name(kFlagImported, "imported"),
    name(kFlagNoTotals, "no-totals"),
    name(kFlagNoFrees, "no-frees"),
    name(kFlagNoBlocks, "no-blocks"),
    name(kFlagNoTemporary, "no-temporary"),
    name(kFlagNoPeak, "no-peak"),
    name(kFlagNoLiveBySite, "no-live-by-site"),
    name(kFlagOfAMoment, "of-a-moment"),
    name(kFlagTimeInInstructions, "time-in-instructions"),
    name(kFlagTimeInBytes, "time-in-bytes")};
constexpr Name kSiteKinds[] = {name(INMEM_SITE_OBJECT, "object"),
                               name(INMEM_SITE_HELD, "held"),
                               name(INMEM_SITE_UNKNOWN, "unknown"),
                               name(INMEM_SITE_NEW, "new"),
                               name(INMEM_SITE_NEW_ARRAY, "new[]"),
                               name(INMEM_SITE_MALLOC, "malloc"),
                               name(INMEM_SITE_CALLOC, "calloc"),
                               name(INMEM_SITE_REALLOC, "realloc"),
                               name(INMEM_SITE_ALIGNED, "aligned"),
                               name(INMEM_SITE_STRING, "string"),
                               name(INMEM_SITE_CUSTOM, "custom"),
                               name(INMEM_SITE_ALLOCATOR, "allocator"),
                               name(INMEM_SITE_COROUTINE, "coroutine"),
                               name(INMEM_SITE_EXCEPTION, "exception"),
                               name(INMEM_SITE_CALLER, "caller")};
constexpr Name kTypeFlags[] = {name(INMEM_TYPE_POLYMORPHIC, "polymorphic"),
                               name(INMEM_TYPE_TRIVIAL_DTOR, "trivial-dtor"),
                               name(INMEM_TYPE_UNION, "union"),
                               name(INMEM_TYPE_CLASS, "class"),
                               name(INMEM_TYPE_COROUTINE, "coroutine"),
                               name(INMEM_TYPE_CLOSURE, "closure"),
                               name(INMEM_TYPE_OPAQUE, "opaque"),
                               name(INMEM_TYPE_RAW, "raw")};
constexpr Name kTypeRules[] = {name(INMEM_RULE_NONE, "none"),
                               name(INMEM_RULE_LANGUAGE, "language"),
                               name(INMEM_RULE_SIZEOF, "sizeof"),
                               name(INMEM_RULE_POINTER, "pointer"),
                               name(INMEM_RULE_VARIABLE, "variable"),
                               name(INMEM_RULE_LIBRARY, "library"),
                               name(INMEM_RULE_IR, "ir"),
                               name(INMEM_RULE_FLOW, "flow"),
                               name(INMEM_RULE_PLACED, "placed"),
                               name(INMEM_RULE_KEPT, "kept")};
constexpr Name kTypeSources[] = {
    name(TypeSource::None, "none"), name(TypeSource::Compiler, "compiler"),
    name(TypeSource::Certain, "certain"),
    name(TypeSource::Inferred, "inferred"), name(TypeSource::Symbol, "symbol")};
constexpr Name kFoundRules[] = {
    name(FoundRule::None, "none"),
    name(FoundRule::TemplateArgument, "template-argument"),
    name(FoundRule::Vtable, "vtable"),
    name(FoundRule::Constructor, "constructor"),
    name(FoundRule::Variable, "debug-variable"),
    name(FoundRule::Member, "member"),
    name(FoundRule::Result, "result"),
    name(FoundRule::Parameter, "parameter"),
    name(FoundRule::Exception, "exception"),
    name(FoundRule::Symbol, "symbol"),
    name(FoundRule::Bytes, "bytes")};
constexpr Name kSiteFlags[] = {
    name(INMEM_SITE_DISAGREE, "disagree"),   name(INMEM_SITE_EXTRA, "extra"),
    name(INMEM_SITE_TOO_SMALL, "too-small"), name(INMEM_SITE_ONE, "one"),
    name(INMEM_SITE_INHERITED, "inherited"), name(INMEM_SITE_PASSED, "passed")};
constexpr Name kFrameFlags[] = {name(INMEM_FRAME_PASSED, "passed")};
constexpr Name kAddressFlags[] = {name(kAddressSignal, "signal")};
constexpr Name kStackFlags[] = {name(kStackTailCall, "tail-call"),
                                name(kStackCut, "cut"),
                                name(kStackLost, "lost")};
constexpr Name kFieldKinds[] = {name(INMEM_FIELD_VALUE, "value"),
                                name(INMEM_FIELD_POINTER, "pointer"),
                                name(INMEM_FIELD_REFERENCE, "reference"),
                                name(INMEM_FIELD_SMART, "smart"),
                                name(INMEM_FIELD_ARRAY, "array"),
                                name(INMEM_FIELD_BASE, "base"),
                                name(INMEM_FIELD_VIRTUAL_BASE, "virtual-base"),
                                name(INMEM_FIELD_VPTR, "vptr"),
                                name(INMEM_FIELD_BITFIELD, "bitfield")};
constexpr Name kObjectEvents[] = {
    name(INMEM_OBJECT_CONSTRUCTED, "constructed"),
    name(INMEM_OBJECT_DESTROYED, "destroyed"),
    name(INMEM_OBJECT_RECEIVED, "received"),
    name(INMEM_OBJECT_FIELD_READ, "read"),
    name(INMEM_OBJECT_FIELD_WRITTEN, "written"),
    name(INMEM_OBJECT_FIELD_COPIED, "copied"),
    name(INMEM_OBJECT_FIELD_INITIALISED, "initialised"),
    name(INMEM_OBJECT_FIELD_RELEASED, "released"),
    name(INMEM_OBJECT_FIELD_USED, "used"),
    name(INMEM_OBJECT_FIELD_ONE_READ, "one-read"),
    name(INMEM_OBJECT_FIELD_LOADED, "loaded"),
    name(INMEM_OBJECT_FIELD_OPAQUE, "opaque"),
    name(INMEM_OBJECT_FIELD_STREAMED, "streamed"),
    name(INMEM_OBJECT_FIELD_UNCOUNTED, "uncounted"),
    name(INMEM_OBJECT_FIELD_IN_SOURCE, "in-source")};
constexpr Name kCopyKinds[] = {name(INMEM_COPY_VARIABLE, "variable"),
                               name(INMEM_COPY_PARAMETER, "parameter"),
                               name(INMEM_COPY_ARGUMENT, "argument")};
constexpr Name kCopyFlags[] = {name(INMEM_COPY_VIEW, "view"),
                               name(INMEM_COPY_REFERENCE, "reference"),
                               name(INMEM_COPY_CONSTANT, "constant"),
                               name(INMEM_COPY_CHARACTERS, "characters"),
                               name(INMEM_COPY_ALONE, "alone"),
                               name(INMEM_COPY_OUTSIDE, "outside")};
#define INMEM_NAMED(Value, Word) name(Value, Word),
constexpr Name kStorages[] = {INMEM_STORAGE_NAMES(INMEM_NAMED)};
constexpr Name kManners[] = {INMEM_MANNER_NAMES(INMEM_NAMED)};
#undef INMEM_NAMED
constexpr Name kNotes[] = {
    name(NoteKind::Full, "full"), name(NoteKind::Warning, "warning"),
    name(NoteKind::Sealed, "sealed"), name(NoteKind::Labels, "labels")};
constexpr Name kSnapshots[] = {name(SnapshotKind::Periodic, "periodic"),
                               name(SnapshotKind::Reset, "reset"),
                               name(SnapshotKind::Manual, "manual")};
constexpr Name kCrossings[] = {name(CrossingKind::Bytes, "bytes"),
                               name(CrossingKind::Blocks, "blocks")};
constexpr Name kProfileClocks[] = {name(ProfileClock::Wall, "wall"),
                                   name(ProfileClock::Cpu, "cpu")};
constexpr Name kProfileFlags[] = {name(kProfileLost, "lost"),
                                  name(kProfileBlocked, "blocked"),
                                  name(kProfileDropped, "dropped")};
constexpr Name kLifetimeFlags[] = {name(kLifetimeOfRest, "rest")};
constexpr Name kEvents[] = {name(EventKind::Allocate, "allocate"),
                            name(EventKind::Free, "free"),
                            name(EventKind::Retag, "retag")};
} // namespace

const std::span<const Name> kExtentNames = kExtents;
const std::span<const Name> kMapCallNames = kMapCalls;
const std::span<const Name> kClockNames = kClocks;
const std::span<const Name> kStateNames = kStates;
const std::span<const Name> kHeaderFlagNames = kFlags;
const std::span<const Name> kSiteKindNames = kSiteKinds;
const std::span<const Name> kTypeRuleNames = kTypeRules;
const std::span<const Name> kTypeSourceNames = kTypeSources;
const std::span<const Name> kFoundRuleNames = kFoundRules;
const std::span<const Name> kSiteFlagNames = kSiteFlags;
const std::span<const Name> kFrameFlagNames = kFrameFlags;
const std::span<const Name> kAddressFlagNames = kAddressFlags;
const std::span<const Name> kStackFlagNames = kStackFlags;
const std::span<const Name> kTypeFlagNames = kTypeFlags;
const std::span<const Name> kFieldKindNames = kFieldKinds;
const std::span<const Name> kObjectEventNames = kObjectEvents;
const std::span<const Name> kStorageNames = kStorages;
const std::span<const Name> kMannerNames = kManners;
const std::span<const Name> kCopyKindNames = kCopyKinds;
const std::span<const Name> kCopyFlagNames = kCopyFlags;
const std::span<const Name> kNoteNames = kNotes;
const std::span<const Name> kSnapshotNames = kSnapshots;
const std::span<const Name> kCrossingNames = kCrossings;
const std::span<const Name> kProfileClockNames = kProfileClocks;
const std::span<const Name> kProfileFlagNames = kProfileFlags;
const std::span<const Name> kLifetimeFlagNames = kLifetimeFlags;
const std::span<const Name> kEventNames = kEvents;

std::string_view nameOf(std::span<const Name> Names, uint64_t Value) {
  for (const Name &N : Names)
    if (N.Value == Value)
      return N.Text;
  return {};
}

std::optional<uint64_t> valueOf(std::span<const Name> Names,
                                std::string_view Text) {
  for (const Name &N : Names)
    if (N.Text == Text)
      return N.Value;
  return std::nullopt;
}

std::string needsWord(std::string_view Key, std::span<const Name> Names,
                      std::string_view Found) {
  std::string Known;
  for (const Name &N : Names)
    Known.append(Known.empty() ? "" : ", ").append(N.Text);
  return "'" + std::string(Key) + "' needs a number or one of " + Known +
         ", not '" + std::string(Found) + "'";
}

} // namespace inmem::trace
