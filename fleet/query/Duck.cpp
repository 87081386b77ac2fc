//===- Duck.cpp - DuckDB by its C API -------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fleet/query/Duck.h"

#include "fleet/query/DuckApi.h"
#include "fleet/query/DuckSource.h"

#include <algorithm>
#include <fmt/format.h>

namespace inmem::fleet {

using trace::Result;
using trace::Status;

namespace {

/// DuckDB's messages repeat the statement. One line is enough, with the hint
/// from the lines below.
std::string oneLine(const char *Text) {
  std::string Out;
  for (std::string_view Rest = Text ? Text : "unknown error"; !Rest.empty();) {
    const size_t End = std::min(Rest.find('\n'), Rest.size());
    const std::string_view Line = Rest.substr(0, End);
    Rest.remove_prefix(std::min(End + 1, Rest.size()));
    if (Line.starts_with("LINE ") || Line.starts_with("Possible solutions"))
      break;
    if (Line.empty())
      continue;
    if (!Out.empty())
      Out += Out.back() == '!' || Out.back() == ':' ? " " : "; ";
    Out += Line;
  }
  return Out;
}

Status failed(const char *Text) { return Status::error("", oneLine(Text)); }

Shape shapeOf(duckdb_type Type) {
  switch (Type) {
  case DUCKDB_TYPE_BOOLEAN:
    return Shape::Boolean;
  case DUCKDB_TYPE_TINYINT:
  case DUCKDB_TYPE_SMALLINT:
  case DUCKDB_TYPE_INTEGER:
  case DUCKDB_TYPE_BIGINT:
  case DUCKDB_TYPE_UTINYINT:
  case DUCKDB_TYPE_USMALLINT:
  case DUCKDB_TYPE_UINTEGER:
  case DUCKDB_TYPE_UBIGINT:
  case DUCKDB_TYPE_HUGEINT:
  case DUCKDB_TYPE_UHUGEINT:
    return Shape::Integer;
  case DUCKDB_TYPE_FLOAT:
  case DUCKDB_TYPE_DOUBLE:
  case DUCKDB_TYPE_DECIMAL:
    return Shape::Real;
  default:
    return Shape::Text;
  }
}

/// A result that is destroyed when the scope ends.
struct OwnResult {
  const DuckApi &Api;
  duckdb_result Of{};
  explicit OwnResult(const DuckApi &Api) : Api(Api) {}
  OwnResult(const OwnResult &) = delete;
  OwnResult &operator=(const OwnResult &) = delete;
  ~OwnResult() { Api.destroy_result(&Of); }
};

struct OwnStatement {
  const DuckApi &Api;
  duckdb_prepared_statement Of = nullptr;
  explicit OwnStatement(const DuckApi &Api) : Api(Api) {}
  OwnStatement(const OwnStatement &) = delete;
  OwnStatement &operator=(const OwnStatement &) = delete;
  ~OwnStatement() { Api.destroy_prepare(&Of); }
};

Status lacksValue(const std::string &Name) {
  return Status::error("", "the parameter " + Name + " has no value: --param " +
                               Name + "=…");
}

/// Binds all parameters of a statement.
Status bindAll(const DuckApi &Api, duckdb_prepared_statement To,
               const std::vector<Parameter> &Given) {
  std::vector<bool> Used(Given.size());
  for (idx_t I = 1; I <= Api.nparams(To); ++I) {
    const char *Text = Api.parameter_name(To, I);
    const std::string Name = Text ? Text : "";
    Api.free(const_cast<char *>(Text));
    const auto Found = std::ranges::find(Given, Name, &Parameter::Name);
    if (Found == Given.end())
      return lacksValue(Name);
    Used[static_cast<size_t>(Found - Given.begin())] = true;
    duckdb_state Bound = DuckDBError;
    if (const auto *Whole = std::get_if<int64_t>(&Found->Value))
      Bound = Api.bind_int64(To, I, *Whole);
    else if (const auto *Real = std::get_if<double>(&Found->Value))
      Bound = Api.bind_double(To, I, *Real);
    else if (const auto *Word = std::get_if<std::string>(&Found->Value))
      Bound = Api.bind_varchar_length(To, I, Word->data(), Word->size());
    if (Bound != DuckDBSuccess)
      return Status::error("", "the parameter " + Name + " cannot be bound");
  }
  for (size_t I = 0; I < Given.size(); ++I)
    if (!Used[I])
      return Status::error("", "--param " + Given[I].Name +
                                   ": the question has no such parameter");
  return {};
}

void readChunk(const DuckApi &Api, duckdb_data_chunk Chunk, QueryResult &Into) {
  const idx_t Count = Api.data_chunk_get_size(Chunk);
  const size_t First = Into.Rows.size();
  Into.Rows.resize(First + Count);
  for (auto &Row : Into.Rows)
    Row.resize(Into.Columns.size());
  for (size_t C = 0; C < Into.Columns.size(); ++C) {
    const duckdb_vector Of = Api.data_chunk_get_vector(Chunk, C);
    auto *Texts = static_cast<duckdb_string_t *>(Api.vector_get_data(Of));
    uint64_t *Valid = Api.vector_get_validity(Of);
    for (idx_t R = 0; R < Count; ++R)
      if (!Valid || Api.validity_row_is_valid(Valid, R))
        Into.Rows[First + R][C].emplace(Api.string_t_data(&Texts[R]),
                                        Api.string_t_length(Texts[R]));
  }
}

} // namespace

std::string sqlText(std::string_view Text) {
  std::string Out = "'";
  for (const char C : Text) {
    if (C == '\'')
      Out += '\'';
    Out += C;
  }
  return Out + '\'';
}

struct Duck::State {
  const DuckApi *Api = nullptr;
  duckdb_database Base = nullptr;
  duckdb_connection To = nullptr;
  RowSource Source;
  /// Writes rows. Their statements cannot be optimized: with many small files,
  /// the attempt would be a fifteenth of the work.
  duckdb_connection Writer = nullptr;

