//===- SiteDescriber.h - facts on an allocation -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_PLUGIN_IR_SITEDESCRIBER_H
#define INMEM_PLUGIN_IR_SITEDESCRIBER_H

#include "ir/DescriptorEmitter.h"
#include "ir/Pipeline.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"

namespace inmem {

class FunctionLines;

/// After inlining, combines the facts that the early pass recorded on calls and
/// at their locations.
class SiteDescriber {
public:
  /// \p State and \p Lines must outlive this.
  SiteDescriber(PipelineState &State, FunctionLines &Lines)
      : State(State), Lines(Lines) {}

  /// The full contents of a site record for \p Call.
  SiteInfo describe(const llvm::CallBase &Call, uint8_t DefaultKind);
  /// Sets the size of coroutine frames, known only after the split.
  void completeCoroutine(const llvm::CallBase &Call, SiteInfo &Site);
  std::string functionName(const llvm::DILocation &Loc,
                           const llvm::Function &F);

private:
  void recover(const llvm::DILocation &Loc, SiteInfo &Site);
  void adoptWrapperCall(const llvm::DILocation &Caller, SiteInfo &Site);
  bool isPassed(const llvm::DILocation &Loc) const;

  PipelineState &State;
  FunctionLines &Lines;
};

/// Removes the early pass's attributes from \p Call.
void stripTransportAttributes(llvm::CallBase &Call);

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

#endif // INMEM_PLUGIN_IR_SITEDESCRIBER_H
