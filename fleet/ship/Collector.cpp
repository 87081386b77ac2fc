//===- Collector.cpp ------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fleet/ship/Collector.h"

#include "fleet/tables/Batch.h"
#include "fleet/tables/ContentHash.h"
#include "fleet/tables/Durable.h"
#include "trace/format/Format.h"
#include "trace/read/Buffer.h"
#include "trace/read/Reader.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <sys/mman.h>
#include <sys/stat.h>
#include <thread>
#include <tuple>
#include <unistd.h>
#include <utility>

namespace inmem::fleet {

namespace fs = std::filesystem;
using trace::Result;
using trace::Status;

static std::string stateOf(const struct stat &Is) {
  return fmt::format("{} {} {}.{:09}", Is.st_ino, Is.st_size, Is.st_mtim.tv_sec,
                     Is.st_mtim.tv_nsec);
}

/// False for a link, which may lead anywhere, and if it is not a file.
static bool statFile(const fs::path &File, struct stat &Is) {
  return lstat(File.c_str(), &Is) == 0 && S_ISREG(Is.st_mode);
}

/// True if the process that writes a trace exists on this host.
static bool isAlive(const trace::FileHeader &Header) {
  char Host[sizeof Header.Host] = {};
  gethostname(Host, sizeof Host - 1);
  return std::string_view(Host) ==
             std::string_view(Header.Host,
                              strnlen(Header.Host, sizeof Header.Host)) &&
         access(fmt::format("/proc/{}", Header.Pid).c_str(), F_OK) == 0;
}

bool Collector::hasEnded(const fs::path &File, int64_t ChangedAt) const {
  const int64_t Unchanged =
      std::chrono::system_clock::to_time_t(std::chrono::system_clock::now()) -
      ChangedAt;
  trace::FileHeader Header{};
  std::ifstream(File, std::ios::binary)
      .read(reinterpret_cast<char *>(&Header), sizeof Header);
  // A compressed trace is written only after the process has ended.
  const bool Running =
      std::memcmp(Header.Magic, trace::kMagic, sizeof Header.Magic) == 0 &&
      Header.State == trace::RunState::Running;
  if (Running)
    return Unchanged >= Options.KilledAfter.count() && !isAlive(Header);
  return Unchanged >= Options.Settle.count();
}

std::vector<Collector::Source> Collector::endedTraces() {
  std::vector<std::pair<int64_t, Source>> Found;
  std::error_code Error;
  Sum.Running = 0;
  for (const auto &File : fs::directory_iterator(Options.From, Error)) {
    const std::string Name = File.path().filename().string();
    struct stat Is{};
    if (!(Name.ends_with(".inmem") || Name.ends_with(".inmem.gz") ||
          Name.ends_with(".inmem.zst")) ||
        !statFile(File.path(), Is))
      continue;
    Source S{File.path(), stateOf(Is), static_cast<uint64_t>(Is.st_size)};
    const auto Known = Bad.find(S.Path);
    if (Known != Bad.end() && Known->second == S.State)
      continue;
    if (hasEnded(S.Path, Is.st_mtim.tv_sec))
      Found.emplace_back(Is.st_mtim.tv_sec, std::move(S));
    else
      ++Sum.Running;
  }
  std::ranges::sort(Found, [](const auto &A, const auto &B) {
    return std::tie(A.first, A.second.Path) < std::tie(B.first, B.second.Path);
  });
  std::vector<Source> Out;
  Out.reserve(Found.size());
  for (auto &[Time, S] : Found)
    Out.push_back(std::move(S));
  return Out;
}

std::vector<Status> Collector::takeUnreadable() {
  return std::exchange(NewlyBad, {});
}

static std::string traceKeyOf(const trace::Trace &T,
                              const trace::Buffer &File) {
  const TraceKey Key = keyOf(T);
  Hash128 Hash;
  const auto Bytes = File.bytes();
  Hash.add({reinterpret_cast<const char *>(Bytes.data()), Bytes.size()});
  return fmt::format("date={}/service={}/{}.inmem.zst", Key.Date, Key.Service,
                     Hash.hex());
}

Result<bool> Collector::take(const Source &From) {
  const auto Unreadable = [&](const Status &Why) {
    Bad[From.Path] = From.State;
    NewlyBad.push_back(Why);
    return false;
  };
  const auto File = trace::Buffer::open(From.Path.string());
  if (!File)
    return Unreadable(File.status());
  const auto Traces = trace::readTraces(*File);
  if (!Traces)
    return Unreadable(Traces.status());
  if (Traces->empty())
    return Unreadable(Status::error(From.Path.string(), "has no process"));
  const std::string Key = traceKeyOf(Traces->front(), **File);
  const Status Taken = From.Bytes > Options.SpoolBytes
                           ? Status::error("", "larger than the spool")
                           : Own.take(Key, (*File)->bytes());
  if (!Taken.ok()) {
    // The disk is full. Shipping a trace directly makes room.
    bool Shipped = false;
    if (Status Done = shipFromMemory(Key, (*File)->bytes(), Shipped);
        !Done.ok())
      return Status::error(Taken.str(), Done.str());
  }
  // Another process may have given the name to a new trace.
  struct stat Is{};
  if (statFile(From.Path, Is) && stateOf(Is) == From.State)
    if (Status Done = removeDurably(From.Path); !Done.ok())
      return Done;
  return true;
}

void Collector::sleep(std::chrono::milliseconds Time) const {
  constexpr std::chrono::milliseconds kPiece{100};
  for (; Time.count() > 0 && !Options.Stop(); Time -= kPiece)
    std::this_thread::sleep_for(std::min(Time, kPiece));
}

Status Collector::ship(const std::string &Key, const fs::path &File,
                       bool &Shipped) {
  std::error_code Error;
  const uint64_t Bytes = fs::file_size(File, Error);
  PutOutcome Done;
  auto Wait = Options.FirstWait;
  for (unsigned Attempt = 1;; ++Attempt, Wait *= 2) {
    Done = To.put(Key, File);
    if (Done.How != PutOutcome::Failed || Attempt >= Options.Attempts ||
        Options.Stop())
      break;
    sleep(Wait);
  }
  if (!Done.ok())
    return Status::error("", Done.Why);
  Shipped = true;
  if (Done.How == PutOutcome::Present) {
    ++Sum.Present;
    return {};
  }
  ++Sum.Added;
  Sum.Bytes += Bytes;
  return {};
}

Status Collector::shipFromMemory(const std::string &Key,
                                 std::span<const std::byte> Trace,
                                 bool &Shipped) {
  const int Room = memfd_create("inmem-collect", MFD_CLOEXEC);
  if (Room < 0)
    return Status::error("", std::string("no memory to compress it: ") +
                                 std::strerror(errno));
  const fs::path File = fmt::format("/proc/self/fd/{}", Room);
  Status Done = compressTo(File, Trace);
  if (Done.ok())
    Done = ship(Key, File, Shipped);
  close(Room);
  return Done;
}

Status Collector::shipSpool(bool &Shipped) {
  for (const Spool::StoredTrace &E : Own.entries()) {
    if (Options.Stop())
      return {};
    if (Status Done = ship(E.Key, Own.fileOf(E.Key), Shipped); !Done.ok())
      return Done;
    if (Status Done = Own.drop(E.Key); !Done.ok())
      return Done;
  }
  return {};
}

Status Collector::pass() {
  Status Done;
  bool Moved = true;
  while (Moved && Done.ok() && !Options.Stop()) {
    Moved = false;
    uint64_t Bytes = 0;
    for (const Spool::StoredTrace &E : Own.entries())
      Bytes += E.Bytes;
    for (const Source &S : endedTraces()) {
      // Compressed data takes less space, so this is at most the limit.
      if (Options.Stop() ||
          (Bytes != 0 && Bytes + S.Bytes > Options.SpoolBytes))
        break;
      const auto Taken = take(S);
      if (!Taken) {
        Done = Taken.status();
        break;
      }
      Moved = Moved || *Taken;
      Bytes += S.Bytes;
    }
    if (Status Sent = shipSpool(Moved); Done.ok())
      Done = Sent;
  }
  Sum.Waiting = Own.entries().size() + endedTraces().size();
  return Done;
}

} // namespace inmem::fleet
