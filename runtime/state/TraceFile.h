//===- TraceFile.h - The mapped trace and how it grows --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file is the runtime's working memory: rows, cells and totals are updated
// in place in a shared mapping, which the kernel keeps when the process dies.
// Disk space is allocated before it is mapped, so a full disk never becomes a
// SIGBUS: the file ends there, with a note to that effect, and the program
// continues in private memory. A file that cannot be mapped is written at the
// end. If another process truncates the file, or it can no longer be read,
// private memory replaces the lost pages and nothing more is kept. All
// functions but pointerTo and repair need the runtime's lock.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_TRACEFILE_H
#define INMEM_RUNTIME_TRACEFILE_H

#include "platform/Compiler.h"
#include "trace/format/Format.h"

namespace inmem::rt {

/// Start of the mapping: file offset O is at TraceBase + O. Null while there is
/// no trace.
INMEM_HIDDEN extern char *TraceBase;

class TraceFile {
public:
  /// Creates the file that \p Pattern names (docs/options.md: output), writes
  /// its header's identity and makes room for \p Bytes. If the file cannot be
  /// created, reports that once and keeps the trace in memory; false if there
  /// is no memory either.
  bool create(const char *Pattern, uint64_t Bytes = 0);

  /// Undoes create(): recording cannot begin.
  void discard();

  /// Call after fork. Turns the mapping into a private copy, so that the
  /// parent's file is not written again.
  void detach();
  /// After detach(): forgets the mapping, so that create() may be called. The
  /// pages stay mapped: a signal may have interrupted an event that will still
  /// store there.
  void abandon();

  /// After detach(): as abandon(), but for a process that does so repeatedly.
  /// Unmaps the pages of the trace before this one.
  void giveUp();
  /// Unmaps the pages of the trace that was given up last. No event may still
  /// store there.
  void releaseGivenUp();

  trace::FileHeader *header() const {
    return reinterpret_cast<trace::FileHeader *>(TraceBase);
  }
  const char *path() const { return Path; }
  /// False if the trace is only in memory.
  bool onDisk() const { return Path[0] != 0; }
  /// False if additions no longer reach a file: there is none, or it ended for
  /// lack of room.
  bool isKept() const { return !Full; }

  /// A new, zeroed extent with room for \p PayloadBytes; null if the address
  /// space is used up (callers count what they drop; for events, the trace
  /// ends).
  trace::ExtentHeader *addExtent(trace::ExtentKind Kind, uint32_t Owner,
                                 uint32_t Module, uint64_t PayloadBytes);
  /// Prefaults the pages of the next extent, for \p PayloadBytes that will be
  /// filled, at a fraction of the cost of single faults. Changes nothing else,
  /// and may do nothing.
  void prepare(uint64_t PayloadBytes);

  /// Appends a finished record (RecordHeader first) to the Meta extents.
  bool appendRecord(const trace::RecordHeader *Record);

  /// Grows the file by \p Bytes, so that extents in them need no system call.
  /// Does nothing if there is no room on disk.
  void makeRoom(uint64_t Bytes);

  /// Gives a finished extent its checksum.
  void finish(trace::ExtentHeader *E);
  /// As finish(), and advises the kernel that the pages need not stay in
  /// memory: they are in the file and are read back if touched.
  void leave(trace::ExtentHeader *E);

  /// Gives everything its checksum. No thread may count during the call, and
  /// unseal() must precede any later change. \returns the number of bytes read
  /// \param Checks whether to check that another process has not truncated the
  /// file
  uint64_t seal(bool Checks = true);
  void unseal();
  bool isSealed() const { return Sealed; }

  uint64_t offsetOf(const void *P) const {
    return static_cast<uint64_t>(static_cast<const char *>(P) - TraceBase);
  }

  /// Truncates the preallocated tail when the process ends in order.
  void trim();

  /// Writes the trace so far if the file could not be mapped.
  void save();

  /// Replaces lost pages of the file, at and after \p Address, by zeroed
  /// memory. Returns false if the address is not in the mapping. Called in a
  /// signal handler.
  bool repair(const void *Address);
  /// Sets a function that is called once, by repair() or with the lock, when
  /// part of the file is found lost: the mapping's contents may be
  /// inconsistent.
  void whenLost(void (*Then)()) { TellLoss = Then; }

private:
  bool findRoom();
  bool extend(uint64_t End);
  void presize(uint64_t Bytes);
  int reserve(uint64_t End);    ///< 0, or an errno value
  int growOnDisk(uint64_t End); ///< 0, or an errno value
  void checkSize();
  void lose();
  /// Ends the file for lack of room: it stays as it is now, with a note to that
  /// effect.
  void endHere(int Error);
  /// Turns the mapping into a private copy; false if that is not possible.
  bool goPrivate();
  void append(const trace::RecordHeader &Record);
  bool descriptorIsOurs() const;
  bool reopen();
  template <class Function> int findName(const char *Pattern, Function Take);
  int openFresh(const char *Pattern); ///< 0, or an errno value
  void cannotCreate(const char *Pattern, int Error);
  void keepNothing(); ///< records into memory that is lost at exit

  uint64_t Room = 0;     ///< maximum size of the file
  uint64_t Mapped = 0;   ///< bytes that are mapped, from TraceBase on
  uint64_t OnDisk = 0;   ///< bytes that are in the file
  uint64_t Used = 0;     ///< end of the last extent
  uint64_t Presized = 0; ///< up to here no system call is needed
  int Fd = -1;
  uint64_t Device = 0, Inode = 0;
  struct {
    uint64_t Device, Inode;
  } Former = {}; ///< the file before this one: in a forked child, its parent's
  struct {
    void *Start;
    uint64_t Bytes;
  } Abandoned = {};   ///< pages left by giveUp()
  bool Named = false; ///< the file was created with its name
  trace::ExtentHeader *Meta = nullptr;
  uint64_t Sequence = 0;
  bool Full = false;   ///< nothing more is written to the file
  bool Copied = false; ///< the file is not mapped: save() writes it
  bool Sealed = false;
  Relaxed<bool> Lost = {}; ///< part of the file is gone
  void (*TellLoss)() = nullptr;
  char Path[1024] = {};
  /// Base of relative patterns: the working directory at the first create(),
  /// also for children that have changed their directory.
  char Folder[1024] = {};
};

} // namespace inmem::rt

#endif
