//===- PrefixMap.h - -fdebug-prefix-map -------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_PLUGIN_AST_PREFIXMAP_H
#define INMEM_PLUGIN_AST_PREFIXMAP_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <utility>

namespace inmem {

struct PrefixMap {
  /// In the order that clang tries them in.
  llvm::SmallVector<std::pair<std::string, std::string>, 2> Prefixes;

  /// \p File with the first prefix that fits replaced.
  std::string mapped(llvm::StringRef File) const;
};

} // namespace inmem

#endif // INMEM_PLUGIN_AST_PREFIXMAP_H
