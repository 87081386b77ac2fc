//===- TableRows.h - Rows of one table, before they are written -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Columns of 8-byte cells. Texts are indexes into a pool that the tables of a
// batch share, so that a name that occurs in a thousand rows is stored once.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_FLEET_TABLEROWS_H
#define INMEM_FLEET_TABLEROWS_H

#include "fleet/tables/Schema.h"

#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace inmem::fleet {

/// A cell without a value. Counts saturate at larger values.
inline constexpr int64_t kNull = std::numeric_limits<int64_t>::min();
/// In a derived column: no value, although the other cells would yield one.
inline constexpr int64_t kUnknownCell = -1;

/// A count as a signed cell, at most its largest value.
int64_t cell(uint64_t Value);
int64_t cell(const std::optional<uint64_t> &Value);

/// Stores each text once. Not thread-safe.
class TextPool {
public:
  /// The number of a text, for a cell. Bytes that are not UTF-8 become `?`,
  /// because engines reject them.
  int64_t add(std::string_view Text);
  /// As add(), but an empty text yields an unknown cell.
  int64_t orNull(std::string_view Text) {
    return Text.empty() ? kNull : add(Text);
  }
  const std::string &operator[](int64_t Index) const {
    return Texts[static_cast<size_t>(Index)];
  }
  size_t bytes() const { return Bytes; }

private:
  std::deque<std::string> Texts;
  std::unordered_map<std::string_view, int64_t> Numbers;
  size_t Bytes = 0;
};

/// Rows of a table, column by column. Not thread-safe.
class Rows {
public:
  Rows(const TableSpec &Of, const TextPool &Pool);

  const TableSpec &spec() const { return *Of; }
  const TextPool &texts() const { return *Pool; }
  size_t size() const { return Cells.front().size(); }
  size_t bytes() const { return size() * Cells.size() * sizeof(int64_t); }
  /// Adds a row with one cell per column of the schema. Cells that others
  /// determine are omitted.
  void add(std::initializer_list<int64_t> Row);
  /// A cell as in the file.
  int64_t at(size_t Row, size_t Column) const { return Cells[Column][Row]; }
  /// The text of a cell; empty for one without a value.
  std::string_view text(size_t Row, size_t Column) const;
  const int64_t *column(size_t Column) const { return Cells[Column].data(); }
  /// The values of a column's cells without duplicates, ascending.
  std::vector<int64_t> distinct(size_t Column) const;
  /// Indexes of the rows in the schema's order, valid until a row is added.
  const std::vector<uint32_t> &sorted() const;
  /// A hash of schema and rows in this order, which names their file.
  std::string nameFor(const std::vector<uint32_t> &By) const;

private:
  /// A number below Count for each cell of a column, in the order of the cells'
  /// values: texts by spelling, unknown ones last.
  struct Ranking {
    std::vector<uint32_t> Of;
    size_t Count = 0;
  };
  Ranking ranks(size_t Column) const;
  bool isBefore(size_t A, size_t B) const;

  const TableSpec *Of;
  const TextPool *Pool;
  std::vector<std::vector<int64_t>> Cells;
  mutable std::vector<uint32_t> Order; ///< empty: not sorted yet
};

} // namespace inmem::fleet

#endif
