//===- Plugin.cpp - registration of the passes ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Entry point for clang's -fpass-plugin=, opt's -load-pass-plugin and lld's
// --load-pass-plugin. The AST half registers itself in ast/Action.cpp.
#include "Compat.h"
#include "ir/Pipeline.h"
#include <cstdio>
#include <cstdlib>

/// LLVM's own version number; null if the host hides its C API.
// NOLINTNEXTLINE(readability-identifier-naming): LLVM's name
extern "C" void LLVMGetVersion(unsigned *Major, unsigned *Minor,
                               unsigned *Patch) __attribute__((weak));

/// The file that loaded this one, and under which clang knows the plugin, if
/// plugins of several versions are installed side by side. Set by
/// loader/Loader.cpp.
// NOLINTBEGIN(readability-identifier-naming): looked up by name
extern "C" __attribute__((visibility("default")))
const char *inmem_plugin_loader;
const char *inmem_plugin_loader = nullptr;
// NOLINTEND(readability-identifier-naming)

namespace {

/// Classes of another major version have a different layout, and clang does not
/// check. So stop before the first use: a constructor of default priority
/// registers the AST half.
__attribute__((constructor(101))) void checkHostVersion() {
  unsigned Major = LLVM_VERSION_MAJOR, Minor = 0, Patch = 0;
  if (LLVMGetVersion)
    LLVMGetVersion(&Major, &Minor, &Patch);
  if (Major == LLVM_VERSION_MAJOR)
    return;
  std::fprintf(
      stderr,
      "inmem: error: this plugin was built for LLVM %d but loaded by "
      "LLVM %u.%u.%u; compile with clang++-%d, or build inmem for this "
      "one: LLVM_VERSION=%u scripts/quickstart\n",
      LLVM_VERSION_MAJOR, Major, Minor, Patch, LLVM_VERSION_MAJOR, Major);
  std::_Exit(1);
}

} // namespace

extern "C" __attribute__((visibility("default"))) llvm::PassPluginLibraryInfo
llvmGetPassPluginInfo() {
  llvm::PassPluginLibraryInfo Info{};
  Info.APIVersion = LLVM_PLUGIN_API_VERSION;
  Info.PluginName = "inmem for LLVM " LLVM_VERSION_STRING;
  Info.PluginVersion = INMEM_VERSION;
  Info.RegisterPassBuilderCallbacks = inmem::registerPasses;
  return Info;
}
