//===- Script.h - The steps of a recorded program ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A trace of mode=trace:clock=exact has no addresses. But each free has its
// time, its site and size, and the block's lifetime, which together identify
// one allocation.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_TOOLS_REPLAY_SCRIPT_H
#define INMEM_TOOLS_REPLAY_SCRIPT_H

#include "replayer/Format.h"
#include "trace/read/Trace.h"

#include <vector>

namespace inmem::tools {

struct Script {
  /// Programs often reserve blocks of this size without writing them.
  static constexpr uint64_t kLarge = 128 << 10;

  struct Thread {
    uint32_t Tid = 0;
    uint64_t Began = 0;          ///< ticks
    uint64_t Ended = UINT64_MAX; ///< ticks; UINT64_MAX: it had not ended
    std::vector<replayer::Step> Steps;
    std::vector<uint64_t> Ticks; ///< time of each step
  };
  std::vector<Thread> Threads; ///< the main thread first
  uint32_t Blocks = 0;
  uint64_t Events = 0;
  uint64_t Unpaired = 0; ///< omitted frees without an allocation
  uint64_t Handed = 0;   ///< frees by another thread than the allocating one
  uint64_t PeakLiveBytes = 0; ///< in the recorded order
  uint64_t LargeAtPeak = 0;   ///< part of it in blocks of kLarge or more
  uint64_t LastTicks = 0;
};

/// Pairs the events of a process. Fails if it has none, or if some frees have
/// no lifetime.
trace::Result<Script> readScript(const trace::Trace &T);

} // namespace inmem::tools

#endif
