//===- FleetTemp.h - DuckDB's folder for data larger than memory ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_TOOLS_FLEETTEMP_H
#define INMEM_TOOLS_FLEETTEMP_H

#include <cstdlib>
#include <filesystem>
#include <string>

namespace inmem::tools {

inline constexpr char kNoTempFolder[] =
    "no folder can be made for temporary files (--temp DIR, or TMPDIR)";

/// A folder for data that does not fit in memory; removed at the end.
class TempFolder {
public:
  explicit TempFolder(const std::string &Within) {
    std::error_code Error;
    std::filesystem::path Base = Within;
    if (Within.empty())
      Base = std::filesystem::temp_directory_path(Error);
    std::string Name = (Base / "inmem-fleet.XXXXXX").string();
    if (mkdtemp(Name.data()))
      Path = Name;
  }
  TempFolder(const TempFolder &) = delete;
  TempFolder &operator=(const TempFolder &) = delete;
  ~TempFolder() {
    std::error_code Error;
    if (!Path.empty())
      std::filesystem::remove_all(Path, Error);
  }
  std::string Path;
};

} // namespace inmem::tools

#endif
