//===- Attacher.h - The runtime in a process that runs already --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads libinmem_rt.so into a process at a safe point of one of its threads
// (SafePoint.h, Tracee.h) and calls __inmem_attach or __inmem_detach there
// (trace/format/AttachFormat.h).
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_TOOLS_ATTACHER_H
#define INMEM_TOOLS_ATTACHER_H

#include "live/RemoteImage.h"
#include "live/Tracee.h"
#include "trace/format/AttachFormat.h"
#include "trace/read/Status.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace inmem::tools {

class Attacher {
public:
  /// Examines process \p Pid without stopping it. The error says why attaching
  /// is impossible. \p Force ignores a seccomp filter
  static trace::Result<Attacher> of(pid_t Pid, bool Force);

  /// `process 12 (name)`.
  std::string nameOfProcess() const;
  /// True if the process already has the runtime.
  bool hasRuntime() const { return Runtime != 0 || RecordsItself; }
  /// The runtime's state; nullopt if it cannot attach.
  std::optional<trace::Attachment> attachment() const;
  /// True if paths refer to the same files in both processes.
  bool sharesFiles() const { return SharesFiles; }

  /// Loads the runtime from \p File, unless the process already has it, and
  /// records with \p Options.
  trace::Status attach(const std::string &File, const std::string &Options);
  /// Ends recording: the trace is then complete, and no call leads to the
  /// runtime.
  trace::Status detach();

private:
  using Facts = std::map<std::string, std::string, std::less<>>;
  explicit Attacher(pid_t Process) : Pid(Process) {}
  trace::Status failed(const std::string &What) const;
  trace::Status forbidden() const;
  trace::Status checkStatus(const Facts &Status, bool Force) const;
  trace::Status checkProgram();
  bool readImages();
  const RemoteImage *libc() const;
  uint64_t functionOf(std::string_view Library, std::string_view Name) const;

  /// Calls \p Act on a thread that may call dlopen.
  template <class Action> trace::Status atSafePoint(Action Act);
  /// After detaching, frees the memory of the last trace once each thread has
  /// been seen outside the runtime.
  void release();
  trace::Status load(Tracee &By, const std::string &File);
  trace::Result<uint64_t> open(Tracee &By, const std::string &Path);
  trace::Result<uint64_t> openCopy(Tracee &By, const std::string &File);
  trace::Status callRuntime(Tracee &By, const char *Name,
                            const std::string *Text);
  /// Redirects slots that a thread has overwritten by binding them late.
  void redirectLateSlots() const;

  pid_t Pid;
  std::vector<MemoryMapping> Maps;
  std::vector<RemoteImage> Images;
  uint64_t Runtime = 0;       ///< address of __inmem_attachment
  bool RecordsItself = false; ///< a static executable that contains a runtime
  bool SharesFiles = true;
};

} // namespace inmem::tools

#endif
