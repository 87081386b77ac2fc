//===- Lines.cpp ----------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stacks/Lines.h"

#include "platform/Errors.h"
#include "platform/Files.h"
#include "platform/Image.h"

#ifndef INMEM_LIBBACKTRACE

namespace inmem::rt {
bool LineReader::isAvailable() { return false; }
LineReader::LineReader(const char *, int, size_t) {}
LineReader::~LineReader() {}
unsigned LineReader::find(uint64_t, const LineFrame *&) { return 0; }
} // namespace inmem::rt

#else

#include "libbacktrace/backtrace.h"

#include <string.h>

// The runtime replaces libbacktrace's functions for memory and files, so that
// the library keeps to a memory limit and frees all of it. It also replaces its
// sorting, which is quadratic if many discarded functions have the same
// address. libbacktrace's internal.h, which is not installed, has declared them
// this way since GCC 4.9. The build (CMakeLists.txt) links them with the
// library's other parts and hides everything.
namespace inmem::rt {

namespace {

/// A piece of memory: either one large block, or the room for small ones.
struct Piece {
  Piece *Next;
  size_t Bytes; ///< including this header, in whole pages
  size_t Requested;
};
constexpr size_t kHeader = 64;
constexpr size_t kPieceBytes = 256 * 1024, kLarge = kPieceBytes / 4;
static_assert(sizeof(Piece) <= kHeader);

constexpr unsigned kMostFrames = 128;
constexpr size_t kTextBytes = 64 * 1024;

/// The only reader.
struct {
  Piece *Pieces;
  char *Room; ///< free space for small blocks in the newest piece
  size_t RoomBytes;
  size_t Taken, Most; ///< bytes of pieces: used, limit
  int Fd;
  bool IsOpen;         ///< libbacktrace has opened it
  uint64_t SectionsAt; ///< section table offset of the file read last
  backtrace_state *State;
  LineFrame *Frames;
  unsigned Count;
  char *Text; ///< text of the frames
  size_t TextUsed;
  /// File names as libbacktrace stores them; see copyPart().
  struct {
    struct {
      void *Memory;
      size_t Bytes;
    } Recent[4];           ///< allocations, newest first
    char *Start;           ///< start of the previous copy
    const char *From;      ///< source of the copy
    size_t Bytes;          ///< length of the copy
    const char *Directory; ///< compilation directory; null: unknown
  } Names;
} constinit Reader = {};

void *takePiece(size_t Requested) {
  size_t Bytes = roundUp(Requested + kHeader, kPage);
  if (Bytes > Reader.Most - Reader.Taken)
    return nullptr;
  auto *P = static_cast<Piece *>(mapPages(Bytes));
  if (!P)
    return nullptr;
  *P = {Reader.Pieces, Bytes, Requested};
  Reader.Pieces = P;
  Reader.Taken += Bytes;
  return reinterpret_cast<char *>(P) + kHeader;
}

/// 16-byte aligned and zeroed; null if there is no room.
void *take(size_t Bytes) {
  if (Bytes > Reader.Most)
    return nullptr;
  if (Bytes >= kLarge)
    return takePiece(Bytes);
  Bytes = roundUp(Bytes + (Bytes == 0), 16);
  if (Bytes > Reader.RoomBytes) {
    auto *Fresh = static_cast<char *>(takePiece(kPieceBytes - kHeader));
    if (!Fresh)
      return nullptr;
    Reader.Room = Fresh;
    Reader.RoomBytes = kPieceBytes - kHeader;
  }
  void *Result = Reader.Room;
  Reader.Room += Bytes;
  Reader.RoomBytes -= Bytes;
  return Result;
}

/// Unmaps a large block, which has a piece to itself. Smaller ones stay mapped.
void releasePiece(void *Memory, size_t Bytes) {
  if (Bytes < kLarge)
    return;
  auto *Start =
      reinterpret_cast<Piece *>(static_cast<char *>(Memory) - kHeader);
  for (Piece **P = &Reader.Pieces; *P; P = &(*P)->Next)
    if (*P == Start && Start->Requested == Bytes) {
      *P = Start->Next;
      Reader.Taken -= Start->Bytes;
      unmapPages(Start, Start->Bytes);
      return;
    }
}

/// A name that libbacktrace joined wrongly begins with this byte; the address
/// of the right name follows. Blocks have room for both.
constexpr char kElsewhere = 1;

const char *namedFile(const char *File) {
  if (!File || *File != kElsewhere)
    return File;
  const char *Right;
  memcpy(&Right, File + 1, sizeof Right);
  return Right;
}

/// Finds the table of directories. It is allocated before the table of files
/// and the first file name, in DWARF 5 with the table of files' forms in
/// between. Its first entry is the compilation's directory.
void findDirectories(const char *Directory) {
  for (unsigned Before = 2; Before < 4; ++Before) {
    const auto &Table = Reader.Names.Recent[Before];
    const auto *Entries = static_cast<const char *const *>(Table.Memory);
    for (size_t I = 0; Entries && I < Table.Bytes / sizeof *Entries; ++I)
      if (Entries[I] == Directory) {
        Reader.Names.Directory = Entries[0];
        return;
      }
  }
}

/// Corrects "DIRECTORY/NAME" at \p Joined: libbacktrace also joins absolute
/// names of DWARF 5, and leaves relative directories relative.
void correctName(char *Joined, const char *Directory, const char *Name) {
  findDirectories(Directory);
  const char *Right = Name;
  if (*Name != '/') {
    const char *Base = Reader.Names.Directory;
    if (*Directory == '/' || !Base || Base == Directory || !*Base)
      return;
    const size_t BaseBytes = strlen(Base), Bytes = strlen(Joined) + 1;
    auto *Whole = static_cast<char *>(take(BaseBytes + 1 + Bytes));
    if (!Whole)
      return;
    // NOLINTNEXTLINE(bugprone-not-null-terminated-result): a slash follows.
    memcpy(Whole, Base, BaseBytes);
    Whole[BaseBytes] = '/';
    memcpy(Whole + BaseBytes + 1, Joined, Bytes);
    Right = Whole;
  }
  *Joined = kElsewhere;
  memcpy(Joined + 1, &Right, sizeof Right);
}

/// Replaces each copy that libbacktrace makes: it joins a directory and a name
/// with two copies.
void copyPart(char *To, const char *From, size_t Bytes) {
  auto &N = Reader.Names;
  if (N.Start && To == N.Start + N.Bytes + 1 && To[-1] == '/' && Bytes > 0 &&
      From[Bytes - 1] == 0) {
    correctName(N.Start, N.From, From);
    N.Start = nullptr;
  } else {
    N.Start = To;
    N.From = From;
    N.Bytes = Bytes;
  }
}

void ignoreError(void *, const char *, int) {}

const char *keepText(const char *S) {
  size_t Bytes = S ? strlen(S) + 1 : 0;
  if (Bytes == 0 || Bytes > kTextBytes - Reader.TextUsed)
    return nullptr;
  char *Copy = Reader.Text + Reader.TextUsed;
  Reader.TextUsed += Bytes;
  return static_cast<const char *>(memcpy(Copy, S, Bytes));
}

int keepFrame(void *, uintptr_t, const char *File, int Line,
              const char *Function) {
  if (!File && !Function)
    return 0;
  if (Reader.Count < kMostFrames)
    Reader.Frames[Reader.Count++] = {
        keepText(Function), keepText(namedFile(File)),
        Line > 0 ? static_cast<uint32_t>(Line) : 0};
  return 0;
}

/// Entries of libbacktrace's tables are made of words.
void swapBytes(char *A, char *B, size_t Size) {
  uint64_t InA, InB;
  size_t I = 0;
  for (; I + sizeof InA <= Size; I += sizeof InA) {
    memcpy(&InA, A + I, sizeof InA);
    memcpy(&InB, B + I, sizeof InB);
    memcpy(A + I, &InB, sizeof InB);
    memcpy(B + I, &InA, sizeof InA);
  }
  for (; I < Size; ++I) {
    char C = A[I];
    A[I] = B[I];
    B[I] = C;
  }
}

using Compare = int(const void *, const void *);

/// Sifts the element at \p Root of a max-heap of \p Count down.
void sink(char *Base, size_t Root, size_t Count, size_t Size, Compare *Order) {
  for (size_t Child; (Child = Root * 2 + 1) < Count; Root = Child) {
    if (Child + 1 < Count &&
        Order(Base + Child * Size, Base + (Child + 1) * Size) < 0)
      ++Child;
    if (Order(Base + Root * Size, Base + Child * Size) >= 0)
      return;
    swapBytes(Base + Root * Size, Base + Child * Size, Size);
  }
}

/// libbacktrace is shown sections of debug information at multiples of this
/// distance from their real offsets.
constexpr uint64_t kApart = uint64_t{1} << 44;
/// libbacktrace inflates by whole aligned words. It misses the last bits of a
/// stream that ends one byte before a word does.
constexpr uint64_t kEndAlignment = 16;

/// Edits a section table for libbacktrace. It hides the symbol tables, which
/// are large, would be sorted, and are not needed. It also moves the sections
/// of debug information apart, so that each is read by itself and its end can
/// be aligned. (GCC 10 and later read them in one piece unless they are far
/// from each other.)
void editSections(uint64_t At, void *Memory, uint64_t Bytes) {
  if (At == 0 && Bytes == sizeof(ElfW(Ehdr))) {
    Reader.SectionsAt = static_cast<ElfW(Ehdr) *>(Memory)->e_shoff;
    return;
  }
  // libbacktrace may read the first entry by itself.
  if (Reader.SectionsAt == 0 || At < Reader.SectionsAt ||
      At > Reader.SectionsAt + sizeof(ElfW(Shdr)) ||
      (At - Reader.SectionsAt) % sizeof(ElfW(Shdr)) != 0)
    return;
  auto *Sections = static_cast<ElfW(Shdr) *>(Memory);
  for (uint64_t I = 0; I < Bytes / sizeof *Sections; ++I) {
    ElfW(Shdr) &S = Sections[I];
    if (S.sh_type == SHT_SYMTAB || S.sh_type == SHT_DYNSYM)
      S.sh_type = SHT_NULL;
    else if (S.sh_type == SHT_PROGBITS && !(S.sh_flags & SHF_ALLOC))
      S.sh_offset = S.sh_offset % kApart + (I % 65536 + 1) * kApart;
  }
}

bool isSorted(const char *Base, size_t Count, size_t Size, Compare *Order) {
  for (size_t I = 1; I < Count; ++I)
    if (Order(Base + (I - 1) * Size, Base + I * Size) > 0)
      return false;
  return true;
}

/// Opens a regular file for reading. \returns its descriptor; negative if the
/// file cannot be opened or is not a regular one
int openRegular(const char *Path) {
  const int Fd = openForReading(Path);
  if (Fd < 0 || isRegularFile(Fd))
    return Fd;
  closeFile(Fd);
  return -1;
}

} // namespace

bool LineReader::isAvailable() { return true; }

LineReader::LineReader(const char *Path, int Fd, size_t MostBytes) {
  Reader = {};
  Reader.Most = MostBytes;
  Reader.Fd = Fd;
  Reader.Frames =
      static_cast<LineFrame *>(take(kMostFrames * sizeof(LineFrame)));
  Reader.Text = static_cast<char *>(take(kTextBytes));
  if (Reader.Frames && Reader.Text)
    Reader.State = backtrace_create_state(Path, 0, ignoreError, nullptr);
}

LineReader::~LineReader() {
  while (Piece *P = Reader.Pieces) {
    Reader.Pieces = P->Next;
    unmapPages(P, P->Bytes);
  }
  Reader = {};
}

unsigned LineReader::find(uint64_t Address, const LineFrame *&Frames) {
  Reader.Count = 0;
  Reader.TextUsed = 0;
  Reader.Names = {};
  if (Reader.State)
    backtrace_pcinfo(Reader.State, Address, keepFrame, ignoreError, nullptr);
  Frames = Reader.Frames;
  return Reader.Count;
}

} // namespace inmem::rt

