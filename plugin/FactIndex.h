//===- FactIndex.h - facts of one function by place and callee --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A function may have thousands of facts and calls: each lookup takes constant
// time.
#ifndef INMEM_PLUGIN_FACTINDEX_H
#define INMEM_PLUGIN_FACTINDEX_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include <vector>

namespace inmem {

/// \p Consensus must have add(const Fact &).
template <typename Fact, typename Consensus> class FactIndex {
public:
  /// Positions in \p Facts, in order. \p Facts may only grow.
  llvm::ArrayRef<unsigned> at(const std::vector<Fact> &Facts, unsigned Line,
                              unsigned Column) {
    update(Facts);
    auto It = ByLine.find({Line, Column});
    if (It == ByLine.end())
      return {};
    return It->second;
  }
  llvm::ArrayRef<unsigned> of(const std::vector<Fact> &Facts,
                              llvm::StringRef Callee) {
    update(Facts);
    auto It = ByCallee.find(Callee);
    if (It == ByCallee.end())
      return {};
    return It->second.Positions;
  }
  /// The consensus of all facts about \p Callee.
  Consensus shared(const std::vector<Fact> &Facts, llvm::StringRef Callee) {
    update(Facts);
    auto It = ByCallee.find(Callee);
    return It == ByCallee.end() ? Consensus() : It->second.Shared;
  }

private:
  struct Group {
    llvm::SmallVector<unsigned, 1> Positions;
    Consensus Shared;
  };

  void update(const std::vector<Fact> &Facts) {
    for (; Indexed < Facts.size(); ++Indexed) {
      const Fact &New = Facts[Indexed];
      ByLine[{New.Where.Line, New.Where.Column}].push_back(Indexed);
      Group &Same = ByCallee[New.Callee];
      Same.Positions.push_back(Indexed);
      Same.Shared.add(New);
    }
  }

  llvm::DenseMap<std::pair<unsigned, unsigned>, llvm::SmallVector<unsigned, 1>>
      ByLine;
  llvm::StringMap<Group> ByCallee;
  size_t Indexed = 0;
};

} // namespace inmem

#endif // INMEM_PLUGIN_FACTINDEX_H
