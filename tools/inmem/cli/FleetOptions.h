//===- FleetOptions.h - Values of options of the fleet's commands ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_TOOLS_FLEETOPTIONS_H
#define INMEM_TOOLS_FLEETOPTIONS_H

#include "cli/Command.h"
#include "report/base/Units.h"

#include <cctype>
#include <fmt/format.h>

namespace inmem::tools {

/// Parses a duration in seconds. A number without a unit is rejected: the user
/// could mean days.
inline std::optional<int64_t> secondsOf(const std::string &Text) {
  constexpr uint64_t kSecond = 1'000'000'000;
  const auto Ns = report::parseDuration(Text);
  if (!Ns ||
      (*Ns != 0 && std::isdigit(static_cast<unsigned char>(Text.back()))))
    return std::nullopt;
  return static_cast<int64_t>(*Ns / kSecond);
}

inline Outcome wrongDuration(const char *Option, const std::string &Text) {
  return Outcome::usage(
      fmt::format("{}: expected a duration such as 12h, 90d or 4w, found '{}'",
                  Option, Text));
}

inline Outcome wrongSize(const char *Option, const std::string &Text) {
  return Outcome::usage(fmt::format(
      "{}: expected a size such as 128MB, found '{}'", Option, Text));
}

inline std::string counted(uint64_t Number, const char *Of) {
  return fmt::format("{} {}{}", Number, Of, Number == 1 ? "" : "s");
}

} // namespace inmem::tools

#endif
