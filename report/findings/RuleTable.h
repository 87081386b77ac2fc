//===- RuleTable.h - The rules of findings, one line each -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The list of rules. Reports, `inmem fix`, the editor's links and lint's check
// of docs/findings.md read it. To add a rule, add a line here, a function to
// Rules.h that looks for it, a section to docs/findings.md, and a program to
// examples/advice/. Includes no headers of inmem, because inmem-fix compiles it
// too.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_REPORT_FINDINGS_RULETABLE_H
#define INMEM_REPORT_FINDINGS_RULETABLE_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace inmem::report {

/// Enumerators in the order of kRuleTable.
enum class RuleId : uint8_t {
  UnboundedGrowth,
  LiveGrowth,
  NeverDestroyed,
  AliveAtEnd,
  PeakBlock,
  VectorRegrowth,
  StringRegrowth,
  Rehash,
  StreamInLoop,
  StringCopies,
  ShortDeque,
  SharedPtrNew,
  PhaseArena,
  NodeChurn,
  ObjectChurn,
  LargeInLoop,
  Exceptions,
  StringAboveInline,
  Temporary,
  Copies,
  Padding,
  UnreadField,
  CopiedOnlyField,
  UnusedMember,
  ColdInArray,
  OverReserved,
  FreedElsewhere,
  SteadyPhase,
};

/// The blocks that a rule examines.
enum class About : uint8_t {
  Live,      ///< blocks that are alive, at the peak or at the end
  Allocated, ///< blocks that the run need not allocate
  Other      ///< objects, fields or the run as a whole
};

/// The remedy that `inmem fix` offers.
enum class Cure : uint8_t {
  Edit,   ///< changes the code (fix/Proposals.cpp)
  Advice, ///< explains why there is no edit
};

struct RuleInfo {
  RuleId Id;
  std::string_view Name; ///< stable: used in reports and budgets
  About Of;
  Cure By;
  std::string_view Page; ///< anchor in docs/findings.md
};

/// If several rules of one About find the same blocks, the earlier rule is more
/// specific (Findings.cpp).
inline constexpr RuleInfo kRuleTable[] = {
    {RuleId::UnboundedGrowth, "unbounded-growth", About::Live, Cure::Advice,
     "unbounded-growth"},
    {RuleId::LiveGrowth, "live-growth", About::Live, Cure::Advice,
     "live-growth"},
    {RuleId::NeverDestroyed, "never-destroyed", About::Live, Cure::Advice,
     "never-destroyed-alive-at-end"},
    {RuleId::AliveAtEnd, "alive-at-end", About::Live, Cure::Advice,
     "never-destroyed-alive-at-end"},
    {RuleId::PeakBlock, "peak-block", About::Live, Cure::Advice, "peak-block"},
    {RuleId::VectorRegrowth, "vector-regrowth", About::Allocated, Cure::Edit,
     "vector-regrowth-string-regrowth"},
    {RuleId::StringRegrowth, "string-regrowth", About::Allocated, Cure::Edit,
     "vector-regrowth-string-regrowth"},
    {RuleId::Rehash, "rehash", About::Allocated, Cure::Edit, "rehash"},
    {RuleId::StreamInLoop, "stream-in-loop", About::Allocated, Cure::Advice,
     "stream-in-loop"},
    {RuleId::StringCopies, "string-copies", About::Allocated, Cure::Edit,
     "string-copies"},
    {RuleId::ShortDeque, "short-deque", About::Allocated, Cure::Edit,
     "short-deque"},
    {RuleId::SharedPtrNew, "shared-ptr-new", About::Allocated, Cure::Edit,
     "shared-ptr-new"},
    {RuleId::PhaseArena, "phase-arena", About::Allocated, Cure::Edit,
     "phase-arena"},
    {RuleId::NodeChurn, "node-churn", About::Allocated, Cure::Edit,
     "node-churn"},
    {RuleId::ObjectChurn, "object-churn", About::Allocated, Cure::Advice,
     "object-churn"},
    {RuleId::LargeInLoop, "large-in-loop", About::Allocated, Cure::Advice,
     "large-in-loop"},
    {RuleId::Exceptions, "exceptions", About::Allocated, Cure::Advice,
     "exceptions"},
    {RuleId::StringAboveInline, "string-above-inline", About::Allocated,
     Cure::Edit, "string-above-inline"},
    {RuleId::Temporary, "temporary", About::Allocated, Cure::Edit, "temporary"},
    {RuleId::Copies, "copies", About::Other, Cure::Edit, "copies"},
    {RuleId::Padding, "padding", About::Other, Cure::Edit, "padding"},
    {RuleId::UnreadField, "unread-field", About::Other, Cure::Edit,
     "unread-field-copied-only-field-unused-member"},
    {RuleId::CopiedOnlyField, "copied-only-field", About::Other, Cure::Edit,
     "unread-field-copied-only-field-unused-member"},
    {RuleId::UnusedMember, "unused-member", About::Other, Cure::Advice,
     "unread-field-copied-only-field-unused-member"},
    {RuleId::ColdInArray, "cold-in-array", About::Other, Cure::Advice,
     "cold-in-array"},
    {RuleId::OverReserved, "over-reserved", About::Other, Cure::Advice,
     "over-reserved"},
    {RuleId::FreedElsewhere, "freed-elsewhere", About::Other, Cure::Advice,
     "freed-elsewhere"},
    {RuleId::SteadyPhase, "steady-phase", About::Other, Cure::Advice,
     "steady-phase"},
};

constexpr bool isInOrder() {
  size_t At = 0;
  for (const RuleInfo &R : kRuleTable)
    if (static_cast<size_t>(R.Id) != At++)
      return false;
  return At == static_cast<size_t>(RuleId::SteadyPhase) + 1;
}
static_assert(isInOrder());

constexpr const RuleInfo &infoOf(RuleId Id) {
  return kRuleTable[static_cast<size_t>(Id)];
}
constexpr std::string_view nameOf(RuleId Id) { return infoOf(Id).Name; }

/// The rule of this name, or none.
constexpr std::optional<RuleId> ruleNamed(std::string_view Name) {
  for (const RuleInfo &R : kRuleTable)
    if (R.Name == Name)
      return R.Id;
  return std::nullopt;
}

} // namespace inmem::report

#endif
