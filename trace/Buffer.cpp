//===- Buffer.cpp - Mapping and reading files -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Buffer.h"

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

Result<std::shared_ptr<const Buffer>> Buffer::open(const std::string &Path) {
  Descriptor File{::open(Path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (File.Fd < 0)
    return systemError(Path, "open");
  struct stat Info;
  if (fstat(File.Fd, &Info) != 0)
    return systemError(Path, "stat");
  if (S_ISDIR(Info.st_mode))
    return Status::error(Path, "cannot read: is a directory");

  std::shared_ptr<Buffer> Out(new Buffer);
  Out->Name = Path;
  if (S_ISREG(Info.st_mode) && Info.st_size > 0) {
    const size_t Size = static_cast<size_t>(Info.st_size);
    void *Where = mmap(nullptr, Size, PROT_READ, MAP_SHARED, File.Fd, 0);
    if (Where != MAP_FAILED) {
      Out->Mapped = true;
      // No pages around those that are asked for: most of a long trace is
      // events, which a report need not touch.
      madvise(Where, Size, MADV_RANDOM);
      Out->View = {static_cast<const std::byte *>(Where), Size};
      return std::shared_ptr<const Buffer>(Out);
    }
  }
  constexpr size_t kChunk = size_t{1} << 20;
  size_t Used = 0;
  for (;;) {
    Out->Own.resize(Used + kChunk);
    const ssize_t Got = ::read(File.Fd, Out->Own.data() + Used, kChunk);
    if (Got < 0 && errno == EINTR)
      continue;
    if (Got < 0)
      return systemError(Path, "read");
    if (Got == 0)
      break;
    Used += static_cast<size_t>(Got);
  }
  Out->Own.resize(Used);
  Out->View = Out->Own;
  return std::shared_ptr<const Buffer>(Out);
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
