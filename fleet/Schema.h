//===- Schema.h - The tables of "inmem-fleet/1" ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One list of tables and columns, from which files are written and views are
// made. docs/fleet-schema.md explains them to users. Integers are signed: other
// engines read an unsigned 64-bit column as a decimal.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_FLEET_SCHEMA_H
#define INMEM_FLEET_SCHEMA_H

#include <cstddef>
#include <span>
#include <string_view>

namespace inmem::fleet {

inline constexpr std::string_view kSchema = "inmem-fleet/1";

enum class ColumnKind { Small, Integer, Big, Boolean, Text };
/// As SQL says it: `BIGINT`.
std::string_view sqlNameOf(ColumnKind Kind);

struct ColumnSpec {
  std::string_view Name;
  ColumnKind Kind;
};

enum class TableId {
  Processes,
  Types,
  Sites,
  Lifetimes,
  LifetimesDaily,
  Timeline,
  Findings,
  Objects,
  Frees,
  Labels,
  TypeNames,
  SiteNames,
  Buckets
};
inline constexpr size_t kTables = 13;

struct TableSpec {
  TableId Id;
  std::string_view Name;
  std::span<const ColumnSpec> Columns; ///< without `date` and `service`
  /// Indexes of the columns that rows of a file are sorted by.
  std::span<const size_t> Order;
  /// A dimension has one row an id in each file, but the same id in several
  /// files; the number of columns that are the id, 0: not a dimension.
  size_t Keys = 0;
  bool Partitioned = true; ///< by `date` and `service`
};

/// All tables, in the order of TableId.
std::span<const TableSpec> tables();
const TableSpec &table(TableId Id);
/// Null: there is none of that name.
const TableSpec *tableNamed(std::string_view Name);

} // namespace inmem::fleet

#endif