using namespace inmem::rt;

extern "C" {

struct backtrace_vector {
  void *base;
  size_t size, alc; ///< bytes in use, bytes left after them
};
struct backtrace_view {
  const void *data; ///< the requested bytes
  void *base;       ///< the memory, of `len` bytes
  size_t len;
};

void *backtrace_alloc(backtrace_state *, size_t Bytes,
                      backtrace_error_callback Fail, void *Data) {
  void *Memory = take(Bytes);
  if (!Memory && Fail)
    Fail(Data, "no memory", ENOMEM);
  auto &Recent = Reader.Names.Recent;
  for (size_t I = sizeof Recent / sizeof *Recent - 1; I > 0; --I)
    Recent[I] = Recent[I - 1];
  Recent[0] = {Memory, Bytes};
  return Memory;
}

void backtrace_free(backtrace_state *, void *Memory, size_t Bytes,
                    backtrace_error_callback, void *) {
  if (Memory)
    releasePiece(Memory, Bytes);
}

void *backtrace_vector_grow(backtrace_state *State, size_t Bytes,
                            backtrace_error_callback Fail, void *Data,
                            backtrace_vector *V) {
  if (Bytes > V->alc) {
    size_t Whole = (V->size + Bytes) * 2;
    void *Fresh =
        backtrace_alloc(State, Whole < 1024 ? 1024 : Whole, Fail, Data);
    if (!Fresh)
      return nullptr;
    if (V->base) {
      memcpy(Fresh, V->base, V->size);
      releasePiece(V->base, V->size + V->alc);
    }
    V->base = Fresh;
    V->alc = (Whole < 1024 ? 1024 : Whole) - V->size;
  }
  void *Result = static_cast<char *>(V->base) + V->size;
  V->size += Bytes;
  V->alc -= Bytes;
  return Result;
}

/// The finished vector keeps its memory; the next one begins after it.
void *backtrace_vector_finish(backtrace_state *, backtrace_vector *V,
                              backtrace_error_callback, void *) {
  void *Result = V->base;
  V->base = static_cast<char *>(V->base) + V->size;
  V->size = 0;
  return Result;
}

int backtrace_vector_release(backtrace_state *, backtrace_vector *V,
                             backtrace_error_callback, void *) {
  V->alc = 0;
  if (V->size == 0)
    V->base = nullptr;
  return 1;
}

void backtrace_qsort(void *Start, size_t Count, size_t Size, Compare *Order) {
  auto *Base = static_cast<char *>(Start);
  if (isSorted(Base, Count, Size, Order))
    return;
  for (size_t Root = Count / 2; Root-- > 0;)
    sink(Base, Root, Count, Size, Order);
  for (size_t Left = Count; Left-- > 1;) {
    swapBytes(Base, Base + Left * Size, Size);
    sink(Base, 0, Left, Size, Order);
  }
}

int backtrace_get_view(backtrace_state *State, int Fd, off_t At, uint64_t Bytes,
                       backtrace_error_callback Fail, void *Data,
                       backtrace_view *View) {
  const uint64_t Start = static_cast<uint64_t>(At) % kApart;
  const uint64_t Before = -Bytes % kEndAlignment;
  // A damaged file's section may claim to be so large that the sum wraps.
  const uint64_t Whole = Bytes > Reader.Most ? Bytes : Before + Bytes;
  void *Base = backtrace_alloc(State, Whole, Fail, Data);
  if (!Base)
    return 0;
  char *Memory = static_cast<char *>(Base) + Before;
  for (uint64_t Got = 0; Got < Bytes;) {
    const long N = readAt(Fd, Memory + Got, Bytes - Got, Start + Got);
    if (N > 0) {
      Got += static_cast<uint64_t>(N);
    } else if (N == 0 || errno != EINTR) {
      releasePiece(Base, Whole);
      Fail(Data, "file too short", 0);
      return 0;
    }
  }
  editSections(Start, Memory, Bytes);
  *View = {Memory, Base, Whole};
  return 1;
}

void backtrace_release_view(backtrace_state *, backtrace_view *View,
                            backtrace_error_callback, void *) {
  releasePiece(View->base, View->len);
}

/// The first file is the one to read; others are separate debug files, of which
/// libbacktrace checks the build id or the checksum. It prepends a folder even
/// to an absolute name, which a file that dwz shares between programs may have.
int backtrace_open(const char *Path, backtrace_error_callback Fail, void *Data,
                   int *DoesNotExist) {
  if (DoesNotExist)
    *DoesNotExist = 0;
  if (!Reader.IsOpen) {
    Reader.IsOpen = true;
    return Reader.Fd;
  }
  int Fd = openRegular(Path);
  const char *Absolute = nullptr;
  for (const char *At = Path; Fd < 0 && (At = strstr(At, "//")); ++At)
    Absolute = At + 1;
  if (Absolute)
    Fd = openRegular(Absolute);
  if (Fd < 0 && DoesNotExist)
    *DoesNotExist = 1;
  else if (Fd < 0)
    Fail(Data, Path, errno);
  return Fd;
}

int backtrace_close(int Fd, backtrace_error_callback, void *) {
  if (Fd != Reader.Fd)
    closeFile(Fd);
  return 1;
}

/// Replaces dl_iterate_phdr: reports the one file, as if loaded at 0. So no
/// lock of the loader is needed, and the file need not be loaded any more.
int inmem_lines_modules(int (*Tell)(struct dl_phdr_info *, size_t, void *),
                        void *Data) {
  struct dl_phdr_info Program = {};
  Program.dlpi_name = "";
  return Tell(&Program, sizeof Program, Data);
}

/// In place of memcpy.
void *inmem_lines_copy(void *To, const void *From, size_t Bytes) {
  memcpy(To, From, Bytes);
  copyPart(static_cast<char *>(To), static_cast<const char *>(From), Bytes);
  return To;
}

/// Replaces snprintf, for messages that are never read.
int inmem_lines_print(char *Buffer, size_t Bytes, const char *, ...) {
  if (Bytes > 0)
    Buffer[0] = 0;
  return 0;
}

} // extern "C"

#endif
