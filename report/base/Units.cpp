//===- Units.cpp - Rounding and parsing -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/base/Units.h"

#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <span>

namespace inmem::report {

/// Two or three significant digits: 1.2, 12.3, 123.
static std::string significant(double Value) {
  if (Value < 99.95)
    return fmt::format("{:.1f}", Value);
  return fmt::format("{:.0f}", Value);
}

/// \p Value in the largest of \p Units, \p Step apart, that it reaches after
/// rounding.
static std::string scaled(double Value, double Step,
                          std::span<const char *const> Units) {
  Value /= Step;
  size_t Unit = 0;
  while (Value >= Step - 0.5 && Unit + 1 < Units.size()) {
    Value /= Step;
    ++Unit;
  }
  return significant(Value) + ' ' + Units[Unit];
}

std::string humanBytes(uint64_t Bytes) {
  if (Bytes < 1024)
    return fmt::format("{} B", Bytes);
  constexpr const char *kUnits[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  return scaled(static_cast<double>(Bytes), 1024, kUnits);
}

std::string humanCount(uint64_t Count) {
  if (Count < 10'000)
    return fmt::format("{}", Count);
  constexpr const char *kUnits[] = {"k", "M", "G", "T", "P", "E"};
  return scaled(static_cast<double>(Count), 1000, kUnits);
}

static uint64_t magnitude(__int128 Value) {
  const auto Positive =
      static_cast<unsigned __int128>(Value < 0 ? -Value : Value);
  return Positive > ~uint64_t{0} ? ~uint64_t{0}
                                 : static_cast<uint64_t>(Positive);
}

static const char *sign(__int128 Value) {
  return Value > 0 ? "+" : Value < 0 ? "-" : "";
}

std::string humanBytes(const std::optional<uint64_t> &Bytes) {
  return Bytes ? humanBytes(*Bytes) : "?";
}

std::string humanCount(const std::optional<uint64_t> &Count) {
  return Count ? humanCount(*Count) : "?";
}

std::string bytesOrDash(const std::optional<uint64_t> &Bytes) {
  return Bytes == 0u ? "-" : humanBytes(Bytes);
}

std::string humanBytesDelta(__int128 Bytes) {
  return sign(Bytes) + humanBytes(magnitude(Bytes));
}

std::string humanRate(double BytesPerSecond) {
  constexpr std::pair<double, const char *> kUnits[] = {
      {1, "s"}, {60, "min"}, {3600, "h"}};
  double Each = 3600;
  const char *Name = "h";
  for (const auto &[Seconds, Text] : kUnits)
    if (std::abs(BytesPerSecond) * Seconds >= 100) {
      Each = Seconds;
      Name = Text;
      break;
    }
  const double Value = std::clamp(BytesPerSecond * Each, -1e18, 1e18);
  return humanBytesDelta(static_cast<__int128>(std::llround(Value))) + "/" +
         Name;
}

std::string humanSlope(const Slope &Rise) {
  return humanRate(Rise.Middle) + " (99 % sure: " + humanRate(Rise.Low) +
         " to " + humanRate(Rise.High) + ')';
}

std::string exactBytes(uint64_t Bytes) {
  return std::to_string(Bytes) + (Bytes == 1 ? " byte" : " bytes");
}

std::string counted(uint64_t Count, std::string_view What) {
  return humanCount(Count) + ' ' + std::string(What) + (Count == 1 ? "" : "s");
}

std::string humanCountDelta(__int128 Count) {
  return sign(Count) + humanCount(magnitude(Count));
}

std::string humanShare(uint64_t Part, uint64_t Whole) {
  if (Whole == 0)
    return "-";
  if (Part == 0)
    return "0 %";
  const double Share =
      100 * static_cast<double>(Part) / static_cast<double>(Whole);
  if (Share < 0.05)
    return "<0.1 %";
  return significant(Share) + " %";
}

std::string humanLifetime(uint64_t Value, Unit In, bool Unicode) {
  if (In == Unit::Bytes)
    return humanBytes(Value);
  if (Value < 1000)
    return fmt::format("{} ns", Value);
  const double Ns = static_cast<double>(Value);
  if (Ns < 999.5e3)
    return significant(Ns / 1e3) + (Unicode ? " µs" : " us");
  if (Ns < 999.5e6)
    return significant(Ns / 1e6) + " ms";
  if (Ns < 120e9)
    return significant(Ns / 1e9) + " s";
  if (Ns < 7200e9)
    return significant(Ns / 60e9) + " min";
  return significant(Ns / 3600e9) + " h";
}

/// A number and its suffix.
static std::optional<double> leadingNumber(std::string_view &Text) {
  double Value = 0;
  const auto End = std::from_chars(Text.data(), Text.data() + Text.size(),
                                   Value, std::chars_format::fixed);
  if (End.ec != std::errc() || !(Value >= 0) || !std::isfinite(Value))
    return std::nullopt;
  Text.remove_prefix(static_cast<size_t>(End.ptr - Text.data()));
  while (Text.starts_with(' '))
    Text.remove_prefix(1);
  return Value;
}

static std::optional<uint64_t> whole(double Value) {
  if (Value >= 1.8e19)
    return std::nullopt;
  return static_cast<uint64_t>(std::round(Value));
}

std::optional<uint64_t> parseDuration(std::string_view Text) {
  struct {
    std::string_view Suffix;
    double Ns;
  } constexpr kUnits[] = {{"ns", 1},      {"us", 1e3},    {"µs", 1e3},
                          {"ms", 1e6},    {"s", 1e9},     {"", 1e9},
                          {"m", 60e9},    {"min", 60e9},  {"h", 3600e9},
                          {"d", 86400e9}, {"w", 604800e9}};
  const auto Value = leadingNumber(Text);
  if (!Value)
    return std::nullopt;
  for (const auto &U : kUnits)
    if (Text == U.Suffix)
      return whole(*Value * U.Ns);
  return std::nullopt;
}

std::optional<uint64_t> parseBytes(std::string_view Text) {
  const auto Value = leadingNumber(Text);
  if (!Value)
    return std::nullopt;
  if (Text.empty() || Text == "B" || Text == "b")
    return whole(*Value);
  constexpr std::string_view kLetters = "kmgt";
  const char First = Text[0] >= 'A' && Text[0] <= 'Z'
                         ? static_cast<char>(Text[0] - 'A' + 'a')
                         : Text[0];
  const size_t Power = kLetters.find(First);
  const std::string_view Rest = Text.substr(1);
  if (Power == std::string_view::npos ||
      !(Rest.empty() || Rest == "B" || Rest == "iB" || Rest == "b"))
    return std::nullopt;
  return whole(std::ldexp(*Value, 10 * (static_cast<int>(Power) + 1)));
}

} // namespace inmem::report
