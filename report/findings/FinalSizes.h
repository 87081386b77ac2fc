//===- FinalSizes.h - Sizes at which containers stop growing ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A container that grows has a block of each step up to its last. So of N(i)
// containers that had a block of step i, N(i) - N(i+1) ended there. A trace
// does not have N(i), but blocks and bytes of groups with equal lifetimes. They
// are divided so that each group keeps its blocks and its bytes, N never rises
// with i, and each group's sizes are as close to its mean as possible.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_REPORT_FINALSIZES_H
#define INMEM_REPORT_FINALSIZES_H

#include "report/model/Profile.h"

#include <span>

namespace inmem::report {

class FinalSizes {
public:
  /// \param Steps sizes in bytes that a container takes in turn, ascending
  /// \param Least the least number of steps, whatever the groups show \param
  /// All the sum of the groups
  FinalSizes(const SizeGroups &Blocks, std::span<const double> Steps,
             size_t Least, const Counts &All);
  /// Containers that all end at one size.
  FinalSizes(double Containers, double Bytes)
      : Sizes{{Bytes, Containers}}, Count(Containers) {}

  double containers() const { return Count; }
  /// Scales to a larger number of containers than the sizes show.
  void scaleTo(double Containers);
  /// The size in bytes at or below which this part of the containers ends.
  double quantile(double Part) const;
  /// The bytes of all last blocks together.
  double finalBytes() const;

  struct Sum {
    double Blocks = 0, Bytes = 0;
  };
  /// Allocations if each container began with this number of bytes.
  Sum reserved(double Bytes) const;

private:
  /// The number of containers with a block of this size.
  struct Step {
    double Bytes = 0, Reached = 0;
  };
  /// The number of containers that ended at this size.
  double endedAt(size_t I) const;

  std::vector<Step> Sizes; ///< ascending
  double Count = 0;
};

} // namespace inmem::report

#endif
