//===- SiteDescriber.h - facts on an allocation -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_PLUGIN_IR_SITEDESCRIBER_H
#define INMEM_PLUGIN_IR_SITEDESCRIBER_H

#include "ir/DescriptorEmitter.h"
#include "ir/Pipeline.h"

namespace inmem {

class FunctionLines;

/// Puts together what the early pass noted on calls and at their places, once
/// functions are inlined.
class SiteDescriber {
public:
  /// \p State and \p Lines outlive this.
  SiteDescriber(PipelineState &State, FunctionLines &Lines)
      : State(State), Lines(Lines) {}

  /// Everything a site record says about \p Call.
  SiteInfo describe(const llvm::CallBase &Call, uint8_t DefaultKind);
  /// Coroutine frames get their size here, after the split.
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

/// Takes the early pass's attributes off \p Call.
void stripTransportAttributes(llvm::CallBase &Call);

} // namespace inmem

#endif // INMEM_PLUGIN_IR_SITEDESCRIBER_H
