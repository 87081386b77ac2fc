//===- LifeProfile.h - what `inmem optimize` found out ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contexts of allocations with how long their blocks live, by function: read
// from optimize=FILE, LLVM's text form (YAML) or the indexed form of the LLVM
// that loads this plugin.
#ifndef INMEM_PLUGIN_LIFEPROFILE_H
#define INMEM_PLUGIN_LIFEPROFILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace inmem {

class LifeProfile {
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

  /// The profile in \p File; null and \p Problem where it cannot be read.
  static std::shared_ptr<LifeProfile> read(const std::string &File,
                                           std::string &Problem);
  virtual ~LifeProfile() = default;

  /// The contexts whose blocks the function of that hash asks for, itself or
  /// what was inlined into it.
  virtual const Contexts &of(uint64_t Function) = 0;
  static uint64_t hashOf(llvm::StringRef LinkageName);

  /// The class that decides for a call with these frames, innermost first, and
  /// unknown callers beyond: that of nearly all blocks of the contexts that go
  /// through it. Short where they do not agree, or there are none.
  int classOf(llvm::ArrayRef<Frame> Chain);
  /// The same for the blocks that a function asks for when it is called from
  /// there; short if it makes no difference who calls it.
  int classOfCall(uint64_t Callee, llvm::ArrayRef<Frame> Chain);
};

} // namespace inmem

#endif // INMEM_PLUGIN_LIFEPROFILE_H
