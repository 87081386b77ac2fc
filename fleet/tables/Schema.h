//===- Schema.h - The tables of "inmem-fleet/3" ---------------------------===//
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
#include <string>
#include <string_view>

namespace inmem::fleet {

/// The version that is written.
inline constexpr std::string_view kSchema = "inmem-fleet/3";
/// Files that left out `allocated_bytes` of types, too.
inline constexpr std::string_view kProductSchema = "inmem-fleet/2";
/// Files in which no cell is left out.
inline constexpr std::string_view kWholeSchema = "inmem-fleet/1";
/// True if this inmem reads files of a version.
bool isKnownSchema(std::string_view Schema);

enum class ColumnKind { Small, Integer, Big, Boolean, Text };
/// As SQL says it: `BIGINT`.
std::string_view sqlNameOf(ColumnKind Kind);

struct ColumnSpec {
  std::string_view Name;
  ColumnKind Kind;
};

/// A cell is left out (null) where other columns give it: counts that repeat
/// each other would take most of a file. kUnknownCell represents null then.
struct DerivedSpec {
  /// Files of kProductSchema alone leave out a Product: reading it costs
  /// questions less than computing it.
  enum Kind { Copy, Difference, Product };
  size_t Column;
  Kind How;
  size_t Left, Right = 0;    ///< columns; of Copy: Left alone
  bool MayBeUnknown = false; ///< though the others are known
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
  Resident,
  TypeNames,
  SiteNames,
  Buckets
};
inline constexpr size_t kTables = 14;

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
  /// A column is derived from columns before it in this list, or from others.
  std::span<const DerivedSpec> Derived = {};
};

/// The value of a column as SQL, from the columns of a file of a schema.
std::string valueOf(const TableSpec &Spec, size_t Column,
                    std::string_view Schema);

/// All tables, in the order of TableId.
std::span<const TableSpec> tables();
const TableSpec &table(TableId Id);
/// Null: no table of that name.
const TableSpec *tableNamed(std::string_view Name);

} // namespace inmem::fleet

#endif
