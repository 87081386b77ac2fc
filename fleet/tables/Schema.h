//===- Schema.h - The tables of "inmem-fleet/3" ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A single list of tables and columns, from which files are written and views
// are built. docs/fleet-schema.md explains them to users. Integers are signed:
// other engines read an unsigned 64-bit column as a decimal.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_FLEET_SCHEMA_H
#define INMEM_FLEET_SCHEMA_H

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace inmem::fleet {

/// The version of new files.
inline constexpr std::string_view kSchema = "inmem-fleet/3";
/// In files of this version, `allocated_bytes` of types is omitted, too.
inline constexpr std::string_view kProductSchema = "inmem-fleet/2";
/// In files of this version, no cell is omitted.
inline constexpr std::string_view kWholeSchema = "inmem-fleet/1";
/// True if this inmem reads files of a version.
bool isKnownSchema(std::string_view Schema);

enum class ColumnKind { Small, Integer, Big, Boolean, Text };
/// The SQL name, such as `BIGINT`.
std::string_view sqlNameOf(ColumnKind Kind);

struct ColumnSpec {
  std::string_view Name;
  ColumnKind Kind;
};

/// A cell is omitted (null) if other columns determine it: redundant counts
/// would make up most of a file. An unknown value is then stored as
/// kUnknownCell.
struct DerivedSpec {
  /// Only files of kProductSchema omit a Product, because queries read it
  /// faster than they compute it.
  enum Kind { Copy, Difference, Product };
  size_t Column;
  Kind How;
  size_t Left, Right = 0;    ///< columns; Copy uses only Left
  bool MayBeUnknown = false; ///< even if the others are known
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
  /// Indexes of the columns by which rows of a file are sorted.
  std::span<const size_t> Order;
  /// The number of columns that are the id of a dimension; 0 if the table is
  /// not one. Each file has one row per id, but several files may have the same
  /// id.
  size_t Keys = 0;
  bool Partitioned = true; ///< by `date` and `service`
  /// Each column is derived from columns before it in this list, or from
  /// columns outside it.
  std::span<const DerivedSpec> Derived = {};
};

/// The value of a column in SQL, from the columns of a file of a schema.
std::string valueOf(const TableSpec &Spec, size_t Column,
                    std::string_view Schema);

/// All tables, in the order of TableId.
std::span<const TableSpec> tables();
const TableSpec &table(TableId Id);
/// Null if no table has that name.
const TableSpec *tableNamed(std::string_view Name);

} // namespace inmem::fleet

#endif
