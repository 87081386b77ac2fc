//===- Schema.cpp ---------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fleet/tables/Schema.h"

#include <algorithm>

namespace inmem::fleet {

namespace {

using enum ColumnKind;

constexpr ColumnSpec kProcesses[] = {
    {"trace_id", Big},
    {"build", Text},
    {"host", Text},
    {"git_revision", Text},
    {"trace_file", Text},
    {"executable", Text},
    {"command", Text},
    {"pid", Big},
    {"start_us", Big},
    {"duration_ns", Big},
    {"clock", Text},
    {"sample_bytes", Big},
    {"every", Big},
    {"complete", Boolean},
    {"dropped_events", Big},
    {"allocations", Big},
    {"allocated_bytes", Big},
    {"frees", Big},
    {"freed_bytes", Big},
    {"live_allocations", Big},
    {"live_bytes", Big},
    {"peak_live_bytes", Big},
    {"temporary_allocations", Big},
};
constexpr ColumnSpec kTypes[] = {
    {"trace_id", Big},
    {"build", Text},
    {"type_id", Big},
    {"size", Big},
    {"align", Big},
    {"allocations", Big},
    {"allocated_bytes", Big},
    {"frees", Big},
    {"freed_bytes", Big},
    {"live_allocations", Big},
    {"live_bytes", Big},
    {"peak_live_bytes", Big},
    {"temporary_allocations", Big},
    {"elements", Big},
    {"timed", Big},
    {"life_sum_ns", Big},
};
constexpr ColumnSpec kSites[] = {
    {"trace_id", Big},   {"build", Text},        {"type_id", Big},
    {"site_id", Big},    {"allocations", Big},   {"allocated_bytes", Big},
    {"frees", Big},      {"freed_bytes", Big},   {"live_allocations", Big},
    {"live_bytes", Big}, {"at_peak_bytes", Big}, {"temporary_allocations", Big},
};
constexpr ColumnSpec kLifetimes[] = {
    {"trace_id", Big}, {"build", Text}, {"type_id", Big}, {"unit", Text},
    {"bucket", Small}, {"n", Big},      {"bytes", Big},
};
constexpr ColumnSpec kLifetimesDaily[] = {
    {"build", Text}, {"type_id", Big}, {"unit", Text},  {"bucket", Small},
    {"n", Big},      {"bytes", Big},   {"traces", Big},
};
constexpr ColumnSpec kTimeline[] = {
    {"trace_id", Big}, {"build", Text}, {"type_id", Big}, {"point", Integer},
    {"kind", Text},    {"name", Text},  {"at_ns", Big},   {"live_bytes", Big},
};
constexpr ColumnSpec kFindings[] = {
    {"trace_id", Big},    {"build", Text},
    {"rule", Text},       {"severity", Text},
    {"type_id", Big},     {"place_id", Big},
    {"bytes", Big},       {"allocations", Big},
    {"saves_bytes", Big}, {"saves_allocations", Big},
    {"message", Text},    {"advice", Text},
};
constexpr ColumnSpec kObjects[] = {
    {"trace_id", Big},    {"build", Text},     {"type_id", Big},
    {"constructed", Big}, {"on_heap", Big},    {"on_stack", Big},
    {"in_statics", Big},  {"in_members", Big}, {"elsewhere", Big},
    {"copied", Big},      {"moved", Big},      {"destroyed", Big},
    {"alive", Big},       {"peak_alive", Big},
};
constexpr ColumnSpec kFrees[] = {
    {"trace_id", Big},  {"build", Text},        {"type_id", Big},
    {"site_id", Big},   {"free_place_id", Big}, {"allocated_in", Text},
    {"freed_in", Text}, {"frees", Big},         {"freed_bytes", Big},
};
constexpr ColumnSpec kLabels[] = {
    {"trace_id", Big}, {"build", Text}, {"label", Text}, {"value", Text}};
constexpr ColumnSpec kResident[] = {
    {"trace_id", Big}, {"build", Text}, {"point", Integer}, {"kind", Text},
    {"name", Text},    {"at_ns", Big},  {"rss_bytes", Big},
};
constexpr ColumnSpec kTypeNames[] = {
    {"type_id", Big}, {"type", Text}, {"alias", Text}};
constexpr ColumnSpec kSiteNames[] = {
    {"site_id", Big},           {"place_id", Big},
    {"function", Text},         {"file", Text},
    {"line", Integer},          {"kind", Text},
    {"library_function", Text}, {"library_file", Text},
    {"library_line", Integer},
};
constexpr ColumnSpec kBuckets[] = {
    {"bucket", Small}, {"from_value", Big}, {"to_value", Big}};

// Columns to sort by, as indices of the above: type first, since most questions
// are asked by type and equal values compress.
constexpr size_t kProcessOrder[] = {1, 0}, kTypeOrder[] = {2, 1, 0},
                 kSiteOrder[] = {2, 3, 1, 0},
                 kLifetimeOrder[] = {2, 4, 1, 3, 0},
                 kDailyOrder[] = {1, 3, 0, 2}, kTimeOrder[] = {2, 0, 3},
                 kFindingOrder[] = {4, 2, 1, 0}, kObjectOrder[] = {2, 1, 0},
                 kFreeOrder[] = {2, 3, 4, 1, 0}, kLabelOrder[] = {2, 3, 1, 0},
                 kResidentOrder[] = {1, 0, 2}, kFirst[] = {0};

constexpr DerivedSpec kTypesDerived[] = {
    {13, DerivedSpec::Copy, 5, 0, true}, // elements = allocations
    {6, DerivedSpec::Product, 5, 3},     // allocated_bytes = allocations * size
    {7, DerivedSpec::Difference, 5, 9},  // frees = allocations - live
    {8, DerivedSpec::Difference, 6, 10}, // freed_bytes = allocated - live
    {14, DerivedSpec::Copy, 7},          // timed = frees
};
constexpr DerivedSpec kSitesDerived[] = {
    {6, DerivedSpec::Difference, 4, 8}, // frees = allocations - live
    {7, DerivedSpec::Difference, 5, 9}, // freed_bytes = allocated - live
};

constexpr TableSpec kAll[] = {
    {TableId::Processes, "processes", kProcesses, kProcessOrder},
    {TableId::Types, "types", kTypes, kTypeOrder, 0, true, kTypesDerived},
    {TableId::Sites, "sites", kSites, kSiteOrder, 0, true, kSitesDerived},
    {TableId::Lifetimes, "lifetimes", kLifetimes, kLifetimeOrder},
    {TableId::LifetimesDaily, "lifetimes_daily", kLifetimesDaily, kDailyOrder},
    {TableId::Timeline, "timeline", kTimeline, kTimeOrder},
    {TableId::Findings, "findings", kFindings, kFindingOrder},
    {TableId::Objects, "objects", kObjects, kObjectOrder},
    {TableId::Frees, "frees", kFrees, kFreeOrder},
    {TableId::Labels, "labels", kLabels, kLabelOrder},
    {TableId::Resident, "resident", kResident, kResidentOrder},
    {TableId::TypeNames, "type_names", kTypeNames, kFirst, 1},
    {TableId::SiteNames, "site_names", kSiteNames, kFirst, 1},
    {TableId::Buckets, "buckets", kBuckets, kFirst, 1, false},
};
static_assert(std::size(kAll) == kTables);

} // namespace

std::string_view sqlNameOf(ColumnKind Kind) {
  switch (Kind) {
  case Small:
    return "SMALLINT";
  case Integer:
    return "INTEGER";
  case Big:
    return "BIGINT";
  case Boolean:
    return "BOOLEAN";
  case Text:
    return "VARCHAR";
  }
  return "";
}

bool isKnownSchema(std::string_view Schema) {
  return Schema == kSchema || Schema == kProductSchema ||
         Schema == kWholeSchema;
}

static bool isLeftOut(const DerivedSpec &D, std::string_view Schema) {
  return Schema == kProductSchema ||
         (Schema != kWholeSchema && D.How != DerivedSpec::Product);
}

std::string valueOf(const TableSpec &Spec, size_t Column,
                    std::string_view Schema) {
  std::string Name(Spec.Columns[Column].Name);
  const auto Found =
      std::ranges::find(Spec.Derived, Column, &DerivedSpec::Column);
  if (Found == Spec.Derived.end() || !isLeftOut(*Found, Schema))
    return Name;
  std::string Else = valueOf(Spec, Found->Left, Schema);
  if (Found->How != DerivedSpec::Copy)
    Else += (Found->How == DerivedSpec::Product ? " * " : " - ") +
            valueOf(Spec, Found->Right, Schema);
  // In DuckDB, coalesce() takes a fifth longer.
  Name = "CASE WHEN " + Name + " IS NOT NULL THEN " + Name + " ELSE " + Else +
         " END";
  return Found->MayBeUnknown ? "nullif(" + Name + ", -1)" : Name;
}

std::span<const TableSpec> tables() { return kAll; }

const TableSpec &table(TableId Id) { return kAll[static_cast<size_t>(Id)]; }

const TableSpec *tableNamed(std::string_view Name) {
  const auto *const Found = std::ranges::find(kAll, Name, &TableSpec::Name);
  return Found == std::end(kAll) ? nullptr : Found;
}

} // namespace inmem::fleet
