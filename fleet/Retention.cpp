//===- Retention.cpp ------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fleet/Retention.h"

#include "fleet/Durable.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>
#include <unordered_set>

namespace inmem::fleet {

using trace::Result;
using trace::Status;

constexpr int64_t kDaySeconds = int64_t{24} * 60 * 60;

/// Held by the one process that may delete files; ends with the process.
class MaintenanceLock {
public:
  explicit MaintenanceLock(const FleetFolder &Folder) {
    const std::string Name = (Folder / "_manifest" / "_lock").string();
    File = open(Name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (File < 0 || flock(File, LOCK_EX | LOCK_NB) != 0)
      Failure = Status::error(
          Name, errno == EWOULDBLOCK
                    ? "is locked: another process compacts or expires"
                    : std::string("cannot be locked: ") + strerror(errno));
  }
  MaintenanceLock(const MaintenanceLock &) = delete;
  MaintenanceLock &operator=(const MaintenanceLock &) = delete;
  ~MaintenanceLock() {
    if (File >= 0)
      close(File);
  }
  Status Failure;

private:
  int File = -1;
};

/// When a day ended; none of what is not a date.
static std::optional<int64_t> endOf(const std::string &Date) {
  int Year = 0;
  unsigned Month = 0, Day = 0;
  char Rest = 0;
  if (Date.size() != 10 || std::sscanf(Date.c_str(), "%4d-%2u-%2u%c", &Year,
                                       &Month, &Day, &Rest) != 3)
    return std::nullopt;
  const std::chrono::year_month_day Is{std::chrono::year(Year),
                                       std::chrono::month(Month),
                                       std::chrono::day(Day)};
  if (!Is.ok())
    return std::nullopt;
  return (std::chrono::sys_days(Is).time_since_epoch().count() + 1) *
         kDaySeconds;
}

/// Files whose readers had their time; one that is named again stays.
static std::vector<std::string> deletable(const Manifest &M,
                                          const RetentionOptions &Options) {
  std::vector<std::string> Out;
  for (const Tombstone &T : M.Tombstones)
    if (T.Since <= Options.Now - Options.DeleteAfter && !M.has(T.Path))
      Out.push_back(T.Path);
  return Out;
}

static Status bury(const FleetFolder &Folder, const RetentionOptions &Options,
                   RetentionCounts &Counts) {
  return Folder.update([&](Manifest &Next) -> Result<bool> {
    Counts.Expired = Counts.Traces = 0;
    std::erase_if(Next.Files, [&](const FileEntry &F) {
      const auto End = endOf(F.Date);
      if (!End || *End > Options.Now - Options.Keep)
        return false;
      Next.Tombstones.push_back({F.Path, Options.Now});
      ++Counts.Expired;
      Counts.Traces += F.Traces;
      return true;
    });
    return Counts.Expired != 0;
  });
}

static Status removeBuried(const FleetFolder &Folder,
                           const RetentionOptions &Options,
                           RetentionCounts &Counts) {
  const auto M = Folder.newest();
  if (!M)
    return M.status();
  const std::vector<std::string> Paths = deletable(*M, Options);
  for (const std::string &Path : Paths)
    if (Status Done = removeDurably(Folder / Path); !Done.ok())
      return Done;
  Counts.Deleted = Paths.size();
  Counts.Waiting = M->Tombstones.size() - Paths.size();
  const std::unordered_set<std::string> Gone(Paths.begin(), Paths.end());
  return Folder.update([&](Manifest &Next) -> Result<bool> {
    return std::erase_if(Next.Tombstones, [&](const Tombstone &T) {
             return Gone.contains(T.Path);
           }) != 0;
  });
}

Result<RetentionCounts> expire(const FleetFolder &Folder,
                               const RetentionOptions &Options) {
  const MaintenanceLock Lock(Folder);
  if (!Lock.Failure.ok())
    return Lock.Failure;
  RetentionCounts Counts;
  Status Done = bury(Folder, Options, Counts);
  if (Done.ok())
    Done = removeBuried(Folder, Options, Counts);
  if (!Done.ok())
    return Done;
  return Counts;
}

std::optional<int64_t> durationOf(std::string_view Text) {
  int64_t Number = 0;
  const auto [End, Failed] =
      std::from_chars(Text.data(), Text.data() + Text.size(), Number);
  const std::string_view Unit(End, Text.data() + Text.size());
  if (Failed != std::errc() || Number < 0)
    return std::nullopt;
  if (Unit.empty() && Number == 0)
    return 0;
  int64_t Seconds = 0;
  if (Unit == "s")
    Seconds = 1;
  else if (Unit == "m")
    Seconds = 60;
  else if (Unit == "h")
    Seconds = 60 * 60;
  else if (Unit == "d")
    Seconds = kDaySeconds;
  else if (Unit == "w")
    Seconds = 7 * kDaySeconds;
  if (Seconds == 0 || Number > kDaySeconds * 1'000'000 / Seconds)
    return std::nullopt;
  return Number * Seconds;
}

} // namespace inmem::fleet
