//===- PageData.h - Profiles as `inmem html` embeds them ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One compressed block: a JSON head with all small parts, as in
// `inmem-report/1`, followed by columns of integers for the large parts: sites,
// the tree of stacks, and the events of each row in each part of the run. Its
// size grows with sites, stacks and parts, not with events. web/README.md has
// the layout.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_REPORT_PAGEDATA_H
#define INMEM_REPORT_PAGEDATA_H

#include "report/formats/Json.h"
#include "report/model/View.h"

#include <functional>

namespace inmem::report {

struct PageOptions {
  /// Small stacks are added to their callers until the compressed data is at
  /// most this large; 0: no limit.
  uint64_t MostBytes = 3'500'000;
  size_t MostParts = 120;      ///< parts of the timeline
  Json Extra = Json::object(); ///< additional members of the head
  struct SourceFile {
    std::string Text;
    std::string Path; ///< absolute, for editors
  };
  /// A source file, or nothing.
  std::function<std::optional<SourceFile>(const std::string &)> Source;
};

/// One side: a profile and the traces that it was built from.
struct PageSide {
  const Profile &P;
  std::span<const trace::Trace> Traces;
  std::string Label;
};

/// \param Diff "inmem-diff/1" if there are two sides; null otherwise. \returns
/// the compressed block (zlib's format)
std::string pageData(std::span<const PageSide> Sides, const Json &Diff,
                     const PageOptions &Options);
/// A head without columns.
std::string pageData(const Json &Head);

} // namespace inmem::report

#endif
