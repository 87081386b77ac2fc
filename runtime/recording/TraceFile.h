//===- TraceFile.h - The mapped trace and how it grows --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file is the runtime's working memory: rows, cells and totals are updated
// in place in a shared mapping, which the kernel keeps when the process dies.
// Room on disk is made before it is mapped, so a full disk never becomes a
// SIGBUS: the file then ends with what there is, and says so, and the program
// goes on with private memory. Where a file cannot be mapped, it is written at
// the end. Where somebody else cuts the file, or it can no longer be read, what
// is gone becomes private memory and nothing more is kept. All functions but
// pointerTo and mend need the runtime's lock.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_TRACEFILE_H
#define INMEM_RUNTIME_TRACEFILE_H

#include "platform/Compiler.h"
#include "trace/Format.h"

namespace inmem::rt {

/// First byte of the mapping: file offset O is at TraceBase + O. Null while
/// there is no trace.
INMEM_HIDDEN extern char *TraceBase;

class TraceFile {
public:
  /// Creates the file that \p Pattern names (contract.md: output) and writes
  /// its header's identity. If it cannot be created, says so once and keeps
  /// the trace in memory only, unless that is refused too (false). Makes room
  /// for \p Bytes at once.
  bool create(const char *Pattern, uint64_t Bytes = 0);

  /// Takes a create() back: recording cannot begin after all.
  void discard();

  /// After fork: makes what is mapped a copy of the child's own. The parent's
  /// file is not written again.
  void detach();
  /// After detach: forgets the mapping, so that create() may be called. What
  /// is mapped stays: a signal may have interrupted an event, which will still
  /// store where it was about to.
  void abandon();

  trace::FileHeader *header() const {
    return reinterpret_cast<trace::FileHeader *>(TraceBase);
  }
  const char *path() const { return Path; }
  /// False if the trace is only in memory.
  bool onDisk() const { return Path[0] != 0; }
  /// False if what is added now reaches no file: there is none, or it ended
  /// because there was no room.
  bool isKept() const { return !Full; }

  /// A new extent with room for \p PayloadBytes; null when address space is
  /// used up (the caller counts what it drops; of events, the trace ends
  /// there). Zeroed.
  trace::ExtentHeader *addExtent(trace::ExtentKind Kind, uint32_t Owner,
                                 uint32_t Module, uint64_t PayloadBytes);
  /// For an extent with room for \p PayloadBytes that comes next and will be
  /// filled: has its pages in memory by then, many at a time, for a fraction of
  /// what a fault of each costs. Changes nothing else, and may do nothing.
  void prepare(uint64_t PayloadBytes);

  /// Appends a finished record (RecordHeader first) to the Meta extents.
  bool appendRecord(const trace::RecordHeader *Record);

  /// Gives an extent that will not change any more its checksum.
  void finish(trace::ExtentHeader *E);
  /// The same, and tells the kernel that it need not stay in memory: it goes on
  /// being in the file, and is read back if it is touched again.
  void leave(trace::ExtentHeader *E);

  /// Gives everything its checksum. Nobody may count meanwhile, and unseal()
  /// must come before whatever changes the trace afterwards. \returns the bytes
  /// that were read for it.
  uint64_t seal();
  void unseal();
  bool isSealed() const { return Sealed; }

  uint64_t offsetOf(const void *P) const {
    return static_cast<uint64_t>(static_cast<const char *>(P) - TraceBase);
  }

  /// Cuts the preallocated tail when the process ends in order.
  void trim();

  /// Where the file could not be mapped: writes what there is so far.
  void save();

  /// Puts zeroed memory in the place of what the file no longer has at \p
  /// Address and after it. False if that is not in the mapping. In a signal
  /// handler.
  bool mend(const void *Address);
  /// \p Then is called once, by mend() or with the lock, when it is found that
  /// the file has lost a part: what the mapping holds need not make sense.
  void whenLost(void (*Then)()) { TellLoss = Then; }

private:
  bool findRoom();
  bool extend(uint64_t End);
  void presize(uint64_t Bytes);
  int growOnDisk(uint64_t End); ///< 0, or an errno value
  void checkSize();
  void lose();
  /// No more room: the file stays as it is now, with a note of it.
  void endHere(int Error);
  void append(const trace::RecordHeader &Record);
  bool descriptorIsOurs() const;
  bool reopen();
  template <class Function> int findName(const char *Pattern, Function Take);
  int openFresh(const char *Pattern); ///< 0, or an errno value
  void cannotCreate(const char *Pattern, int Error);

  uint64_t Room = 0;     ///< bytes that it may grow to
  uint64_t Mapped = 0;   ///< bytes of them that are readable, from TraceBase on
  uint64_t OnDisk = 0;   ///< bytes of those that the file holds
  uint64_t Used = 0;     ///< end of the last extent
  uint64_t Presized = 0; ///< up to here no system call may be needed
  int Fd = -1;
  uint64_t Device = 0, Inode = 0;
  struct {
    uint64_t Device, Inode;
  } Former = {}; ///< the file before this one: in a forked child, its parent's
  bool Named = false; ///< the file had its name from the beginning
  trace::ExtentHeader *Meta = nullptr;
  uint64_t Sequence = 0;
  bool Full = false;   ///< nothing more goes to the file
  bool Copied = false; ///< the file is not mapped: save() writes it
  bool Sealed = false;
  Relaxed<bool> Lost = {}; ///< a part of the file is gone
  void (*TellLoss)() = nullptr;
  char Path[1024] = {};
  /// Where relative patterns begin: the working directory at the first
  /// create(), also for children that have gone elsewhere meanwhile.
  char Folder[1024] = {};
};

} // namespace inmem::rt

#endif
