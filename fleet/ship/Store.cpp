//===- Store.cpp ----------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fleet/ship/Store.h"

#include "fleet/ship/S3Store.h"
#include "fleet/tables/Durable.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <thread>
#include <vector>

namespace inmem::fleet {

namespace fs = std::filesystem;
using trace::Result;
using trace::Status;

/// Part files of killed collectors are removed after this time.
constexpr std::chrono::hours kPartAge{24};

void Throttle::passed(uint64_t Bytes) {
  if (Limit == 0)
    return;
  const int64_t Now = std::chrono::steady_clock::now().time_since_epoch() /
                      std::chrono::nanoseconds(1);
  const double Since =
      LastNs == 0 ? 0 : static_cast<double>(Now - LastNs) / 1e9;
  LastNs = Now;
  DebtSeconds = std::max(0.0, DebtSeconds - Since) +
                static_cast<double>(Bytes) / static_cast<double>(Limit);
  // A shorter sleep takes longer than it should.
  constexpr double kShortest = 0.01;
  if (DebtSeconds >= kShortest)
    std::this_thread::sleep_for(std::chrono::duration<double>(DebtSeconds));
}

static Status copyTo(const fs::path &From, const fs::path &Part,
                     Throttle &Rate) {
  constexpr size_t kPiece = size_t{256} << 10;
  std::ifstream In(From, std::ios::binary);
  if (!In)
    return Status::error(From.string(), std::string("cannot be read: ") +
                                            std::strerror(errno));
  std::ofstream Out(Part, std::ios::binary | std::ios::trunc);
  std::vector<char> Piece(kPiece);
  while (Out && In.read(Piece.data(), kPiece).gcount() > 0) {
    Out.write(Piece.data(), In.gcount());
    Rate.passed(static_cast<uint64_t>(In.gcount()));
  }
  Out.close();
  if (In.bad() || !Out)
    return Status::error((In.bad() ? From : Part).string(),
                         std::string("cannot be copied: ") +
                             std::strerror(errno));
  return {};
}

void DirectoryStore::removeOldParts(const fs::path &Within) {
  if (!Swept.insert(Within).second)
    return;
  std::error_code Error;
  const auto Now = fs::file_time_type::clock::now();
  for (const auto &File : fs::directory_iterator(Within, Error)) {
    const auto Written = File.last_write_time(Error);
    if (!Error && isPart(File.path().filename().string()) &&
        Now - Written > kPartAge)
      fs::remove(File.path(), Error);
  }
}

PutOutcome DirectoryStore::put(const std::string &Key, const fs::path &File) {
  const fs::path Final = Root / Key;
  std::error_code Error;
  if (fs::exists(Final, Error))
    return {PutOutcome::Present};
  if (Status Made = makeFolder(Final.parent_path()); !Made.ok())
    return {PutOutcome::Failed, Made.str()};
  removeOldParts(Final.parent_path());
  reachStep("write");
  const fs::path Part = partOf(Final);
  if (Status Done = copyTo(File, Part, Rate); !Done.ok()) {
    fs::remove(Part, Error);
    return {PutOutcome::Failed, Done.str()};
  }
  const auto Created = publishNew(Final);
  if (!Created)
    return {PutOutcome::Failed, Created.status().str()};
  return {*Created ? PutOutcome::Added : PutOutcome::Present};
}

Result<std::unique_ptr<Store>>
openStore(const std::string &Url, uint64_t BytesPerSecond, uint64_t PartBytes) {
  constexpr std::string_view kFile = "file://";
  if (Url.starts_with("s3://")) {
    auto Options = s3Options(Url);
    if (!Options)
      return Options.status();
    Options->PartBytes = PartBytes;
    return S3Store::open(std::move(*Options), BytesPerSecond);
  }
  std::string Path = Url;
  if (Url.starts_with(kFile))
    Path = Url.substr(kFile.size());
  const bool Wrong = Url.starts_with(kFile)
                         ? !Path.starts_with('/')
                         : Url.empty() || Url.find("://") != std::string::npos;
  if (Wrong)
    return Status::error("", "expected a folder, file:///FOLDER or "
                             "s3://BUCKET/PREFIX, found '" +
                                 Url + '\'');
  std::error_code Error;
  if (fs::exists(Path, Error) && !fs::is_directory(Path, Error))
    return Status::error(Path, "is a file, where a folder is expected");
  return std::unique_ptr<Store>(
      std::make_unique<DirectoryStore>(Path, BytesPerSecond));
}

} // namespace inmem::fleet
