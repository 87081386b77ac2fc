//===- Spool.cpp ----------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fleet/ship/Spool.h"

#include "fleet/tables/Durable.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <memory>
#include <sys/file.h>
#include <tuple>
#include <unistd.h>
#include <utility>
#include <zstd.h>

namespace inmem::fleet {

namespace fs = std::filesystem;
using trace::Result;
using trace::Status;

constexpr int kCompression = 3;

static bool removeParts(const fs::path &Folder, std::error_code &Error) {
  for (const auto &File : fs::recursive_directory_iterator(Folder, Error))
    if (isPart(File.path().filename().string()))
      fs::remove(File.path(), Error);
  return !Error;
}

Result<Spool> Spool::open(const fs::path &Folder) {
  if (Status Made = makeFolder(Folder); !Made.ok())
    return Made;
  const std::string Name = (Folder / "_lock").string();
  const int Lock = ::open(Name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (Lock < 0)
    return Status::error(Name, std::string("cannot be opened: ") +
                                   std::strerror(errno));
  Spool Out(Folder, Lock);
  if (flock(Lock, LOCK_EX | LOCK_NB) != 0)
    return Status::error(Folder.string(), "is the spool of another process");
  std::error_code Error;
  if (!removeParts(Folder, Error))
    return Status::error(Folder.string(), "cannot be read: " + Error.message());
  return Out;
}

Spool::Spool(Spool &&From) noexcept
    : Folder(std::move(From.Folder)), Lock(std::exchange(From.Lock, -1)) {}

Spool::~Spool() {
  if (Lock >= 0)
    close(Lock);
}

static bool compressInto(std::ofstream &Out, std::span<const std::byte> Trace) {
  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> Context(
      ZSTD_createCCtx(), ZSTD_freeCCtx);
  if (!Context)
    return false;
  ZSTD_CCtx_setParameter(Context.get(), ZSTD_c_compressionLevel, kCompression);
  ZSTD_CCtx_setParameter(Context.get(), ZSTD_c_checksumFlag, 1);
  std::vector<char> Room(ZSTD_CStreamOutSize());
  ZSTD_inBuffer In{Trace.data(), Trace.size(), 0};
  size_t Left = 0;
  do {
    ZSTD_outBuffer Piece{Room.data(), Room.size(), 0};
    Left = ZSTD_compressStream2(Context.get(), &Piece, &In, ZSTD_e_end);
    if (ZSTD_isError(Left))
      return false;
    Out.write(Room.data(), static_cast<std::streamsize>(Piece.pos));
  } while (Left != 0 && Out);
  return true;
}

Status compressTo(const fs::path &File, std::span<const std::byte> Trace) {
  std::ofstream Out(File, std::ios::binary | std::ios::trunc);
  const bool Compressed = compressInto(Out, Trace);
  Out.close();
  if (Compressed && Out)
    return {};
  return Status::error(File.string(), std::string("cannot be written: ") +
                                          std::strerror(errno));
}

Status Spool::take(const std::string &Key, std::span<const std::byte> Trace) {
  const fs::path Final = fileOf(Key);
  std::error_code Error;
  if (fs::exists(Final, Error))
    return {};
  if (Status Made = makeFolder(Final.parent_path()); !Made.ok())
    return Made;
  reachStep("write");
  const fs::path Part = partOf(Final);
  Status Done = compressTo(Part, Trace);
  if (Done.ok())
    Done = publish(Final);
  if (!Done.ok())
    fs::remove(Part, Error);
  return Done;
}

std::vector<Spool::StoredTrace> Spool::entries() const {
  std::vector<StoredTrace> Out;
  std::error_code Error;
  for (const auto &File : fs::recursive_directory_iterator(Folder, Error)) {
    if (!File.path().filename().string().ends_with(".inmem.zst") ||
        !File.is_regular_file(Error))
      continue;
    StoredTrace E{File.path().lexically_relative(Folder).string(),
                  File.file_size(Error), File.last_write_time(Error)};
    if (!Error)
      Out.push_back(std::move(E));
  }
  std::ranges::sort(Out, [](const StoredTrace &A, const StoredTrace &B) {
    return std::tie(A.Taken, A.Key) < std::tie(B.Taken, B.Key);
  });
  return Out;
}

Status Spool::drop(const std::string &Key) const {
  if (Status Done = removeDurably(fileOf(Key)); !Done.ok())
    return Done;
  // Removes folders of past days. A folder that is not empty stays.
  const fs::path Service = fileOf(Key).parent_path();
  if (rmdir(Service.c_str()) == 0)
    rmdir(Service.parent_path().c_str());
  return {};
}

} // namespace inmem::fleet
