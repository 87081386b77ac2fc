//===- Curve.h - Values over time, drawn in text ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_TEXT_CURVE_H
#define INMEM_REPORT_TEXT_CURVE_H

#include "report/model/Profile.h"
#include "report/text/Table.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace inmem::report {

// Braille.cpp: A curve of two points per column.

/// The area below a curve, as \p Rows lines of text, the highest first. \param
/// Values two for each column, left to right; nothing if unknown \param Top the
/// value of the upper border. Without Unicode, a column is its larger value, in
/// characters `#`
std::vector<std::string>
brailleArea(const std::vector<std::optional<uint64_t>> &Values, size_t Rows,
            uint64_t Top, const Style &S);

// Curve.cpp: Live bytes of the process over a run.

/// Live bytes of all types at each of P.Timeline; empty without a time line.
std::vector<uint64_t> liveBytesOverTime(const Profile &P);

/// The resident size at each of P.Timeline; where it is unknown, the one
/// before. Empty if it is never known.
std::vector<uint64_t> residentOverTime(const Profile &P);

/// \p Values, one for each of P.Timeline, as \p Width columns of equal time:
/// each the highest value in it or, without one, the last value before it.
std::vector<uint64_t>
columnsOf(const Profile &P, const std::vector<uint64_t> &Values, size_t Width);

/// A time on the time line, in the time line's unit.
std::string timeText(const Profile &P, const Style &S, uint64_t At);

/// Names of phases below \p Width columns of the same time, each after a mark
/// at its start: `╵load     ╵query`. Names that do not fit are left out, but
/// their marks are kept. Empty if the run named no phases.
std::string phaseMarks(const Profile &P, const Style &S, size_t Width);

} // namespace inmem::report

#endif
