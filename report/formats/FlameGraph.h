//===- FlameGraph.h - Call stacks as a picture or folded lines ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A flame graph (Gregg, CACM 59(6), 2016): a box for each function, as wide as
// the bytes allocated by and below it, callers below callees, the type on top.
// One self-contained SVG file; a click on a box zooms to it, and a search marks
// boxes. Or the folded text from which other tools draw.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_REPORT_FLAMEGRAPH_H
#define INMEM_REPORT_FLAMEGRAPH_H

#include "report/model/StackTree.h"

#include <span>
#include <string_view>

namespace inmem::report {

/// The meaning of a box's width.
enum class FlameMetric {
  Bytes, ///< allocated
  Count, ///< blocks allocated
  Live,  ///< bytes alive at the end
  Peak,  ///< bytes alive at the process's peak
  Lived, ///< summed lifetimes of freed blocks
  Cpu,   ///< samples of profile_clock=cpu
  Wall   ///< samples of profile_clock=wall
};
struct FlameMetricName {
  FlameMetric What;
  std::string_view Word, Help;
};
/// The words of --metric.
std::span<const FlameMetricName> flameMetrics();

struct FlameOptions {
  FlameMetric Of = FlameMetric::Bytes;
  TreeOptions Tree;  ///< BottomUp: the picture shows callers
  bool Types = true; ///< a box for the type above the function
  std::string Title;
};

/// Sorted lines `main;make;Foo 120`; empty if no stack has the metric.
std::string foldedStacks(const Profile &P, const FlameOptions &Options);
/// As foldedStacks(), but as a picture.
std::string flameGraph(const Profile &P, const FlameOptions &Options);

} // namespace inmem::report

#endif
