//===- ObjectRules.cpp - Objects that need not be, or not as large --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/base/Units.h"
#include "report/findings/Rules.h"
#include "report/model/View.h"
#include "report/names/TypeName.h"

#include <cmath>
#include <fmt/format.h>

namespace inmem::report {

void findCopies(FindingList &Out) {
  for (const CopyRow &C : copyRows(Out.P)) {
    const ObjectSite &Site = *C.Site;
    // Small values that own no memory are meant to be copied.
    constexpr uint64_t kLarge = 256;
    const uint64_t Own = Out.P.Types[C.Type].Size.value_or(0);
    const uint64_t Inner = Site.InnerAllocations.value_or(0);
    if (Inner == 0 && Own < kLarge)
      continue;
    Finding F;
    F.Rule = RuleId::Copies;
    F.Type = C.Type;
    F.OfObjects = true;
    F.Where = Site.Where;
    F.Bytes = Site.Constructed * Own + Site.InnerBytes.value_or(0);
    F.Allocations = Inner;
    F.SavesAllocations = Inner;
    F.SavesBytes = Site.InnerBytes.value_or(0);
    F.Message =
        fmt::format("copied {}, {} each", counted(Site.Constructed, "time"),
                    humanBytes(F.Bytes / Site.Constructed));
    if (Inner > 0)
      F.Message += fmt::format(", {} inside", counted(Inner, "block"));
    F.Advice = "std::move where the source ends, a const reference where it is "
               "only read";
    Out.add(std::move(F), nullptr);
  }
}

void findPadding(FindingList &Out) {
  for (size_t I = 0; I < Out.P.Types.size(); ++I) {
    const TypeResult &T = Out.P.Types[I];
    if (!T.Packed || !T.Size || *T.Size <= T.Packed->Bytes ||
        T.Sum.AllocatedBytes == 0)
      continue;
    const uint64_t Each = *T.Size - T.Packed->Bytes;
    Finding F = Out.of(RuleId::Padding, I);
    F.OfObjects = true;
    F.SavesBytes = T.Sum.AllocatedBytes / *T.Size * Each;
    const uint64_t Peak =
        T.PeakLiveBytes.value_or(T.Sum.LiveBytes) / *T.Size * Each;
    F.SavesPeakBytes = Peak;
    F.Message = fmt::format("{} of its {} bytes are padding, {} at the peak",
                            Each, *T.Size, humanBytes(Peak));
    std::string Order;
    for (const std::string &Name : T.Packed->Order)
      Order += (Order.empty() ? "" : ", ") + Name;
    F.Advice = "declare members in the order " + Order;
    Out.add(std::move(F), Out.siteOf(I));
  }
}

void findOverReserved(FindingList &Out) {
  for (size_t I = 0; I < Out.P.Types.size(); ++I) {
    const TypeResult &T = Out.P.Types[I];
    // A vector constructs each element in place at least once. An element that
    // moves when the vector grows counts as constructed again.
    if (!isInStd(T.Alias, "vector<") || !T.Alias.ends_with(" buffer") ||
        !T.Objects || !T.Elements || T.Sum.Allocations == 0)
      continue;
    const uint64_t Made = T.Objects->Placed;
    constexpr uint64_t kAtLeast = 4; // Growth alone leaves less than half.
    if (Made == 0 || *T.Elements / kAtLeast < Made)
      continue;
    const double Used =
        static_cast<double>(Made) / static_cast<double>(*T.Elements);
    const auto Blocks = static_cast<double>(T.Sum.Allocations);
    Finding F = Out.of(RuleId::OverReserved, I);
    F.SavesBytes = static_cast<uint64_t>(
        static_cast<double>(T.Sum.AllocatedBytes) * (1 - Used));
    F.SavesPeakBytes = static_cast<uint64_t>(
        static_cast<double>(T.PeakLiveBytes.value_or(0)) * (1 - Used));
    F.Message = fmt::format(
        "room for {} elements each on average, {:.1f} are made in it",
        humanCount(
            static_cast<uint64_t>(static_cast<double>(*T.Elements) / Blocks)),
        static_cast<double>(Made) / Blocks);
    F.Advice = fmt::format("reserve({})",
                           humanCount(static_cast<uint64_t>(
                               std::ceil(static_cast<double>(Made) / Blocks))));
    Out.add(std::move(F), Out.siteOf(I));
  }
}

} // namespace inmem::report
