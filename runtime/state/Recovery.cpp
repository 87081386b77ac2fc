//===- Recovery.cpp -------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "state/Recovery.h"

#include "platform/Mappings.h"
#include "platform/Process.h"
#include "platform/Signals.h"
#include "state/Features.h"

namespace inmem::rt {

namespace {

/// Returns true if both addresses are on the thread's own stack: all pages from
/// \p Low to its \p Top are readable.
bool areOnStack(uintptr_t Low, uintptr_t High, uintptr_t Top) {
  // Deeper stacks are not probed at each event.
  constexpr uintptr_t kMost = uintptr_t{64} << 20;
  if (Low >= High || High >= Top || Top - Low > kMost)
    return false;
  const uintptr_t Size = pageSize();
  for (uintptr_t Page = Low & ~(Size - 1); Page < Top; Page += Size)
    if (!isReadable(reinterpret_cast<const void *>(Page)))
      return false;
  return true;
}

/// Returns true if the frame at \p Guard is gone, as seen from a frame at \p
/// Frame.
bool isGone(uintptr_t Guard, uintptr_t Frame) {
  if (Guard == kGuardedForever)
    return false;
  const uintptr_t MarkAddress = Guard & ~uintptr_t{7};
  const auto *Mark = reinterpret_cast<const uint64_t *>(MarkAddress);
  if (!isReadable(Mark) ||
      (!(Guard & kUnmarked) && *Mark != Guarded::kSentinel))
    return true;
  const AddressRange Alternate = alternateStack();
  const bool OnAlternate = Alternate.contains(MarkAddress);
  if (OnAlternate != Alternate.contains(Frame))
    return OnAlternate; // if we are off that stack, its frames are gone
  // fork's frame ends at an unknown address, but within this distance.
  constexpr uintptr_t kMostOfFork = 4096;
  if (Frame <= MarkAddress + (Guard & kForFork ? kMostOfFork : 0))
    return false; // may be a callee of that frame
  if (OnAlternate)
    return true;
  // glibc places the thread control block at the upper end of the stack.
  return areOnStack(MarkAddress, Frame,
                    reinterpret_cast<uintptr_t>(threadPointer())) ||
         areOnStack(MarkAddress, Frame, mainStackEnd());
}

} // namespace

bool recover(ThreadState &T, uintptr_t Frame) {
  const uintptr_t Gone = T.Inside.Guard;
  if (Gone == 0)
    return true;
  if (!isGone(Gone, Frame))
    return false;
  Guarded G(T, /*InsteadOf=*/Gone);
  if (!G.isOutermost())
    return false;
  kFeatures.ReleaseAfterJump(T);
  return true;
}

void recoverCountingAt(ThreadState &T, uintptr_t Frame) {
  if (isGone(T.Inside.CountingAt | kUnmarked, Frame))
    T.Inside.CountingAt = 0;
}

} // namespace inmem::rt
