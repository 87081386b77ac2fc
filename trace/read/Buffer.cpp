//===- Buffer.cpp - Mapping and reading files -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/read/Buffer.h"

#include "trace/read/Compressed.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace inmem::trace {

namespace {

/// Closes a descriptor at the end of a scope.
struct Descriptor {
  int Fd;
  ~Descriptor() {
    if (Fd >= 0)
      ::close(Fd);
  }
};

Status systemError(const std::string &Path, const char *Doing) {
  return Status::error(Path,
                       std::string("cannot ") + Doing + ": " + strerror(errno));
}

} // namespace

bool Buffer::map(int Fd, size_t Size) {
  void *Where = mmap(nullptr, Size, PROT_READ, MAP_SHARED, Fd, 0);
  if (Where == MAP_FAILED)
    return false;
  Mapped = true;
  // Read no pages around the requested ones: most of a long trace is events,
  // which a report need not touch.
  madvise(Where, Size, MADV_RANDOM);
  View = {static_cast<const std::byte *>(Where), Size};
  return true;
}

Status Buffer::readAll(int Fd) {
  constexpr size_t kChunk = size_t{1} << 20;
  size_t Used = 0;
  for (;;) {
    Own.resize(Used + kChunk);
    const ssize_t Got = ::read(Fd, Own.data() + Used, kChunk);
    if (Got < 0 && errno == EINTR)
      continue;
    if (Got < 0)
      return systemError(Name, "read");
    if (Got == 0)
      break;
    Used += static_cast<size_t>(Got);
  }
  Own.resize(Used);
  View = Own;
  return {};
}

Result<std::shared_ptr<const Buffer>> Buffer::open(const std::string &Path,
                                                   bool MayBeCut) {
  const bool Input = Path == "-";
  Descriptor File{Input ? dup(STDIN_FILENO)
                        : ::open(Path.c_str(), O_RDONLY | O_CLOEXEC)};
  const std::string Name = Input ? "standard input" : Path;
  if (File.Fd < 0)
    return systemError(Name, "open");
  struct stat Info;
  if (fstat(File.Fd, &Info) != 0)
    return systemError(Name, "stat");
  if (S_ISDIR(Info.st_mode))
    return Status::error(Name, "cannot read: is a directory");

  std::shared_ptr<Buffer> Out(new Buffer);
  Out->Name = Name;
  if (!S_ISREG(Info.st_mode) || Info.st_size == 0 ||
      !Out->map(File.Fd, static_cast<size_t>(Info.st_size)))
    if (Status Read = Out->readAll(File.Fd); !Read.ok())
      return Read;
  const Compression How = compressionOf(Out->View);
  if (const char *Unpacker = otherUnpacker(Out->View))
    return Status::error(
        Name, std::string("compressed in a format that inmem does not read; "
                          "unpack it first: ") +
                  Unpacker + ' ' + (Input ? "FILE" : Path));
  if (How == Compression::None)
    return std::shared_ptr<const Buffer>(Out);
  // Unpacked on disk, like a trace, so that one of any length takes little
  // memory.
  Descriptor Unpacked{temporaryFile()};
  if (Unpacked.Fd < 0)
    return systemError(Name, "unpack it into a temporary file");
  std::shared_ptr<Buffer> Plain(new Buffer);
  Plain->Name = Name;
  if (Status Done = unpack(Out->View, How, Name, Unpacked.Fd,
                           MayBeCut ? &Plain->EndsEarly : nullptr);
      !Done.ok())
    return Done;
  if (fstat(Unpacked.Fd, &Info) != 0)
    return systemError(Name, "stat");
  if (Info.st_size > 0 &&
      !Plain->map(Unpacked.Fd, static_cast<size_t>(Info.st_size)))
    return systemError(Name, "map");
  return std::shared_ptr<const Buffer>(Plain);
}

std::shared_ptr<const Buffer> Buffer::fromBytes(std::vector<std::byte> Bytes,
                                                std::string Name) {
  std::shared_ptr<Buffer> Out(new Buffer);
  Out->Name = std::move(Name);
  Out->Own = std::move(Bytes);
  Out->View = Out->Own;
  return Out;
}

void Buffer::advise(uint64_t Offset, uint64_t Bytes, int Advice) const {
  if (!Mapped || Offset >= View.size())
    return;
  const auto Page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  const uint64_t End = std::min<uint64_t>(Offset + Bytes, View.size());
  Offset -= Offset % Page;
  madvise(const_cast<std::byte *>(View.data()) + Offset, End - Offset, Advice);
}

void Buffer::willRead(uint64_t Offset, uint64_t Bytes) const {
  advise(Offset, Bytes, MADV_WILLNEED);
}

void Buffer::haveRead(uint64_t Offset, uint64_t Bytes) const {
  advise(Offset, Bytes, MADV_DONTNEED);
}

Buffer::~Buffer() {
  if (Mapped)
    munmap(const_cast<std::byte *>(View.data()), View.size());
}

} // namespace inmem::trace
