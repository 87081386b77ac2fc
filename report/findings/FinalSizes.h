//===- FinalSizes.h - Sizes at which containers stop growing ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A container that grows has a block of each step up to its last. So of N(i)
// containers that had a block of step i, N(i) - N(i+1) ended there. A trace has
// no N(i), but blocks and bytes of groups that lived equally long. They are
// divided so that each group keeps its blocks and its bytes, N never rises
// with i, and each group's sizes are as close to its mean as that allows.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_REPORT_FINALSIZES_H
#define INMEM_REPORT_FINALSIZES_H

#include "report/model/Profile.h"

#include <span>

namespace inmem::report {

class FinalSizes {
public:
  /// \param Steps sizes in bytes that a container takes in turn; they rise
  /// \param Least of the steps there were, whatever the groups show
  /// \param All what the groups have to add up to
  FinalSizes(const SizeGroups &Blocks, std::span<const double> Steps,
             size_t Least, const Counts &All);
  /// All of one final size.
  FinalSizes(double Containers, double Bytes)
      : Sizes{{Bytes, Containers}}, Count(Containers) {}

  double containers() const { return Count; }
  /// If there were more of them than the sizes say.
  void scaleTo(double Containers);
  /// The size in bytes at which, or below which, this part of them ends.
  double quantile(double Part) const;
  /// Bytes of their last blocks together.
  double finalBytes() const;

  struct Sum {
    double Blocks = 0, Bytes = 0;
  };
  /// Allocations if each began with this number of bytes.
  Sum reserved(double Bytes) const;

private:
  /// Number of containers with a block of this size.
  struct Step {
    double Bytes = 0, Reached = 0;
  };
  /// Number of them that ended there.
  double endedAt(size_t I) const;

  std::vector<Step> Sizes; ///< they rise
  double Count = 0;
};

} // namespace inmem::report

#endif
