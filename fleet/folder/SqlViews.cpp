//===- SqlViews.cpp -------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fleet/folder/SqlViews.h"

#include "fleet/folder/Exporter.h"

#include <map>

namespace inmem::fleet {

namespace fs = std::filesystem;
using trace::Result;
using trace::Status;

/// The columns of a schema's files, as queries see them.
static std::string columnsOf(const TableSpec &Spec, std::string_view Schema) {
  std::string Out;
  for (size_t I = 0; I < Spec.Columns.size(); ++I) {
    const std::string Name(Spec.Columns[I].Name);
    const std::string Value = valueOf(Spec, I, Schema);
    Out += (I == 0 ? "" : ", ") + Value + (Value == Name ? "" : " AS " + Name);
  }
  return Out + (Spec.Partitioned ? ", date, service" : "");
}

static std::string noRows(const TableSpec &Spec) {
  std::string Columns;
  for (const ColumnSpec &C : Spec.Columns)
    ((((Columns += Columns.empty() ? "" : ", ") += "CAST(NULL AS ") +=
      sqlNameOf(C.Kind)) += ") AS ") += C.Name;
  return "SELECT " + Columns +
         (Spec.Partitioned ? ", CAST(NULL AS VARCHAR) AS date, "
                             "CAST(NULL AS VARCHAR) AS service"
                           : "") +
         " WHERE false";
}

/// The rows of all files of a table; without files, a table without rows.
static std::string rowsOf(const TableSpec &Spec, const FleetFolder &Folder,
                          const Manifest &M) {
  std::map<std::string, std::vector<const FileEntry *>> OfSchema, ByColumns;
  for (const FileEntry &F : M.Files)
    if (F.Table == Spec.Name)
      OfSchema[F.Schema].push_back(&F);
  // Most tables are the same in all schemas.
  for (const auto &[Schema, Files] : OfSchema) {
    auto &Into = ByColumns[columnsOf(Spec, Schema)];
    Into.insert(Into.end(), Files.begin(), Files.end());
  }
  std::string Out;
  for (const auto &[Columns, Files] : ByColumns)
    Out += (Out.empty() ? "SELECT " : " UNION ALL SELECT ") + Columns +
           " FROM read_parquet(" + fileList(Folder, Files) +
           (Spec.Partitioned ? ", hive_partitioning = true, hive_types = "
                               "{'date': VARCHAR, 'service': VARCHAR})"
                             : ", hive_partitioning = false)");
  return Out.empty() ? noRows(Spec) : Out;
}

std::string viewOf(const TableSpec &Spec, const FleetFolder &Folder,
                   const Manifest &M) {
  const std::string All = rowsOf(Spec, Folder, M);
  const std::string Name(Spec.Name);
  if (Spec.Keys == 0 || !Spec.Partitioned)
    return "CREATE VIEW " + Name + " AS " + All;
  // Each id once, though many files may have it.
  std::string Columns(Spec.Columns[0].Name);
  for (const ColumnSpec &C : Spec.Columns.subspan(1))
    Columns += ", min(" + std::string(C.Name) + ") AS " + std::string(C.Name);
  return "CREATE VIEW " + Name + " AS SELECT " + Columns + " FROM (" + All +
         ") GROUP BY " + std::string(Spec.Columns[0].Name);
}

Result<Duck> openFleet(const std::string &Folder, const Limits &Of,
                       const std::vector<std::string> &Writable) {
  const FleetFolder Fleet(Folder);
  const auto M = Fleet.newest();
  if (!M)
    return M.status();
  if (M->Generation == 0)
    return notAFleet(Folder);
  if (Status Known = checkSchemas(Folder, *M); !Known.ok())
    return Known;
  auto Engine = Duck::open(Of);
  if (!Engine)
    return Engine.status();
  for (const TableSpec &Spec : tables())
    if (Status Made = Engine->run(viewOf(Spec, Fleet, *M)); !Made.ok())
      return Made;
  if (Status Made = Engine->run(
          "CREATE VIEW place_names AS SELECT place_id, min(function) AS "
          "function, min(file) AS file FROM site_names GROUP BY place_id");
      !Made.ok())
    return Made;
  std::error_code Error;
  const fs::path Whole = fs::canonical(Folder, Error);
  const Status Confined = Engine->confine({Folder, Whole.string()}, Writable);
  if (!Confined.ok())
    return Confined;
  return Engine;
}

} // namespace inmem::fleet
