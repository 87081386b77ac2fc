//===- DuckSource.cpp -----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fleet/query/DuckSource.h"

#include <algorithm>

namespace inmem::fleet {

using trace::Status;

namespace {

/// Vectors of this version hold this many rows, and DuckDB requests no more.
constexpr size_t kChunk = 2048;

/// The API for callbacks, which have no argument to pass it. It is loaded once,
/// so there is one per process.
const DuckApi *Loaded = nullptr;

duckdb_type typeFor(ColumnKind Kind) {
  switch (Kind) {
  case ColumnKind::Small:
    return DUCKDB_TYPE_SMALLINT;
  case ColumnKind::Integer:
    return DUCKDB_TYPE_INTEGER;
  case ColumnKind::Big:
    return DUCKDB_TYPE_BIGINT;
  case ColumnKind::Boolean:
    return DUCKDB_TYPE_BOOLEAN;
  case ColumnKind::Text:
    return DUCKDB_TYPE_VARCHAR;
  }
  return DUCKDB_TYPE_INVALID;
}

} // namespace

Status RowSource::registerWith(const DuckApi &Functions, duckdb_connection To) {
  Api = Loaded = &Functions;
  duckdb_table_function F = Api->create_table_function();
  Api->table_function_set_name(F, "inmem_rows");
  Api->table_function_set_extra_info(F, this, nullptr);
  Api->table_function_set_bind(F, bind);
  Api->table_function_set_init(F, init);
  Api->table_function_set_function(F, fill);
  const duckdb_state Done = Api->register_table_function(To, F);
  Api->destroy_table_function(&F);
  return Done == DuckDBSuccess
             ? Status()
             : Status::error("", "DuckDB does not take a table function");
}

RowSource::Words RowSource::wordsOf(size_t Column) const {
  // For at most this number of texts, DuckDB stores a text's number in a byte.
  constexpr size_t kMost = 255;
  if (Of->spec().Columns[Column].Kind != ColumnKind::Text)
    return {};
  Words Out;
  Out.Of = Of->distinct(Column);
  std::erase(Out.Of, kNull);
  if (Out.Of.size() > kMost || Out.Of.size() * 2 > Of->size())
    return {};
  if (!Out.Of.empty())
    Out.NumberOf.resize(static_cast<size_t>(Out.Of.back()) + 1);
  for (size_t I = 0; I < Out.Of.size(); ++I)
    Out.NumberOf[static_cast<size_t>(Out.Of[I])] = static_cast<uint8_t>(I);
  return Out;
}

void RowSource::use(const Rows &From, const std::vector<uint32_t> &In) {
  Of = &From;
  Order = &In;
  Next = 0;
  WordsOf.clear();
  for (size_t C = 0; C < From.spec().Columns.size(); ++C)
    WordsOf.push_back(wordsOf(C));
}

duckdb_logical_type RowSource::typeOf(size_t Column) const {
  const Words &W = WordsOf[Column];
  if (W.Of.empty())
    return Loaded->create_logical_type(
        typeFor(Of->spec().Columns[Column].Kind));
  std::vector<const char *> Texts;
  Texts.reserve(W.Of.size());
  for (const int64_t Text : W.Of)
    Texts.push_back(Of->texts()[Text].c_str());
  return Loaded->create_enum_type(Texts.data(), Texts.size());
}

void RowSource::bind(duckdb_bind_info Info) {
  const auto &Self =
      *static_cast<RowSource *>(Loaded->bind_get_extra_info(Info));
  const auto Columns = Self.Of->spec().Columns;
  for (size_t C = 0; C < Columns.size(); ++C) {
    duckdb_logical_type Type = Self.typeOf(C);
    Loaded->bind_add_result_column(Info, std::string(Columns[C].Name).c_str(),
                                   Type);
    Loaded->destroy_logical_type(&Type);
  }
  Loaded->bind_set_cardinality(Info, Self.Order->size(), true);
}

void RowSource::init(duckdb_init_info Info) {
  // Rows are handed out in their order.
  Loaded->init_set_max_threads(Info, 1);
}

void RowSource::fill(duckdb_function_info Info, duckdb_data_chunk Chunk) {
  auto &Self = *static_cast<RowSource *>(Loaded->function_get_extra_info(Info));
  const size_t Count = std::min(kChunk, Self.Order->size() - Self.Next);
  for (size_t C = 0; C < Self.Of->spec().Columns.size(); ++C)
    Self.fillColumn(Loaded->data_chunk_get_vector(Chunk, C), C, Count);
  Self.Next += Count;
  Loaded->data_chunk_set_size(Chunk, Count);
}

/// Writes a column's cells in order as values of type T.
template <class T>
static void copyCells(void *Into, const Rows &From, size_t Column,
                      const uint32_t *Order, size_t Count) {
  T *To = static_cast<T *>(Into);
  const int64_t *Cells = From.column(Column);
  for (size_t I = 0; I < Count; ++I)
    To[I] = static_cast<T>(Cells[Order[I]]);
}

void RowSource::fillColumn(duckdb_vector Into, size_t Column,
                           size_t Count) const {
  const uint32_t *At = Order->data() + Next;
  uint64_t *Valid = nullptr;
  const int64_t *Cells = Of->column(Column);
  for (size_t I = 0; I < Count; ++I)
    if (Cells[At[I]] == kNull) {
      if (!Valid) {
        Api->vector_ensure_validity_writable(Into);
        Valid = Api->vector_get_validity(Into);
      }
      Api->validity_set_row_invalid(Valid, I);
    }
  void *Data = Api->vector_get_data(Into);
  switch (Of->spec().Columns[Column].Kind) {
  case ColumnKind::Small:
    return copyCells<int16_t>(Data, *Of, Column, At, Count);
  case ColumnKind::Integer:
    return copyCells<int32_t>(Data, *Of, Column, At, Count);
  case ColumnKind::Big:
    return copyCells<int64_t>(Data, *Of, Column, At, Count);
  case ColumnKind::Boolean:
    return copyCells<bool>(Data, *Of, Column, At, Count);
  case ColumnKind::Text:
    if (const Words &W = WordsOf[Column]; !W.Of.empty()) {
      for (size_t I = 0; I < Count; ++I)
        if (const int64_t Text = Cells[At[I]]; Text != kNull)
          static_cast<uint8_t *>(Data)[I] =
              W.NumberOf[static_cast<size_t>(Text)];
      return;
    }
    for (size_t I = 0; I < Count; ++I)
      if (Of->at(At[I], Column) != kNull) {
        const std::string_view Text = Of->text(At[I], Column);
        Api->vector_assign_string_element_len(Into, I, Text.data(),
                                              Text.size());
      }
  }
}

} // namespace inmem::fleet
