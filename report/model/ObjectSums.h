//===- ObjectSums.h - Objects by class: made and destroyed ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_MODEL_OBJECTSUMS_H
#define INMEM_REPORT_MODEL_OBJECTSUMS_H

#include "report/model/Blocks.h"

namespace inmem::report {

class ObjectSums {
public:
  ObjectSums(const ProfileOptions &With, Profile &Out, TypeRows &Types,
             PlainNames &Names)
      : Options(With), Out(Out), Types(Types), Names(Names) {}

  /// \param Blocks of the same trace, which were added before
  void add(const TracePart &Part, const BlockSums &Blocks);
  /// Call this after types and their peaks are known.
  void finish();

private:
  using ByStorage = std::map<uint8_t, uint64_t>;
  void addCounts(const TracePart &Part);
  void addReceived(const std::map<size_t, ByStorage> &Received);
  void addLifetimes(const TracePart &Part, const BlockSums &Blocks);
  void addThoseThatLived(const TracePart &Part);
  const std::string &plain(std::string_view Linkage) {
    return Names.plain(Linkage);
  }

  const ProfileOptions &Options;
  Profile &Out;
  TypeRows &Types;
  PlainNames &Names;
  /// Lifetimes of objects by class, and their number.
  std::map<size_t, std::pair<LifetimeSum, Counts>> Lifetimes;
};

} // namespace inmem::report

#endif
