//===- Units.h - Numbers for people, and back -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text reports round (`1.2 MiB`, `3.4 k`, `12.3 µs`); JSON and CSV never use
// this. Parsers serve the command line.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_REPORT_BASE_UNITS_H
#define INMEM_REPORT_BASE_UNITS_H

#include "report/base/Growth.h"
#include "report/base/Histogram.h"

#include <optional>
#include <string>
#include <string_view>

namespace inmem::report {

/// `0 B`, `1023 B`, `1.2 KiB`, `345 MiB`.
std::string humanBytes(uint64_t Bytes);
/// As above, `?` if unknown.
std::string humanBytes(const std::optional<uint64_t> &Bytes);
std::string humanCount(const std::optional<uint64_t> &Count);
/// As above, and `-` for 0.
std::string bytesOrDash(const std::optional<uint64_t> &Bytes);
/// Bytes with a sign, for differences.
std::string humanBytesDelta(__int128 Bytes);
/// Exact below 10000, then `12.3 k`, `4.5 M`, `6.7 G`.
std::string humanCount(uint64_t Count);
/// `1 byte`, `65536 bytes`.
std::string exactBytes(uint64_t Bytes);
/// `1 site`, `12.3 k sites`.
std::string counted(uint64_t Count, std::string_view What);
/// `+1.2 MiB/s`, or per minute or hour if the rate per second is too small.
std::string humanRate(double BytesPerSecond);
/// `+1.2 MiB/s (99 % sure: +1.1 MiB/s to +1.3 MiB/s)`
std::string humanSlope(const Slope &Rise);
std::string humanCountDelta(__int128 Count);
/// `45.6 %`; `<0.1 %` for small shares above 0; `-` if Whole is 0.
std::string humanShare(uint64_t Part, uint64_t Whole);
/// A lifetime: `12 ns`, `1.2 µs` (`us` if not Unicode), `3.4 ms`, `5.6 s`,
/// `7.8 min`, `9 h`; or bytes for Unit::Bytes.
std::string humanLifetime(uint64_t Value, Unit In, bool Unicode);

/// `5s`, `1.5ms`, `300us`, `2m`, `1h`, `3d`, `4w` to ns. A bare number is in
/// seconds.
std::optional<uint64_t> parseDuration(std::string_view Text);
/// `4096`, `4k`, `1.5M`, `2GiB`, `10KB` to bytes. All suffixes are powers of
/// 1024.
std::optional<uint64_t> parseBytes(std::string_view Text);

} // namespace inmem::report

#endif
