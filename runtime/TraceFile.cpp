//===- TraceFile.cpp -------------------------------------------------------===//
#include "TraceFile.h"

#include "trace/Checksum.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace inmem::rt {

using namespace trace;

constinit char *TraceBase = nullptr;

namespace {

constexpr uint64_t kFirstGrowth = 128 * 1024;
constexpr uint64_t kGrowth = 1024 * 1024;
constexpr uint64_t kMetaExtent = 64 * 1024;

/// Builds a path piece by piece; too long is a failure, never a cut name.
class PathBuilder {
public:
  PathBuilder(char *Buffer, size_t Size) : Buffer(Buffer), Size(Size) {
    Buffer[0] = 0;
  }
  PathBuilder &add(const char *S) {
    while (*S)
      add(*S++);
    return *this;
  }
  PathBuilder &add(char C) {
    if (Length + 1 < Size) {
      Buffer[Length++] = C;
      Buffer[Length] = 0;
    } else {
      TooLong = true;
    }
    return *this;
  }
  PathBuilder &number(uint64_t N) {
    char Digits[21];
    size_t I = sizeof Digits;
    Digits[--I] = 0;
    do
      Digits[--I] = static_cast<char>('0' + N % 10);
    while (N /= 10);
    return add(Digits + I);
  }
  size_t length() const { return Length; }
  void cut(size_t To) { Buffer[Length = To] = 0; }
  bool ok() const { return !TooLong; }

private:
  char *Buffer;
  size_t Size, Length = 0;
  bool TooLong = false;
};

void executablePath(char *Buffer, size_t Size) {
  ssize_t N = readlink("/proc/self/exe", Buffer, Size - 1);
  Buffer[N > 0 ? N : 0] = 0;
}

const char *baseName(const char *Path) {
  const char *Slash = strrchr(Path, '/');
  return Slash ? Slash + 1 : Path;
}

/// Replaces %p %e %h %t %% of the output pattern, and puts \p Folder before a
/// relative one, so that chdir() does not lose the file.
void expandPattern(const char *Pattern, const char *Folder, PathBuilder &Out) {
  if (Pattern[0] != '/' && Folder[0] == '/')
    Out.add(Folder).add('/');
  for (const char *P = Pattern; *P; ++P) {
    if (*P != '%' || !P[1]) {
      Out.add(*P);
      continue;
    }
    switch (*++P) {
    case 'p':
      Out.number(processId());
      break;
    case 'e': {
      char Exe[1024];
      executablePath(Exe, sizeof Exe);
      Out.add(baseName(Exe));
      break;
    }
    case 'h': {
      char Host[65] = {};
      gethostname(Host, sizeof Host - 1);
      Out.add(Host);
      break;
    }
    case 't':
      Out.number(realtimeNs() / 1000000000u);
      break;
    case '%':
      Out.add('%');
      break;
    default:
      Out.add('%').add(*P);
    }
  }
}

/// May the file at \p Path be replaced? Not if it is no trace of ours, not if
/// its process still lives, and not if it is this very process's: then an exec
/// ended it, and it is told so.
bool mayReplace(const char *Path) {
  int Fd = openOwnFile(Path, true);
  if (Fd < 0)
    return false;
  FileHeader H;
  bool Replace = false;
  ssize_t N = pread(Fd, &H, sizeof H, 0);
  if (N == static_cast<ssize_t>(sizeof H) &&
      memcmp(H.Magic, kMagic, sizeof kMagic) == 0) {
    if (H.Pid == processId() && H.State == RunState::Running) {
      H.State = RunState::Execed;
      H.EndUnixNs = realtimeNs();
      ssize_t Ignored = pwrite(Fd, &H, sizeof H, 0);
      (void)Ignored;
    }
    Replace = H.Pid != processId() &&
              (H.State != RunState::Running ||
               !processExists(static_cast<uint32_t>(H.Pid)));
  } else if (N == 0)
    Replace = true; // an empty file, as mktemp leaves
  syscall(SYS_close, Fd);
  return Replace;
}

} // namespace

bool TraceFile::reserve() {
  for (uint64_t Bytes = uint64_t{1} << 36; Bytes >= (uint64_t{1} << 24);
       Bytes >>= 1)
    if (void *P = reserveAddresses(Bytes)) {
      // With a limit on address space take only a small part of what is left.
      TraceBase = static_cast<char *>(P);
      Reserved = Bytes;
      if (Bytes < (uint64_t{1} << 36) && Bytes > (uint64_t{1} << 26)) {
        uint64_t Keep = Bytes >> 3;
        unmapPages(TraceBase + Keep, Bytes - Keep);
        Reserved = Keep;
      }
      return true;
    }
  return false;
}

