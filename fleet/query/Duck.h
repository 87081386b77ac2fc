//===- Duck.h - An embedded DuckDB ----------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fleet's interface to DuckDB: SQL, rows in, rows out. It does not depend
// on traces or folders. Without DuckDB's header at build time, open() is an
// error.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_FLEET_DUCK_H
#define INMEM_FLEET_DUCK_H

#include "fleet/tables/TableRows.h"
#include "trace/read/Status.h"

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace inmem::fleet {

/// Resources that a database may use.
struct Limits {
  std::string Memory = "1GB";
  std::string TempFolder = {}; ///< empty: no temporary files
  std::string TempLimit = "10GB";
  size_t Threads = 0; ///< 0: one per processor
};

struct Parameter {
  std::string Name;
  std::variant<int64_t, double, std::string> Value;
};

/// Display form of a column's values.
enum class Shape { Text, Integer, Real, Boolean };

/// All rows of a result; SQL NULL is nullopt.
struct QueryResult {
  struct Column {
    std::string Name;
    Shape Is = Shape::Text;
  };
  std::vector<Column> Columns;
  std::vector<std::vector<std::optional<std::string>>> Rows;
};

/// Text as an SQL literal, quotes included.
std::string sqlText(std::string_view Text);

/// A database in memory. Not thread-safe.
class Duck {
public:
  /// \returns an error of one line if there is no library.
  static trace::Result<Duck> open(const Limits &Of);
  Duck(Duck &&From) noexcept;
  Duck &operator=(Duck &&) = delete;
  ~Duck();

  std::string version() const;
  /// Runs one of our own statements.
  trace::Status run(const std::string &Sql);
  /// From now on, only files in these folders can be read, no setting can be
  /// changed, and nothing is loaded.
  trace::Status confine(const std::vector<std::string> &Folders,
                        const std::vector<std::string> &Files = {});
  /// An error unless Sql is a single statement that only reads.
  trace::Status checkReadOnly(const std::string &Sql);
  /// Parameters are `$name` in Sql. A missing or unknown one is an error.
  trace::Result<QueryResult> query(const std::string &Sql,
                                   const std::vector<Parameter> &Given = {});
  /// Runs a statement that has parameters and no result.
  trace::Status runWith(const std::string &Sql,
                        const std::vector<Parameter> &Given);
  /// Writes rows to a Parquet file, which is not yet synced.
  trace::Status writeParquet(const Rows &From,
                             const std::vector<uint32_t> &Order,
                             const std::string &Path);

private:
  struct State;
  explicit Duck(std::unique_ptr<State> Of);
  std::unique_ptr<State> Of;
};

/// Options of COPY for all Parquet files.
std::string parquetOptions(std::string_view Schema);

} // namespace inmem::fleet

#endif
