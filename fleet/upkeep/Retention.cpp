//===- Retention.cpp - Old days leave a fleet's folder --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fleet/upkeep/Upkeep.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>

namespace inmem::fleet {

using trace::Result;
using trace::Status;

constexpr int64_t kDaySeconds = int64_t{24} * 60 * 60;

/// The end of a day; nullopt if it is not a date.
static std::optional<int64_t> endOf(const std::string &Date) {
  const auto Number = [&](size_t At, size_t Length) {
    unsigned Out = 0;
    const char *const From = Date.data() + At;
    const auto [End, Error] = std::from_chars(From, From + Length, Out);
    return Error == std::errc() && End == From + Length ? Out : 0;
  };
  if (Date.size() != 10 || Date[4] != '-' || Date[7] != '-')
    return std::nullopt;
  const int Year = static_cast<int>(Number(0, 4));
  const unsigned Month = Number(5, 2), Day = Number(8, 2);
  const std::chrono::year_month_day Is{std::chrono::year(Year),
                                       std::chrono::month(Month),
                                       std::chrono::day(Day)};
  if (!Is.ok())
    return std::nullopt;
  return (std::chrono::sys_days(Is).time_since_epoch().count() + 1) *
         kDaySeconds;
}

static Status bury(const FleetFolder &Folder, const RetentionOptions &Options,
                   RetentionCounts &Counts) {
  return Folder.update([&](Manifest &Next) -> Result<bool> {
    Counts.Expired = Counts.Traces = 0;
    std::erase_if(Next.Files, [&](const FileEntry &F) {
      const auto End = endOf(F.Date);
      if (!End || *End > Options.Upkeep.Now - Options.Keep)
        return false;
      Next.Tombstones.push_back({F.Path, Options.Upkeep.Now, {}});
      ++Counts.Expired;
      Counts.Traces += F.Traces;
      return true;
    });
    return Counts.Expired != 0;
  });
}

Result<RetentionCounts> expire(const FleetFolder &Folder,
                               const RetentionOptions &Options) {
  const MaintenanceLock Lock(Folder);
  if (!Lock.Failure.ok())
    return Lock.Failure;
  RetentionCounts Counts;
  if (Status Done = bury(Folder, Options, Counts); !Done.ok())
    return Done;
  const auto Removed = removeUnneeded(Folder, Options.Upkeep);
  if (!Removed)
    return Removed.status();
  Counts.Upkeep = *Removed;
  return Counts;
}

} // namespace inmem::fleet