bool TraceFile::openFresh(const char *Pattern) {
  PathBuilder Name(Path, sizeof Path);
  for (unsigned Try = 0; Try < 1000; ++Try) {
    Name.cut(0);
    expandPattern(Pattern, Folder, Name);
    if (Try > 0) {
      // "x.inmem" is taken: "x.PID.inmem", then "x.PID-2.inmem", ...
      static constexpr char Suffix[] = ".inmem";
      constexpr size_t SuffixLength = sizeof Suffix - 1;
      bool HasSuffix =
          Name.length() > SuffixLength &&
          strcmp(Path + Name.length() - SuffixLength, Suffix) == 0;
      if (HasSuffix)
        Name.cut(Name.length() - SuffixLength);
      Name.add('.').number(processId());
      if (Try > 1)
        Name.add('-').number(Try);
      if (HasSuffix)
        Name.add(Suffix);
    }
    if (!Name.ok()) {
      errno = ENAMETOOLONG;
      break;
    }
    if (mayReplace(Path))
      unlink(Path);
    Fd = createFile(Path);
    if (Fd >= 0)
      return fileIdentity(Fd, Device, Inode);
    if (Fd != -EEXIST) {
      errno = -Fd;
      break;
    }
  }
  Fd = -1;
  return false;
}

bool TraceFile::create(const char *Pattern) {
  if (!reserve()) {
    Message().text("no address space for the trace; recording is off").emit();
    return false;
  }
  Mapped = OnDisk = Used = 0;
  Meta = nullptr;
  Sequence = 0;
  Full = Sealed = false;
  if (!Folder[0] && syscall(SYS_getcwd, Folder, sizeof Folder) <= 0)
    Folder[0] = 0;
  if (!openFresh(Pattern)) {
    Message M;
    M.text("cannot create the trace file '").text(Path[0] ? Path : Pattern);
    M.text("': ").text(strerrordesc_np(errno) ? strerrordesc_np(errno) : "?");
    M.text("; nothing will be kept of this run (set INMEM_OPTIONS=output=...)");
    M.emit();
    Path[0] = 0;
    Full = true;
  }
  Used = kHeaderBytes;
  if (!extend(kHeaderBytes))
    return false;
  FileHeader *H = header();
  H->Version = kVersion;
  H->HeaderBytes = kHeaderBytes;
  H->State = RunState::Running;
  H->Pid = processId();
  H->ParentPid = parentProcessId();
  H->StartUnixNs = realtimeNs();
  H->FileBytes = Used;
  gethostname(H->Host, sizeof H->Host - 1);
  executablePath(H->Executable, sizeof H->Executable);
  if (Full)
    H->Flags |= kFlagFull;
  __atomic_thread_fence(__ATOMIC_RELEASE);
  memcpy(H->Magic, kMagic, sizeof kMagic);
  return true;
}

void TraceFile::detach() {
  if (!TraceBase || OnDisk == 0)
    return; // private already
  uint64_t D, I;
  bool Ours = fileIdentity(Fd, D, I) && D == Device && I == Inode;
  if (!Ours || !mapPrivateCopy(TraceBase, OnDisk, Fd))
    mapPagesAt(TraceBase, OnDisk);
  if (Ours)
    syscall(SYS_close, Fd);
  Fd = -1;
}

void TraceFile::abandon() {
  if (TraceBase)
    unmapPages(TraceBase + Mapped, Reserved - Mapped);
  TraceBase = nullptr;
  Reserved = Mapped = OnDisk = Used = 0;
  Fd = -1;
  Meta = nullptr;
  Sealed = false;
  Path[0] = 0;
}

void TraceFile::noteFull(int Error) {
  if (Full)
    return;
  Full = true;
  Message M;
  M.text("the trace cannot grow (").text(strerrordesc_np(Error));
  M.text(") at ").number(OnDisk).text(" bytes: ").text(Path);
  M.text("; what comes now is counted in memory only").emit();
  if (TraceBase && Mapped >= kHeaderBytes)
    header()->Flags |= kFlagFull;
}

