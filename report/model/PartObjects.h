//===- PartObjects.h - Counts of objects in a part of a run ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_MODEL_PARTOBJECTS_H
#define INMEM_REPORT_MODEL_PARTOBJECTS_H

#include "report/base/Arithmetic.h"
#include "report/model/PartRows.h"
#include "report/model/View.h"

namespace inmem::report {

/// The cells of a trace's Object records in the selected part of the run, and
/// of the selected threads. Refers to the trace.
class PartObjects {
public:
  /// Nullopt if the trace lacks the counts of that part: marks add up all
  /// threads, and a snapshot may be without counters.
  static std::optional<PartObjects> of(const TracePart &Part,
                                       const ProfileOptions &Options) {
    PartObjects Out(Part.T);
    const Interval &Shown = Part.Shown;
    if (!Options.ThreadGlobs.empty()) {
      if (Options.inPhase())
        return std::nullopt;
      Out.After = Part.T.objectsOf([&](uint32_t Thread) {
        return selectsThread(Options, Part.T, Thread);
      });
    } else if ((Shown.From && !(Out.Before = Part.T.objectsAt(*Shown.From))) ||
               (Shown.To && !(Out.After = Part.T.objectsAt(*Shown.To)))) {
      return std::nullopt;
    }
    return Out;
  }

  /// The count in the part.
  uint64_t within(const trace::Object &O) const {
    return minus(After ? (*After)[indexOf(O)] : O.Count, before(O));
  }
  /// Counted before it.
  uint64_t before(const trace::Object &O) const {
    return Before ? (*Before)[indexOf(O)] : 0;
  }

private:
  explicit PartObjects(const trace::Trace &Of) : T(&Of) {}
  size_t indexOf(const trace::Object &O) const {
    return static_cast<size_t>(&O - T->Objects.data());
  }

  const trace::Trace *T;
  std::optional<std::vector<uint64_t>> Before, After; ///< counts by record
};

} // namespace inmem::report

#endif
