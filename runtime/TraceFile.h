//===- TraceFile.h - The mapped trace and how it grows --------------------===//
//
// The file is the runtime's working memory: rows, cells and totals are updated
// in place in a shared mapping, which the kernel keeps when the process dies.
// Room on disk is made before it is mapped, so a full disk never becomes a
// SIGBUS; from then on recording goes on in private memory and the header says
// so. All functions but pointerTo need the runtime's lock.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_TRACEFILE_H
#define INMEM_RUNTIME_TRACEFILE_H

#include "platform/Platform.h"
#include "trace/Format.h"

namespace inmem::rt {

/// First byte of the mapping: file offset O is at TraceBase + O. Null while
/// there is no trace.
extern char *TraceBase;

class TraceFile {
public:
  /// Creates the file that \p Pattern names (contract.md: output) and writes
  /// its header's identity. If it cannot be created, says so once and keeps
  /// the trace in memory only, unless that is refused too (false).
  bool create(const char *Pattern);

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

  /// A new extent with room for \p PayloadBytes; null when address space is
  /// used up (the caller counts what it drops). Zeroed.
  trace::ExtentHeader *addExtent(trace::ExtentKind Kind, uint32_t Owner,
                                 uint32_t Module, uint64_t PayloadBytes);

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

private:
  bool reserve();
  bool extend(uint64_t End);
  void noteFull(int Error);
  bool openFresh(const char *Pattern);

  uint64_t Reserved = 0; ///< bytes of address space at TraceBase
  uint64_t Mapped = 0;   ///< bytes of it that are readable
  uint64_t OnDisk = 0;   ///< bytes of it that the file holds
  uint64_t Used = 0;     ///< end of the last extent
  int Fd = -1;
  uint64_t Device = 0, Inode = 0;
  trace::ExtentHeader *Meta = nullptr;
  uint64_t Sequence = 0;
  bool Full = false;
  bool Sealed = false;
  char Path[1024] = {};
  /// Where relative patterns begin: the working directory at the first
  /// create(), also for children that have gone elsewhere meanwhile.
  char Folder[1024] = {};
};

} // namespace inmem::rt

#endif
