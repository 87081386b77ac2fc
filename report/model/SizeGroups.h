//===- SizeGroups.h - Spread of the sizes of blocks -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_SIZEGROUPS_H
#define INMEM_REPORT_SIZEGROUPS_H

#include <optional>
#include <vector>

namespace inmem::report {

class Histogram;
struct Counts;

/// The spread of the sizes of blocks, as shown by groups: blocks that lived
/// equally long, or were alive at the end.
struct SizeGroups {
  double Blocks = 0, Bytes = 0;
  double Groups = 0;
  double Squares = 0; ///< of block sizes, each taken as its group's mean
  /// Groups of sizes whose means are within a twelfth of each other, in
  /// ascending order.
  struct Class {
    double Blocks = 0, Bytes = 0;
  };
  std::vector<Class> Classes;

  static SizeGroups of(const Histogram &Lifetimes, const Counts &C);
  /// Blocks alive at the end, if others can be separated from them.
  void addLive(const Counts &C);
  void add(double Count, double Size);
  void add(const SizeGroups &Other);
  /// The variance of sizes over the square of their mean: 0 if all sizes are
  /// equal. None if no lifetimes are known.
  std::optional<double> spread() const;
  /// True if spread() exceeds what rounding of scaled counts makes of blocks of
  /// one size.
  bool differ() const;
};

} // namespace inmem::report

#endif // INMEM_REPORT_SIZEGROUPS_H
