//===- Preload.cpp --------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "live/Preload.h"

#include <cstdlib>
#include <filesystem>
#include <sys/auxv.h>

namespace inmem::tools {

namespace fs = std::filesystem;

fs::path installPrefix() {
  std::error_code Error;
  fs::path Self = fs::read_symlink("/proc/self/exe", Error);
  // Without /proc, use the name that it was executed by.
  if (const auto *Name = reinterpret_cast<const char *>(getauxval(AT_EXECFN));
      Self.empty() && Name)
    Self = fs::canonical(Name, Error);
  return Self.parent_path().parent_path();
}

std::string findRuntime() {
  std::error_code Error;
  const fs::path Prefix = installPrefix();
  if (Prefix.empty())
    return {};
  for (const char *Dir :
       {"lib", "lib64", "lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu"}) {
    // The first is installed with the development files; programs load the
    // second.
    for (const char *Name : {"libinmem_rt.so", INMEM_RUNTIME_SONAME}) {
      const fs::path File = Prefix / Dir / Name;
      if (fs::exists(File, Error))
        return File.string();
    }
  }
  return (Prefix / "lib" / "libinmem_rt.so").string();
}

TemporaryDirectory::TemporaryDirectory() {
  std::error_code Error;
  std::string Pattern =
      (fs::temp_directory_path(Error) / "inmem-XXXXXX").string();
  if (const char *Made = mkdtemp(Pattern.data()))
    Path = Made;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code Error;
  if (!Path.empty())
    fs::remove_all(Path, Error);
}

std::string preloadOf(const std::string &Runtime,
                      const TemporaryDirectory &Temporary) {
  constexpr const char *kSeparators = " :";
  std::string Out = Runtime;
  if (Runtime.find_first_of(kSeparators) != std::string::npos) {
    Out = Temporary.Path + "/libinmem_rt.so";
    std::error_code Error;
    fs::create_symlink(fs::absolute(Runtime, Error), Out, Error);
    if (Error || Out.find_first_of(kSeparators) != std::string::npos)
      return {};
  }
  if (const char *Given = std::getenv("LD_PRELOAD"); Given && *Given)
    Out += std::string(":") + Given;
  return Out;
}

} // namespace inmem::tools