  ~State() {
    if (Writer)
      Api->disconnect(&Writer);
    if (To)
      Api->disconnect(&To);
    if (Base)
      Api->close(&Base);
  }
};

Duck::Duck(std::unique_ptr<State> Of) : Of(std::move(Of)) {}
Duck::Duck(Duck &&From) noexcept = default;
Duck::~Duck() = default;

Result<Duck> Duck::open(const Limits &Limit) {
  const auto Api = loadDuck();
  if (!Api)
    return Api.status();
  auto S = std::make_unique<State>();
  S->Api = *Api;
  duckdb_config Config = nullptr;
  if ((*Api)->create_config(&Config) != DuckDBSuccess)
    return Status::error("", "DuckDB cannot be configured");
  std::vector<std::pair<std::string, std::string>> Settings = {
      {"memory_limit", Limit.Memory},
      {"temp_directory", Limit.TempFolder},
      {"autoinstall_known_extensions", "false"},
      {"autoload_known_extensions", "false"},
      {"allow_community_extensions", "false"},
  };
  if (!Limit.TempFolder.empty())
    Settings.emplace_back("max_temp_directory_size", Limit.TempLimit);
  if (Limit.Threads > 0)
    Settings.emplace_back("threads", std::to_string(Limit.Threads));
  bool Good = true;
  for (const auto &[Name, Value] : Settings)
    Good = Good && (*Api)->set_config(Config, Name.c_str(), Value.c_str()) ==
                       DuckDBSuccess;
  char *Why = nullptr;
  if (Good)
    Good = (*Api)->open_ext(nullptr, &S->Base, Config, &Why) == DuckDBSuccess;
  (*Api)->destroy_config(&Config);
  if (!Good) {
    Status Error = failed(Why ? Why : "DuckDB does not know a setting");
    if (Why)
      (*Api)->free(Why);
    return Error;
  }
  if ((*Api)->connect(S->Base, &S->To) != DuckDBSuccess)
    return Status::error("", "DuckDB cannot be connected to");
  return Duck(std::move(S));
}

std::string Duck::version() const { return Of->Api->library_version(); }

static Status runOn(const DuckApi &Api, duckdb_connection To,
                    const std::string &Sql) {
  OwnResult Out(Api);
  if (Api.query(To, Sql.c_str(), &Out.Of) != DuckDBSuccess)
    return failed(Api.result_error(&Out.Of));
  return {};
}

Status Duck::run(const std::string &Sql) {
  return runOn(*Of->Api, Of->To, Sql);
}

Status Duck::confine(const std::vector<std::string> &Folders,
                     const std::vector<std::string> &Files) {
  const auto List = [](const std::vector<std::string> &Of) {
    std::string Out;
    for (const std::string &Each : Of)
      Out += (Out.empty() ? "" : ", ") + sqlText(Each);
    return '[' + Out + ']';
  };
  return run("SET allowed_directories = " + List(Folders) +
             "; SET allowed_paths = " + List(Files) +
             "; SET enable_external_access = false"
             "; SET lock_configuration = true");
}

Status Duck::checkReadOnly(const std::string &Sql) {
  const DuckApi &Api = *Of->Api;
  duckdb_extracted_statements All = nullptr;
  const idx_t Count = Api.extract_statements(Of->To, Sql.c_str(), &All);
  Status Out;
  if (Count == 0) {
    const char *Why = Api.extract_statements_error(All);
    Out =
        Why && *Why ? failed(Why) : Status::error("", "the question is empty");
  } else if (Count > 1) {
    Out = Status::error("", "expected one statement, found " +
                                std::to_string(Count));
  } else {
    OwnStatement One(Api);
    if (Api.prepare_extracted_statement(Of->To, All, 0, &One.Of) !=
        DuckDBSuccess)
      Out = failed(Api.prepare_error(One.Of));
    else if (Api.prepared_statement_type(One.Of) !=
             DUCKDB_STATEMENT_TYPE_SELECT)
      Out = Status::error("", "expected a question (SELECT): the fleet's files "
                              "are only read");
  }
  Api.destroy_extracted(&All);
  return Out;
}

Result<QueryResult> Duck::query(const std::string &Sql,
                                const std::vector<Parameter> &Given) {
  const DuckApi &Api = *Of->Api;
  QueryResult Out;
  {
    // Types may depend on parameters, so they are taken from a result.
    OwnStatement Typed(Api);
    const std::string None = "SELECT * FROM (\n" + Sql + "\n) LIMIT 0";
    if (Api.prepare(Of->To, None.c_str(), &Typed.Of) != DuckDBSuccess)
      return failed(Api.prepare_error(Typed.Of));
    if (Status Bound = bindAll(Api, Typed.Of, Given); !Bound.ok())
      return Bound;
    OwnResult Empty(Api);
    if (Api.execute_prepared(Typed.Of, &Empty.Of) != DuckDBSuccess)
      return failed(Api.result_error(&Empty.Of));
    for (idx_t I = 0; I < Api.column_count(&Empty.Of); ++I)
      Out.Columns.push_back({"", shapeOf(Api.column_type(&Empty.Of, I))});
  }
  // DuckDB turns values of any type into text.
  OwnStatement All(Api);
  const std::string Texts =
      "SELECT CAST(COLUMNS(*) AS VARCHAR) FROM (\n" + Sql + "\n)";
  if (Api.prepare(Of->To, Texts.c_str(), &All.Of) != DuckDBSuccess)
    return failed(Api.prepare_error(All.Of));
  if (Status Bound = bindAll(Api, All.Of, Given); !Bound.ok())
    return Bound;
  OwnResult Found(Api);
  if (Api.execute_prepared(All.Of, &Found.Of) != DuckDBSuccess)
    return failed(Api.result_error(&Found.Of));
  Out.Columns.resize(Api.column_count(&Found.Of));
  for (size_t I = 0; I < Out.Columns.size(); ++I)
    Out.Columns[I].Name = Api.column_name(&Found.Of, I);
  while (duckdb_data_chunk Chunk = Api.fetch_chunk(Found.Of)) {
    readChunk(Api, Chunk, Out);
    Api.destroy_data_chunk(&Chunk);
  }
  return Out;
}

Status Duck::runWith(const std::string &Sql,
                     const std::vector<Parameter> &Given) {
  const DuckApi &Api = *Of->Api;
  OwnStatement One(Api);
  if (Api.prepare(Of->To, Sql.c_str(), &One.Of) != DuckDBSuccess)
    return failed(Api.prepare_error(One.Of));
  if (Status Bound = bindAll(Api, One.Of, Given); !Bound.ok())
    return Bound;
  OwnResult Done(Api);
  if (Api.execute_prepared(One.Of, &Done.Of) != DuckDBSuccess)
    return failed(Api.result_error(&Done.Of));
  return {};
}

Status Duck::writeParquet(const Rows &From, const std::vector<uint32_t> &Order,
                          const std::string &Path) {
  const DuckApi &Api = *Of->Api;
  if (!Of->Writer) {
    if (Api.connect(Of->Base, &Of->Writer) != DuckDBSuccess)
      return Status::error("", "DuckDB cannot be connected to");
    Status Ready = runOn(Api, Of->Writer, "PRAGMA disable_optimizer");
    if (Ready.ok())
      Ready = Of->Source.registerWith(Api, Of->Writer);
    if (!Ready.ok())
      return Ready;
  }
  Of->Source.use(From, Order);
  return runOn(Api, Of->Writer,
               "COPY (FROM inmem_rows()) TO " + sqlText(Path) + " (" +
                   parquetOptions(kSchema) + ')');
}

} // namespace inmem::fleet
