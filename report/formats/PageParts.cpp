//===- PageParts.cpp - Members of a page's head ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/formats/Page.h"

#include "report/findings/Findings.h"
#include "report/findings/RuleFacts.h"
#include "report/names/TypeName.h"
#include "trace/text/Names.h"

#include <algorithm>
#include <unordered_map>

namespace inmem::report {

Json fieldsJson(const Profile &P, std::span<const trace::Trace> Traces) {
  Json Out = Json::object();
  std::unordered_map<uint64_t, std::pair<const trace::Trace *, uint32_t>> Of;
  for (const trace::Trace &T : Traces)
    for (uint32_t I = 1; I < T.Types.size(); ++I)
      if (T.Types[I].FieldCount > 0)
        Of.try_emplace(T.Types[I].Id, &T, I);
  for (size_t I = 0; I < P.Types.size(); ++I) {
    const auto Found = Of.find(P.Types[I].Id);
    if (!P.Types[I].Name || P.Types[I].Id == 0 || Found == Of.end())
      continue;
    Json All = Json::array();
    const auto &[T, Index] = Found->second;
    for (const trace::Field &F : T->fields(T->Types[Index]))
      All.push_back({{"name", F.Name},
                     {"type", F.TypeName},
                     {"offset", F.Offset},
                     {"size", F.Size},
                     {"kind", trace::nameOf(trace::kFieldKindNames, F.Kind)},
                     {"bit", F.Bit}});
    Out[std::to_string(I)] = {{"fields", std::move(All)}, {"packed", nullptr}};
    if (const auto &Packed = P.Types[I].Packed)
      Out[std::to_string(I)]["packed"] = {{"bytes", Packed->Bytes},
                                          {"order", Packed->Order}};
  }
  return Out;
}

Json pageSources(const std::map<std::string, uint64_t> &ByFile,
                 const PageOptions &Options) {
  constexpr size_t kFiles = 60, kAll = 3 << 20;
  Json Out = Json::array();
  if (!Options.Source)
    return Out;
  std::vector<std::pair<uint64_t, std::string>> Files;
  for (const auto &[File, Cost] : ByFile)
    if (!File.empty() && !isSystemPath(File))
      Files.emplace_back(Cost, File);
  std::sort(Files.rbegin(), Files.rend());
  size_t Bytes = 0;
  for (const auto &[Cost, File] : Files) {
    const auto Found = Options.Source(File);
    if (!Found || Bytes + Found->Text.size() > kAll)
      continue;
    Bytes += Found->Text.size();
    Out.push_back(
        {{"file", File}, {"path", Found->Path}, {"text", Found->Text}});
    if (Out.size() == kFiles)
      break;
  }
  return Out;
}

Json unknownJson(const Profile &P) {
  Counts Sum;
  Sum.Unknown = P.Totals.Unknown;
  for (const SiteResult &S : P.Sites)
    Sum.add(S.Sum);
  Json Out = Json::array();
  const auto Put = [&](bool Known, const char *Figure) {
    if (!Known)
      Out.push_back(Figure);
  };
  Put(Sum.allocations().has_value(), "allocations");
  Put(Sum.allocatedBytes().has_value(), "bytes");
  Put(Sum.frees().has_value(), "frees");
  Put(Sum.freedBytes().has_value(), "freedBytes");
  Put(Sum.liveAllocations().has_value(), "live");
  Put(Sum.liveBytes().has_value(), "liveBytes");
  Put(P.TemporaryKnown && Sum.temporary(), "temporary");
  return Out;
}

Json adviceJson(const Profile &P) {
  const std::vector<Finding> All = findingsOf(P, ~size_t{0});
  Json Saves = Json::array();
  for (const Finding &F : All)
    Saves.push_back(savesText(P, F));
  const Savings Sum = savedTogether(P, All);
  const bool Traffic = std::ranges::any_of(
      All, [](const Finding &F) { return F.By == Measure::Traffic; });
  const std::string Why = Traffic ? whyNotFaster(P) : std::string();
  return {{"saves", std::move(Saves)},
          {"together",
           {{"allocations", Sum.Blocks},
            {"bytes", Sum.Bytes},
            {"peak_bytes", Sum.PeakBytes}}},
          {"not_faster", Why.empty() ? Json(nullptr) : Json(Why)},
          {"none", All.empty() ? Json(whyNoFinding(P)) : Json(nullptr)}};
}

} // namespace inmem::report
