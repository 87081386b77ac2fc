//===- Braille.cpp - A curve of two points a column -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/text/Curve.h"

#include <algorithm>
#include <cmath>

namespace inmem::report {

/// The height of a value in steps, of which there are \p Most. A value above
/// zero has at least one.
static size_t stepsOf(std::optional<uint64_t> Value, uint64_t Top,
                      size_t Most) {
  if (!Value || *Value == 0 || Top == 0)
    return 0;
  const double Part = static_cast<double>(std::min(*Value, Top)) /
                      static_cast<double>(Top) * static_cast<double>(Most);
  return std::clamp<size_t>(static_cast<size_t>(std::lround(Part)), 1, Most);
}

/// UTF-8 of a braille pattern. \param Dots bits in Unicode's numbering
static std::string pattern(unsigned Dots) {
  if (Dots == 0)
    return " ";
  const unsigned Code = 0x2800 + Dots;
  return {static_cast<char>(0xe0 | Code >> 12),
          static_cast<char>(0x80 | (Code >> 6 & 0x3f)),
          static_cast<char>(0x80 | (Code & 0x3f))};
}

std::vector<std::string>
brailleArea(const std::vector<std::optional<uint64_t>> &Values, size_t Rows,
            uint64_t Top, const Style &S) {
  // Dots of the left and the right half of a character, from the bottom.
  constexpr unsigned kDots[2][4] = {{0x40, 0x04, 0x02, 0x01},
                                    {0x80, 0x20, 0x10, 0x08}};
  constexpr size_t kHigh = 4;
  const size_t Columns = Values.size() / 2;
  std::vector<std::string> Out(Rows);
  for (size_t C = 0; C < Columns; ++C) {
    const std::optional<uint64_t> Both[2] = {Values[2 * C], Values[2 * C + 1]};
    for (size_t R = 0; R < Rows; ++R) {
      std::string &Line = Out[Rows - 1 - R];
      if (!S.Unicode) {
        Line += stepsOf(std::max(Both[0], Both[1]), Top, Rows) > R ? '#' : ' ';
        continue;
      }
      unsigned Dots = 0;
      for (size_t Half = 0; Half < 2; ++Half) {
        const size_t Steps = stepsOf(Both[Half], Top, Rows * kHigh);
        for (size_t D = 0; D < kHigh && R * kHigh + D < Steps; ++D)
          Dots |= kDots[Half][D];
      }
      Line += pattern(Dots);
    }
  }
  return Out;
}

} // namespace inmem::report
