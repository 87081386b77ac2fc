//===- Diagnoser.h - Damage found while a trace is read ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to trace/read/.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_TRACE_DIAGNOSER_H
#define INMEM_TRACE_DIAGNOSER_H

#include "trace/read/Trace.h"

#include <algorithm>
#include <string>

namespace inmem::trace {

/// A number in a message.
inline std::string text(uint64_t Value) { return std::to_string(Value); }

/// Adds diagnostics to a trace. Beyond kMost, or beyond 10 plus one for each
/// 512 bytes read so far, it only counts them: a file of many small, damaged
/// processes would otherwise need much more memory than it has bytes.
class Diagnoser {
public:
  static constexpr uint64_t kMost = 1000;

  /// \p Into outlives this.
  explicit Diagnoser(Trace &Into) : Out(Into) {}

  /// \param Offset of the byte in the file that the diagnostic is about
  void diagnose(Diagnostic::Level Level, uint64_t Offset, std::string What,
                std::string Expected = {}, std::string Found = {}) {
    const uint64_t Most = 10 + (Offset - std::min(Offset, Out.Base)) / 512;
    if (Out.Diagnostics.size() >= std::min(kMost, Most))
      ++Out.DiagnosticsLeftOut;
    else
      Out.Diagnostics.push_back({Level, Offset, std::move(What),
                                 std::move(Expected), std::move(Found)});
  }
  /// As diagnose(), for a byte that no writer would write.
  void damage(uint64_t Offset, std::string What, std::string Expected = {},
              std::string Found = {}) {
    diagnose(Diagnostic::Level::Damage, Offset, std::move(What),
             std::move(Expected), std::move(Found));
  }

private:
  Trace &Out;
};

} // namespace inmem::trace

#endif
