//===- DuckApi.h - DuckDB's C API, loaded when it is needed ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Uses only the stable functions of version 1 of the C API. Their types come
// from DuckDB's header. The library is opened by name: inmem itself does not
// link it, and does not need it.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_FLEET_DUCKAPI_H
#define INMEM_FLEET_DUCKAPI_H

#include "trace/read/Status.h"

#include <duckdb.h>

namespace inmem::fleet {

// clang-format off
#define INMEM_DUCK_FUNCTIONS(X)                                                \
  X(library_version) X(create_config) X(set_config) X(destroy_config)          \
  X(open_ext) X(close) X(connect) X(disconnect) X(free)                        \
  X(query) X(result_error) X(destroy_result)                                   \
  X(column_count) X(column_name) X(column_type) X(fetch_chunk)                 \
  X(destroy_data_chunk)                                                        \
  X(data_chunk_get_size) X(data_chunk_set_size) X(data_chunk_get_vector)       \
  X(vector_get_data) X(vector_get_validity)                                    \
  X(vector_ensure_validity_writable) X(validity_row_is_valid)                  \
  X(validity_set_row_invalid) X(vector_assign_string_element_len)              \
  X(string_t_length) X(string_t_data)                                          \
  X(extract_statements) X(extract_statements_error) X(destroy_extracted)       \
  X(prepare) X(prepare_extracted_statement) X(prepare_error)                   \
  X(destroy_prepare) X(prepared_statement_type)                                \
  X(nparams) X(parameter_name)                                                 \
  X(bind_int64) X(bind_double) X(bind_varchar_length) X(execute_prepared)      \
  X(create_logical_type) X(create_enum_type) X(destroy_logical_type)           \
  X(create_table_function) X(destroy_table_function)                           \
  X(table_function_set_name) X(table_function_set_extra_info)                  \
  X(table_function_set_bind) X(table_function_set_init)                        \
  X(table_function_set_function) X(register_table_function)                    \
  X(bind_get_extra_info) X(bind_add_result_column) X(bind_set_cardinality)     \
  X(init_get_extra_info) X(init_set_init_data) X(init_set_max_threads)         \
  X(function_get_extra_info) X(function_get_init_data)
// clang-format on

/// Pointers to the functions, named without `duckdb_`.
struct DuckApi {
#define INMEM_DUCK_MEMBER(Name) decltype(&::duckdb_##Name) Name = nullptr;
  INMEM_DUCK_FUNCTIONS(INMEM_DUCK_MEMBER)
#undef INMEM_DUCK_MEMBER
};

/// Opens libduckdb.so, once in a process: from INMEM_DUCKDB (a file), from
/// lib/inmem of the installation, or where the loader finds it. Not
/// thread-safe.
/// \returns an error of one line that says how to get the library.
trace::Result<const DuckApi *> loadDuck();

} // namespace inmem::fleet

#endif
