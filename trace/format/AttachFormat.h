//===- AttachFormat.h - Between inmem attach and the runtime ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime exports one Attachment, __inmem_attachment, and functions
// that `inmem attach` and `inmem detach` call in the process at a safe point:
//
//   uint32_t __inmem_attach(const char *Options);  // an AttachResult
//   uint32_t __inmem_detach();                     // an AttachResult
//   uint32_t __inmem_release();                    // an AttachResult
//
// The last one gives back the memory of a trace after detaching. No thread may
// have been in the runtime since before.
//
// Options are as in INMEM_OPTIONS, which is not read. None of them
// waits for a thread of the program.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_TRACE_ATTACHFORMAT_H
#define INMEM_TRACE_ATTACHFORMAT_H

#include <stdint.h>

namespace inmem::trace {

/// The path by which `inmem attach` loads the runtime contains this: the
/// runtime then waits for __inmem_attach instead of starting to record.
inline constexpr char kAttachPath[] = "/./././";

enum class AttachResult : uint32_t {
  Done = 0,
  BadOptions = 1,  ///< Attachment::Message names the key; nothing was changed
  NotNow = 2,      ///< already recording; for detach: not attached
  CannotRecord = 3 ///< no address space, or raised privileges
};

enum class AttachState : uint32_t { Never = 0, Attached = 1, Detached = 2 };

/// A word of the program that led to the allocator and leads to the runtime.
struct PatchedSlot {
  uint64_t Address;
  uint64_t Before; ///< old value, possibly the address of a stub
  uint64_t Bound;  ///< the function's address, as late binding stores it
  uint64_t Now;
};

struct Attachment {
  uint32_t Version; ///< kAttachVersion
  AttachState State;
  uint64_t Slots; ///< address of SlotCount PatchedSlots
  uint64_t SlotCount;
  char Message[256]; ///< for BadOptions; NUL-terminated
  char Trace[1024];  ///< the trace's path as the process has it; empty:
                     ///< without a file
};
inline constexpr uint32_t kAttachVersion = 1;

} // namespace inmem::trace

#endif
