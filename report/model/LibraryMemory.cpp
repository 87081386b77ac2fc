//===- LibraryMemory.cpp - The runtime libraries' own blocks --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/model/LibraryCode.h"

#include "report/base/Units.h"
#include "report/names/TypeName.h"

#include "inmem/abi.h"
#include "trace/text/Names.h"

#include <algorithm>
#include <cmath>

namespace inmem::report {

namespace {

constexpr std::string_view kOfLoader[] = {
    "_IO_file_doallocate", "allocate_dtv",          "allocate_dtv_entry",
    "_dl_allocate_tls",    "_dl_resize_dtv",        "_dl_update_slotinfo",
    "_dl_new_object",      "_dl_map_object",        "_dl_map_object_deps",
    "_dl_scope_free",      "_dl_check_map_versions"};

/// From CPython's obmalloc.c, since 3.3 and since 3.10. Without its pools these
/// do not allocate, and the first jumps to the allocator.
constexpr std::string_view kOfPython[] = {"_PyObject_Malloc", "new_arena",
                                          "arena_map_mark_used"};

/// The size in 64-bit libstdc++, for files without a symbol of the function.
constexpr uint64_t kEmergencyPool = 72704;

std::string_view nameOf(const std::string &Path) {
  return std::string_view(Path).substr(Path.rfind('/') + 1);
}

} // namespace

static bool isLoaders(std::string_view Module, std::string_view Function) {
  return (Module.starts_with("libc.so") || Module.starts_with("ld-linux")) &&
         std::ranges::find(kOfLoader, Function) != std::end(kOfLoader);
}

/// One pool per process, in whatever part a reset or sampling leaves of it.
static bool isPools(const Counts &C, size_t Processes) {
  const uint64_t Blocks = C.Allocations + C.CarriedAllocations;
  const uint64_t Bytes = C.AllocatedBytes + C.CarriedBytes;
  if (!C.Estimated)
    return Blocks > 0 && Blocks <= std::max<size_t>(Processes, 1) &&
           Bytes == Blocks * kEmergencyPool;
  // Both are rounded per process.
  return Bytes > 0 && std::abs(static_cast<double>(Bytes) / kEmergencyPool -
                               static_cast<double>(Blocks)) <=
                          std::max(1.0, static_cast<double>(Blocks)) / 2;
}

bool isLibraryMemory(const Profile &P, const SiteResult &S) {
  const std::string_view Module = nameOf(S.Module);
  if (Module.starts_with("libstdc++.so"))
    return isPools(S.Sum, P.Processes.size());
  return isLoaders(Module, S.Where.Function);
}

bool isLibraryBlock(std::string_view Path, std::string_view Function,
                    uint64_t Bytes) {
  const std::string_view Name = Path.substr(Path.rfind('/') + 1);
  // The C library is compiled in its own folder: `./elf/dl-tls.c`. Its loader
  // allocates through the inlined functions of one header.
  return (Name.starts_with("libstdc++.so") && Bytes == kEmergencyPool) ||
         isLoaders(Name, Function) ||
         (Path.starts_with("./") &&
          (Name == "rtld-malloc.h" ||
           std::ranges::find(kOfLoader, Function) != std::end(kOfLoader)));
}

std::string_view hintForPool(std::string_view Function) {
  if (std::ranges::find(kOfPython, Function) != std::end(kOfPython))
    return "Python keeps objects of up to 512 bytes in pools, whose blocks are "
           "not seen one by one: PYTHONMALLOC=malloc shows each";
  return {};
}

std::vector<std::string> hintsForWrappers(const Profile &P) {
  constexpr uint64_t kOneIn = 20;
  std::map<std::string, uint64_t> Bytes; // by function
  const std::string Plain(
      trace::nameOf(trace::kSiteKindNames, INMEM_SITE_CALLER));
  for (const SiteResult &S : P.Sites)
    if (S.Caller && !P.Types[S.Type].Name && S.Kind != Plain &&
        isUserPath(S.Where.File))
      Bytes[bareFunction(S.Where.Function)] += S.Sum.AllocatedBytes;
  std::vector<std::string> Out;
  for (const auto &[Function, Of] : Bytes)
    if (!Function.empty() && Of > P.Totals.AllocatedBytes / kOneIn)
      Out.push_back(humanShare(Of, P.Totals.AllocatedBytes)
                        .append(" of all bytes have no type: ")
                        .append(Function)
                        .append(" allocates them for its callers. Compile with "
                                "-fplugin-arg-inmem-allocators=")
                        .append(Function));
  return Out;
}

} // namespace inmem::report
