//===- TraceKey.cpp - The key under which a trace is filed ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fleet/tables/Batch.h"
#include "fleet/tables/ContentHash.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>

namespace inmem::fleet {

/// Cuts UTF-8 between characters.
static std::string capped(std::string_view Text) {
  if (Text.size() <= kLongestLabel)
    return std::string(Text);
  size_t End = kLongestLabel;
  while (End > 0 && (static_cast<unsigned char>(Text[End]) & 0xc0u) == 0x80u)
    --End;
  return std::string(Text.substr(0, End));
}

static std::string dateOf(uint64_t UnixNs) {
  const std::chrono::sys_days Day = std::chrono::floor<std::chrono::days>(
      std::chrono::sys_seconds(std::chrono::seconds(UnixNs / 1'000'000'000)));
  const std::chrono::year_month_day Date(Day);
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(Date.year()),
                     static_cast<unsigned>(Date.month()),
                     static_cast<unsigned>(Date.day()));
}

static std::string buildIdOf(const trace::Trace &T) {
  std::string Out;
  for (const trace::Module &M : T.Modules)
    if (Out.empty() && M.Path == T.Executable)
      for (const char Byte : M.BuildId)
        Out += fmt::format("{:02x}", static_cast<unsigned char>(Byte));
  return Out;
}

static int64_t traceIdOf(const trace::Trace &T) {
  if (T.Header.StartUnixNs == 0) {
    const auto Bytes = T.File->bytes();
    return idOf({reinterpret_cast<const char *>(Bytes.data()) + T.Base,
                 T.End - T.Base});
  }
  return idOf(fmt::format("{}\n{}\n{}\n{}", T.Host, T.Header.Pid,
                          T.Header.StartUnixNs, T.Header.StartTicks));
}

std::string partitionName(std::string_view Text) {
  constexpr size_t kLongest = 100;
  std::string Out(Text.substr(0, kLongest));
  for (char &C : Out) {
    const bool Letter = (C >= 'a' && C <= 'z') || (C >= 'A' && C <= 'Z');
    const bool Digit = C >= '0' && C <= '9';
    if (!Letter && !Digit && C != '.' && C != '-')
      C = '_';
  }
  return Out.empty() ? "unknown" : Out;
}

TraceKey keyOf(const trace::Trace &T, const DefaultLabels &Defaults) {
  TraceKey Out;
  Out.TraceId = traceIdOf(T);
  Out.Date = dateOf(T.Header.StartUnixNs);
  for (const auto &[Name, Value] : T.labels())
    if (Out.Labels.size() < kMostLabels)
      Out.Labels.emplace_back(capped(Name), capped(Value));
  const auto Find = [&](std::string_view Name) {
    return std::ranges::find(Out.Labels, Name, [](const auto &L) {
      return std::string_view(L.first);
    });
  };
  for (const auto &[Name, Value] : Defaults)
    if (Find(Name) == Out.Labels.end() && Out.Labels.size() < kMostLabels)
      Out.Labels.emplace_back(capped(Name), capped(Value));
  const auto LabelOr = [&](std::string_view Name, const std::string &Else) {
    const auto At = Find(Name);
    return At == Out.Labels.end() || At->second.empty() ? Else : At->second;
  };
  const std::string_view Executable =
      T.Executable.substr(T.Executable.rfind('/') + 1);
  Out.Service = partitionName(LabelOr("service", std::string(Executable)));
  Out.Build = LabelOr("build", buildIdOf(T));
  if (Out.Build.empty())
    Out.Build = "unknown";
  return Out;
}

} // namespace inmem::fleet
