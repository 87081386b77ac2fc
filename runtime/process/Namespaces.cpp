//===- Namespaces.cpp - unshare and setns ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernel lets only a process with one thread enter a user namespace, stop
// sharing what threads share, or (since threads share their root) enter a mount
// namespace. The threads of profile=, periodic= and watch= end before such a
// call and start again after it. Not for static executables, where nothing can
// be interposed.
//
//===----------------------------------------------------------------------===//
#include "hot/Recorder.h"
#include "platform/Errors.h"
#include "platform/Interpose.h"
#include "platform/Process.h"
#include "state/Runtime.h"
#include "workers/OwnThread.h"

using namespace inmem::rt;

INMEM_NEXT_FUNCTION(NextUnshare, "unshare", int(int));
INMEM_NEXT_FUNCTION(NextSetns, "setns", int(int, int));

namespace {

/// While this exists, the process has no thread of ours, if it has only one
/// thread then.
class OwnThreadsPaused {
public:
  explicit OwnThreadsPaused(bool Wanted) {
    ThreadState &T = Thread;
    // A vfork child has its parent's memory, but not its threads.
    if (!Wanted || isInside(T) || Process.State != InitState::Ready ||
        processId() != Process.Pid)
      return;
    const SavedErrno Kept;
    Guarded G(T);
    Paused = OwnThread::pauseAll();
  }
  ~OwnThreadsPaused() {
    if (!Paused)
      return;
    const SavedErrno Kept;
    Guarded G(Thread);
    OwnThread::resumeAll();
  }
  OwnThreadsPaused(const OwnThreadsPaused &) = delete;
  OwnThreadsPaused &operator=(const OwnThreadsPaused &) = delete;

private:
  bool Paused = false;
};

} // namespace

INMEM_EXPORT int unshare(int Flags) {
  auto *Call = NextUnshare.get();
  const OwnThreadsPaused Meanwhile(unsharesThreads(Flags));
  return Call ? Call(Flags) : (errno = ENOSYS, -1);
}

INMEM_EXPORT int setns(int Descriptor, int Kind) {
  auto *Call = NextSetns.get();
  const OwnThreadsPaused Meanwhile(true); // Kind may be 0: any namespace
  return Call ? Call(Descriptor, Kind) : (errno = ENOSYS, -1);
}
