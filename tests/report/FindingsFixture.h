//===- FindingsFixture.h - A profile for rules to look at -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_TESTS_REPORT_FINDINGSFIXTURE_H
#define INMEM_TESTS_REPORT_FINDINGSFIXTURE_H

#include "report/findings/Findings.h"

#include <gtest/gtest.h>

namespace inmem::test {

inline constexpr size_t kAll = ~size_t{0};

class FindingsTest : public testing::Test {
protected:
  FindingsTest() {
    P.Totals.Allocations = 10000;
    P.Totals.AllocatedBytes = 1000000;
  }

  /// A type with one site of the user's in a.cpp.
  report::SiteResult &site(const std::string &Type, uint64_t Size,
                           uint64_t Blocks, uint64_t Bytes) {
    report::TypeResult T;
    T.Name = Type;
    T.Size = Size;
    T.Sum.Allocations = Blocks;
    T.Sum.AllocatedBytes = Bytes;
    report::SiteResult S;
    S.Type = P.Types.size();
    S.Sum = T.Sum;
    S.Where = {"f()", "a.cpp", static_cast<uint32_t>(P.Sites.size() + 1), 1};
    T.Sites.push_back(P.Sites.size());
    P.Types.push_back(std::move(T));
    P.Sites.push_back(std::move(S));
    return P.Sites.back();
  }

  std::vector<std::string> rules() const {
    std::vector<std::string> Out;
    for (const report::Finding &F : report::findingsOf(P, kAll))
      Out.emplace_back(report::nameOf(F.Rule));
    return Out;
  }
  report::Finding only() const {
    const auto All = report::findingsOf(P, kAll);
    EXPECT_EQ(All.size(), 1u);
    return All.empty() ? report::Finding() : All.front();
  }

  report::Profile P;
};

/// A function of the library that the site's own calls.
inline report::SourceLocation inVector(const char *Function) {
  return {std::string("std::vector<long, std::allocator<long> >::") + Function,
          "/usr/include/c++/12/bits/vector.tcc", 1, 0};
}

/// N blocks of each size; larger blocks live longer.
inline report::Histogram lifetimesOf(const std::vector<uint64_t> &Sizes,
                                     uint64_t Each) {
  std::vector<report::Bucket> Out;
  for (const uint64_t Size : Sizes) {
    const uint64_t From = Out.size() * 100;
    Out.push_back({From, From + 100, Each, Each * Size});
  }
  return report::Histogram(std::move(Out));
}

/// Has a site allocate such blocks, which are all freed.
inline void allocates(report::SiteResult &S, const std::vector<uint64_t> &Sizes,
                      uint64_t Each) {
  S.Life.Lifetimes = lifetimesOf(Sizes, Each);
  S.Sum.Allocations = S.Sum.Frees = S.Life.Lifetimes.count();
  S.Sum.AllocatedBytes = S.Sum.FreedBytes = S.Life.Lifetimes.bytes();
  S.Sizes = report::SizeGroups::of(S.Life.Lifetimes, S.Sum);
}

} // namespace inmem::test

#endif
