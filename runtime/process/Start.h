//===- Start.h - Where recording starts -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recording starts at the first event, whichever thread brings it, also before
// main and before any constructor.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_START_H
#define INMEM_RUNTIME_START_H

namespace inmem::rt {

/// ensureStarted() for a process that has not started, or that is a child
/// which does not know it yet.
bool startRecording();

/// As startRecording() for a process that `inmem attach` has attached to: with
/// \p Options instead of the environment's. Allocations are recorded from
/// setRecording() on.
bool startAttached(const char *Options);

} // namespace inmem::rt

#endif
