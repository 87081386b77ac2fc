//===- DuckSource.h - Our rows as a table of DuckDB's ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table function `inmem_rows()` passes rows in chunks, so that COPY writes
// them without a copy of all rows.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_FLEET_DUCKSOURCE_H
#define INMEM_FLEET_DUCKSOURCE_H

#include "fleet/query/DuckApi.h"
#include "fleet/tables/TableRows.h"

namespace inmem::fleet {

/// Must outlive the connection. Not thread-safe.
class RowSource {
public:
  trace::Status registerWith(const DuckApi &Of, duckdb_connection To);
  /// Sets the result of the function's next call; both must outlive it.
  void use(const Rows &From, const std::vector<uint32_t> &In);

private:
  /// A column with few different texts is an ENUM, which Parquet stores as
  /// text. DuckDB then copies, checks and hashes each text once, not once per
  /// row.
  struct Words {
    std::vector<int64_t> Of;       ///< ENUM texts, if any
    std::vector<uint8_t> NumberOf; ///< by index in the pool
  };
  Words wordsOf(size_t Column) const;
  duckdb_logical_type typeOf(size_t Column) const;
  static void bind(duckdb_bind_info Info);
  static void init(duckdb_init_info Info);
  static void fill(duckdb_function_info Info, duckdb_data_chunk Chunk);
  void fillColumn(duckdb_vector Into, size_t Column, size_t Count) const;

  const DuckApi *Api = nullptr;
  const Rows *Of = nullptr;
  const std::vector<uint32_t> *Order = nullptr;
  size_t Next = 0;
  std::vector<Words> WordsOf; ///< by column
};

} // namespace inmem::fleet

#endif
