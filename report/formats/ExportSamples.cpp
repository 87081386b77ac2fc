//===- ExportSamples.cpp - Samples, as exporters write them ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/formats/ExportSamples.h"

#include "report/model/Blame.h"
#include "report/model/ShownNames.h"
#include "report/names/TypeName.h"
#include "report/text/Table.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <unordered_map>

namespace inmem::report {

static uint64_t livedBy(double Sum) {
  constexpr double kMost = 9e18;
  return Sum > 0 ? static_cast<uint64_t>(std::llround(std::min(Sum, kMost)))
                 : 0;
}

namespace {

/// Source locations with functions as reports name them. Each name is computed
/// once.
class ShownPlaces {
public:
  explicit ShownPlaces(const Profile &Of) : P(Of) {}

  /// \param Frames of P, outermost first
  std::vector<SourceLocation> chain(const std::vector<uint32_t> &Frames) {
    std::vector<SourceLocation> Out;
    for (size_t I = Frames.size(); I > 0; --I)
      Out.push_back(shown(P.Calls.Frames[Frames[I - 1]].Where));
    return Out;
  }
  std::vector<SourceLocation> chain(std::vector<SourceLocation> Chain) {
    for (SourceLocation &At : Chain)
      At = shown(std::move(At));
    return Chain;
  }

private:
  SourceLocation shown(SourceLocation At) {
    const auto [Where, New] = Short.try_emplace(At.Function);
    if (New)
      Where->second = shortFunction(At.Function);
    At.Function = Where->second;
    return At;
  }

  const Profile &P;
  std::unordered_map<std::string, std::string> Short;
};

} // namespace

std::vector<TimeSample> timesOf(const Profile &P) {
  std::vector<TimeSample> Out;
  ShownPlaces Places(P);
  if (P.Samples)
    for (const SampledStack &S : P.Samples->Stacks)
      Out.push_back(
          {Places.chain(S.Frames), S, S.Count * P.Samples->IntervalNs});
  return Out;
}

bool isCpuTime(const Profile &P) {
  return P.Samples && P.Samples->Clock == "cpu";
}

std::vector<ExportSample> samplesOf(const Profile &P) {
  uint64_t BySite = 0, ByStack = 0;
  for (const SiteResult &S : P.Sites)
    BySite += S.Sum.Allocations + S.Sum.CarriedAllocations;
  for (const StackResult &S : P.Calls.Stacks)
    ByStack += S.Sum.Allocations + S.Sum.CarriedAllocations;
  ShownPlaces Places(P);
  const auto SpellingOf = [&P](size_t Type) {
    const auto &Name = P.Types[Type].Name;
    return Name ? std::string_view(*Name) : std::string_view();
  };
  std::unordered_map<uint64_t, std::vector<const PartResult *>> OfEntry;
  for (const PartResult &Part : P.Parts)
    OfEntry[Part.Entry].push_back(&Part);
  std::vector<ExportSample> Out;
  if (ByStack == 0 || ByStack != BySite) {
    for (size_t I = 0; I < P.Sites.size(); ++I) {
      const SiteResult &S = P.Sites[I];
      Out.push_back({Places.chain(S.Chain),
                     shownBlocks(P, S),
                     SpellingOf(S.Type),
                     S.Sum,
                     livedBy(static_cast<double>(S.Life.Mean.value_or(0)) *
                             static_cast<double>(S.Sum.Frees)),
                     {},
                     I});
    }
    for (const EntryRow &E : P.Entries)
      if (const auto At = OfEntry.find(E.Entry); At != OfEntry.end())
        Out[E.Site].Parts.insert(Out[E.Site].Parts.end(), At->second.begin(),
                                 At->second.end());
    return Out;
  }
  for (const StackResult &S : P.Calls.Stacks) {
    Out.push_back({Places.chain(S.Frames),
                   shownBlocks(P, P.Sites[S.Site]),
                   SpellingOf(S.Type),
                   S.Sum,
                   livedBy(S.LivedSum),
                   {},
                   S.Site});
    if (const auto At = OfEntry.find(S.Entry); At != OfEntry.end())
      Out.back().Parts = At->second;
  }
  return Out;
}

std::vector<std::pair<std::string, std::string>>
commonLabels(const Profile &P) {
  if (P.Processes.empty())
    return {};
  auto Out = P.Processes[0].Labels;
  std::erase_if(Out, [&](const auto &Label) {
    return std::ranges::any_of(P.Processes, [&](const ProcessResult &R) {
      return std::ranges::find(R.Labels, Label) == R.Labels.end();
    });
  });
  return Out;
}

bool isLibraryCode(const SourceLocation &At) {
  StackFrame F;
  F.Where = At;
  return isLibrary(F) || (!At.File.empty() && isSystemPath(At.File));
}

std::string programOf(const Profile &P) {
  if (P.Processes.empty() || P.Processes[0].Command.empty())
    return "program";
  const std::string &Path = P.Processes[0].Command[0];
  return Path.substr(Path.rfind('/') + 1);
}

std::string functionOf(const SourceLocation &P) {
  return P.Function.empty() ? "?" : P.Function;
}

std::string frameText(const SourceLocation &P) {
  if (P.File.empty())
    return functionOf(P);
  return fmt::format("{} ({}:{})", functionOf(P), P.File, P.Line);
}

std::string commandOf(const Profile &P) {
  return P.Processes.empty()
             ? ""
             : fmt::format("{}", fmt::join(P.Processes[0].Command, " "));
}

std::string utf8(std::string_view Text) { return printable(Style{}, Text); }

} // namespace inmem::report
