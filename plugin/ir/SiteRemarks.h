//===- SiteRemarks.h - text of -Rpass=inmem -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_PLUGIN_IR_SITEREMARKS_H
#define INMEM_PLUGIN_IR_SITEREMARKS_H

#include "ir/DescriptorEmitter.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"

namespace inmem {

inline llvm::StringRef kindName(uint8_t Kind) {
  static constexpr llvm::StringRef kNames[] = {
      "unknown", "new",    "new[]",  "malloc",    "calloc",    "realloc",
      "aligned", "string", "custom", "allocator", "coroutine", "exception"};
  return Kind < std::size(kNames) ? kNames[Kind] : kNames[0];
}

/// Arguments of the remarks -Rpass=inmem and, if no type is known,
/// -Rpass-missed=inmem.
template <typename Remark>
Remark describeSite(Remark R, const SiteInfo &Site, llvm::StringRef TypeName) {
  if (TypeName.empty())
    R << "allocates memory of unknown type (";
  else
    R << "allocates '" << llvm::ore::NV("Type", TypeName) << "' (";
  R << llvm::ore::NV("Kind", kindName(Site.Kind));
  if (Site.Cookie)
    R << ", cookie " << llvm::ore::NV("Cookie", unsigned(Site.Cookie));
  return R << ")";
}

} // namespace inmem

#endif // INMEM_PLUGIN_IR_SITEREMARKS_H
