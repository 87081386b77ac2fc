//===- Compressed.cpp - Unpacking traces ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/read/Compressed.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <unistd.h>
#include <vector>
#include <zlib.h>
#include <zstd.h>

namespace inmem::trace {

static bool beginsWith(std::span<const std::byte> File,
                       std::initializer_list<unsigned char> Magic) {
  return File.size() >= Magic.size() &&
         std::equal(Magic.begin(), Magic.end(), File.begin(),
                    [](unsigned char Byte, std::byte Found) {
                      return std::byte{Byte} == Found;
                    });
}

Compression compressionOf(std::span<const std::byte> File) {
  return beginsWith(File, {0x1f, 0x8b, 8})            ? Compression::Gzip
         : beginsWith(File, {0x28, 0xb5, 0x2f, 0xfd}) ? Compression::Zstd
                                                      : Compression::None;
}

const char *otherUnpacker(std::span<const std::byte> File) {
  if (beginsWith(File, {0xfd, '7', 'z', 'X', 'Z', 0}))
    return "xz -dk";
  if (beginsWith(File, {0x04, 0x22, 0x4d, 0x18}))
    return "lz4 -d";
  if (beginsWith(File, {'P', 'K', 3, 4}))
    return "unzip";
  // The header's digit is followed by the magic number of the first block, or
  // of the end.
  if (beginsWith(File, {'B', 'Z', 'h'}) && File.size() > 4 &&
      (beginsWith(File.subspan(4), {0x31, 0x41, 0x59, 0x26, 0x53, 0x59}) ||
       beginsWith(File.subspan(4), {0x17, 0x72, 0x45, 0x38, 0x50, 0x90})))
    return "bzip2 -dk";
  return nullptr;
}

int temporaryFile() {
  const char *Folder = std::getenv("TMPDIR");
  std::string Path = Folder && *Folder ? Folder : "/tmp";
  const int Unnamed = open(Path.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (Unnamed >= 0)
    return Unnamed;
  Path += "/inmem-XXXXXX"; // not every file system supports O_TMPFILE
  const int Fd = mkostemp(Path.data(), O_CLOEXEC);
  if (Fd >= 0)
    unlink(Path.c_str());
  return Fd;
}

namespace {

/// Collects unpacked data and writes it in pieces.
class Sink {
public:
  Sink(int Fd, const std::string &Name) : Fd(Fd), Name(Name) {}
  std::span<char> room() { return Piece; }
  Status write(size_t Size) {
    for (size_t At = 0; At < Size;) {
      const ssize_t Some = ::write(Fd, Piece.data() + At, Size - At);
      if (Some < 0 && errno == EINTR)
        continue;
      if (Some < 0)
        return Status::error(Name,
                             std::string("cannot unpack it into a temporary "
                                         "file: ") +
                                 strerror(errno));
      At += static_cast<size_t>(Some);
    }
    return {};
  }

private:
  int Fd;
  const std::string &Name;
  std::vector<char> Piece = std::vector<char>(size_t{1} << 18);
};

Status damaged(const std::string &Name, const char *Format, const char *What) {
  return Status::error(Name, std::string("cannot unpack ") + Format +
                                 " data: " + What);
}

/// \param Cut as for unpack()
Status endsEarly(const std::string &Name, const char *Format, bool *Cut) {
  if (!Cut)
    return damaged(Name, Format, "it ends early");
  *Cut = true;
  return {};
}

Status unpackGzip(std::span<const std::byte> File, const std::string &Name,
                  Sink &Out, bool *Cut) {
  z_stream Stream{};
  if (inflateInit2(&Stream, 15 + 16) != Z_OK) // gzip's header and checksum
    return damaged(Name, "gzip", "no memory");
  const std::unique_ptr<z_stream, decltype(&inflateEnd)> Guard(&Stream,
                                                               inflateEnd);
  int Code = Z_OK;
  while (!File.empty() || Stream.avail_in > 0) {
    if (Stream.avail_in == 0) {
      const size_t Some = std::min<size_t>(File.size(), UINT_MAX);
      Stream.next_in =
          reinterpret_cast<Bytef *>(const_cast<std::byte *>(File.data()));
      Stream.avail_in = static_cast<uInt>(Some);
      File = File.subspan(Some);
    }
    if (Code == Z_STREAM_END) // another gzip member follows
      inflateReset(&Stream);
    do {
      const auto Room = Out.room();
      Stream.next_out = reinterpret_cast<Bytef *>(Room.data());
      Stream.avail_out = static_cast<uInt>(Room.size());
      Code = inflate(&Stream, Z_NO_FLUSH);
      if (Code != Z_OK && Code != Z_STREAM_END && Code != Z_BUF_ERROR)
        return damaged(Name, "gzip", Stream.msg ? Stream.msg : "it is damaged");
      if (Status Done = Out.write(Room.size() - Stream.avail_out); !Done.ok())
        return Done;
    } while (Code != Z_STREAM_END && Stream.avail_out == 0);
  }
  return Code == Z_STREAM_END ? Status() : endsEarly(Name, "gzip", Cut);
}

Status unpackZstd(std::span<const std::byte> File, const std::string &Name,
                  Sink &Out, bool *Cut) {
  const std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> Stream(
      ZSTD_createDStream(), ZSTD_freeDStream);
  if (!Stream)
    return damaged(Name, "zstd", "no memory");
  ZSTD_inBuffer In{File.data(), File.size(), 0};
  size_t Code = 0;
  bool Full = false;
  // At the end of a frame no output is pending, even if the piece is full.
  while (In.pos < In.size || (Full && Code != 0)) {
    const auto Room = Out.room();
    ZSTD_outBuffer Piece{Room.data(), Room.size(), 0};
    Code = ZSTD_decompressStream(Stream.get(), &Piece, &In);
    if (ZSTD_isError(Code))
      return damaged(Name, "zstd", ZSTD_getErrorName(Code));
    if (Status Done = Out.write(Piece.pos); !Done.ok())
      return Done;
    Full = Piece.pos == Piece.size;
  }
  return Code == 0 ? Status() : endsEarly(Name, "zstd", Cut);
}

} // namespace

Status unpack(std::span<const std::byte> File, Compression How,
              const std::string &Name, int To, bool *Cut) {
  Sink Out(To, Name);
  return How == Compression::Gzip ? unpackGzip(File, Name, Out, Cut)
                                  : unpackZstd(File, Name, Out, Cut);
}

} // namespace inmem::trace
