//===- DuckApi.cpp --------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fleet/query/DuckApi.h"

#include "fleet/query/Question.h"

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <string>
#include <vector>

namespace inmem::fleet {

using trace::Result;
using trace::Status;

namespace {

constexpr char kLibrary[] = "libduckdb.so";
#ifdef __aarch64__
#define INMEM_DUCK_MACHINE "arm64"
#else
#define INMEM_DUCK_MACHINE "amd64"
#endif

Status missing(const std::string &Why) {
  return Status::error(
      "", "DuckDB's library cannot be loaded (" + Why +
              "): take libduckdb.so from libduckdb-linux-" INMEM_DUCK_MACHINE
              ".zip of DuckDB's releases, put it into " +
              libraryFolder().string() + " or name it in INMEM_DUCKDB");
}

std::string lastError() {
  const char *Text = dlerror();
  return Text ? Text : "unknown error";
}

/// Names for dlopen, in order.
std::vector<std::string> candidates() {
  // If the user names a file, no other is tried.
  if (const char *Named = std::getenv("INMEM_DUCKDB"); Named && *Named)
    return {Named};
  std::vector<std::string> Out;
  const std::filesystem::path Own = libraryFolder() / kLibrary;
  std::error_code Error;
  if (std::filesystem::exists(Own, Error))
    Out.push_back(Own.string());
  Out.emplace_back(kLibrary);
  return Out;
}

} // namespace

Result<const DuckApi *> loadDuck() {
  static DuckApi Api;
  static bool Loaded = false;
  if (Loaded)
    return &Api;
  void *Library = nullptr;
  std::string Why;
  for (const std::string &Name : candidates()) {
    Library = dlopen(Name.c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (Library)
      break;
    Why = lastError();
  }
  if (!Library)
    return missing(Why);
#define INMEM_DUCK_FIND(Name)                                                  \
  Api.Name =                                                                   \
      reinterpret_cast<decltype(Api.Name)>(dlsym(Library, "duckdb_" #Name));   \
  if (!Api.Name)                                                               \
    return missing("it has no duckdb_" #Name);
  INMEM_DUCK_FUNCTIONS(INMEM_DUCK_FIND)
#undef INMEM_DUCK_FIND
  Loaded = true;
  return &Api;
}

} // namespace inmem::fleet
