//===- Views.cpp ----------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fleet/Views.h"

#include "fleet/Exporter.h"

namespace inmem::fleet {

namespace fs = std::filesystem;
using trace::Result;
using trace::Status;

/// The rows of all files of a table; none: a table without rows.
static std::string rowsOf(const TableSpec &Spec, const FleetFolder &Folder,
                          const Manifest &M) {
  std::vector<const FileEntry *> Files;
  for (const FileEntry &F : M.Files)
    if (F.Table == Spec.Name)
      Files.push_back(&F);
  std::string Columns;
  for (const ColumnSpec &C : Spec.Columns) {
    Columns += Columns.empty() ? "" : ", ";
    if (Files.empty())
      (Columns += "CAST(NULL AS ") += std::string(sqlNameOf(C.Kind)) + ") AS ";
    Columns += C.Name;
  }
  if (Files.empty())
    return "SELECT " + Columns +
           (Spec.Partitioned ? ", CAST(NULL AS VARCHAR) AS date, "
                               "CAST(NULL AS VARCHAR) AS service"
                             : "") +
           " WHERE false";
  return "SELECT " + Columns + (Spec.Partitioned ? ", date, service" : "") +
         " FROM read_parquet(" + fileList(Folder, Files) +
         (Spec.Partitioned ? ", hive_partitioning = true, hive_types = "
                             "{'date': VARCHAR, 'service': VARCHAR})"
                           : ", hive_partitioning = false)");
}

std::string viewOf(const TableSpec &Spec, const FleetFolder &Folder,
                   const Manifest &M) {
  const std::string All = rowsOf(Spec, Folder, M);
  const std::string Name(Spec.Name);
  if (Spec.Keys == 0 || !Spec.Partitioned)
    return "CREATE VIEW " + Name + " AS " + All;
  // Each id once, though many files have it.
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
  for (const FileEntry &F : M->Files)
    if (F.Schema != kSchema)
      return Status::error(Folder, "has files of schema " + F.Schema +
                                       ", which this inmem does not know");
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
