//===- DuckSource.h - Our rows as a table of DuckDB's ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table function `inmem_rows()` hands rows over in chunks, so that COPY
// writes them without a copy of all of them.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_FLEET_DUCKSOURCE_H
#define INMEM_FLEET_DUCKSOURCE_H

#include "fleet/DuckApi.h"
#include "fleet/Rows.h"

namespace inmem::fleet {

/// Must outlive the connection. Not thread-safe.
class RowSource {
public:
  trace::Status registerWith(const DuckApi &Of, duckdb_connection To);
  /// What the function's next call returns; both must outlive it.
  void use(const Rows &From, const std::vector<uint32_t> &In) {
    Of = &From;
    Order = &In;
    Next = 0;
  }

private:
  static void bind(duckdb_bind_info Info);
  static void init(duckdb_init_info Info);
  static void fill(duckdb_function_info Info, duckdb_data_chunk Chunk);
  void fillColumn(duckdb_vector Into, size_t Column, size_t Count) const;

  const DuckApi *Api = nullptr;
  const Rows *Of = nullptr;
  const std::vector<uint32_t> *Order = nullptr;
  size_t Next = 0;
};

} // namespace inmem::fleet

#endif
