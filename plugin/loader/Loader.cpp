//===- Loader.cpp - loads the plugin for the clang that asks --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In packages, lib/libinmem.so and lib/libinmem-ir.so are built from this file.
// Plugins of several versions are installed next to it, and -fplugin=,
// -fpass-plugin= and -load-pass-plugin= get the one for the LLVM of the
// process. It includes no LLVM headers, because their classes differ between
// versions.
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <dlfcn.h>
#include <string>
#include <unistd.h>

/// Target of the jump in llvmGetPassPluginInfo below.
// NOLINTNEXTLINE(readability-identifier-naming): named by assembly
extern "C" __attribute__((visibility("hidden"))) void *inmem_loaded_entry;
void *inmem_loaded_entry;

namespace {

[[noreturn]] void fail(const std::string &Message) {
  std::fprintf(stderr, "inmem: error: %s\n", Message.c_str());
  std::_Exit(1);
}

/// The number after \p Word in \p Text; 0 if there is none.
unsigned numberBehind(const char *Word, const char *Text) {
  const char *At = std::strstr(Text, Word);
  return At ? static_cast<unsigned>(
                  std::strtoul(At + std::strlen(Word), nullptr, 10))
            : 0;
}

/// LLVM's version in this process: as LLVM (since 16) or clang reports it, or
/// else from the program's name. 0 if unknown.
unsigned hostVersion() {
  // NOLINTBEGIN(cppcoreguidelines-pro-type-reinterpret-cast): dlsym
  if (auto *Version =
          reinterpret_cast<void (*)(unsigned *, unsigned *, unsigned *)>(
              dlsym(RTLD_DEFAULT, "LLVMGetVersion"))) {
    unsigned Major = 0, Minor = 0, Patch = 0;
    Version(&Major, &Minor, &Patch);
    return Major;
  }
  if (auto *Version = reinterpret_cast<std::string (*)()>(
          dlsym(RTLD_DEFAULT, "_ZN5clang19getClangFullVersionB5cxx11Ev")))
    if (const unsigned Major = numberBehind("version ", Version().c_str()))
      return Major;
  // NOLINTEND(cppcoreguidelines-pro-type-reinterpret-cast)
  char Program[PATH_MAX] = {};
  if (readlink("/proc/self/exe", Program, sizeof Program - 1) <= 0)
    return 0;
  if (const unsigned Major = numberBehind("/clang-", Program))
    return Major;
  return numberBehind("/llvm-", Program);
}

/// The versions that have a plugin, as text.
std::string pluginsIn(const std::string &Folder) {
  std::string Out;
  if (DIR *Entries = opendir(Folder.c_str())) {
    while (const dirent *Entry = readdir(Entries))
      if (const unsigned Version = numberBehind("llvm-", Entry->d_name))
        Out += (Out.empty() ? "" : ", ") + std::to_string(Version);
    closedir(Entries);
  }
  return Out.empty() ? "none" : Out;
}

/// Runs before clang reads its list of plugins, and before a pass plugin
/// registers its passes.
__attribute__((constructor)) void load() {
  Dl_info Own = {};
  dladdr(reinterpret_cast<void *>(&load), &Own);
  char Real[PATH_MAX];
  if (!Own.dli_fname || !realpath(Own.dli_fname, Real))
    fail("the plugin does not find its own file");
  const std::string Path = Real;
  const std::string Folder = Path.substr(0, Path.rfind('/')) + "/inmem/";
  const unsigned Version = hostVersion();
  if (Version == 0)
    fail("cannot tell which version of LLVM this program has; load "
         "inmem/llvm-N/libinmem.so itself");
  if (Version < 16)
    fail("inmem needs clang 16 or newer, found " + std::to_string(Version));
  const std::string Number = std::to_string(Version);
  // opt and lld lack clang's symbols, which the whole plugin needs.
  const bool HasClang = dlsym(RTLD_DEFAULT, "_ZN5clang10ASTContextD1Ev");
  const std::string Plugin = Folder + "llvm-" + Number +
                             (HasClang ? "/libinmem.so" : "/libinmem-ir.so");
  if (access(Plugin.c_str(), R_OK) != 0)
    fail("no plugin for LLVM " + Number + "; install inmem-llvm-" + Number +
         " (there are: " + pluginsIn(Folder) + ")");
  void *Handle = dlopen(Plugin.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (!Handle)
    fail(std::string("cannot load the plugin: ") + dlerror());
  inmem_loaded_entry = dlsym(Handle, "llvmGetPassPluginInfo");
  if (auto *Name = static_cast<const char **>(
          dlsym(Handle, "inmem_plugin_loader"))) // see ir/Plugin.cpp
    *Name = strdup(Real);
}

} // namespace

// The result is a struct whose members differ between versions, so no single
// declaration fits all. The caller's call is passed on unchanged.
#ifdef __x86_64__
asm(".text\n"
    ".globl llvmGetPassPluginInfo\n"
    ".type llvmGetPassPluginInfo,@function\n"
    "llvmGetPassPluginInfo:\n"
    "  jmp *inmem_loaded_entry(%rip)\n"
    ".size llvmGetPassPluginInfo, . - llvmGetPassPluginInfo\n");
#else
asm(".text\n"
    ".globl llvmGetPassPluginInfo\n"
    ".type llvmGetPassPluginInfo,%function\n"
    "llvmGetPassPluginInfo:\n"
    "  adrp x16, inmem_loaded_entry\n"
    "  ldr x16, [x16, :lo12:inmem_loaded_entry]\n"
    "  br x16\n"
    ".size llvmGetPassPluginInfo, . - llvmGetPassPluginInfo\n");
#endif
