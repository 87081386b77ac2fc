//===- PlacementProfile.h - The profile of `inmem optimize` -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Allocation contexts and their lifetime classes, by function, read from
// optimize=FILE: LLVM's text form (YAML), or the indexed form of the LLVM that
// loads this plugin.
#ifndef INMEM_PLUGIN_PLACEMENTPROFILE_H
#define INMEM_PLUGIN_PLACEMENTPROFILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace inmem {

class PlacementProfile {
public:
  struct Frame {
    uint64_t Function; ///< hash of the linkage name
    unsigned LineOffset, Column;
    bool operator==(const Frame &O) const {
      return Function == O.Function && LineOffset == O.LineOffset &&
             Column == O.Column;
    }
  };
  struct Context {
    std::vector<Frame> Frames; ///< innermost first
    uint64_t Blocks = 0;
    int Class = 0; ///< enum inmem_place_class
  };
  using Contexts = std::vector<Context>;

  /// Reads \p File. Returns null and sets \p Problem on failure.
  static std::shared_ptr<PlacementProfile> read(const std::string &File,
                                                std::string &Problem);
  virtual ~PlacementProfile() = default;

  /// The contexts that allocate in \p Function or in functions inlined into it.
  virtual const Contexts &of(uint64_t Function) = 0;
  static uint64_t hashOf(llvm::StringRef LinkageName);

  /// The class of a call with these frames, innermost first: the class of
  /// nearly all blocks of the matching contexts. Short if they disagree or no
  /// context matches.
  int classOf(llvm::ArrayRef<Frame> Chain);
  /// The class of \p Callee's blocks when it is called with these frames. Short
  /// if its class does not depend on the caller.
  int classOfCall(uint64_t Callee, llvm::ArrayRef<Frame> Chain);
};

} // namespace inmem

#endif // INMEM_PLUGIN_PLACEMENTPROFILE_H