bool TraceFile::extend(uint64_t End) {
  if (End <= Mapped)
    return true;
  uint64_t Step = Mapped < kGrowth ? kFirstGrowth : kGrowth;
  uint64_t NewEnd = roundUp(End, Step);
  if (NewEnd > Reserved)
    NewEnd = roundUp(End, kPage);
  if (NewEnd > Reserved)
    return false;
  if (!Full) {
    uint64_t D, I;
    // The program may have closed the descriptor, or given its number to a
    // file of its own: look before writing.
    if (!fileIdentity(Fd, D, I) || D != Device || I != Inode) {
      Fd = openOwnFile(Path, true);
      if (!fileIdentity(Fd, D, I) || D != Device || I != Inode) {
        if (Fd >= 0)
          syscall(SYS_close, Fd);
        Fd = -1;
        noteFull(EBADF);
      }
    }
  }
  if (!Full) {
    int Error = growFile(Fd, OnDisk, NewEnd);
    if (Error == 0 && !mapFile(TraceBase + Mapped, NewEnd - Mapped, Fd, Mapped))
      Error = errno;
    if (Error == 0) {
      Mapped = OnDisk = NewEnd;
      return true;
    }
    noteFull(Error);
  }
  if (!mapPagesAt(TraceBase + Mapped, NewEnd - Mapped))
    return false;
  Mapped = NewEnd;
  header()->LostBytes += NewEnd - End;
  return true;
}

ExtentHeader *TraceFile::addExtent(ExtentKind Kind, uint32_t Owner,
                                   uint32_t Module, uint64_t PayloadBytes) {
  uint64_t Bytes = roundUp(sizeof(ExtentHeader) + PayloadBytes, kExtentAlign);
  unseal();
  if (!extend(Used + Bytes))
    return nullptr;
  auto *E = reinterpret_cast<ExtentHeader *>(TraceBase + Used);
  E->Kind = Kind;
  E->Bytes = Bytes;
  E->Owner = Owner;
  E->Module = Module;
  E->Sequence = ++Sequence;
  E->Identity = identityOf(*E);
  __atomic_store_n(&E->Magic, kExtentMagic, __ATOMIC_RELEASE);
  Used += Bytes;
  header()->FileBytes = Used;
  return E;
}

void TraceFile::finish(ExtentHeader *E) {
  E->Flags |= kExtentFinal;
  E->Checksum = checksumOf(*E, E + 1);
}

uint64_t TraceFile::seal() {
  uint64_t Read = 0;
  for (uint64_t At = kHeaderBytes; At < Used;) {
    auto *E = reinterpret_cast<ExtentHeader *>(TraceBase + At);
    if (!(E->Flags & kExtentFinal)) {
      E->Checksum = checksumOf(*E, E + 1);
      Read += payloadInUse(*E);
    }
    At += E->Bytes;
  }
  Sealed = true;
  // A signal's event that finds us at work is counted as dropped, and unseals.
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
  if (onDisk() && offsetOf(E) + E->Bytes <= OnDisk)
    syscall(SYS_madvise, E, E->Bytes, MADV_DONTNEED);
}

bool TraceFile::appendRecord(const RecordHeader *Record) {
  uint64_t Bytes = Record->Bytes;
  if (!Meta || Meta->Used + Bytes > Meta->Bytes - sizeof(ExtentHeader)) {
    uint64_t Room = kMetaExtent - sizeof(ExtentHeader);
    if (Meta)
      finish(Meta);
    Meta = addExtent(ExtentKind::Meta, 0, 0, Bytes > Room ? Bytes : Room);
    if (!Meta)
      return false;
  }
  unseal();
  char *At = reinterpret_cast<char *>(Meta + 1) + Meta->Used;
  memcpy(At, Record, Bytes);
  __atomic_store_n(&Meta->Used, Meta->Used + Bytes, __ATOMIC_RELEASE);
  return true;
}

void TraceFile::trim() {
  // The mapping stays valid up to the last extent; what lies behind is never
  // touched again unless the trace grows, which maps it anew. A little is left
  // alone: cutting a file can take milliseconds, which a program that forks
  // for each task would feel.
  constexpr uint64_t kWorthCutting = 64 * 1024;
  uint64_t D, I;
  if (!Full && fileIdentity(Fd, D, I) && D == Device && I == Inode &&
      Used + kWorthCutting <= OnDisk && ftruncate(Fd, static_cast<off_t>(Used)) == 0) {
    OnDisk = Mapped = roundUp(Used, kPage);
  }
}

} // namespace inmem::rt
