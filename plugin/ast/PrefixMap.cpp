//===- PrefixMap.cpp - -fdebug-prefix-map ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ast/TypeNamer.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"

namespace inmem {

std::string PrefixMap::mapped(llvm::StringRef File) const {
  llvm::SmallString<256> Path(File);
  for (const auto &[From, To] : Prefixes)
    if (llvm::sys::path::replace_path_prefix(Path, From, To))
      break;
  return Path.str().str();
}

} // namespace inmem
