//===- WatchOutput.h - The output of watch= -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_WATCHOUTPUT_H
#define INMEM_RUNTIME_WATCHOUTPUT_H

#include "platform/ExportedApi.h"

#include "inmem/threads_api.h"

namespace inmem::rt {

/// Writes an event.
void tellWatchOutput(void *Context, const inmem_thread_event *Event,
                     const inmem_thread_info *Thread);
/// \returns whether the place that watch_output= names could be opened.
bool openWatchOutput();
/// A table of threads on a file descriptor.
void printThreads(int Descriptor, const inmem_thread_info *Threads,
                  size_t Count);

} // namespace inmem::rt

#endif
