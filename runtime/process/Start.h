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

} // namespace inmem::rt

#endif
