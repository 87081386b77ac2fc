//===- TraceFile.cpp ------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "state/TraceFile.h"

#include "platform/Clocks.h"
#include "platform/Errors.h"
#include "platform/Files.h"
#include "platform/Mappings.h"
#include "platform/Message.h"
#include "platform/Process.h"
#include "platform/Signals.h"
#include "state/TracePath.h"

#include "trace/format/Checksum.h"

#include <string.h>

namespace inmem::rt {

using namespace trace;

constinit char *TraceBase = nullptr;

namespace {

/// Room for more than a hundred sites, so that a process in a sandbox records
/// new ones without a system call (docs/safety.md). Only the first part, enough
/// for the smallest programs, is written in advance.
constexpr uint64_t kFirstGrowth = 256 * 1024;
constexpr uint64_t kFirstWritten = 64 * 1024;
constexpr uint64_t kEarlyGrowth = 128 * 1024;
constexpr uint64_t kGrowth = 1024 * 1024;
constexpr uint64_t kMostRoom = uint64_t{1} << 36;
constexpr uint64_t kFirstMetaExtent = 16 * 1024;
constexpr uint64_t kMetaExtent = 64 * 1024;

} // namespace

bool TraceFile::findRoom() {
  // The trace grows in place, so that rows and cells can be reached by
  // pointers. Its addresses are not reserved: RLIMIT_AS, even if set later,
  // counts only what is in use.
  TraceBase = static_cast<char *>(findAddresses(Room));
  if (Room > kMostRoom)
    Room = kMostRoom;
  return TraceBase != nullptr;
}

/// Calls \p Take with one name after another while it returns EEXIST. Returns
/// its last result, 0 or an errno value.
template <class Function>
int TraceFile::findName(const char *Pattern, Function Take) {
  PathBuilder Name(Path, sizeof Path);
  for (unsigned Try = 0; Try < 1000; ++Try) {
    Name.cut(0);
    expandPattern(Pattern, Folder, Name);
    if (Try > 0) {
      // "x.inmem" or "x" is taken: "x.PID.inmem", then "x.PID-2.inmem", ...
      static constexpr char Suffix[] = ".inmem";
      constexpr size_t SuffixLength = sizeof Suffix - 1;
      bool HasSuffix = Name.length() > SuffixLength &&
                       strcmp(Path + Name.length() - SuffixLength, Suffix) == 0;
      if (HasSuffix)
        Name.cut(Name.length() - SuffixLength);
      Name.add('.').number(processId());
      if (Try > 1)
        Name.add('-').number(Try);
      Name.add(Suffix);
    }
    if (!Name.ok())
      return ENAMETOOLONG;
    int Error = Take();
    if (Error == EEXIST && mayReplace(Path, Former.Device, Former.Inode)) {
      removeFile(Path);
      Error = Take();
    }
    if (Error != EEXIST || leadsToDevice(Path))
      return Error;
  }
  return EEXIST;
}

int TraceFile::openFresh(const char *Pattern) {
  // The file gets its name once the header is complete, so that a process that
  // is killed before leaves no unreadable file.
  PathBuilder Name(Path, sizeof Path);
  expandPattern(Pattern, Folder, Name);
  Fd = Name.ok() ? createUnnamedFile(Path) : -ENAMETOOLONG;
  Named = Fd < 0;
  int Error = !Named ? 0 : findName(Pattern, [this] {
    Fd = createFile(Path);
    return Fd < 0 ? -Fd : 0;
  });
  if (Error == 0 && !fileIdentity(Fd, Device, Inode))
    Error = errno;
  if (Error != 0)
    Fd = -1;
  else
    holdFile(Fd);
  return Error;
}

void TraceFile::cannotCreate(const char *Pattern, int Error) {
  Message M;
  M.text("cannot create the trace file '").text(Path[0] ? Path : Pattern);
  M.text("': ").error(Error);
  M.text("; nothing will be kept of this run (set INMEM_OPTIONS=output=...)");
  M.emit();
  keepNothing();
}

void TraceFile::keepNothing() {
  Path[0] = 0;
  Fd = -1;
  Full = true;
}

int TraceFile::reserve(uint64_t End) {
  End = roundUp(End < Room ? End : Room, pageSize());
  if (!Full && End > Mapped) {
    const SignalsBlocked Meanwhile;
    if (int Error = growOnDisk(End))
      return Error;
    Mapped = OnDisk = End;
  }
  if (!Full && End > Presized)
    Presized = End;
  return 0;
}

void TraceFile::presize(uint64_t Bytes) {
  if (int Error = reserve(Bytes)) {
    Message M;
    M.text("presize: no room for ").number(Bytes).text(" bytes of trace (");
    M.error(Error).text("); it grows as it is needed");
    M.emit();
  }
}

void TraceFile::makeRoom(uint64_t Bytes) {
  checkSize(); // growing would fill the gap with zeros
  reserve(Used + Bytes);
}

bool TraceFile::create(const char *Pattern, uint64_t Bytes) {
  if (!findRoom()) {
    Message().text("no address space for the trace; recording is off").emit();
    return false;
  }
  Mapped = OnDisk = Used = Presized = 0;
  Meta = nullptr;
  Sequence = 0;
  Full = Sealed = Copied = false;
  Lost = false;
  if (!Folder[0])
    currentFolder(Folder, sizeof Folder);
  Former = {Device, Inode};
  if (strcmp(Pattern, "none") == 0)
    keepNothing();
  else if (int Wrong = openFresh(Pattern);
           Wrong != 0 && (Wrong != ENOENT || !makeFolderOf(Path) ||
                          (Wrong = openFresh(Pattern)) != 0))
    cannotCreate(Pattern, Wrong);
  Used = kHeaderBytes;
  if (!extend(kHeaderBytes))
    return false;
  presize(Bytes);
  if (Full && Path[0]) { // not even the header fits
    if (Named)
      removeFile(Path);
    Path[0] = 0;
  }
  FileHeader *H = header();
  H->Version = kVersion;
  H->HeaderBytes = kHeaderBytes;
  H->State = RunState::Running;
  H->Pid = processId();
  H->ParentPid = parentProcessId();
  H->StartUnixNs = realtimeNs();
  H->TicksPerSecond = 1000000000u; // until the clock is known
  H->FileBytes = Used;
  hostName(H->Host, sizeof H->Host);
  // Cached: the same in forked children.
  static constinit char Executable[sizeof H->Executable] = {};
  if (!Executable[0])
    executablePath(Executable, sizeof Executable);
  memcpy(H->Executable, Executable, sizeof Executable);
  // The magic number is written last. A file that has it has a complete header,
  // even if the process is killed in between.
  __atomic_thread_fence(__ATOMIC_RELEASE);
  memcpy(H->Magic, kMagic, sizeof kMagic);
  save();
  if (onDisk() && !Named)
    if (int Error = findName(Pattern, [this] { return nameFile(Fd, Path); })) {
      cannotCreate(Pattern, Error);
      mapPagesAt(TraceBase, OnDisk);
      return true;
    }
  return true;
}

void TraceFile::discard() {
  if (onDisk() && descriptorIsOurs())
    removeFile(Path);
  detach();
  abandon();
}

void TraceFile::detach() {
  if (!TraceBase || OnDisk == 0)
    return; // already private
  bool Ours = descriptorIsOurs();
  if (!Copied && !Full && (!Ours || !mapPrivateCopy(TraceBase, OnDisk, Fd)))
    mapPagesAt(TraceBase, OnDisk);
  if (Ours)
    closeFile(Fd);
  Fd = -1;
  Full = true; // an interrupted event must not reopen the file
}

void TraceFile::abandon() {
  TraceBase = nullptr;
  Room = Mapped = OnDisk = Used = 0;
  Fd = -1;
  Meta = nullptr;
  Sealed = Copied = false;
  Path[0] = 0;
}

void TraceFile::giveUp() {
  releaseGivenUp();
  Abandoned = {TraceBase, Mapped};
  abandon();
}

void TraceFile::releaseGivenUp() {
  if (Abandoned.Start)
    unmapPages(Abandoned.Start, Abandoned.Bytes);
  Abandoned = {};
}

bool TraceFile::descriptorIsOurs() const {
  uint64_t D, I;
  return fileIdentity(Fd, D, I) && D == Device && I == Inode;
}

/// Checks whether another process has truncated the file.
void TraceFile::checkSize() {
  uint64_t Size;
  if (Full || OnDisk == 0 || !descriptorIsOurs() || !fileSize(Fd, Size) ||
      Size >= OnDisk)
    return;
  repair(TraceBase + roundUp(Size, pageSize()));
  lose();
}

void TraceFile::lose() {
  if (Lost)
    return;
  Lost = true;
  Full = true;
  Message()
      .text("the trace was cut while it was written, and ends here: ")
      .text(Path)
      .emit();
  if (TellLoss)
    TellLoss();
}

bool TraceFile::repair(const void *Address) {
  const auto *P = static_cast<const char *>(Address);
  if (!TraceBase || P < TraceBase || P >= TraceBase + Mapped)
    return false;
  const uint64_t From = offsetOf(P) / pageSize() * pageSize();
  if (!mapPagesAt(TraceBase + From, Mapped - From))
    return false;
  lose();
  return true;
}

bool TraceFile::reopen() {
  // The program may have closed the descriptor or reused its number: check
  // before writing.
  errno = 0;
  if (descriptorIsOurs())
    return true;
  if (errno == EPERM || errno == EACCES || errno == ENOSYS)
    return false;
  Fd = openOwnFile(Path, true);
  if (descriptorIsOurs()) {
    holdFile(Fd);
    return true;
  }
  if (Fd >= 0)
    closeFile(Fd);
  Fd = -1;
  return false;
}

void TraceFile::endHere(int Error) {
  Full = true;
  Message M;
  M.text("the trace cannot grow (").error(Error);
  M.text(") at ").number(OnDisk).text(" bytes and ends here: ").text(Path);
  M.emit();
  if (!TraceBase || Mapped < kHeaderBytes)
    return;
  unseal();
  header()->Flags |= kFlagFull;
  header()->EndUnixNs = realtimeNs();
  if (Meta) { // appendRecord reserves room for it
    NoteRecord Note = {};
    Note.Header = {RecordKind::Note, 0, sizeof Note};
    Note.Kind = NoteKind::Full;
    Note.Ticks = header()->LastTicks;
    append(Note.Header);
  }
  // Later counts in the file would be incomplete without the extents that do
  // not fit, so they go into private memory.
  if (Copied)
    save();
  else if (!goPrivate() && TellLoss)
    TellLoss();
}

bool TraceFile::goPrivate() {
  // The most that is copied in memory if the program has closed the descriptor
  // and renamed the file.
  constexpr uint64_t kMostCopied = 64 << 20;
  return (descriptorIsOurs() && mapPrivateCopy(TraceBase, OnDisk, Fd)) ||
         (OnDisk <= kMostCopied && mapCopyInMemory(TraceBase, OnDisk));
}

int TraceFile::growOnDisk(uint64_t End) {
  if (OnDisk > 0 && !reopen()) {
    // A sandbox may refuse to identify the file.
    const bool Refused = errno == EPERM || errno == EACCES || errno == ENOSYS;
    return Refused ? errno : EBADF;
  }
  // Written pages map several times faster than merely allocated ones; mapping
  // is most of what a short process costs.
  uint64_t From = OnDisk;
  if (OnDisk == 0 && End <= kFirstGrowth) {
    From = End < kFirstWritten ? End : kFirstWritten;
    if (int Error = writeZeros(Fd, 0, From))
      return Error;
  }
  if (From < End)
    if (int Error = growFile(Fd, From, End))
      return Error;
  if (!Copied && !mapFile(TraceBase + Mapped, End - Mapped, Fd, Mapped)) {
    if (OnDisk > 0)
      return errno;
    Copied = true;
    Message()
        .text("the file system of ")
        .text(Path)
        .text(" has no shared mappings (")
        .error(errno)
        .text("): the trace is written when the program ends, and is lost if "
              "it is killed")
        .emit();
  }
  if (Copied && !mapNewPagesAt(TraceBase + Mapped, End - Mapped))
    return ENOMEM;
  return 0;
}

bool TraceFile::extend(uint64_t End) {
  if (End <= Mapped)
    return true;
  // A jump out of here would leave an unknown mapping that blocks the next one.
  const SignalsBlocked Meanwhile;
  uint64_t Step = Mapped == 0        ? kFirstGrowth
                  : Mapped < kGrowth ? kEarlyGrowth
                                     : kGrowth;
  uint64_t NewEnd = roundUp(End, Step);
  if (NewEnd > Room)
    NewEnd = roundUp(End, pageSize());
  if (NewEnd > Room)
    return false;
  checkSize(); // growing would fill the gap with zeros
  if (!Full) {
    int Error = growOnDisk(NewEnd);
    if (Error != 0 && NewEnd != roundUp(End, pageSize())) {
      // Retry with the exact size before giving up.
      NewEnd = roundUp(End, pageSize());
      Error = growOnDisk(NewEnd);
    }
    if (Error == 0) {
      Mapped = OnDisk = NewEnd;
      return true;
    }
    endHere(Error);
  }
  if (!mapNewPagesAt(TraceBase + Mapped, NewEnd - Mapped))
    return false;
  Mapped = NewEnd;
  return true;
}

void TraceFile::save() {
  if (!Copied || !reopen())
    return;
  for (uint64_t At = 0; At < Used;) {
    const long N = writeAt(Fd, TraceBase + At, Used - At, At);
    if (N < 0 && errno == EINTR)
      continue;
    if (N <= 0)
      return;
    At += static_cast<uint64_t>(N);
  }
}

static uint64_t extentBytes(uint64_t PayloadBytes) {
  return roundUp(sizeof(ExtentHeader) + PayloadBytes, kExtentAlign);
}

void TraceFile::prepare(uint64_t PayloadBytes) {
  const uint64_t Bytes = extentBytes(PayloadBytes);
  if (Used + Bytes <= Presized || !extend(Used + Bytes))
    return;
  if (!onDisk() || Copied || Full || !reopen())
    return;
  checkSize(); // do not regrow a truncated file
  if (Full)
    return;
  // A file system allocates a write's pages in large pieces, but faults one by
  // one. Disk space for all of them is allocated already.
  if (writeZeros(Fd, Used, Used + Bytes) == 0)
    populatePages(TraceBase + Used, Bytes);
}

ExtentHeader *TraceFile::addExtent(ExtentKind Kind, uint32_t Owner,
                                   uint32_t Module, uint64_t PayloadBytes) {
  const uint64_t Bytes = extentBytes(PayloadBytes);
  unseal();
  if (!extend(Used + Bytes)) {
    // The address space is used up. Tables that cannot grow drop what is new;
    // an event stream without its end would be useless.
    if (Kind == ExtentKind::Events && !Full)
      endHere(ENOMEM);
    return nullptr;
  }
  auto *E = reinterpret_cast<ExtentHeader *>(TraceBase + Used);
  E->Kind = Kind;
  E->Bytes = Bytes;
  E->Owner = Owner;
  E->Module = Module;
  E->Sequence = ++Sequence;
  E->Identity = identityOf(*E);
  // A reader of the running process finds either no extent here or one with a
  // complete header.
  __atomic_store_n(&E->Magic, kExtentMagic, __ATOMIC_RELEASE);
  Used += Bytes;
  header()->FileBytes = Used;
  return E;
}

void TraceFile::finish(ExtentHeader *E) {
  // The flag is written last: a reader that sees it must find the checksum,
  // even after a kill here.
  ExtentHeader Done = *E;
  Done.Flags |= kExtentFinal;
  E->Checksum = checksumOf(Done, E + 1);
  __atomic_store_n(&E->Flags, Done.Flags, __ATOMIC_RELEASE);
}

uint64_t TraceFile::seal(bool Checks) {
  uint64_t Read = 0;
  if (Checks)
    checkSize();
  for (uint64_t At = kHeaderBytes; At < Used && !Lost;) {
    auto *E = reinterpret_cast<ExtentHeader *>(TraceBase + At);
    if (!(E->Flags & kExtentFinal)) {
      E->Checksum = checksumOf(*E, E + 1);
      Read += payloadInUse(*E);
    }
    At += E->Bytes;
  }
  if (Lost)
    return Read;
  Sealed = true;
  // A signal handler's event during the loop is counted as dropped and breaks
  // the seal, so try again.
  uint64_t Dropped;
  do {
    Dropped = __atomic_load_n(&header()->DroppedEvents, __ATOMIC_SEQ_CST);
    __atomic_store_n(reinterpret_cast<uint64_t *>(TraceBase + kSealOffset),
                     sealOf(TraceBase), __ATOMIC_SEQ_CST);
  } while (__atomic_load_n(&header()->DroppedEvents, __ATOMIC_SEQ_CST) !=
           Dropped);
  return Read;
}

void TraceFile::unseal() {
  if (!Sealed)
    return;
  Sealed = false;
  __atomic_store_n(reinterpret_cast<uint64_t *>(TraceBase + kSealOffset), 0,
                   __ATOMIC_SEQ_CST);
}

void TraceFile::leave(ExtentHeader *E) {
  finish(E);
  if (onDisk() && !Copied && !Full)
    dropPages(E, E->Bytes);
}

bool TraceFile::appendRecord(const RecordHeader *Record) {
  uint64_t Bytes = Record->Bytes;
  if (Lost)
    return true; // it could not be read
  // Keeps room for the note that ends the trace on a full disk.
  constexpr uint64_t kReserve = sizeof(ExtentHeader) + sizeof(NoteRecord);
  if (!Meta || Meta->Used + Bytes > Meta->Bytes - kReserve) {
    const uint64_t Usual =
        (Meta ? kMetaExtent : kFirstMetaExtent) - sizeof(ExtentHeader);
    const uint64_t Needed = Bytes + sizeof(NoteRecord);
    ExtentHeader *Next =
        addExtent(ExtentKind::Meta, 0, 0, Needed > Usual ? Needed : Usual);
    if (!Next)
      return false;
    if (Meta)
      finish(Meta); // not earlier: the note might have used its room
    Meta = Next;
  }
  unseal();
  append(*Record);
  return true;
}

void TraceFile::append(const RecordHeader &Record) {
  char *At = reinterpret_cast<char *>(Meta + 1) + Meta->Used;
  memcpy(At, &Record, Record.Bytes);
  __atomic_store_n(&Meta->Used, Meta->Used + Record.Bytes, __ATOMIC_RELEASE);
}

void TraceFile::trim() {
  // Pages after the last extent are not touched again unless the trace grows,
  // which maps them again. Small files and small tails stay: truncating a file
  // can take milliseconds, which a program that forks for each task would
  // notice.
  constexpr uint64_t kWorthCutting = 64 * 1024;
  const uint64_t End = roundUp(Used, pageSize());
  if (Full || OnDisk <= kFirstGrowth || End + kWorthCutting > OnDisk ||
      !descriptorIsOurs())
    return;
  const SignalsBlocked Meanwhile;
  if (!truncateFile(Fd, End))
    return;
  unmapPages(TraceBase + End, Mapped - End);
  OnDisk = Mapped = End;
}

} // namespace inmem::rt
